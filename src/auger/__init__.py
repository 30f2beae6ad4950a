"""Find good settings for anything expensive to try (BORE, Tiao et al., ICML 2021)."""

__version__ = "0.1.0"
