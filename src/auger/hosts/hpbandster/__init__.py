"""auger under HpBandSter's Hyperband. HpBandSter needs an environment of its own: docs/hpbandster.md."""

from auger.hosts.versions import check_host

check_host("hpbandster", (("0.7.4", "0.8"),), "hpbandster")
check_host("ConfigSpace", (("0.7.1", "0.8"),), "hpbandster")

from auger.hosts.hpbandster.generator import AugerGenerator  # noqa: E402
from auger.hosts.hpbandster.hyperband import AugerHyperBand  # noqa: E402

__all__ = ["AugerGenerator", "AugerHyperBand"]
