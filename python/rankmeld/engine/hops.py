"""The engine's one flow, which neither waits nor awaits: from a message to a context."""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankmeld._model_text import AnswerError, model_text
from rankmeld.engine.context import ContextAssembler
from rankmeld.engine.memory import Sources
from rankmeld.engine.queries import (
    QUERY_CHARACTERS,
    beginning,
    hop_prompt,
    is_done,
    query_key,
    summary_prompt,
)
from rankmeld.engine.results import EngineResult, EngineTrace, HopTrace, QueryOrigin, Stop
from rankmeld.engine.scoring import aged, blended, diverse, read_sums, together, with_feedback
from rankmeld.engine.settings import EngineSettings
from rankmeld.errors import RankmeldError
from rankmeld.ranking import Ranking
from rankmeld.search.asked import Asking, Call, Task, length_of, length_of_text, method_of
from rankmeld.search.driving import Outcome, Round
from rankmeld.search.trace import Leg, Recorder
from rankmeld.text import clean_text, is_blank, white_space_words

__all__ = ["HELPERS", "EngineFlow", "Errand"]

_log = logging.getLogger("rankmeld")

#: Whom an engine asks beside its memory.
HELPERS = ("llm", "reasoner", "feedback")

_FARED = {"failed": "failed", "timeout": "timed out"}

#: What the flow of an engine yields, is sent, and returns.
EngineFlow = Generator[Round, Sequence[Outcome], EngineResult]

_Asked = Generator[Round, Sequence[Outcome], Any]


@dataclass(slots=True)
class Errand:
    """One message on its way to a context.

    Attributes
    ----------
    message, user_id
        What was said, and by whom.
    sources, llm, feedback, settings
        The engine's parts.
    assembler : ContextAssembler
        With the budget of this message.
    now : datetime
        The moment that age counts to.
    instead : str
        What to write where something can only be awaited.
    max_hops : int or None
        How often the memory may be asked; ``None``: once, and nobody asks whether to go on.
    reasoner : callable or None
        Who asks again; ``None``: the model, if there is one.
    """

    message: str
    user_id: str | None
    sources: Sources
    llm: Any
    feedback: Any
    settings: EngineSettings
    assembler: ContextAssembler
    now: dt.datetime
    instead: str
    max_hops: int | None = None
    reasoner: Any = None
    recorder: Recorder = field(default_factory=lambda: Recorder(dict.fromkeys(HELPERS, Leg("skipped"))))
    hops: list[HopTrace] = field(default_factory=list)
    parts: list[Ranking] = field(default_factory=list)
    stopped: Stop | None = None

    def flow(self) -> EngineFlow:
        """Ask, weigh, ask again, and put together."""
        if is_blank(self.message):
            return self._result(Ranking(()), None)
        query, origin = yield from self._first_query()
        asked = {query_key(query)}
        ranking = yield from self._hop(query, self.message)
        while self.max_hops is not None:
            next_query = yield from self._next_query(ranking)
            if next_query is None:
                break
            if query_key(next_query) in asked:
                self.stopped = "repeated"
                break
            asked.add(query_key(next_query))
            try:
                ranking = yield from self._hop(next_query, next_query)
            except RankmeldError as error:
                _log.warning(
                    "engine: hop %d failed, what was found before it stays: %s", len(self.hops) + 1, error
                )
                self.stopped = "memory_failed"
                break
        return self._result(ranking, origin)

    # -------------------------------------------------------------- queries

    def _first_query(self) -> Generator[Round, Sequence[Outcome], tuple[str, QueryOrigin]]:
        """The message, or what a long one comes down to."""
        message = clean_text(self.message)
        if len(message) <= QUERY_CHARACTERS:
            return message, "message"
        if self.llm is not None:
            ask = self._call("llm", self.llm, (summary_prompt(message),), _awaited_chat(self.llm), _as_query)
            summary = yield from self._told("llm", ask)
            if summary is not None:
                return summary, "summary"
        return beginning(message.strip()), "beginning"

    def _next_query(self, ranking: Ranking) -> Generator[Round, Sequence[Outcome], str | None]:
        """What to ask next; `None` at the end, with the reason noted."""
        hop = len(self.hops)
        if hop == self.max_hops:
            self.stopped = "max_hops"
            return None
        if self.reasoner is not None:
            ask = self._call("reasoner", self.reasoner, (self.message, ranking, hop), None, _as_next_query)
        elif self.llm is not None:
            prompt = hop_prompt(self.message, ranking, [trace.query for trace in self.hops])
            ask = self._call("reasoner", self.llm, (prompt,), _awaited_chat(self.llm), _as_short_query)
        else:
            self.stopped = "no_reasoner"
            return None
        answer: str | None = yield from self._told("reasoner", ask)
        if answer is None:
            self.stopped = "reasoner_failed"
        elif is_done(answer):
            self.stopped = "done"
        else:
            return answer
        return None

    # ------------------------------------------------------------------ hops

    def _hop(self, query: str, words: str) -> Generator[Round, Sequence[Outcome], Ranking]:
        """Ask the memory, and rank what all hops have found so far."""
        started = time.perf_counter()
        recorder = Recorder({})
        gathered = yield from self.sources.gathered(
            query, self.user_id, self.settings.candidates, self.instead
        )
        for name, (given, counted, seconds) in gathered.counts.items():
            recorder.add(name, given, counted, seconds)
        self.parts.append(blended(query, words, gathered.ranking, self.settings, recorder))
        seconds = time.perf_counter() - started
        self.hops.append(HopTrace(query, gathered.legs, tuple(recorder.stages), seconds))
        return (yield from self._ranked())

    def _ranked(self) -> Generator[Round, Sequence[Outcome], Ranking]:
        """The candidates of all hops by age, importance, feedback and, if wanted, diversity."""
        self.recorder.stages.clear()  # of an earlier hop, whose candidates are among these
        ranking = together(self.parts, [hop.query for hop in self.hops], self.recorder)
        ranking = aged(ranking, self.settings, self.now, self.recorder)
        weight = self.settings.feedback_weight
        if self.feedback is not None and self.user_id is not None and weight > 0.0 and len(ranking):
            sums: Mapping[Hashable, int] | None = yield from self._told("feedback", self._sums(ranking))
            if sums is not None:
                ranking = with_feedback(ranking, sums, weight, self.recorder)
        return diverse(ranking, self.settings, self.recorder)

    def _sums(self, ranking: Ranking) -> Call:
        return Call(
            "feedback",
            method_of(self.feedback, "net"),
            (ranking.ids,),
            {"user_id": self.user_id},
            awaited=method_of(self.feedback, "anet"),
            read=read_sums,
            size=length_of,
            instead=self.instead,
        )

    # ---------------------------------------------------------------- asking

    def _call(
        self,
        name: str,
        call: Callable[..., Any],
        arguments: tuple[Any, ...],
        awaited: Callable[..., Any] | None,
        read: Callable[[Any], Any],
    ) -> Call:
        return Call(
            name, call, arguments, awaited=awaited, read=read, size=length_of_text, instead=self.instead
        )

    def _told(self, name: str, call: Call) -> _Asked:
        """What a helper answers; `None` where it failed, which is noted and logged."""

        def asking() -> Asking:
            return (yield call)

        (outcome,) = yield Round((Task(name, asking),))
        status = "ok" if outcome.error is None and outcome.status == "empty" else outcome.status
        self.recorder.legs[name] = Leg(status, outcome.error)
        if status in _FARED:
            _log.warning("engine: the %s %s: %s", name, _FARED[status], outcome.error)
            return None
        return outcome.value

    # ---------------------------------------------------------------- result

    def _result(self, ranking: Ranking, origin: QueryOrigin | None) -> EngineResult:
        with self.recorder.stage("context", len(ranking)) as left:
            context = self.assembler.select(ranking)
            left.append(len(context.included))
        seconds = time.perf_counter() - self.recorder.began
        trace = EngineTrace(
            origin,
            self.recorder.legs,
            tuple(self.hops),
            tuple(self.recorder.stages),
            self.stopped,
            seconds,
        )
        return EngineResult(context, ranking, trace)


def _awaited_chat(llm: Any) -> Callable[..., Any] | None:
    return method_of(llm, "achat")


def _as_query(answer: Any) -> str:
    """A model's query on one line, cut where it talks on; a blank one is a failure."""
    query = _as_short_query(answer)
    if not query:
        raise AnswerError("a blank answer")
    return query


def _as_next_query(answer: Any) -> str:
    """A reasoner's query on one line; `None` and a blank say that it has none."""
    return "" if answer is None else _on_one_line(answer)


def _as_short_query(answer: Any) -> str:
    """A model's next query, cut where it talks on."""
    return beginning(_as_next_query(answer))


def _on_one_line(answer: Any) -> str:
    return " ".join(white_space_words(model_text(answer)))
