"""Judgements in a table with BEIR's header."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.runs.beir import is_beir

HEAD = "query-id\tcorpus-id\tscore\n"


def test_rows_become_grades():
    text = "\ufeff" + HEAD + "q1\td 1\t2\r\n\r\nq2\td\u00a02\t-1\nq1\td3\t0\nq1\td3\t0\nq3\td\u2028\t1.0"
    found = rm.Qrels.from_beir(text.encode())
    assert found.to_dict() == {"q1": {"d 1": 2, "d3": 0}, "q2": {"d\u00a02": -1}, "q3": {"d\u2028": 1}}


def test_the_header_is_told_from_lines_of_trec():
    assert is_beir(HEAD.encode())
    assert is_beir(b"\xef\xbb\xbfquery-id\tcorpus-id\tscore\r\n")
    assert not is_beir(b"q1 0 d1 1\n")
    assert not is_beir(b"")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"q1\td1\t1\n", "1: the first line must be query-id, corpus-id and score"),
        (b"", "1: the first line must be"),
        (HEAD.encode() + b"q1\td1\n", "2: the line has 2 columns; three are wanted"),
        (HEAD.encode() + b"q1\td1\t0.5\n", "2: the score is '0.5'; whole numbers are wanted"),
        (HEAD.encode() + b"q1\td1\tnan\n", "2: the score is 'nan'"),
        (HEAD.encode() + b"\nq1\td1\tone\n", "3: the score is 'one'"),
        (
            HEAD.encode() + b"q1\td1\t1\nq1\td1\t2\n",
            "3: document 'd1' of query 'q1' has the score 2 here and 1",
        ),
        (HEAD.encode() + b"q1\td\xff\t1\n", "2: the line is no UTF-8"),
    ],
)
def test_what_is_no_such_table_is_refused_by_line(text, message):
    with pytest.raises(rm.FormatError) as caught:
        rm.Qrels.from_beir(text)
    assert message in f"{caught.value.line}: {caught.value.message}"


@pytest.mark.hypothesis
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: (HEAD + text).encode()))
def test_any_bytes_are_read_or_refused(content):
    with contextlib.suppress(rm.FormatError):
        rm.Qrels.from_beir(content)
