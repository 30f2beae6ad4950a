"""auger as a sampler of Optuna studies."""

from auger.hosts.optuna.columns import distributions, suggest_config
from auger.hosts.optuna.sampler import AugerSampler

__all__ = ["AugerSampler", "distributions", "suggest_config"]
