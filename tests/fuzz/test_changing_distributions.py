"""Objectives that ask for something else in every trial: the sampler always proposes what was asked for."""

import math

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import TrialState

from auger.hosts.optuna import AugerSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)

small = st.integers(-5, 5)
requests = st.one_of(
    st.tuples(st.just("float"), st.sampled_from("xy"), small, st.integers(0, 10)),
    st.tuples(st.just("log"), st.just("log"), st.integers(1, 5), st.integers(0, 10)),
    st.tuples(st.just("int"), st.sampled_from("nm"), small, st.sampled_from([0, 1, 7, 10**12])),
    st.tuples(st.just("choice"), st.sampled_from("cd"), st.just(0), st.just(0)),
)
values = st.floats() | st.sampled_from(["fail", "prune"])


def ask(trial, kind, name, low, width):
    """A value of a request, which must be within it."""
    if kind == "choice":
        choices = ["a", "b", None] if name == "c" else [1, 2.5, True]
        assert trial.suggest_categorical(name, choices) in choices
    elif kind == "int":
        assert low <= trial.suggest_int(name, low, low + width) <= low + width
    else:
        assert low <= trial.suggest_float(name, low, low + width, log=kind == "log") <= low + width


@pytest.mark.filterwarnings("ignore")
@given(st.lists(st.tuples(st.lists(requests, max_size=5), values), min_size=5, max_size=25), st.integers(0, 9))
def test_every_proposal_is_within_what_was_asked_for(trials, seed):
    study = optuna.create_study(sampler=AugerSampler("auto n_initial=2", seed=seed))
    for asked, value in trials:
        trial = study.ask()
        for kind, name, low, width in {request[1]: request for request in asked}.values():
            ask(trial, kind, name, low, width)
        if value == "prune":
            trial.report(1.0, 1)
        state = {"fail": TrialState.FAIL, "prune": TrialState.PRUNED}.get(value)
        if isinstance(value, float) and math.isnan(value):
            state = TrialState.FAIL
        study.tell(trial, None if state else value, state=state)
