"""Which model, which preprocessing and which settings, by a search of scikit-learn on a bundled data set.

pip install . && python examples/sklearn_search.py
"""

from sklearn.datasets import load_diabetes
from sklearn.linear_model import ElasticNet
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVR

from auger import Float, insight
from auger.hosts.sklearn import AugerSearchCV

SVM, NET = SVR(), ElasticNet()
MODEL = Pipeline([("scale", StandardScaler()), ("model", SVM)])
SPACE = {
    "scale": ["passthrough", StandardScaler(), MinMaxScaler()],
    "model": [SVM, NET],
    # the settings of a model exist only when it is chosen
    "model__C": Float(1e-1, 1e3, log=True, when={"model": SVM}),
    "model__gamma": Float(1e-4, 1e1, log=True, when={"model": SVM}),
    "model__epsilon": Float(1e-1, 1e2, log=True, when={"model": SVM}),
    "model__alpha": Float(1e-3, 1e2, log=True, when={"model": NET}),
    "model__l1_ratio": Float(0.01, 1.0, when={"model": NET}),
}
# tried first: the settings in use; the search suggests gamma, which is no number by default
FIRST = [{"scale": StandardScaler(), "model": SVM, "model__C": 1.0, "model__epsilon": 0.1}]


def main() -> None:
    """Search on one part of the data, and see on the other what it is worth."""
    X, y = load_diabetes(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    search = AugerSearchCV(MODEL, SPACE, n_iter=40, early_stopping=True, enqueue=FIRST, random_state=0).fit(X, y)
    results = search.cv_results_
    print(f"{len(results['params'])} candidates, {results['is_stopped'].sum()} of them stopped early")
    print(f"best in cross-validation: R2 = {search.best_score_:.3f} with {search.best_params_}")
    print(f"why it was tried: {results['reason'][search.best_index_]}")
    importance = insight.importance(search)
    print(f"what mattered most: {importance.names[importance.permutation.argmax()]}")
    before = MODEL.fit(X, y).score(X_test, y_test)
    print(f"on data not seen before: R2 = {search.score(X_test, y_test):.3f}; without a search {before:.3f}")


if __name__ == "__main__":
    main()
