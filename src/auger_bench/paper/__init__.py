"""The figures of the paper (Tiao et al., ICML 2021), drawn from our own code: `auger figures`.

>>> from auger_bench.paper import FIGURES
>>> FIGURES["teaser"].summary
'the idea in one picture: the good, the rest, their densities, and the ratio of the two'
"""

from auger_bench.paper.names import FIGURES, FORMATS, Entry, check_formats, entry, formats_of, write

__all__ = ["FIGURES", "FORMATS", "Entry", "check_formats", "entry", "formats_of", "write"]
