from dataclasses import replace

import pytest
from support.studies import new_study
from support.translated_trials import CASES, SPACE

from auger.studies.view import view_of

#: A study of `auger tune` has one objective.
CASES_OF_STUDIES = [case for case in CASES if len(case.directions) == 1]


def cases_of(direction):
    return [case for case in CASES_OF_STUDIES if case.directions == (direction,)]


@pytest.fixture(scope="module", params=["study.journal", "sqlite:///study.db"])
def studies(request, tmp_path_factory):
    """A study per direction that holds all cases of it."""
    studies = {}
    for direction in ("minimize", "maximize"):
        folder = tmp_path_factory.mktemp(direction)
        study = new_study(folder, space=SPACE, storage=request.param, direction=direction)
        for case in cases_of(direction):
            study.storage.optuna.create_new_trial(study.key, template_trial=case.frozen)
        studies[direction] = study
    return studies


@pytest.mark.parametrize("case", CASES_OF_STUDIES, ids=str)
def test_a_stored_trial_is_translated_with_the_values_of_the_user(studies, case):
    study, number = studies[case.directions[0]], cases_of(case.directions[0]).index(case)
    (trial,) = study.translate(study.trials()[number : number + 1])
    assert repr(trial) == repr(replace(case.trial, number=number))  # NaN is not equal to itself


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_view_holds_all_trials_but_the_surplus_ones(studies, direction):
    expected = [replace(case.trial, number=i) for i, case in enumerate(cases_of(direction)) if case.name != "surplus"]
    assert repr(view_of(studies[direction]).trials) == repr(tuple(expected))


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_view_learns_from_the_trials_with_an_answer(studies, direction):
    view = view_of(studies[direction])
    assert sorted(view.numbers) == [i for i, case in enumerate(cases_of(direction)) if case.is_answer]
    answers = {i: case.trial for i, case in enumerate(cases_of(direction))}
    for trial, number in zip(view.history, view.numbers.tolist(), strict=True):
        assert (trial.state, trial.values) == (answers[number].state, answers[number].values)


def test_progress_counts_the_states_of_the_table(studies):
    study = studies["minimize"]
    progress = study.progress()
    progress.read(study.trials())
    names = [case.name for case in cases_of("minimize")]
    assert (progress.n_imported, progress.n_complete, progress.n_failed, progress.n_pruned) == (1, 9, 3, 4)
    assert [names[frozen.number] for frozen in progress.running] == ["running", "waiting"]
    assert [names[number] for number in progress.due] == ["died", "stopped"]
    assert names[progress.best.number] == "complete"
