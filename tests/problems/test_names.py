import pytest

from auger.errors import AugerError
from auger.problems import PROBLEMS, problem


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_name_leads_to_a_problem_of_that_name(name, data):
    black_box = problem(name)
    assert black_box.name == name
    assert black_box.space.allowed(black_box.space.encode([black_box.minimizer] if black_box.minimizer else [])).all()


def test_the_problems_of_the_paper_are_there():
    assert {"fcnet-protein", "fcnet-slice-noisy", "nas201-imagenet16", "robot-pushing", "racing-ethz-b"} <= set(
        PROBLEMS
    )


def test_an_unknown_problem_names_the_nearest():
    with pytest.raises(AugerError, match="Did you mean 'branin'"):
        problem("branni")
