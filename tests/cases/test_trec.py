"""Known failures of readers and writers of runs elsewhere, each as a test of its whole kind."""

from __future__ import annotations

import io

import pytest

import rankmeld as rm
from support.check import fused


def plain(run: rm.Run) -> dict[str, list[tuple[str, float]]]:
    return {query: fused(ranking) for query, ranking in run.items()}


def test_c243_equal_scores_never_change_places():
    run = rm.Run.from_dict({"q1": [("d3", 0.5), ("d1", 0.5), ("d2", 0.5), ("d9", 0.5)]})
    first = run.to_trec()
    for _ in range(50):
        run = rm.Run.from_trec(run.to_trec().encode())
        assert run["q1"].ids == ["d3", "d1", "d2", "d9"]
        assert run.to_trec() == first


@pytest.mark.parametrize("base", [0, 1])
def test_c245_six_columns_and_a_rank_for_each(base):
    run = rm.Run.from_dict({"q1": [("d2", 0.9), ("d1", 0.4)], "q2": [("d5", 1.5)]})
    expected = f"q1 Q0 d2 {base} 0.9 t\nq1 Q0 d1 {base + 1} 0.4 t\nq2 Q0 d5 {base} 1.5 t\n"
    assert run.to_trec(tag="t", rank_base=base) == expected


def test_c246_a_document_twice_for_a_query_is_refused():
    text = b"1 Q0 a 1 0.9 r\n1 Q0 b 2 0.8 r\n1 Q0 a 3 0.1 r\n"
    with pytest.raises(rm.FormatError) as refusal:
        rm.Run.from_trec(text)
    assert refusal.value.line == 3
    assert 'document "a" stands for query "1" already, on line 1' in str(refusal.value)
    with pytest.warns(UserWarning, match="1 hits repeat a document"):
        assert plain(rm.Run.from_trec(text, duplicates="first")) == {"1": [("a", 0.9), ("b", 0.8)]}
    assert len(rm.Run.from_trec(b"1 Q0 a 1 0.9 r\n2 Q0 a 1 0.9 r\n")) == 2
    with pytest.raises(rm.InvalidArgumentError, match="twice"):
        rm.Run.from_dict({"1": [("a", 0.9), ("a", 0.1)]}).to_trec()


def test_c246_lines_of_a_query_need_not_stand_together():
    text = b"1 Q0 a 1 0.1 r\n2 Q0 a 1 0.5 r\n1 Q0 b 2 0.8 r\n2 Q0 c 1 0.6 r\n"
    assert plain(rm.Run.from_trec(text)) == {"1": [("b", 0.8), ("a", 0.1)], "2": [("c", 0.6), ("a", 0.5)]}
    with pytest.raises(rm.FormatError, match=r"5: .* on line 2"):
        rm.Run.from_trec(text + b"2 Q0 a 9 0.0 r\n")


def test_c247_a_judgement_again_is_noise_and_another_grade_an_error():
    with pytest.raises(rm.FormatError) as refusal:
        rm.Qrels.from_trec(b"1 0 a 1\n1 0 a 1\n1 0 b 0\n1 0 b 2\n")
    assert refusal.value.line == 4
    with pytest.warns(UserWarning, match="1 lines repeat a judgement and were left out"):
        qrels = rm.Qrels.from_trec(b"1 0 a 1\n1 0 a 1\n1 0 b 0\n")
    assert qrels.to_dict() == {"1": {"a": 1, "b": 0}}


def test_c248_spaces_and_tabs_part_and_nothing_else_does():
    text = "1\tQ0\ta\t1\t0.9\tr\r\n1  Q0   b  2   0.8  r  \n\n2 Q0 c\u00a0d 1 0.7 r\n"
    expected = {"1": [("a", 0.9), ("b", 0.8)], "2": [("c\u00a0d", 0.7)]}
    for given in (text, text.rstrip("\n"), "\ufeff" + text, text.replace("\n", "\r\n")):
        assert plain(rm.Run.from_trec(given.encode())) == expected


@pytest.mark.parametrize("blank", ["\u2009", "\u3000", "\x85", "\u2028", "\x1f"])
def test_c248_blanks_of_unicode_belong_to_ids(blank):
    text = f"1 Q0 c{blank}d 1 0.7 r\n"
    assert plain(rm.Run.from_trec(text.encode())) == {"1": [(f"c{blank}d", 0.7)]}


def test_c250_ids_are_opaque():
    ids = ["doc#12%20é/東", "01", "1", "+1", "1.0", "e\u0301", "é", "\\n", '"', "'"]
    text = "".join(f"1 Q0 {id} 1 0.9 r\n" for id in ids)
    run = rm.Run.from_trec(text.encode())
    assert run["1"].ids == ids
    assert rm.Run.from_trec(run.to_trec().encode()) == run
    assert list(rm.Run.from_trec(b"01 Q0 a 1 1 r\n1 Q0 a 1 1 r\n")) == ["01", "1"]


def test_c251_no_grade_is_cut_off():
    with pytest.raises(rm.FormatError, match=r"1: the grade is 0\.5; grades are whole numbers"):
        rm.Qrels.from_trec(b"1 0 a 0.5\n1 0 b 2\n1 0 c -1\n1 0 d 1.0\n")
    assert rm.Qrels.from_trec(b"1 0 b 2\n1 0 c -1\n1 0 d 1.0\n")["1"] == {"b": 2, "c": -1, "d": 1}


def test_c252_scores_of_every_notation():
    text = b"1 Q0 a 1 -1.2e-05 r\n1 Q0 b 2 -9.1 r\n1 Q0 c 3 -1E+3 r\n1 Q0 d 4 -1e-400 r\n"
    run = rm.Run.from_trec(text)
    assert run.to_dict() == {"1": {"a": -1.2e-05, "b": -9.1, "c": -1000.0, "d": 0.0}}
    assert run["1"].ids == ["d", "a", "b", "c"]
    assert rm.Run.from_trec(run.to_trec().encode()).to_dict() == run.to_dict()
    for bad in (b"1e400", b"nan", b"inf", b"0x1p3", b"1_0", "\u0661".encode(), b"1,5", b"--1"):
        with pytest.raises(rm.FormatError, match="the score is"):
            rm.Run.from_trec(b"1 Q0 a 1 " + bad + b" r\n")


def test_c253_a_run_is_there_to_be_used_again():
    run = rm.Run.from_trec(io.BytesIO(b"1 Q0 a 1 0.9 r\n"))
    assert plain(run) == plain(run) == {"1": [("a", 0.9)]}
    assert rm.fuse_runs([run]) == rm.fuse_runs([run])
    qrels = rm.Qrels.from_trec(io.BytesIO(b"1 0 a 1\n"))
    assert dict(qrels) == dict(qrels) == {"1": {"a": 1}}


def test_c255_the_order_of_trec_eval_is_that_of_ids():
    texts = [
        b"".join(b"q Q0 d%d 1 1.0 r\n" % n for n in order) for order in ((1, 2, 3), (3, 2, 1), (2, 3, 1))
    ]
    assert {tuple(rm.Run.from_trec(text, ties="id_desc")["q"].ids) for text in texts} == {("d3", "d2", "d1")}
    assert [rm.Run.from_trec(text)["q"].ids[0] for text in texts] == ["d1", "d3", "d2"]
