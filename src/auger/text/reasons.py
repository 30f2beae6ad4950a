"""Why a trial was tried, and why one is recommended, in words."""

from __future__ import annotations

from collections.abc import Sequence

from auger.evidence import Evidence
from auger.objectives import Direction
from auger.provenance import Origin, Provenance
from auger.text.format import number, percent


def reason(provenance: Provenance) -> str:
    """One line: which model and score, or why no model was asked, and the notes.

    Example:
        >>> reason(Provenance(Origin.MODEL, "auto, trees", 0.8123456, 34))
        'auto, trees: score 0.8123 from 34 answers'
        >>> reason(Provenance(Origin.INITIAL, n_answers=3, n_initial=10, sobol_point=3))
        'Sobol point 3: 3 of 10 answers in, no fit yet'
    """
    fixed = f"fixed: {', '.join(provenance.fixed)}" if provenance.fixed else ""
    return "; ".join(filter(None, [_proposal(provenance), fixed, *provenance.notes]))


def _proposal(provenance: Provenance) -> str:
    n_answers = provenance.n_answers
    if provenance.confirms is not None:
        return f"the settings of trial {provenance.confirms} again, to confirm its value"
    if provenance.score is not None:
        counted = "" if n_answers is None else f" from {n_answers} answers"
        return f"{provenance.model}: score {provenance.score:.4g}{counted}"
    if provenance.n_initial is not None:
        point = provenance.sobol_point
        drawn = "drawn at random" if point is None else f"Sobol point {point}"
        return f"{drawn}: {n_answers} of {provenance.n_initial} answers in, no fit yet"
    if provenance.origin is Origin.RANDOM and n_answers is not None:
        return f"drawn at random: no value to learn from, none of the {n_answers} finished trials has one"
    return ""


_PROPOSED_BY = {
    Origin.INITIAL: "was part of the initial design",
    Origin.MODEL: "was proposed by a model",
    Origin.RANDOM: "was drawn at random",
    Origin.GIVEN: "was passed in by the user",
    Origin.CONFIRMATION: "is a confirmation",
    Origin.OTHER: "was proposed by another program",
}


def explanation(
    number_of_trial: int,
    provenance: Provenance,
    *,
    p: float | None = None,
    good_share: float = 0.0,
    nearest: Sequence[tuple[int, float, float | None]] = (),
    has_values: bool = True,
) -> str:
    """Why a trial was tried; the arguments are fields of `auger.insight.Why`, and the share of trials that are good.

    Without ``has_values``, as with several objectives, the values of the nearest trials are left out.

    Example:
        >>> explanation(12, Provenance(Origin.RANDOM), p=0.25, good_share=0.1)
        'Trial 12 was drawn at random. Before its answer was known, its chance to be among the best 10 % was 0.25.'
    """
    why = reason(provenance)
    parts = [f"Trial {number_of_trial} {_PROPOSED_BY[provenance.origin]}{': ' if why else ''}{why}."]
    if p is not None:
        parts.append(f"Before its answer was known, its chance to be among the best {percent(good_share)} was {p:.2f}.")
    if nearest:
        neighbors = [
            f"trial {neighbor} (distance {distance:.2g}{_value(value) if has_values else ''})"
            for neighbor, distance, value in nearest
        ]
        parts.append(f"The nearest trials that were known then: {', '.join(neighbors)}.")
    return " ".join(parts)


def _value(value: float | None) -> str:
    return ", no value" if value is None else f", value {number(value)}"


def recommended(
    evidence: Evidence,
    direction: Direction,
    *,
    n_values: int,
    noise: float | None,
    is_best_value: bool,
    is_best_config: bool,
) -> str:
    """Why a trial is recommended; the arguments are fields of `auger.recommend.Recommendation`."""
    best = "lowest" if direction is Direction.MINIMIZE else "highest"
    if evidence is Evidence.NOISE:
        lead = f"the {best} value, and"
        if not is_best_value:
            lead = f"the configuration of {lead}" if is_best_config else f"not the {best} value, but"
        return f"{lead} the {best} expected one, given noise of about {noise:.2g}"
    if evidence is Evidence.NOT_CHECKED:
        return f"the {best} value; interrupted before it was known whether values are noisy"
    which = f"the {best} of {n_values} values" if n_values > 1 else "the only value"
    if evidence is Evidence.REPEATS_AGREE:
        return f"{which}, and repeats gave the same again"
    return f"{which}, without evidence of noise"


def confirmed(n_confirmed: int, direction: Direction) -> str:
    """Why a confirmed trial is the one to use.

    Example:
        >>> confirmed(4, Direction.MINIMIZE)
        'the lowest mean of the 4 settings that were run again at the end, to confirm them'
    """
    best = "lowest" if direction is Direction.MINIMIZE else "highest"
    if n_confirmed == 1:
        return "the only settings that were run again with success at the end, to confirm them"
    return f"the {best} mean of the {n_confirmed} settings that were run again at the end, to confirm them"


def model_skill(skill: float, error: float) -> str:
    """Whether a model's forecasts help, from its skill and the standard error of that (`auger.insight.ReportCard`).

    Example:
        >>> model_skill(0.05, 0.1)
        'the model is not yet better than guessing'
        >>> model_skill(0.4, 0.1)
        'the model is better than guessing: it foresees which settings will be good'
    """
    if skill > 2 * error:
        return "the model is better than guessing: it foresees which settings will be good"
    if skill < -2 * error:
        return "the model is worse than guessing so far"
    return "the model is not yet better than guessing"
