"""auger as a sampler and a pruner of Optuna studies."""

from auger.hosts.optuna.parameters import distributions, suggest_config
from auger.hosts.optuna.pruner import AugerPruner
from auger.hosts.optuna.reports import report, should_prune
from auger.hosts.optuna.sampler import AugerSampler

__all__ = ["AugerPruner", "AugerSampler", "distributions", "report", "should_prune", "suggest_config"]
