"""Learning curves: what a stopped trial would have come to, and whether a running trial is worth going on with."""

from auger.curves.early_stopping import Judge, Prospect, Prospects, Stages
from auger.curves.final_values import final_losses, final_values, values_of
from auger.curves.points import stage_of

__all__ = ["Judge", "Prospect", "Prospects", "Stages", "final_losses", "final_values", "stage_of", "values_of"]
