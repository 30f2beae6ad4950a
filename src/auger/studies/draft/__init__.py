"""A draft of a study file, from what the help of a program tells about its options."""

from auger.studies.draft.guesses import guesses_of
from auger.studies.draft.help_text import help_text
from auger.studies.draft.options import HelpOption, read_options
from auger.studies.draft.study_text import study_text

__all__ = ["HelpOption", "guesses_of", "help_text", "read_options", "study_text"]
