"""Which model, which preprocessing and which settings, by a search of scikit-learn on a bundled data set.

pip install . && python examples/sklearn_search.py
"""

import warnings

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler
from sklearn.svm import SVC

from auger import Float, Int
from auger.hosts.sklearn import AugerSearchCV

SVM, TREES = SVC(), ExtraTreesClassifier(n_estimators=30, random_state=0)
MODEL = Pipeline([("scale", StandardScaler()), ("model", SVM)])
SPACE = {
    "scale": ["passthrough", StandardScaler(), PowerTransformer()],
    "model": [SVM, TREES],
    # the settings of a model exist only when it is chosen
    "model__C": Float(1e-2, 1e3, log=True, when={"model": SVM}),
    "model__gamma": Float(1e-5, 1e0, log=True, when={"model": SVM}),
    "model__max_depth": Int(2, 16, when={"model": TREES}),
    "model__max_features": Float(0.05, 1.0, when={"model": TREES}),
}


def main() -> None:
    """Search on one part of the data, and see on the other what it is worth."""
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # PowerTransformer on columns that are almost constant
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    search = AugerSearchCV(MODEL, SPACE, n_iter=30, early_stopping=True, random_state=0).fit(X, y)
    results = search.cv_results_
    print(f"{len(results['params'])} candidates, {results['is_stopped'].sum()} of them stopped early")
    print(f"best in cross-validation: {search.best_score_:.4f} with {search.best_params_}")
    print(f"why it was tried: {results['reason'][search.best_index_]}")
    print(
        f"on data not seen before: {search.score(X_test, y_test):.4f}; as it was: {MODEL.fit(X, y).score(X_test, y_test):.4f}"
    )


if __name__ == "__main__":
    main()
