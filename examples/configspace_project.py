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
    configspace = ConfigurationSpace({"model": ["svm", "trees"], "folds": CS.Constant("folds", 3)})
    configspace.add(
        CS.Float("C", (1e-2, 1e3), log=True, default=1.0),
        CS.Categorical("kernel", ["rbf", "poly"], default="rbf"),
        CS.Integer("degree", (2, 5), default=3),
        CS.OrdinalHyperparameter("trees", [10, 30, 100], default_value=30),
        CS.Float("share", (0.05, 1.0), default=0.2),
    )
    svm, trees = ["C", "kernel"], ["trees", "share"]
    configspace.add([CS.EqualsCondition(configspace[name], configspace["model"], "svm") for name in svm])
    configspace.add([CS.EqualsCondition(configspace[name], configspace["model"], "trees") for name in trees])
    configspace.add(CS.EqualsCondition(configspace["degree"], configspace["kernel"], "poly"))
    # 100 trees on more than 80 % of the columns take too long
    configspace.add(
        CS.ForbiddenAndConjunction(
            CS.ForbiddenEqualsClause(configspace["trees"], 100),
            CS.ForbiddenGreaterThanClause(configspace["share"], 0.8),
        )
    )
    return configspace


def error(config: Configuration) -> float:
    """The share of wrong answers in cross-validation."""
    if config["model"] == "svm":
        model = SVC(C=config["C"], kernel=config["kernel"], degree=config.get("degree", 3))
    else:
        model = ExtraTreesClassifier(config["trees"], max_features=config["share"], random_state=0)
    return 1 - float(cross_val_score(model, X, Y, cv=config["folds"]).mean())


def main() -> None:
    """Begin with the defaults, then try 30 proposals."""
    configspace = space()
    optimizer = Optimizer(from_configspace(configspace), seed=0)
    default = configspace.get_default_configuration()
    before = error(default)
    optimizer.add([from_configuration(default)], [before])
    for _ in range(30):
        trial = optimizer.ask()
        optimizer.tell(trial, error(to_configuration(trial.config, configspace)))
    print(f"by default: error {before:.4f} with {dict(default)}")
    best = optimizer.best
    assert best is not None
    print(f"the best:   error {best.value:.4f} with {dict(to_configuration(best.config, configspace))}")
    print(f"why it was tried: {best.reason}")


if __name__ == "__main__":
    main()
