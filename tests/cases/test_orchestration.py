"""Known failures of orchestration elsewhere."""

from __future__ import annotations

import pytest

import rankmeld as rm

VERDICTS = [
    ([0.6], "high"),
    ([0.3], "medium"),
    ([0.299], "low"),
    ([0.601, 0.1], "high"),
    ([], "low"),
    ([0.45, 0.45], "medium"),
]


@pytest.mark.parametrize(("scores", "grade"), VERDICTS)
def test_c217_a_verdict_depends_on_the_best_document_and_borders_are_inclusive(scores, grade):
    config = rm.CragConfig(high=0.6, low=0.3)
    found = rm.evaluate_crag(list(enumerate(scores)), config)
    assert (found.grade, found.needs_refinement) == (grade, grade == "low")
    assert rm.grade_scores(scores, config) == grade


def test_c217_borders_the_wrong_way_round_are_refused():
    with pytest.raises(rm.InvalidArgumentError, match=r"low is 0\.6 and high is 0\.3"):
        rm.CragConfig(high=0.3, low=0.6)
