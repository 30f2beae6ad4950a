"""Recipes with options behind their names."""

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from auger import RECIPES, Optimizer, Recipe, Turns, minimize
from auger.classifiers import (
    KDE,
    MLP,
    SVM,
    Boosting,
    Calibrated,
    Ensemble,
    ExtraTrees,
    Forest,
    GaussianProcess,
    OnlineBoosting,
    OnlineForest,
)
from auger.errors import AugerError, ClassifierError, RecipeError
from auger.maximizers import AroundBest, ByDomain, Evolution, Exhaustive, Gradient, LocalSearch, RandomSearch, Tolerance
from auger.recipes import as_recipe, is_named
from auger.recipes.options import OPTIONS
from auger.recipes.schedules import decay, linear, sqrt
from auger.testing.cases import mixed_space, target

PAPER = ByDomain(discrete=RandomSearch(500), continuous=Evolution(2000))


def forest(name="bore-rf", **changes):
    return Recipe(name, **{"classifier": Forest(), "maximizer": PAPER, **changes})


# text -> what it means, by hand; the name of what it means is the text in our spelling
MEANINGS = {
    "bore-rf": forest(),
    "  bore-rf\t": forest(),
    "bore-rf gamma=0.25": forest("bore-rf gamma=0.25", gamma=0.25),
    "bore-rf gamma=.250": forest("bore-rf gamma=0.25", gamma=0.25),
    "bore-rf gamma=1/4": forest("bore-rf gamma=0.25", gamma=0.25),
    "bore-rf gamma=25e-2": forest("bore-rf gamma=0.25", gamma=0.25),
    "bore-rf gamma=1e-9": forest("bore-rf gamma=1e-09", gamma=1e-9),
    "bore-rf gamma=sqrt": forest("bore-rf gamma=sqrt", gamma=sqrt),
    "bore-rf gamma=linear": forest("bore-rf gamma=linear", gamma=linear),
    "bore-rf gamma=decay": forest("bore-rf gamma=decay", gamma=decay),
    "bore-rf gamma=1/3 weights=none calibration=none n_initial=10 initial=random": forest(),
    "bore-rf weights=improvement": forest("bore-rf weights=improvement", weights="improvement"),
    "lfbo-rf weights=none": forest("lfbo-rf weights=none"),
    "bore-rf calibration=isotonic gamma=0.25": forest(
        "bore-rf gamma=0.25 calibration=isotonic", gamma=0.25, classifier=Calibrated(Forest(), "isotonic")
    ),
    "bore-rf ensemble=03": forest("bore-rf ensemble=3", classifier=Ensemble(Forest(), 3)),
    "bore-rf calibration=platt ensemble=3": forest(
        "bore-rf ensemble=3 calibration=platt", classifier=Calibrated(Ensemble(Forest(), 3), "platt")
    ),
    "bore-rf maximizer=random": forest("bore-rf maximizer=random", maximizer=RandomSearch()),
    "bore-rf maximizer=local": forest("bore-rf maximizer=local", maximizer=LocalSearch()),
    "bore-rf maximizer=exhaustive": forest("bore-rf maximizer=exhaustive", maximizer=Exhaustive()),
    "bore-rf initial=sobol n_initial=20": forest("bore-rf n_initial=20 initial=sobol", n_initial=20, initial="sobol"),
    "bore-xgb weights=improvement maximizer=evolution": Recipe(
        "bore-xgb weights=improvement maximizer=evolution", Boosting(), Evolution(), weights="improvement"
    ),
    "bore-mlp ensemble=5 gamma=sqrt": Recipe(
        "bore-mlp gamma=sqrt ensemble=5", MLP(n_networks=5), Gradient(relaxed=True), gamma=sqrt
    ),
    "bore-mlp maximizer=gradient": Recipe("bore-mlp maximizer=gradient", MLP(), Gradient()),
    "bore-mlp repeats=true relaxed=false": Recipe(
        "bore-mlp relaxed=false repeats=true", MLP(), Gradient(), repeats=True
    ),
    "bore-mlp calibration=platt maximizer=local": Recipe(
        "bore-mlp calibration=platt maximizer=local", Calibrated(MLP()), LocalSearch()
    ),
    "bore-mlp posterior=laplace acquisition=thompson": Recipe(
        "bore-mlp posterior=laplace acquisition=thompson",
        MLP(posterior="laplace", acquisition="thompson"),
        Gradient(relaxed=True),
    ),
    "bore-xgb acquisition=upper ensemble=3": Recipe(
        "bore-xgb ensemble=3 acquisition=upper", Ensemble(Boosting(), 3, acquisition="upper"), PAPER
    ),
    "bore-mlp ensemble=3 acquisition=thompson": Recipe(
        "bore-mlp ensemble=3 acquisition=thompson", MLP(n_networks=3, acquisition="thompson"), Gradient(relaxed=True)
    ),
    "bore-rf online=true": forest("bore-rf online=true", classifier=OnlineForest(Forest())),
    "bore-rf online=false": forest(),
    "bore-xgb online=true loss=kliep": Recipe(
        "bore-xgb loss=kliep online=true", OnlineBoosting(Boosting(loss="kliep")), PAPER
    ),
    "bore-mlp patience=5 emphasis=4": Recipe(
        "bore-mlp emphasis=4.0 patience=5", MLP(emphasis=4.0, patience=5), Gradient(relaxed=True)
    ),
    "bore-mlp activation=elu": Recipe("bore-mlp activation=elu", MLP(activation="elu"), Gradient(relaxed=True)),
    "bore-mlp patience=0 emphasis=1": Recipe("bore-mlp", MLP(), Gradient(relaxed=True)),
    "bore-svm ensemble=2": Recipe("bore-svm ensemble=2", Ensemble(SVM(), 2), PAPER),
    "tpe maximizer=random ensemble=2": Recipe("tpe ensemble=2", Ensemble(KDE(), 2), RandomSearch()),
}


@pytest.mark.parametrize("text", MEANINGS)
def test_a_text_means_what_was_worked_out_by_hand(text):
    assert as_recipe(text) == MEANINGS[text]


# -- auto ---------------------------------------------------------------------------------------------------


def auto(name, process=None, trees=None, **both):
    climbing, apart = AroundBest(LocalSearch(n_climbs=1)), LocalSearch(pick=Tolerance(0.4))
    start = {"initial": "sobol", "n_initial": 5, **both}
    of_process = {**start, **(process or {})}
    of_trees = {**start, "gamma": 0.1, "weights": "improvement", **(trees or {})}
    return Turns(
        name,
        (
            Recipe("auto, Gaussian process", GaussianProcess(), of_process.pop("maximizer", climbing), **of_process),
            Recipe(
                "auto, trees",
                of_trees.pop("classifier", ExtraTrees()),
                of_trees.pop("maximizer", apart),
                **of_trees,
            ),
        ),
        second_chance=5,
        skill=0.9,
    )


@pytest.mark.parametrize(
    "expected",
    [
        auto("auto"),
        auto("auto gamma=0.2", trees={"gamma": 0.2}),
        auto("auto gamma=decay", trees={"gamma": decay}),
        auto("auto weights=none", trees={"weights": "none"}),
        auto("auto ensemble=4", trees={"classifier": Ensemble(ExtraTrees(), 4)}),
        auto(
            "auto ensemble=4 acquisition=thompson",
            trees={"classifier": Ensemble(ExtraTrees(), 4, acquisition="thompson")},
        ),
        auto("auto maximizer=evolution", maximizer=Evolution()),
        auto("auto n_initial=20", n_initial=20),
        auto("auto initial=random", initial="random"),
        auto("auto gamma=sqrt n_initial=7 initial=random", trees={"gamma": sqrt}, n_initial=7, initial="random"),
    ],
    ids=lambda made: made.name,
)
def test_labels_are_about_the_trees_of_auto_and_searches_about_both(expected):
    assert as_recipe(expected.name) == expected


@pytest.mark.parametrize("text", ["auto gamma=0.1", "auto weights=improvement initial=sobol n_initial=5"])
def test_what_auto_has_already_is_not_in_its_name(text):
    assert as_recipe(text) == as_recipe("auto") and as_recipe(text).name == "auto"


# -- one spelling -------------------------------------------------------------------------------------------

ANY_VALUE = {
    "gamma": st.sampled_from(["linear", "sqrt", "decay", "1/3", ".1"]) | st.floats(1e-6, 0.999).map(repr),
    "weights": st.sampled_from(OPTIONS["weights"].words),
    "loss": st.sampled_from(OPTIONS["loss"].words),
    **{name: st.sampled_from(OPTIONS[name].words) for name in ("activation", "posterior", "acquisition", "varied")},
    "online": st.sampled_from(OPTIONS["online"].words),
    "emphasis": st.floats(1, 100).map(repr),
    "patience": st.integers(0, 50).map(str),
    "ensemble": st.integers(2, 50).map(str),
    "calibration": st.sampled_from(OPTIONS["calibration"].words),
    "maximizer": st.sampled_from(OPTIONS["maximizer"].words),
    "relaxed": st.sampled_from(OPTIONS["relaxed"].words),
    "repeats": st.sampled_from(OPTIONS["repeats"].words),
    "n_initial": st.integers(2, 1000).map(str),
    "initial": st.sampled_from(OPTIONS["initial"].words),
}


def goes(text):
    try:
        return bool(as_recipe(text))
    except AugerError:
        return False


@st.composite
def texts(draw):
    """Any recipe with any options, in any order; some of them do not fit together."""
    keys = draw(st.lists(st.sampled_from(sorted(OPTIONS)), unique=True))
    return " ".join([draw(st.sampled_from(RECIPES)), *(f"{key}={draw(ANY_VALUE[key])}" for key in keys)])


@given(text=texts(), data=st.data())
def test_a_name_brings_its_recipe_back_and_the_order_of_options_does_not_matter(text, data):
    assume(goes(text))
    made = as_recipe(text)
    assert as_recipe(made.name) == made and is_named(made)
    assert pickle.loads(pickle.dumps(made)) == made
    name, *options = text.split()
    assert as_recipe(" ".join([name, *data.draw(st.permutations(options))])) == made


def test_equal_recipes_have_equal_names():
    options = ["gamma=1/4", "calibration=platt", "n_initial=7"]
    assert {as_recipe(" ".join(["bore-rf", *order])).name for order in permutations(options)} == {
        "bore-rf gamma=0.25 calibration=platt n_initial=7"
    }


CALIBRATIONS = ("none", "platt", "isotonic", "platt-folds", "isotonic-folds")


def test_every_recipe_takes_every_option_with_few_exceptions():
    values = {"gamma": ["0.2", "linear", "sqrt", "decay"], "ensemble": ["3"], "n_initial": ["5"]}
    values |= {"emphasis": ["4"], "patience": ["5"]}
    refused = [
        (name, f"{key}={value}")
        for name in RECIPES
        for key, option in OPTIONS.items()
        for value in values.get(key, option.words)
        if not goes(f"{name} {key}={value}")
    ]
    networks, mixtures = ["bore-mlp", "lfbo-mlp"], ["bore-rulsif", "bore-ulsif", "bore-kliep", "bore-kmm"]
    boosted, others = ["bore-xgb", "lfbo-xgb"], [name for name in RECIPES if name not in networks]
    of_networks = ["activation", "posterior", "acquisition", "varied"]
    online = ["bore-rf", "lfbo-rf", *boosted]
    assert set(refused) == {
        *((name, "maximizer=gradient") for name in RECIPES if name not in networks + mixtures),
        *((name, "relaxed=true") for name in RECIPES if name not in networks),
        *((name, "maximizer=mean-shift") for name in RECIPES if name not in mixtures),
        *((name, f"calibration={each}") for name in mixtures for each in CALIBRATIONS[1:]),
        *((name, "ensemble=3") for name in mixtures),
        *((name, f"loss={each}") for name in others if name not in boosted for each in OPTIONS["loss"].words),
        *((name, f"online={word}") for name in RECIPES if name not in online for word in OPTIONS["online"].words),
        *((name, word) for name in others for word in ("emphasis=4", "patience=5")),
        *((name, f"{key}={word}") for name in others for key in of_networks for word in OPTIONS[key].words),
        *((name, f"calibration={each}") for name in ("auto", "bore-svm") for each in CALIBRATIONS),
        *((name, f"calibration={each}") for name in networks for each in CALIBRATIONS[1:]),
        *((name, word) for name in networks for word in ("acquisition=upper", "acquisition=thompson", "varied=true")),
    }


# -- mistakes -----------------------------------------------------------------------------------------------

KNOWN = (
    "Known: 'gamma', 'weights', 'loss', 'activation', 'online', 'emphasis', 'patience', 'posterior', 'varied', "
    "'ensemble', 'acquisition', 'calibration', 'maximizer', 'relaxed', 'repeats', 'n_initial', 'initial'."
)
SHARE = "`gamma` of the recipe 'tpe' must be a number strictly between 0 and 1, or one of 'linear', 'sqrt', 'decay'. "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bore-fr gamma=0.2", "or the name of a recipe. Got 'bore-fr gamma=0.2'. Did you mean 'bore-rf'? "),
        ("gamma=0.2", "`recipe` must be a Recipe or the name of a recipe. Got 'gamma=0.2'. Known: 'auto', "),
        ("bore-rf, gamma=0.2", "Got 'bore-rf, gamma=0.2'. Did you mean 'bore-rf'? "),
        ("", "Got ''. Known: 'auto', "),
        (" ", "Got ' '. Known: 'auto', "),
        (None, "Got None. Known: 'auto', "),
        (["tpe", "gamma=0.2"], "Got ['tpe', 'gamma=0.2']. Known: 'auto', "),
        ("tpe gama=0.2", f"The recipe 'tpe' has no option 'gama'. Did you mean 'gamma'? {KNOWN}"),
        ("tpe =0.2", f"The recipe 'tpe' has no option ''. {KNOWN}"),
        ("tpe Gamma=0.2", f"has no option 'Gamma'. Did you mean 'gamma'? {KNOWN}"),
        ("tpe gamma", "An option of the recipe 'tpe' must be written name=value without spaces, such as "),
        ("tpe gamma = 0.2", "must be written name=value without spaces, such as gamma=0.25. Got 'gamma'."),
        ("tpe auto", "such as gamma=0.25. Got 'auto'."),
        ("tpe gamma=0.2 gamma=0.2", "The recipe 'tpe' must have the option `gamma` only once. Got 'gamma=0.2' "),
        ("tpe gamma=0", f"{SHARE}Got '0'."),
        ("tpe gamma=1", f"{SHARE}Got '1'."),
        ("tpe gamma=nan", f"{SHARE}Got 'nan'."),
        ("tpe gamma=1e400", f"{SHARE}Got '1e400'."),
        ("tpe gamma=1/0", f"{SHARE}Got '1/0'."),
        ("tpe gamma=1/2/3", f"{SHARE}Got '1/2/3'."),
        ("tpe gamma=", f"{SHARE}Got ''."),
        ("tpe gamma=sqr", f"{SHARE}Got 'sqr'. Did you mean 'sqrt'?"),
        ("tpe weights=improve", "`weights` of the recipe 'tpe' must be one of 'none', 'improvement'. Got 'improve'. "),
        ("tpe calibration=plat", "'isotonic', 'platt-folds', 'isotonic-folds'. Got 'plat'. Did you mean 'platt'?"),
        ("tpe calibration=0.5", "must be one of 'none', 'platt', 'isotonic', 'platt-folds', 'isotonic-folds'. "),
        ("tpe ensemble=1", "`ensemble` of the recipe 'tpe' must be a whole number of at least 2. Got '1'."),
        ("tpe ensemble=2.0", "must be a whole number of at least 2. Got '2.0'."),
        ("tpe ensemble=-3", "must be a whole number of at least 2. Got '-3'."),
        ("tpe n_initial=1", "`n_initial` of the recipe 'tpe' must be a whole number of at least 2. Got '1'."),
        ("tpe n_initial=" + "9" * 5000, "`n_initial` of the recipe 'tpe' must be a whole number of at least 2. Got '"),
        ("tpe initial=sobel", "`initial` of the recipe 'tpe' must be one of 'random', 'sobol'. Got 'sobel'. Did "),
        ("tpe maximizer=evolutio", "'exhaustive', 'mean-shift'. Got 'evolutio'. Did you mean 'evolution'?"),
        ("bore-svm online=true", "`online` is for forests and XGBoost; networks follow the answers as they are. Got "),
        ("bore-mlp online=yes", "`online` of the recipe 'bore-mlp' must be one of 'false', 'true'. Got 'yes'."),
        ("bore-mlp emphasis=0.5", "`emphasis` of the recipe 'bore-mlp' must be a number of at least 1. Got '0.5'."),
        ("bore-mlp emphasis=inf", "must be a number of at least 1. Got 'inf'."),
        ("bore-mlp patience=-1", "`patience` of the recipe 'bore-mlp' must be a whole number of at least 0. Got '-1'."),
        ("bore-rf patience=5", "`patience` is for networks. Got it with Forest."),
        ("bore-rf acquisition=upper", "`acquisition` is for networks and for ensembles, such as ensemble=5. Got it "),
        ("auto calibration=platt", "The recipe 'auto' has no option `calibration`: every other suggestion "),
        ("bore-svm calibration=none", "The recipe 'bore-svm' has no option `calibration`: it uses Platt"),
        ("tpe maximizer=gradient", "The parts of the recipe 'tpe maximizer=gradient' do not fit together. Gradient "),
    ],
    ids=lambda text: str(text)[:40],
)  # fmt: skip
def test_mistakes_are_named_with_what_must_be_and_what_came(text, message):
    with pytest.raises(RecipeError) as caught:
        as_recipe(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["bore-mlp", "lfbo-mlp"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("acquisition=upper", "`acquisition` of an MLP needs several networks .* Got 'upper' of a single network."),
        (
            "acquisition=thompson",
            "`acquisition` of an MLP needs several networks .* Got 'thompson' of a single network.",
        ),
        ("varied=true", "`is_varied` of an MLP needs several networks, such as `ensemble=5` in a recipe. Got 1."),
        ("varied=true posterior=dropout", "`is_varied` of an MLP needs several networks"),
    ],
)
def test_what_a_single_network_cannot_do_is_refused_and_not_left_out(name, options, message):
    with pytest.raises(ClassifierError, match=message):
        as_recipe(f"{name} {options}")
    assert as_recipe(f"{name} {options} ensemble=3").name


# -- at work ------------------------------------------------------------------------------------------------


def run(optimizer, n):
    for _ in range(n):
        trial = optimizer.ask()
        optimizer.tell(trial, float(target(optimizer.space.encode([trial.config]), optimizer.space)[0]))
    return [(trial.config, trial.reason) for trial in optimizer.trials]


WORKING = [
    "bore-rf gamma=0.25 calibration=isotonic maximizer=random",
    "bore-mlp gamma=sqrt ensemble=2",
    "auto gamma=decay ensemble=2 n_initial=6",
    "tpe weights=improvement ensemble=3 initial=sobol",
    "bore-xgb gamma=linear ensemble=2 maximizer=local",
]


@pytest.mark.parametrize("text", WORKING)
def test_a_saved_run_goes_on_from_the_name_of_its_recipe_in_another_process(text, tmp_path):
    whole = run(Optimizer(mixed_space(), text, seed=3), 16)
    half = Optimizer(mixed_space(), text, seed=3)
    run(half, 12)
    half.save(tmp_path / "run.json")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_options import Optimizer, run; print(run(Optimizer.load(sys.argv[2]), 4))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, os.path.dirname(__file__), tmp_path / "run.json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(whole)


def test_a_file_is_loaded_with_any_spelling_of_its_recipe(tmp_path):
    Optimizer(mixed_space(), "tpe weights=none gamma=0.2 n_initial=5", seed=0).save(tmp_path / "run.json")
    loaded = Optimizer.load(tmp_path / "run.json", recipe="tpe n_initial=5 gamma=1/5")
    assert loaded.recipe.name == "tpe gamma=0.2 n_initial=5"


def test_a_file_of_other_options_is_refused(tmp_path):
    Optimizer(mixed_space(), "tpe gamma=0.2", seed=0).save(tmp_path / "run.json")
    with pytest.raises(RecipeError, match="with the built-in recipe 'tpe gamma=0.2'. Got another: 'tpe'"):
        Optimizer.load(tmp_path / "run.json", recipe="tpe")


def test_an_own_recipe_with_the_name_of_options_stays_ones_own(tmp_path):
    mine = replace(as_recipe("tpe gamma=0.2"), n_initial=3)
    assert not is_named(mine)
    Optimizer(mixed_space(), mine, seed=0).save(tmp_path / "run.json")
    with pytest.raises(RecipeError, match="your own recipe 'tpe gamma=0.2'"):
        Optimizer.load(tmp_path / "run.json")
    assert Optimizer.load(tmp_path / "run.json", recipe=mine).recipe == mine


def test_options_make_the_difference_that_parts_make():
    parts = Recipe("tpe gamma=0.1 n_initial=4", KDE(), RandomSearch(), gamma=0.1, n_initial=4)
    by_text = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=9, recipe=parts.name, seed=0)
    by_parts = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=9, recipe=parts, seed=0)
    plain = minimize(lambda config: config["x"] ** 2, {"x": (-1.0, 1.0)}, n_trials=9, recipe="tpe", seed=0)
    assert by_text.trials == by_parts.trials != plain.trials
    assert by_text.trials[-1].reason.startswith("tpe gamma=0.1 n_initial=4: score ")
