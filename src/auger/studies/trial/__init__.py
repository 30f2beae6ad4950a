"""One trial as a process: started, watched, ended, and its value read."""

from auger.studies.trial.outcome import Outcome, read_result, write_result
from auger.studies.trial.output import kept_output, last_lines
from auger.studies.trial.program import check_program
from auger.studies.trial.reports import OnReport
from auger.studies.trial.run import run_trial

__all__ = [
    "OnReport",
    "Outcome",
    "check_program",
    "kept_output",
    "last_lines",
    "read_result",
    "run_trial",
    "write_result",
]
