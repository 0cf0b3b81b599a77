"""`feedback_factor`, and feedback in memory and in a file."""

from __future__ import annotations

import copy
import math
import os
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from engine.feedback_contract import FeedbackContract
from reference.engine import feedback_factor as oracle
from stores.processes import POSIX

weights = st.floats(0, 1)


@given(st.integers(), weights)
def test_equals_the_oracle(net, weight):
    found = rm.feedback_factor(net, weight=weight)
    assert math.isclose(found, oracle(net, weight), rel_tol=1e-15, abs_tol=2e-16)
    assert 1 - weight <= found <= 1 + weight


@given(st.integers(-20, 20), st.integers(-20, 20), weights)
def test_more_praise_never_means_less(one, other, weight):
    low, high = sorted([one, other])
    assert rm.feedback_factor(low, weight=weight) <= rm.feedback_factor(high, weight=weight)


@given(st.integers(), weights)
def test_without_weight_or_feedback_it_is_exactly_one(net, weight):
    assert rm.feedback_factor(net, weight=0) == 1.0
    assert rm.feedback_factor(0, weight=weight) == 1.0


def test_the_cap():
    assert rm.FEEDBACK_CAP == 5
    assert rm.feedback_factor(5) == rm.feedback_factor(6) == rm.feedback_factor(10**400) == 1.5
    assert rm.feedback_factor(-5, weight=1) == rm.feedback_factor(-(10**400), weight=1) == 0.0


@pytest.mark.parametrize(
    ("net", "weight", "error", "text"),
    [
        (1.0, 0.5, TypeError, "net must be an integer, not float"),
        (True, 0.5, TypeError, "net must be an integer, not bool"),
        (None, 0.5, TypeError, "net must be an integer, not NoneType"),
        (1, 1.5, rm.InvalidArgumentError, "weight is 1.5; it must be in 0..1, 0 for no feedback"),
        (1, -0.1, rm.InvalidArgumentError, "weight is -0.1; it must be in 0..1, 0 for no feedback"),
        (1, math.nan, rm.InvalidArgumentError, "weight is nan; it must be finite"),
        (1, "1", TypeError, "weight must be a number, not str"),
    ],
)
def test_what_is_refused(net, weight, error, text):
    with pytest.raises(error) as refusal:
        rm.feedback_factor(net, weight=weight)
    assert str(refusal.value) == text


class TestMemoryFeedback(FeedbackContract):
    def make_feedback(self):
        return rm.MemoryFeedback()

    def test_it_is_copied_and_pickled(self, feedback):
        feedback.add(["a"], user_id="ada")
        for other in (copy.deepcopy(feedback), copy.copy(feedback), pickle.loads(pickle.dumps(feedback))):
            other.add(["a"], user_id="ada")
            assert other.net(["a"], user_id="ada") == {"a": 2}
        assert feedback.net(["a"], user_id="ada") == {"a": 1}
        assert repr(feedback) == "MemoryFeedback(1 sums)"

    def test_an_id_may_ask_for_feedback_when_it_is_hashed(self, feedback):
        class Curious:
            def __hash__(self):
                feedback.net(["a"], user_id="ada")
                return 7

        feedback.add([Curious()], user_id="ada")

    @POSIX
    @pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
    def test_a_child_that_was_forked_in_the_middle_goes_on(self, feedback):
        feedback.add(["a"], user_id="ada")
        with feedback._lock:
            child = os.fork()
            if child == 0:
                feedback.add(["a"], user_id="ada")
                os._exit(0 if feedback.net(["a"], user_id="ada") == {"a": 2} else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class TestSqliteFeedback(FeedbackContract):
    def make_feedback(self):
        return rm.SqliteFeedback(":memory:")


class TestSqliteFeedbackBesideDocuments(FeedbackContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path_factory):
        self.folder = tmp_path_factory

    def make_feedback(self):
        path = self.folder.mktemp("store") / "store.db"
        with rm.SqliteStore(path) as store:
            store.add([rm.Document("a", "Some text."), rm.Document(1)])
        return rm.SqliteFeedback(path)
