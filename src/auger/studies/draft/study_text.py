"""A study file for a program, with the ranges that were guessed from its help. A person reads and changes it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from auger import text
from auger.studies.definition.without_file import program_name
from auger.studies.draft.guesses import Guess
from auger.studies.draft.options import HelpOption

_MAX_EXPLANATION = 70


def study_text(words: Sequence[str], guesses: Sequence[Guess], file: str) -> str:
    """The text of a study file.

    Args:
        words: the program and its arguments.
        guesses: about its options.
        file: the name that the study file will have.
    """
    tuned = [each for each in guesses if each.parameter is not None]
    parts = [_head(words, file), _command(words, tuned), _VALUE, _space(tuned), _left_out(guesses), _defaults(tuned)]
    return "\n".join(part for part in parts if part)


def _head(words: Sequence[str], file: str) -> str:
    return f"""\
# Proposed by `auger init` from what this command prints: {_one_line(shlex.join([*words, "--help"]))}
# The ranges are guesses from names and defaults. Change them, and delete what you do not want to tune. Then:
#
#     auger try {file}      runs the program once and shows which value is read
#     auger tune {file}     runs the study, or continues it

[study]
name = {text.toml_value(program_name(words))}
direction = "minimize"       # or "maximize"
trials = 50
"""


def _command(words: Sequence[str], tuned: Sequence[Guess]) -> str:
    lines = [", ".join(text.toml_value(word.replace("{", "{{").replace("}", "}}")) for word in words)]
    lines += [_arguments(each) for each in tuned]
    return (
        "[command]\nrun = [\n"
        + "".join(f"  {line},\n" for line in lines)
        + ']\n# time_limit = "10m"        # per trial\n'
    )


def _arguments(each: Guess) -> str:
    option = each.option
    if not option.metavar:  # the choices are the flags
        return text.toml_value(f"{{{option.name}}}")
    if each.parameter is not None and float(each.parameter.get("low", 0)) < 0:  # it must not look like an option
        return text.toml_value(f"{option.flag}={{{option.name}}}")
    return f"{text.toml_value(option.flag)}, {text.toml_value(f'{{{option.name}}}')}"


_VALUE = r"""[value]
read = "last number"         # the last number that the program prints
# read = "regex"             # or the group of the last line that matches
# pattern = 'loss: (\S+)'
# read = "json"              # or a key of the last line that is a JSON object
# key = "loss"
"""


def _space(tuned: Sequence[Guess]) -> str:
    if not tuned:
        return (
            "[space]\n# No option has a range that could be guessed. Write one per parameter, and {NAME} into `run`:\n"
            '# rate = { type = "float", low = 1e-5, high = 1e-1, log = true }\n'
        )
    lines = [f"{_assignment(each)}{_comment(each.option)}\n" for each in tuned]
    return "[space]\n" + "".join(lines)


def _assignment(each: Guess) -> str:
    return f"{text.toml_key(each.option.name)} = {text.toml_value(each.parameter)}"


def _comment(option: HelpOption) -> str:
    explanation = _one_line(option.explanation)
    return f"  # {explanation}" if explanation else ""


def _left_out(guesses: Sequence[Guess]) -> str:
    lines = [
        f"# {', '.join(each.option.flags)} {each.option.metavar}".rstrip()
        + f": {each.why_not}{_comment(each.option)}\n"
        for each in guesses
        if each.why_not
    ]
    head = "# Left out. To tune one of them, add it to `run`, with {name} for its value, and a line to [space].\n"
    return head + "".join(lines) if lines else ""


def _defaults(tuned: Sequence[Guess]) -> str:
    known = {each.option.name: each.default for each in tuned if each.default is not None}
    unknown = [each.option.name for each in tuned if each.default is None]
    if not tuned:
        return ""
    head = "[defaults]                   # the settings in use today: tried first, and the best is compared with them\n"
    if not unknown:
        return f"{head}{text.toml(known)}\n"
    lines = [f"# {line}\n" for line in text.toml(known).splitlines()]
    lines += [f"# {name} =          # the help tells no default\n" for name in unknown]
    return f"# {head}" + "".join(lines)


def _one_line(explanation: str) -> str:
    cleaned = text.clean(" ".join(explanation.split()))
    return cleaned if len(cleaned) <= _MAX_EXPLANATION else f"{cleaned[: _MAX_EXPLANATION - 3]}..."
