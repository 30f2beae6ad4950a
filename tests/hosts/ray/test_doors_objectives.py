"""The study of tests/test_doors_objectives.py behind Ray Tune's door, without pruning: that is for its schedulers."""

from support.several_objectives import DIRECTIONS, LIMITS, N_TRIALS, SPACE, Crash, native, program, run_of

from auger.hosts.ray import AugerSearch

MODES = [direction[:3] for direction in DIRECTIONS.values()]


def test_the_same_study_has_the_same_suggestions_answers_and_front(tmp_path):
    search = AugerSearch(SPACE, metric=list(DIRECTIONS), mode=MODES, constraints=LIMITS, seed=0)
    for i, key in enumerate(map(str, range(N_TRIALS))):
        if i == N_TRIALS // 2:
            search.save(str(tmp_path / "state.json"))
            search = AugerSearch()
            search.restore(str(tmp_path / "state.json"))
        try:
            printed = program(search.suggest(key))
        except Crash:
            search.on_trial_complete(key, error=True)
        else:
            search.on_trial_complete(key, {**printed, "training_iteration": 1})
    run, reference = run_of(search.optimizer), native(tmp_path, is_pruned=False)
    assert [search.domains.to_ray(trial.config) for trial in search.optimizer.trials] == reference.configs
    assert (run.states, run.front, run.values) == (reference.states, reference.front, reference.values)
    assert run.n_failed > 0
