"""The command line: a reader of the same public functions.

Results go to stdout, messages and progress to stderr. Exit codes: 0 done, 1 a program that ran has failed, 2 the
command cannot be carried out as it is written, 3 a storage cannot be reached, 130 interrupted.
"""

from auger.cli.main import main

__all__ = ["main"]
