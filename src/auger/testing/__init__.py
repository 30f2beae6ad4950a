"""Kits for people who write a classifier or a maximizer: one list of checks each, run over all of ours too.

    from auger.testing import classifier_checks

    @pytest.mark.parametrize("check", classifier_checks(), ids=lambda check: check.__name__)
    def test_my_classifier(check):
        check(MyClassifier())

Each check raises an AssertionError that says what is wrong. Nothing here needs pytest.
"""

from auger.testing.classifiers import check_classifier, classifier_checks
from auger.testing.maximizers import check_maximizer, maximizer_checks

__all__ = ["check_classifier", "check_maximizer", "classifier_checks", "maximizer_checks"]
