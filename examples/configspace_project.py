"""A project that describes its settings with ConfigSpace, as those around SMAC and DEHB do, tuned on that very space.

pip install ".[configspace]" && python examples/configspace_project.py
"""

import ConfigSpace as CS
from ConfigSpace import Configuration, ConfigurationSpace
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from auger import Optimizer
from auger.hosts.configspace import from_configspace, from_configuration, to_configuration

X, Y = load_digits(return_X_y=True)
X, Y = X[:600] / 16, Y[:600]


def space() -> ConfigurationSpace:
    """Which model, and the settings of the one that is chosen."""
    made = ConfigurationSpace({"model": ["svm", "trees"], "folds": CS.Constant("folds", 3)})
    made.add(
        CS.Float("C", (1e-2, 1e3), log=True, default=1.0),
        CS.Categorical("kernel", ["rbf", "poly"], default="rbf"),
        CS.Integer("degree", (2, 5), default=3),
        CS.OrdinalHyperparameter("trees", [10, 30, 100], default_value=30),
        CS.Float("share", (0.05, 1.0), default=0.2),
    )
    svm, trees = ["C", "kernel"], ["trees", "share"]
    made.add([CS.EqualsCondition(made[name], made["model"], "svm") for name in svm])
    made.add([CS.EqualsCondition(made[name], made["model"], "trees") for name in trees])
    made.add(CS.EqualsCondition(made["degree"], made["kernel"], "poly"))
    # so many trees on so many columns take too long
    made.add(
        CS.ForbiddenAndConjunction(
            CS.ForbiddenEqualsClause(made["trees"], 100), CS.ForbiddenGreaterThanClause(made["share"], 0.8)
        )
    )
    return made


def error(config: Configuration) -> float:
    """The share of wrong answers in cross-validation."""
    if config["model"] == "svm":
        model = SVC(C=config["C"], kernel=config["kernel"], degree=config.get("degree", 3))
    else:
        model = ExtraTreesClassifier(config["trees"], max_features=config["share"], random_state=0)
    return 1 - float(cross_val_score(model, X, Y, cv=config["folds"]).mean())


def main() -> None:
    """Begin with the defaults, then try 30 proposals."""
    theirs = space()
    optimizer = Optimizer(from_configspace(theirs), seed=0)
    default = theirs.get_default_configuration()
    before = error(default)
    optimizer.add([from_configuration(default)], [before])
    for _ in range(30):
        trial = optimizer.ask()
        optimizer.tell(trial, error(to_configuration(trial.config, theirs)))
    print(f"by default: error {before:.4f} with {dict(default)}")
    best = optimizer.best
    assert best is not None
    print(f"the best:   error {best.value:.4f} with {dict(to_configuration(best.config, theirs))}")
    print(f"why it was tried: {best.reason}")


if __name__ == "__main__":
    main()
