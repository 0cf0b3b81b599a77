"""What every store of feedback does; a class for each kind brings `make_feedback`."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from enum import Enum

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankmeld as rm
from stores.samples import IDS

USERS = [
    None,
    "",
    "ada",
    "Ada",
    "null",
    "None",
    "x' OR 1=1 --",
    'q"',
    "nul\0",
    "lone\ud800",
    "日本",
    "a" * 10_000,
]


class Named(str, Enum):  # noqa: UP042 - StrEnum has a __str__ that says the value
    ADA = "ada"


class FeedbackContract:
    def make_feedback(self) -> rm.FeedbackStore:
        raise NotImplementedError

    @pytest.fixture
    def feedback(self):
        return self.make_feedback()

    def test_it_keeps_the_protocol(self, feedback):
        assert isinstance(feedback, rm.FeedbackStore)

    def test_marks_are_summed_by_document_and_user(self, feedback):
        feedback.add(["a", "b"], ["c"], user_id="ada")
        feedback.add(["a"], user_id="ada")
        feedback.add(harmful_ids=["a"], user_id="bob")
        assert feedback.net(["c", "a", "b", "d"], user_id="ada") == {"c": -1, "a": 2, "b": 1, "d": 0}
        assert list(feedback.net(["c", "a"], user_id="ada")) == ["c", "a"]
        assert feedback.net(["a", "b"], user_id="bob") == {"a": -1, "b": 0}
        assert feedback.net(["a"], user_id=None) == {"a": 0}

    def test_sums_are_not_clamped(self, feedback):
        for _ in range(9):
            feedback.add(["a"], user_id="ada")
        feedback.add(harmful_ids=["a"] * 2, user_id="ada")
        assert feedback.net(["a"], user_id="ada") == {"a": 7}
        assert rm.feedback_factor(7) == 1.5

    def test_as_often_useful_as_harmful_is_as_if_nobody_had_said_a_word(self, feedback):
        feedback.add(["a", "b"], ["a"], user_id="ada")
        feedback.add(harmful_ids=["b"], user_id="ada")
        assert feedback.net(["a", "b"], user_id="ada") == {"a": 0, "b": 0}
        assert feedback.entries() == []
        assert list(feedback.export()) == []

    @pytest.mark.parametrize("user", USERS)
    def test_users_of_every_kind_are_apart(self, feedback, user):
        for number, one in enumerate(USERS):
            feedback.add(["a"] * (number + 1), user_id=one)
        assert feedback.net(["a"], user_id=user) == {"a": USERS.index(user) + 1}
        assert {entry.user_id for entry in feedback.entries()} == set(USERS)
        assert feedback.clear(user) == 1
        assert feedback.net(["a"], user_id=user) == {"a": 0}
        assert len(feedback.entries()) == len(USERS) - 1

    def test_an_enum_of_str_is_its_value(self, feedback):
        feedback.add(["a"], user_id=Named.ADA)
        assert feedback.net(["a"], user_id="ada") == {"a": 1}
        assert type(feedback.entries()[0].user_id) is str

    def test_ids_of_every_kind(self, feedback):
        for number, id in enumerate(IDS):
            feedback.add([id] * (number + 1), user_id="ada")
        assert feedback.net(IDS, user_id="ada") == {id: number + 1 for number, id in enumerate(IDS)}
        other = self.make_feedback()
        assert other.import_(feedback.export()) == len(IDS)
        assert other.net(IDS, user_id="ada") == feedback.net(IDS, user_id="ada")

    def test_ids_that_are_equal_are_one(self, feedback):
        feedback.add([1, True, 1.0], ["1"], user_id="ada")
        assert feedback.net([True, "1"], user_id="ada") == {1: 3, "1": -1}

    def test_ids_come_back_as_they_were_asked(self, feedback):
        feedback.add([1], user_id="ada")
        (asked,) = feedback.net([1.0], user_id="ada")
        assert type(asked) is float

    def test_what_no_store_takes_has_no_feedback(self, feedback):
        assert feedback.net([frozenset({1}), 10**5000], user_id="ada") == {frozenset({1}): 0, 10**5000: 0}

    def test_iterables_are_read_once(self, feedback):
        feedback.add((id for id in "ab"), iter(["c"]), user_id="ada")
        assert feedback.net(iter("abc"), user_id="ada") == {"a": 1, "b": 1, "c": -1}

    @pytest.mark.parametrize(
        ("ids", "error", "text"),
        [
            ("abc", TypeError, "useful_ids must be an iterable of ids, not str; one id goes as [id]"),
            (7, TypeError, "useful_ids must be an iterable of ids, not int; one id goes as [id]"),
            (["a", []], TypeError, r"useful_ids[1] is a list, which cannot be hashed; pass a str"),
            (["a", float("nan")], rm.InvalidArgumentError, "useful_ids[1] is NaN"),
        ],
    )
    def test_what_is_no_id_is_refused_and_nothing_counted(self, feedback, ids, error, text):
        with pytest.raises(error) as refusal:
            feedback.add(ids, user_id="ada")
        assert str(refusal.value).startswith(text)
        with pytest.raises(error):
            feedback.add(["b"], ids, user_id="ada")
        assert feedback.entries() == []

    @pytest.mark.parametrize("user", [7, b"ada", ("ada",)])
    def test_a_user_is_a_str(self, feedback, user):
        wanted = rf"user_id must be a str or None, not {type(user).__name__}; pass str\(user_id\)"
        for call in (
            lambda: feedback.add([], user_id=user),
            lambda: feedback.net([], user_id=user),
            lambda: feedback.clear(user),
        ):
            with pytest.raises(TypeError, match=wanted):
                call()

    def test_nothing_is_nothing(self, feedback):
        feedback.add(user_id="ada")
        assert feedback.net([], user_id="ada") == {}
        assert feedback.clear("nobody") == 0
        assert feedback.import_([]) == 0

    def test_a_second_import_changes_nothing(self, feedback):
        feedback.add(["a"] * 3, ["b"], user_id="ada")
        feedback.add([("t", 1)], user_id=None)
        lines = list(feedback.export())
        assert [json.loads(line) for line in lines if '"ada"' in line] == [
            {"user": "ada", "id": "a", "net": 3},
            {"user": "ada", "id": "b", "net": -1},
        ]
        other = self.make_feedback()
        other.add(["a", "c"], user_id="ada")
        for _ in range(2):
            assert other.import_(lines) == 3
            assert other.net(["a", "b", "c"], user_id="ada") == {"a": 3, "b": -1, "c": 1}
            assert other.net([("t", 1)], user_id=None) == {("t", 1): 1}
        other.import_(lines, existing="add")
        assert other.net(["a", "b", "c"], user_id="ada") == {"a": 6, "b": -2, "c": 1}

    def test_a_file_of_lines_is_named_where_it_is_wrong(self, feedback, tmp_path):
        path = tmp_path / "feedback.jsonl"
        feedback.add(["a"], user_id="ada")
        path.write_text("\n".join([*feedback.export(), "", '{"user":"ada","id":"b"}\n']))
        other = self.make_feedback()
        with path.open() as file, pytest.raises(rm.FormatError) as refusal:
            other.import_(file)
        assert str(refusal.value) == (
            f"{path}:3: this is no feedback (it is no object of these three); each line must be "
            '{"user": ..., "id": ..., "net": ...} as export() writes it'
        )
        assert other.entries() == []

    @pytest.mark.parametrize(
        "line",
        [
            "[]",
            "7",
            "{",
            "null",
            '{"user":"a","id":"b","net":1,"more":2}',
            '{"user":"a","id":"b","net":1.0}',
            '{"user":"a","id":"b","net":true}',
            '{"user":"a","id":"b","net":NaN}',
            f'{{"user":"a","id":"b","net":{2**53 + 1}}}',
            '{"user":7,"id":"b","net":1}',
            '{"user":"a","id":["b"],"net":1}',
            '{"user":"a","id":{"float":"nan"},"net":1}',
            '{"user":"a","id":{"odd":"b"},"net":1}',
            '{"user":"a","id":null,"net":1}',
            '{"user":"a","id":' + "[" * 5000 + "]" * 5000 + ',"net":1}',
            b'{"user":"a","id":"b","net":1}',
        ],
    )
    def test_lines_of_others_are_refused_whole(self, feedback, line):
        with pytest.raises(rm.FormatError, match=r"^2: this is no feedback"):
            feedback.import_(['{"user":"a","id":"b","net":1}', line])
        assert feedback.entries() == []

    def test_options_of_an_import(self, feedback):
        with pytest.raises(rm.InvalidArgumentError, match="existing is 'keep'; it must be one of"):
            feedback.import_([], existing="keep")
        with pytest.raises(TypeError, match=r"not a path or one str; pass open\(path\)"):
            feedback.import_("feedback.jsonl")

    @given(st.data())
    @settings(suppress_health_check=[HealthCheck.differing_executors], max_examples=25)
    def test_sums_are_sums(self, data):
        feedback, expected = self.make_feedback(), {}
        few = st.lists(st.sampled_from([1, "1", 1.5, ("a",), "b"]), max_size=4)
        for _ in range(data.draw(st.integers(0, 6))):
            user = data.draw(st.sampled_from([None, "ada", "bob"]))
            useful, harmful = data.draw(few), data.draw(few)
            feedback.add(useful, harmful, user_id=user)
            for ids, step in ((useful, 1), (harmful, -1)):
                for id in ids:
                    expected[user, id] = expected.get((user, id), 0) + step
        found = {(entry.user_id, entry.id): entry.net for entry in feedback.entries()}
        assert found == {key: net for key, net in expected.items() if net}

    def test_many_threads_lose_no_mark(self, feedback):
        barrier = threading.Barrier(8)

        def work(number):
            barrier.wait()
            for _ in range(50):
                feedback.add(["shared", f"own {number}"], ["bad"], user_id="ada")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        own = {f"own {number}": 50 for number in range(8)}
        assert feedback.net(["shared", "bad", *own], user_id="ada") == {"shared": 400, "bad": -400, **own}
