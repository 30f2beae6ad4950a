"""Everything that is stored with a study, beside Optuna's own: one table of attributes.

Attributes are Optuna's: of a study or of a trial, user or system attributes, JSON types. What version 0.1 stored under
other names or in other forms is read by `auger.old_formats`, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attribute:
    """One stored attribute.

    Attributes:
        name: under which it is stored.
        owner: "study" or "trial"; `is_system` says whether it is one of Optuna's system attributes.
        type: of the JSON value, in words.
        writers, readers: the modules that write and read it, without "auger.".
        since: the version that wrote it first; `until` the last one that did, if it is not written any more.
        user_until: the last version that stored a system attribute as a user attribute.
    """

    name: str
    owner: str
    type: str
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    since: str = "0.1"
    until: str | None = None
    is_system: bool = False
    user_until: str | None = None


_SAMPLER, _STUDY, _COORDINATOR = "hosts.optuna.sampler", "studies.study", "studies.pool.coordinator"
_TRIALS, _PROGRESS, _OWNERS = "hosts.optuna.trials", "studies.pool.progress", "studies.pool.owners"
_VIEW, _HPBANDSTER, _OLD = "studies.view", "hosts.hpbandster.generator", "old_formats"
_WORK_TIME = "studies.pool.work_time"
_OWNER = "object: host, machine, process, started, worker, token"
_PROPOSED = "object: parameter -> Optuna's internal value, proposed and not asked for yet"
_ENDING = "object: error (text or null), exit_code (whole number or null), seconds (number)"
_RUNS = "list: the value of each run; or its list of numbers, where a trial has several"
_OUTCOMES = "object: outcome constraint -> number"

ATTRIBUTES = (
    Attribute(
        "auger:definition", "study", "object: see studies.definition", (_STUDY, "studies.upkeep"), (_STUDY, _VIEW)
    ),
    Attribute(
        "auger:forgotten",
        "study",
        "whole number: failures of trials with a lower number do not count",
        (_STUDY,),
        (_STUDY,),
        since="0.2",
    ),
    # system attributes: `Trial.user_attrs` is the user's
    Attribute(
        "auger:origin",
        "trial",
        "text: an `auger.Origin`",
        (_TRIALS, _HPBANDSTER),
        (_TRIALS, _OLD),
        is_system=True,
        user_until="0.1",
    ),
    Attribute(
        "auger:provenance",
        "trial",
        "object: see auger.provenance",
        (_TRIALS, _HPBANDSTER),
        (_TRIALS, _OLD),
        since="0.2",
        is_system=True,
    ),
    Attribute("auger:reason", "trial", "text: the provenance as a sentence", (), (_OLD,), until="0.1"),
    Attribute("auger:proposal", "trial", _PROPOSED, (_SAMPLER,), ("hosts.optuna.study_history",), is_system=True),
    Attribute("auger:worker", "trial", _OWNER, (_COORDINATOR,), (_OWNERS, _TRIALS)),
    Attribute("auger:beat", "trial", "whole number, counted up", (_COORDINATOR,), (_OWNERS, _WORK_TIME)),
    Attribute(
        "auger:at_work",
        "trial",
        "number: seconds that its process had been at work when it began",
        (_COORDINATOR,),
        (_WORK_TIME,),
        since="0.2",
    ),
    Attribute("auger:retry_of", "trial", "whole number: the first attempt", (_COORDINATOR,), (_PROGRESS,)),
    Attribute("auger:imported", "trial", "text: name of the file", ("studies.importing",), (_TRIALS, _PROGRESS, _VIEW)),
    Attribute("auger:surplus", "trial", "true: it was never run", (_COORDINATOR,), (_TRIALS, _PROGRESS, _STUDY, _VIEW)),
    Attribute("auger:failed", "trial", _ENDING, (_COORDINATOR,), (_TRIALS,)),
    Attribute("auger:stopped", "trial", _ENDING, (_COORDINATOR,), (_TRIALS,)),
    Attribute("auger:died", "trial", _ENDING, (_COORDINATOR,), (_TRIALS,)),
    # of a trial whose result was found after its worker had died, or during which the clock was set
    Attribute("auger:late", "trial", _ENDING, (_COORDINATOR,), (_TRIALS,)),
    # of a trial that runs its program several times, from the first run that has ended on
    Attribute("auger:runs", "trial", _RUNS, (_COORDINATOR,), (_TRIALS,), "0.2"),
    # of a complete trial of a study with outcome constraints: as the program gave them, while Optuna has how far they
    # are beyond their limits
    Attribute("auger:outcomes", "trial", _OUTCOMES, (_COORDINATOR, "studies.importing"), (_STUDY,), "0.2"),
    Attribute(
        "auger:step:",
        "trial",
        "list of numbers, or texts where not finite: the values of several objectives at the step that ends the name",
        ("hosts.optuna.reports",),
        (_TRIALS,),
        since="0.2",
        is_system=True,
    ),
)

(
    DEFINITION,
    FORGOTTEN,
    ORIGIN,
    PROVENANCE,
    REASON,
    PROPOSAL,
    WORKER,
    BEAT,
    AT_WORK,
    RETRY_OF,
    IMPORTED,
    SURPLUS,
    FAILED,
    STOPPED,
    DIED,
    LATE,
    RUNS,
    OUTCOMES,
    STEP,
) = (attribute.name for attribute in ATTRIBUTES)

#: All these names, and no user's, begin with it.
PREFIX = "auger:"

#: Storages may keep no more characters of an attribute than this.
MAX_TEXT = 2000
