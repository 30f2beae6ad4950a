"""Outcome constraints of study files, and of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auger.errors import StudyError
from auger.outcome_constraints import OutcomeConstraint, outcome_constraint
from auger.text import toml_value


def read_outcome_constraint(name: str, limit: Any, key: str = "study.constraints") -> OutcomeConstraint:
    """An outcome constraint as the user writes it.

    Args:
        name: of the number.
        limit: such as ``"<= 512"``.
        key: of the study file, for errors.

    Example:
        >>> read_outcome_constraint("recall", ">= 0.9")
        OutcomeConstraint(name='recall', is_upper=False, bound=0.9)
    """
    constraint = outcome_constraint(name, limit)
    if constraint is None:
        raise StudyError(
            f'the limit of {toml_value(name)} must be text such as "<= 512" or ">= 0.9". Got {toml_value(limit)}.', key
        )
    return constraint


def read_outcome_constraints(table: Mapping[str, Any]) -> tuple[OutcomeConstraint, ...]:
    """The outcome constraints of a table: names and limits."""
    return tuple(read_outcome_constraint(name, limit) for name, limit in table.items())
