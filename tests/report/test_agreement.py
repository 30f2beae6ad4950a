"""The report and the command line say the same of one study."""

import json
import re

import pytest
from support import report_studies
from support.command_line import inside

from auger.report import report_html


@pytest.fixture
def study(tmp_path):
    """Of more trials than twenty fits could judge one by one."""
    return report_studies.small(tmp_path, n=60)


def test_status_and_report_agree_on_skill_and_auc(study, tmp_path):
    model = json.loads(inside("status", study.storage.address, "--json", cwd=tmp_path).stdout)["model"]
    html = report_html(study)
    head = re.search(r"<th scope=\"col\">model</th>(.*?)</tr>", html)[1]
    row = re.search(r"<th scope=\"row\">all</th>(.*?)</tr>", html)[1]
    scores = dict(zip(*(re.findall(r">([^<]+)</t[hd]>", part) for part in (head, row)), strict=True))
    assert int(scores["trials judged"]) == model["trials"] > 40
    assert (scores["skill"], scores["AUC"]) == (f"{model['skill']:.3g}", f"{model['auc']:.3g}")


def test_the_report_says_how_many_fits_judged_the_trials(study):
    assert re.search(r"The forecasts come from \d+ fits\.", report_html(study))
