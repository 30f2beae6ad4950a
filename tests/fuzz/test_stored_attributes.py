"""Studies of other programs, with attributes that are called like ours: they are looked at, whatever these hold."""

from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st
from optuna.trial import TrialState, create_trial
from support.studies import new_study

from auger import schema
from auger.best import best_settings
from auger.studies.pool.owners import Owner
from auger.studies.results import to_csv
from auger.studies.study import load_study
from auger.studies.view import view_of

numbers = st.sampled_from([0, 1, -1, 2, 10**20, 10**400, 0.5, 1e300]) | st.floats() | st.booleans()
leaves = st.none() | numbers | st.sampled_from(["", "x", "initial", "confirmation", "../x", "inf"])
KEYS = [
    *("error", "exit_code", "seconds", "host", "machine", "process", "started", "worker", "token"),
    *("score", "notes", "fixed", "confirms", "n_answers"),
]
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner), max_leaves=8
)
OURS = {attribute.name: attribute for attribute in schema.ATTRIBUTES if attribute.name != schema.DEFINITION}
attributes = st.dictionaries(st.sampled_from(list(OURS)), values, min_size=1, max_size=4)
STATES = [TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED, TrialState.COMPLETE, TrialState.RUNNING]


def add_trial(study, state, stored):
    """A trial of a minute, with the attributes of trials among these."""
    params, start = study.params({"x": 0.5, "kind": "a"}), datetime(2026, 1, 1)
    own = {True: {}, False: {}}
    for name, value in stored.items():
        if OURS[name].owner == "trial":
            own[OURS[name].is_system][name] = value
    template = create_trial(
        state=state,
        value=0.5 if state is TrialState.COMPLETE else None,
        params=params,
        distributions=study.distributions(params),
        user_attrs=own[False],
        system_attrs=own[True],
    )
    template.datetime_start = start
    template.datetime_complete = start + timedelta(minutes=1) if state.is_finished() else None
    study.storage.optuna.create_new_trial(study.key, template)


@given(attributes, st.integers(0, len(STATES) - 1))
@example({schema.RUNS: ["x"]}, 0)
@example({schema.RUNS: [0, 1e300]}, 0)
@example({schema.RETRY_OF: 10**20}, 1)
@example({schema.FORGOTTEN: [1]}, 1)
@example({schema.ORIGIN: "nobody", schema.PROVENANCE: []}, 0)
@example({schema.FAILED: {"error": 5, "seconds": "x", "exit_code": []}}, 1)
@example({schema.AT_WORK: 10**20}, 4)
@example({schema.WORKER: dict.fromkeys(("host", "machine", "process", "started", "worker", "token"), 1)}, 4)
@example({schema.WORKER: Owner("h", "m", 1, "s", "w").to_json(), schema.BEAT: 10**400}, 4)
def test_a_study_with_any_attributes_is_shown(stored, i_state):
    with TemporaryDirectory() as folder:
        study = new_study(Path(folder), trials=9, time=3600.0)
        for state in (*STATES, STATES[i_state]):
            add_trial(study, state, stored)
        for name in stored:
            if OURS[name].owner == "study":
                study.optuna.set_user_attr(name, stored[name])
        study = load_study(study.storage, "study")
        progress = study.progress()
        progress.read(study.trials())
        assert progress.seconds_spent(datetime(2026, 1, 2)) >= 0.0
        assert progress.n_complete <= 3
        study.breakdown(progress.failures)
        view = view_of(study)
        to_csv(view)
        best = best_settings(view)
        assert best is None or best.value == 0.5
