"""What a study is: its file, its command, the rules that read its values, its limits, and how it may change."""

from auger.studies.definition.amounts import seconds
from auger.studies.definition.changes import is_other_program, updated
from auger.studies.definition.command import Command, is_function_name, placeholders, trial_variables
from auger.studies.definition.definition import Definition, Limits
from auger.studies.definition.reservation import Reservation
from auger.studies.definition.study_file import read_study_file
from auger.studies.definition.value_rules import ReportRule, ValueRule
from auger.studies.definition.without_file import definition_without_file

__all__ = [
    "Command",
    "Definition",
    "Limits",
    "ReportRule",
    "Reservation",
    "ValueRule",
    "definition_without_file",
    "is_function_name",
    "is_other_program",
    "placeholders",
    "read_study_file",
    "seconds",
    "trial_variables",
    "updated",
]
