"""Models that learn to tell good from the rest."""

from auger.classifiers.boosting import Boosting
from auger.classifiers.calibrated import Calibrated
from auger.classifiers.ensemble import Ensemble
from auger.classifiers.extra_trees import ExtraTrees
from auger.classifiers.forest import Forest
from auger.classifiers.gaussian_process import GaussianProcess
from auger.classifiers.interface import Classifier, Score
from auger.classifiers.kde import KDE
from auger.classifiers.kernel_mean_matching import KernelMeanMatching
from auger.classifiers.kliep import KLIEP
from auger.classifiers.least_squares_ratio import LeastSquaresRatio
from auger.classifiers.mlp import MLP
from auger.classifiers.online_boosting import OnlineBoosting
from auger.classifiers.online_forest import OnlineForest
from auger.classifiers.sklearn import SklearnClassifier
from auger.classifiers.svm import SVM

__all__ = [
    "KDE",
    "KLIEP",
    "MLP",
    "SVM",
    "Boosting",
    "Calibrated",
    "Classifier",
    "Ensemble",
    "ExtraTrees",
    "Forest",
    "GaussianProcess",
    "KernelMeanMatching",
    "LeastSquaresRatio",
    "OnlineBoosting",
    "OnlineForest",
    "Score",
    "SklearnClassifier",
]
