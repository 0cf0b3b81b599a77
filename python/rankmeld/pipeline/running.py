"""A pipeline: rankings in, one ranking out, and what each stage did to it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankmeld._asking import Ask, Flow, adrive, drive
from rankmeld._options import require_order
from rankmeld._time import Moment, as_moment
from rankmeld.errors import InvalidArgumentError
from rankmeld.pipeline.parameters import Parameter, parameters_of, with_parameter
from rankmeld.pipeline.stages import NotApplied, PipelineContext, PipelineStage, fusing
from rankmeld.pipeline.trace import PipelineTrace
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import BaseReranker
from rankmeld.search.trace import StageTrace
from rankmeld.types import Source

__all__ = ["Pipeline", "PipelineResult"]

#: Hits that our own stages work on on the event loop: about a millisecond of work. More go to a thread.
_HITS_ON_LOOP = 256

_FORMAT = "rankmeld.pipeline"
_VERSION = 1


@dataclass(frozen=True, slots=True)
class PipelineResult:
    """What a pipeline gives.

    Attributes
    ----------
    ranking : Ranking
        The hits; `Ranking.explain` goes through all stages.
    trace : PipelineTrace
        Which stages applied, what each took in, gave and cost.
    """

    ranking: Ranking
    trace: PipelineTrace


class Pipeline:
    """Stages, one after the other: the first fuses, each later one works on what the one before gave.

    Parameters
    ----------
    stages : sequence of stages
        Each a callable ``(ranking, context) -> ranking`` or a `Reranker`, with a name if you like, as
        ``("name", stage)``. The first is called with the rankings instead; ``"rrf"``, ``"minmax"`` or another
        word of `fuse_scores` or `fuse_ranks` will do. `rankmeld.pipeline` has classes for the library's own
        stages. The context is a `PipelineContext`: the query, and one ``now`` for the whole run. A stage that
        has no say gives a `NotApplied` with the reason. A reranker is given the query; without one it
        does not apply. One whose option ``now`` is ``None`` counts from the context's.

    Raises
    ------
    TypeError, InvalidArgumentError
        A stage is none, there is none, or two have the same name.

    Notes
    -----
    A pipeline never changes, so threads can share it if they can share its stages; it pickles if they do.
    What a stage raises goes through as it is, with a note that names the stage.

    The parameters of a stage are the plain options (numbers, words, lists of numbers) of one that is a
    dataclass, or a `functools.partial` of a function; see `parameters`.

    Examples
    --------
    >>> import rankmeld as rm
    >>> from rankmeld.pipeline import Cut, FuseScores, Propagate
    >>> turns = rm.adjacent(["t1", "t2", "t3"])
    >>> pipeline = rm.Pipeline([FuseScores(weights=(0.4, 0.6)), Propagate(neighbors=turns), Cut(2)])
    >>> result = pipeline.run([[("t1", 0.9), ("t3", 0.2)], [("t1", 7.0)]])
    >>> result.ranking.ids
    ['t1', 't2']
    >>> [stage.name for stage in result.trace.stages]
    ['fuse_scores', 'propagate', 'cut']
    >>> pipeline.with_parameters({"propagate.weight": 0.2}).parameters()["propagate.weight"]
    0.2
    """

    __slots__ = ("_runs", "_stages")

    _stages: dict[str, Any]
    _runs: tuple[_Run, ...]

    def __init__(self, stages: Iterable[Any]) -> None:
        self._stages = _named(stages)
        self._runs = tuple(
            _run_of(name, stage, first=place == 0) for place, (name, stage) in enumerate(self._stages.items())
        )

    @property
    def stages(self) -> dict[str, Any]:
        """The stages by name, in order (a new dict)."""
        return dict(self._stages)

    # ------------------------------------------------------------------ running

    def run(
        self, rankings: Iterable[Any], *, query: str | None = None, now: Moment | None = None
    ) -> PipelineResult:
        """Run the stages, and wait.

        Parameters
        ----------
        rankings : iterable of rankings
            What the first stage fuses, in any form; see `Ranking`.
        query : str, optional
            What was asked. Stages that need it do not apply without it.
        now : datetime, date, str or float, optional
            The moment that ages count to; the current time if not given.

        Returns
        -------
        PipelineResult
            The ranking, and what was done.

        Raises
        ------
        TypeError, InvalidArgumentError
            `query` is no str, `now` cannot be read, or a stage gave no ranking.
        """
        return drive(self._flow(rankings, _context(query, now)), "write `await pipeline.arun(...)`")

    async def arun(
        self, rankings: Iterable[Any], *, query: str | None = None, now: Moment | None = None
    ) -> PipelineResult:
        """Do what `run` does, and await what is asynchronous.

        A reranker with ``arerank`` is awaited by it; a stage may be a coroutine function. What is not
        asynchronous runs in a worker thread, but for the library's own stages on a few hundred hits.
        """
        return await adrive(self._flow(rankings, _context(query, now)))

    def _flow(self, rankings: Any, context: PipelineContext) -> Flow[PipelineResult]:
        began = started = time.perf_counter()
        given: Any = list(rankings) if isinstance(rankings, Iterator) else rankings
        hits = _entries(given)
        traces: list[StageTrace] = []
        for place, run in enumerate(self._runs):
            try:
                if place > 0 and hits == 0:
                    found: Any = _NO_HITS
                elif run.ours and hits <= _HITS_ON_LOOP:
                    found = run.call(given, context)
                else:
                    found = yield Ask(f"stage {run.name!r}", run.call, (given, context), run.awaited)
                skipped = isinstance(found, NotApplied) and place > 0
                given = given if skipped else _read(found)
            except Exception as error:
                error.add_note(f"in stage {run.name!r} of the pipeline, {place + 1} of {len(self._runs)}")
                raise
            now = time.perf_counter()
            left = len(given)
            traces.append(
                StageTrace(
                    run.name,
                    hits,
                    left,
                    now - started,
                    "skipped" if skipped else "ok" if left else "empty",
                    found.reason if skipped else None,
                )
            )
            hits, started = left, now
        return PipelineResult(given, PipelineTrace(tuple(traces), started - began))

    # --------------------------------------------------------------- parameters

    def parameters(self) -> dict[str, Parameter]:
        """What can be set, by stage and option.

        Returns
        -------
        dict
            ``"stage.option"`` to its value: a number, a word, ``None``, or a tuple of these. The options of
            an option that is a dataclass itself come as ``"stage.option.inner"``. Data (neighbours,
            statistics, functions) are no parameters.
        """
        return {
            f"{name}.{option}": value
            for name, stage in self._stages.items()
            for option, value in parameters_of(stage).items()
        }

    def with_parameters(self, parameters: Mapping[str, Any]) -> Pipeline:
        """The same stages with some parameters set.

        Parameters
        ----------
        parameters : Mapping[str, Any]
            As `parameters` gives them; those that are not named stay as they are.

        Returns
        -------
        Pipeline
            Another pipeline; this one stays as it is.

        Raises
        ------
        InvalidArgumentError
            There is no such parameter; or what the stage raises that does not accept the value.
        """
        if not isinstance(parameters, Mapping):
            raise TypeError(f"parameters must be a mapping, not {type(parameters).__name__}")
        known = self.parameters()
        stages = dict(self._stages)
        for key, value in parameters.items():
            if key not in known:
                raise InvalidArgumentError(
                    f"the pipeline has no parameter {key!r}; it has {', '.join(map(repr, known)) or 'none'}"
                )
            name, _, option = key.partition(".")
            try:
                stages[name] = with_parameter(stages[name], option, value)
            except Exception as error:
                error.add_note(f"for the parameter {key!r} of the pipeline")
                raise
        return Pipeline(stages.items())

    def to_json(self) -> str:
        """The parameters as JSON, for `with_json`.

        The text is an object ``{"format": "rankmeld.pipeline", "version": 1, "parameters": {...}}``, where
        ``parameters`` is what `parameters` gives, tuples as lists. What tunes a pipeline writes the same form
        with those parameters that it chose, and may add keys of its own beside the three, which are not read
        here.
        """
        text = {"format": _FORMAT, "version": _VERSION, "parameters": self.parameters()}
        return json.dumps(text, indent=2, allow_nan=False)

    def with_json(self, text: str) -> Pipeline:
        """The same stages with the parameters of a JSON text.

        Parameters
        ----------
        text : str
            In the form of `to_json`. It need not name all parameters.

        Returns
        -------
        Pipeline
            As `with_parameters` gives it.

        Raises
        ------
        InvalidArgumentError
            The text is no such JSON, or of a later version, or it names a parameter that is not there.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        try:
            read = json.loads(text)
        except ValueError as error:
            raise InvalidArgumentError(f"text is no JSON ({error})") from None
        if not isinstance(read, dict) or read.get("format") != _FORMAT:
            raise InvalidArgumentError(
                f'text has no "format": "{_FORMAT}"; pass what Pipeline.to_json wrote, or a mapping to '
                "with_parameters"
            )
        if read.get("version") != _VERSION:
            raise InvalidArgumentError(
                f"text is of version {read.get('version')!r}; this rankmeld reads version {_VERSION}"
            )
        return self.with_parameters(read.get("parameters", {}))

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew of its stages: how they are called is worked out again."""
        return type(self), (tuple(self._stages.items()),)

    def __repr__(self) -> str:
        """The stages."""
        return f"Pipeline([{', '.join(f'({name!r}, {stage!r})' for name, stage in self._stages.items())}])"


_NO_HITS = NotApplied("there are no hits")

#: A stage as it is called.
_Call = Callable[[Any, PipelineContext], Any]


@dataclass(frozen=True, slots=True)
class _Run:
    name: str
    call: _Call
    #: What to call instead where the answer can be awaited.
    awaited: _Call | None
    #: Whether it is the library's and waits for nothing.
    ours: bool


def _run_of(name: str, stage: Any, *, first: bool) -> _Run:
    rerank = getattr(stage, "rerank", None)
    if first or not callable(rerank):
        return _Run(name, stage, None, isinstance(stage, PipelineStage) and not stage.waits)
    counts_from_now = _has_open_now(stage)

    def at(context: PipelineContext) -> Any:
        return dataclasses.replace(stage, now=context.now) if counts_from_now else stage

    def call(ranking: Ranking, context: PipelineContext) -> Any:
        return _NO_QUERY if context.query is None else at(context).rerank(context.query, ranking)

    async def awaited(ranking: Ranking, context: PipelineContext) -> Any:
        return _NO_QUERY if context.query is None else await at(context).arerank(context.query, ranking)

    asks = callable(getattr(stage, "arerank", None))
    return _Run(name, call, awaited if asks else None, isinstance(stage, BaseReranker) and not asks)


_NO_QUERY = NotApplied("there is no query")


def _has_open_now(reranker: Any) -> bool:
    if not dataclasses.is_dataclass(reranker):
        return False
    return any(field.name == "now" and field.init for field in dataclasses.fields(reranker)) and (
        getattr(reranker, "now", "") is None
    )


def _context(query: str | None, now: Moment | None) -> PipelineContext:
    if query is not None and not isinstance(query, str):
        raise TypeError(f"query must be a str or None, not {type(query).__name__}")
    return PipelineContext(query, dt.datetime.now(dt.UTC) if now is None else as_moment(now, "now"))


def _entries(rankings: Any) -> int:
    """How many entries the lists have, as far as that can be told without reading them."""
    if not isinstance(rankings, Iterable):
        return 0
    lists = [given.hits if isinstance(given, Source) else given for given in rankings]
    return sum(len(given) for given in lists if hasattr(given, "__len__"))


def _read(found: Any) -> Ranking:
    """What a stage gave; the first one has to fuse, so it always applies."""
    if isinstance(found, Ranking):
        return found
    try:
        return Ranking(found)
    except TypeError as error:
        raise TypeError(
            f"a stage must give a ranking or NotApplied, not {type(found).__name__}: {error}"
        ) from None


def _named(stages: Any) -> dict[str, Any]:
    if isinstance(stages, str) or not isinstance(stages, Iterable):
        raise TypeError(f"stages must be a list of stages, not {type(stages).__name__}")
    require_order(stages, "stages", "stages")
    named: dict[str, Any] = {}
    for place, given in enumerate(stages):
        name, stage = given if _is_named(given) else (None, given)
        if place == 0 and isinstance(stage, str):
            stage = fusing(stage)
        _require_stage(stage, place)
        if name is None:
            own = _name_of(stage)
            later = (f"{own}_{count}" for count in range(2, place + 3))
            name = next(one for one in (own, *later) if one not in named)
        if name in named:
            raise InvalidArgumentError(f"stages[{place}] has the name {name!r}, as one before it")
        if not name or "." in name:
            raise InvalidArgumentError(
                f"stages[{place}] has the name {name!r}; a name is not empty, without dots"
            )
        named[name] = stage
    if not named:
        raise InvalidArgumentError("stages is empty; the first stage has to fuse the rankings")
    return named


def _is_named(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)


def _require_stage(stage: Any, place: int) -> None:
    if isinstance(stage, type):
        name = stage.__name__
        raise TypeError(f"stages[{place}] is the class {name}; make one of it: {name}(...)")
    reranks = callable(getattr(stage, "rerank", None)) and not callable(stage)
    if place == 0 and (reranks or (isinstance(stage, PipelineStage) and not stage.fuses)):
        what = "a reranker" if reranks else "a later stage"
        raise TypeError(
            f'stages[0] is {what} ({type(stage).__name__}); the first stage fuses the rankings: "rrf", '
            "rankmeld.pipeline.FuseScores(...), or a callable (rankings, context)"
        )
    if place and isinstance(stage, PipelineStage) and stage.fuses:
        raise TypeError(
            f"stages[{place}] is {type(stage).__name__}, which fuses rankings; it has to be the first stage"
        )
    if place and isinstance(stage, str):
        raise TypeError(
            f"stages[{place}] is {stage!r}; a word may stand only for the first stage, later ones are "
            "made of the classes of rankmeld.pipeline, are callables (ranking, context) or rerankers"
        )
    if not callable(stage) and not callable(getattr(stage, "rerank", None)):
        raise TypeError(
            f"stages[{place}] must be a callable (ranking, context) or a reranker, not {type(stage).__name__}"
        )


def _name_of(stage: Any) -> str:
    if isinstance(stage, functools.partial):
        return _name_of(stage.func)
    name = (
        getattr(stage, "name", None) if isinstance(stage, PipelineStage) else getattr(stage, "__name__", None)
    )
    if isinstance(name, str):
        return "stage" if name == "<lambda>" else name.strip("_") or "stage"
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(stage).__name__).lower()
    return words.removesuffix("_reranker").strip("_") or "stage"
