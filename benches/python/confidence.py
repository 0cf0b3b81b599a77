"""What knowing how sure an answer is costs: notes on twenty passages, grades, filters, signals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import rankmeld as rm

from . import oracle
from .harness import Case, Effort, Goal, Group, Result, measure
from .late_interaction import workload

PASSAGES, WORDS_A_SENTENCE = 20, 15


def run(*, quick: bool) -> Iterator[Result]:
    """Notes beside the lexical MaxSim of the same text, and the stages that look at scores alone."""
    effort = Effort(0.7, 5) if quick else Effort(4.0, 12)
    query, documents = workload()
    asked = " ".join(query)
    texts = [_sentences(document) for document in documents[:PASSAGES]]
    hits = [(n, 1.0 / (n + 2), rm.Document(n, text)) for n, text in enumerate(texts)]
    yield measure(_notes(asked, texts, hits), effort)
    yield measure(_scores_alone(hits), effort)


def _sentences(words: list[str]) -> str:
    """Words in sentences of some length, on one line."""
    starts = range(0, len(words), WORDS_A_SENTENCE)
    return " ".join(" ".join(words[at : at + WORDS_A_SENTENCE]) + "." for at in starts)


def _notes(asked: str, texts: list[str], hits: list[Any]) -> Group:
    ranking = rm.Ranking(hits)
    notes, places = oracle.chain_of_note(asked, hits)

    def check(found: rm.ChainOfNote) -> None:
        assert [note[:3] for note in found.notes] == notes
        assert found.ranking.ids == [hits[place][0] for place in places]

    def in_a_loop() -> list[tuple[str, float]]:
        """One call a passage, as one writes it without `chain_of_note`."""
        best = []
        for text in texts:
            sentences = rm.text.sentences(text)
            scores = rm.lexical_maxsim_many(asked, sentences)
            first = int(scores.argmax())
            best.append((sentences[first], float(scores[first])))
        return best

    cases = [
        Case("chain_of_note, ranking ready", lambda: rm.chain_of_note(asked, ranking), check),
        Case("chain_of_note, from triples", lambda: rm.chain_of_note(asked, hits), check),
        Case(
            "lexical MaxSim of the same text",
            lambda: rm.lexical_maxsim_many(asked, texts),
            lambda found: _equal([oracle.lexical_maxsim(asked, text) for text in texts])(found.tolist()),
        ),
        Case("a loop over passages", in_a_loop, _equal([note[1:] for note in notes])),
    ]
    goals = [Goal("notes, of the lexical MaxSim of the same text", cases[0].name, cases[2].name, 1.0)]
    title = f"notes on {len(texts)} passages of {len(texts[0].split())} words"
    return Group(title, cases, cases[2].name, goals)


def _scores_alone(hits: list[Any]) -> Group:
    ranking = rm.Ranking(hits)
    config, dynamic = rm.CragConfig(), rm.CragConfig(dynamic=True)
    signals = [rm.SignalScore("lexical", 9.0 / (n + 1), "chunk", str(n)) for n in range(len(hits))]
    scores = [score for _, score, _ in hits]
    cases = [
        Case(
            "evaluate_crag",
            lambda: rm.evaluate_crag(ranking, config),
            lambda found: _equal(oracle.evaluate_crag(hits)[0])(found.grade),
        ),
        Case(
            "evaluate_crag, dynamic",
            lambda: rm.evaluate_crag(ranking, dynamic),
            lambda found: _equal(oracle.evaluate_crag(hits, dynamic=True)[0])(found.grade),
        ),
        Case("grade_scores", lambda: rm.grade_scores(scores, config), _equal(oracle.grade_scores(scores))),
        Case(
            "recognition_filter",
            lambda: rm.recognition_filter(ranking, top_k=10),
            lambda found: _equal(oracle.recognition_filter(hits, top_k=10))(
                [(hit.id, hit.score) for hit in found]
            ),
        ),
        Case(
            "normalize_signals",
            lambda: rm.normalize_signals(signals),
            lambda found: _equal(oracle.normalize_signals(signals))(
                [(s.signal, s.source_kind, s.handle, s.normalized) for s in found]
            ),
        ),
    ]
    return Group(f"grades, filters and signals of {len(hits)} hits", cases, cases[0].name)


def _equal(expected: Any) -> Callable[[Any], None]:
    def check(found: Any) -> None:
        assert found == expected, (found, expected)

    return check
