"""What comes after the legs: evidence that flows to neighbours, names in the query, and a whole pipeline."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import rankmeld as rm
from rankmeld.pipeline import NotApplied, PipelineContext

from .agreement import close, ranked
from .harness import Case, Effort, Group, Result, Verdict, measure
from .workloads import NOW, SEED, Texts

_CANDIDATES = 200
_TURNS = 100_000
_A_SESSION = 20
_SPEAKERS = ("Caroline", "Melanie")
_QUERY = "What did Caroline say about the trip to the mountains?"

#: Limits of a quiet machine, in seconds.
_PROPAGATE = 60e-6
_BOOST = 60e-6
_AFTER_THE_LEGS = 1e-3


def run(*, quick: bool) -> Iterator[Result]:
    """200 candidates among 100,000 turns; then real questions about real conversations, where these are."""
    effort = Effort(0.7, 5) if quick else Effort(6.0, 12)
    documents = _turns()
    hits = _hits(documents)
    near = rm.adjacent(
        [turn.id for turn in documents], groups=[place // _A_SESSION for place in range(len(documents))]
    )
    yield _within(measure(_propagation(hits, near), effort), "rankmeld", _PROPAGATE)
    yield _within(measure(_boost(hits), effort), "rankmeld", _BOOST)
    asked = _asked()
    if asked:
        yield _within(measure(_whole(asked), effort), "rankmeld", _AFTER_THE_LEGS, len(asked))


def _within(result: Result, case: str, limit: float, calls: int = 1) -> Result:
    """The result with a goal in microseconds."""
    (timing,) = (timing for timing in result.timings if timing.case.name == case)
    goal = f"{case}: at most {limit * 1e6:.0f} us on a quiet machine"
    verdict = Verdict(goal, limit * 1e6, timing.cpu_min / calls * 1e6, " us")
    return replace(result, verdicts=[*result.verdicts, verdict])


def _turns() -> list[rm.Document]:
    texts = Texts()
    some = [texts.text(20) for _ in range(500)]
    return [
        rm.Document(f"conv-1-D{place // _A_SESSION}:{place}", some[place % 500], _SPEAKERS[place % 2])
        for place in range(_TURNS)
    ]


def _hits(documents: list[rm.Document]) -> rm.Ranking:
    rng = np.random.default_rng(SEED)
    chosen = rng.choice(len(documents), _CANDIDATES, replace=False).tolist()
    return rm.Ranking(
        [(documents[at].id, 1.0 - place / _CANDIDATES, documents[at]) for place, at in enumerate(chosen)]
    )


def _propagation(hits: rm.Ranking, near: dict[Any, Any]) -> Group:
    pairs = [(hit.id, hit.score) for hit in hits]

    def by_hand() -> list[tuple[Any, float]]:
        new = dict(pairs)
        for id, score in pairs:
            for other, weight in near[id]:
                new[other] = new.get(other, 0.0) + 0.4 * weight * score
        return sorted(new.items(), key=lambda pair: -pair[1])[:_CANDIDATES]

    expected = by_hand()
    cases = [
        Case("rankmeld", lambda: rm.propagate(hits, near, limit=_CANDIDATES), close(expected, ranked)),
        Case("Python dict", by_hand, close(expected), note="neither exact sums nor documents"),
    ]
    return Group(f"propagate {_CANDIDATES} hits among {_TURNS:,} turns, window 1", cases, "Python dict")


def _boost(hits: rm.Ranking) -> Group:
    rows = [(hit.id, hit.score, hit.document) for hit in hits]

    def by_hand() -> list[tuple[Any, float]]:
        asked = f" {_QUERY.casefold()} "
        new = [
            (id, score * 1.3 if f" {document.title.casefold()} " in asked else score)
            for id, score, document in rows
            if document is not None and score is not None
        ]
        return sorted(new, key=lambda pair: -pair[1])

    expected = by_hand()
    cases = [
        Case("rankmeld", lambda: rm.boost_matches(hits, _QUERY), close(expected, ranked)),
        Case("Python loop", by_hand, close(expected), note="words between spaces alone, no NFC"),
    ]
    return Group(f"boost_matches over {_CANDIDATES} hits", cases, "Python loop")


#: A question, the pipeline of its conversation, and what the legs gave.
_Question = tuple[str, rm.Pipeline, list[rm.Ranking]]


def _asked(count: int = 60) -> list[_Question]:
    """Some of the real questions, or none where the data are not at hand."""
    beside = Path(__file__).resolve().parents[3] / "shared"
    folder = Path(os.environ.get("RANKMELD_SHARED", beside)) / "data" / "locomo-dev"
    if not folder.is_dir():
        return []
    turns: dict[str, list[rm.Document]] = defaultdict(list)
    for record in _records(folder / "corpus.jsonl"):
        about = record["metadata"]
        session = f"{about['conversation_id']}/{about['session']}"
        turn = rm.Document(record["_id"], record["text"], record["title"], parent_id=session)
        turns[about["conversation_id"]].append(turn)
    known = {turn.id: turn for conversation in turns.values() for turn in conversation}
    pipelines = {id: rm.conversation_pipeline(conversation) for id, conversation in turns.items()}
    contexts = {id: _in_context(conversation) for id, conversation in turns.items()}
    legs = [_run_of(folder / name, known) for name in ("dense.run", "bm25.run")]
    questions = list(_records(folder / "queries.jsonl"))
    asked = []
    for question in questions[:: len(questions) // count]:
        about = question["metadata"]["conversation_id"]
        found = [rm.Ranking(leg[question["_id"]]) for leg in legs]
        found.append(contexts[about].search(question["text"], limit=100))
        asked.append((question["text"], pipelines[about], found))
    return asked


def _in_context(turns: list[rm.Document]) -> rm.BM25Index:
    texts = rm.in_context([turn.passage for turn in turns], groups=[turn.parent_id for turn in turns])
    index = rm.BM25Index()
    index.add(list(zip([turn.id for turn in turns], texts, strict=True)))
    return index


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _run_of(path: Path, known: dict[Any, rm.Document]) -> dict[str, list[tuple[str, float, rm.Document]]]:
    found: dict[str, list[tuple[str, float, rm.Document]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        question, _, id, _, score, _ = line.split()
        found[question].append((id, float(score), known[id]))
    return found


def _whole(asked: list[_Question]) -> Group:
    """The pipeline beside its own stages, called by hand."""

    def by_hand() -> list[list[Any]]:
        out = []
        for query, pipeline, legs in asked:
            context = PipelineContext(query, NOW)
            stages = list(pipeline.stages.values())
            found = stages[0](legs, context)
            for stage in stages[1:]:
                rerank = getattr(stage, "rerank", None)
                after = rerank(query, found) if rerank is not None else stage(found, context)
                found = found if isinstance(after, NotApplied) else after
            out.append(found.ids)
        return out

    def by_pipelines() -> list[list[Any]]:
        return [pipeline.run(legs, query=query, now=NOW).ranking.ids for query, pipeline, legs in asked]

    expected = by_hand()

    def check(got: list[list[Any]]) -> None:
        assert got == expected

    entries = sum(map(len, expected))
    cases = [
        Case("rankmeld", by_pipelines, check, entries=entries),
        Case("its stages by hand", by_hand, check, entries=entries),
    ]
    title = f"conversation_pipeline, three legs, {entries // len(asked)} candidates, {len(asked)} questions"
    return Group(title, cases, "its stages by hand")
