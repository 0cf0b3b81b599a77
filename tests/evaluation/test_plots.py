"""Pictures are written where and as they were asked for."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import rankmeld as rm
from rankmeld.evaluation.plots import plot_differences, plot_trials

QRELS = {query: {"a": 1} for query in range(30)}
FIRST = {query: ["b", "a"] if query % 3 else ["a", "b"] for query in range(30)}
SECOND = {query: ["a", "b"] if query % 5 else ["b", "a"] for query in range(30)}


@pytest.fixture(scope="module")
def difference():
    first, second = (rm.evaluate(run, QRELS, "RR") for run in (FIRST, SECOND))
    return second.difference(first, "RR")


def bars(path):
    svg = "{http://www.w3.org/2000/svg}"
    return sum("patch" in group.get("id", "") for group in ET.parse(path).iter(f"{svg}g"))


def test_each_query_that_gains_or_loses_has_its_bar(difference, tmp_path):
    path = tmp_path / "gain.svg"
    plot_differences(difference, path, measure="RR", names=("second", "first"))
    assert 0 < difference.better + difference.worse <= bars(path)
    assert bars(path) <= difference.better + difference.worse + 8  # the frame and the background
    again = tmp_path / "again.svg"
    plot_differences(difference, again, measure="RR", names=("second", "first"))
    assert bars(again) == bars(path)
    assert b"<dc:date>" not in again.read_bytes()


def test_png_is_png(difference, tmp_path):
    path = tmp_path / "gain.PNG"
    plot_differences(difference, path, measure="RR", names=("second", "first"))
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("legs", [("first", "second"), ("first", "second", "third")])
def test_all_settings_that_were_measured_are_drawn(legs, tmp_path):
    runs = {"first": FIRST, "second": SECOND, "third": FIRST}
    found = rm.tune({leg: runs[leg] for leg in legs}, QRELS, methods=["rrf", "rbc"], measure="RR", folds=2)
    path = tmp_path / "trials.svg"
    plot_trials(found, path)
    assert path.read_text(encoding="utf-8").count("<use") >= len(found.trials)


def test_another_ending_is_refused_before_anything_is_drawn(difference, tmp_path):
    with pytest.raises(rm.InvalidArgumentError, match="its ending must be"):
        plot_differences(difference, tmp_path / "gain.pdf", measure="RR", names=("a", "b"))
    with pytest.raises(FileNotFoundError):
        plot_differences(difference, tmp_path / "no" / "gain.svg", measure="RR", names=("a", "b"))
