"""Searching for how to fuse, and measuring what was found on queries that did not choose it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld._options import as_integer, as_list
from rankmeld.errors import InvalidArgumentError
from rankmeld.evaluation.bootstrap import as_confidence, interval_of
from rankmeld.evaluation.inputs import as_judgements, named_runs
from rankmeld.evaluation.measures import Difference, evaluate
from rankmeld.pipeline.parameters import Parameter
from rankmeld.ranking import Ranking
from rankmeld.runs import Run, fuse_runs
from rankmeld.tuning.climbing import Measured, climb
from rankmeld.tuning.folds import split
from rankmeld.tuning.result import TunedFold, TuneResult, TuneTrial
from rankmeld.tuning.spaces import Setting, Space, fusion_space, grid_space

if TYPE_CHECKING:
    from rankmeld.pipeline import Pipeline

__all__ = ["tune"]

#: What is tried where nobody says.
DEFAULT_METHODS = ("rrf", "minmax", "zscore")


def tune(
    runs: Mapping[str, Any] | Iterable[Any],
    qrels: Any,
    *,
    methods: Sequence[str] = DEFAULT_METHODS,
    measure: str = "nDCG@10",
    folds: SupportsIndex = 5,
    groups: Mapping[Any, Hashable] | None = None,
    pipeline: Pipeline | None = None,
    parameters: Mapping[str, Sequence[Parameter]] | None = None,
    queries: Mapping[Any, str] | None = None,
    now: Any = None,
    confidence: float = 0.95,
    seed: SupportsIndex = 0,
    progress: Callable[[int, int], Any] | None = None,
) -> TuneResult:
    """Choose how to fuse several runs, and say honestly what that gains.

    For every fold, methods, constants and weights are chosen on the other folds and measured on that one, so
    every query is measured under a setting that it had no part in. The verdict comes of these values: whether
    they gain on the baseline by more than chance. What is recommended is then chosen on all queries.

    Parameters
    ----------
    runs : mapping of name to run, or iterable of runs
        The legs, as `evaluate` takes each.
    qrels : Qrels, or mapping of query to ``{id: grade}``
        What was judged.
    methods : sequence of str, default ("rrf", "minmax", "zscore")
        What to try: methods of `fuse_runs`. The first, with its defaults and equal weights, is the baseline.
    measure : str, default "nDCG@10"
        As `evaluate` takes it.
    folds : int, default 5
        How many; as many as there are groups holds out one group at a time.
    groups : mapping of query to group, optional
        What must not be parted, and is drawn as a whole for the interval: questions about one conversation,
        claims from one paper.
    pipeline : Pipeline, optional
        Tunes its `parameters` instead of `methods`; as it is, it is the baseline.
    parameters : mapping of str to sequence, optional
        With `pipeline`: for each of its parameters the values to try, as
        ``{"propagate.weight": [0.2, 0.4, 0.6]}``.
    queries : mapping of query to str, optional
        With `pipeline`: what was asked, for stages that need it.
    now : datetime, date, str or float, optional
        With `pipeline`: the moment that ages count to.
    confidence : float, default 0.95
        Of the interval that the verdict looks at.
    seed : int, default 0
        Decides folds and resamples.
    progress : callable, optional
        ``progress(done, total)`` after each search: one for each fold and method, and one over all queries.

    Returns
    -------
    TuneResult
        Its ``verdict`` may be "no better than equal weights", and its ``parameters`` are then those of the
        baseline.

    Raises
    ------
    MissingExtraError
        ``rankmeld[eval]`` is not installed.
    TypeError, InvalidArgumentError
        An argument cannot be used, or `evaluate` refuses the runs.

    Notes
    -----
    Coordinate ascent from several starts; each setting is measured once, on all queries, and the folds
    share what was measured. Cross-validation of the whole choice, method included, is nested (Varma and
    Simon 2006): as no setting fits anything inside a method, the mean of inner folds is the training mean.

    Examples
    --------
    >>> import rankmeld as rm
    >>> qrels = {query: {"a": 1} for query in range(40)}
    >>> lexical = {query: {"a": 2.0, "b": 1.0} for query in range(40)}
    >>> dense = {query: {"b": 2.0, "a": 1.0} for query in range(40)}
    >>> found = rm.tune({"lexical": lexical, "dense": dense}, qrels, methods=["minmax"], measure="RR")
    >>> found.verdict, found.legs
    ('better', ('lexical', 'dense'))
    >>> found.parameters["fuse_scores.weights"]
    (0.7, 0.3)
    """
    legs = {name: _as_run(run, name) for name, run in named_runs(runs).items()}
    judged = as_judgements(qrels)
    count, start = as_integer(folds, "folds"), as_integer(seed, "seed")
    if count < 2:
        raise InvalidArgumentError(f"folds is {count}; it must be 2 or more, as something has to be held out")
    share = as_confidence(confidence)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a callable (done, total), not {type(progress).__name__}")
    if pipeline is None:
        if parameters is not None or queries is not None or now is not None:
            raise InvalidArgumentError("parameters, queries and now are for a pipeline; pass pipeline= too")
        spaces = _spaces(methods, len(legs))
        join: Callable[[Setting], Any] = _Fusion(list(legs.values()))
    else:
        if parameters is None:
            raise InvalidArgumentError('pipeline needs parameters=, as {"propagate.weight": [0.2, 0.4]}')
        spaces = [grid_space(parameters, pipeline.parameters())]
        join = _Piped(pipeline, list(legs.values()), list(judged), queries, now)

    def values(setting: Setting) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = evaluate(join(setting), judged, [measure]).values[:, 0]
        return found

    measured = Measured(values)
    baseline = spaces[0].starts[0]
    base = measured.values(baseline)  # refuses here what cannot be measured
    names = list(judged)
    apart = [_group(groups, query) for query in names] if groups is not None else names
    parts = split(apart, count, start)
    steps = _Steps(progress, (len(parts) + 1) * len(spaces))

    def best(rows: npt.NDArray[np.intp]) -> tuple[Setting, float]:
        reached, top = baseline, -np.inf
        for space in spaces:
            setting, height = climb(space, measured, rows)
            if height > top:
                reached, top = setting, height
            steps.done()
        return reached, top

    held = np.empty(len(names))
    tuned = []
    for part in parts:
        others = np.setdiff1d(np.arange(len(names)), part)
        setting, trained = best(others)
        held[part] = measured.values(setting)[part]
        tuned.append(
            TunedFold(dict(setting), len(part), trained, float(held[part].mean()), float(base[part].mean()))
        )
    chosen, top = best(np.arange(len(names)))
    drawn = apart if groups is not None else None
    gains = interval_of(held - base, groups=drawn, confidence=share, seed=start)
    gain = Difference(
        gains.mean,
        gains.low,
        gains.high,
        gains.confidence,
        dict(zip(names, (held - base).tolist(), strict=True)),
    )
    trials = [TuneTrial(dict(setting), float(found.mean())) for setting, found in measured]
    better = gain.low > 0.0
    return TuneResult(
        better,
        dict(chosen if better else baseline),
        TuneTrial(dict(chosen), top),
        TuneTrial(dict(baseline), float(base.mean())),
        gain,
        interval_of(held, groups=drawn, confidence=share, seed=start),
        tuple(tuned),
        tuple(sorted(trials, key=lambda trial: -trial.mean)),
        measure,
        tuple(legs),
    )


def _as_run(run: Any, name: str) -> Run:
    try:
        return run if isinstance(run, Run) else Run.from_dict(run, name=name)
    except (TypeError, ValueError) as error:
        error.add_note(f"in run {name!r}")
        raise


def _spaces(methods: Any, lists: int) -> list[Space]:
    words = as_list(methods, "methods", alone='to try one method alone, write ["rrf"]')
    if not words:
        raise InvalidArgumentError('methods is empty; name at least one, as "rrf"')
    if len(set(words)) < len(words):
        raise InvalidArgumentError("methods names one twice")
    return [fusion_space(word, lists) for word in words]


def _group(groups: Mapping[Any, Hashable], query: Hashable) -> Hashable:
    if query not in groups:
        raise InvalidArgumentError(f"groups has no entry for query {query!r}")
    return groups[query]


class _Steps:
    """Counts searches."""

    def __init__(self, progress: Callable[[int, int], Any] | None, total: int) -> None:
        self._progress, self._total, self._count = progress, total, 0

    def done(self) -> None:
        self._count += 1
        if self._progress is not None:
            self._progress(self._count, self._total)


class _Fusion:
    """Fuses the runs under a setting, all queries at once."""

    def __init__(self, runs: list[Run]) -> None:
        self._runs = runs

    def __call__(self, setting: Setting) -> Run:
        options: dict[str, Any] = {name.partition(".")[2]: value for name, value in setting}
        if "normalize" in options:
            options["method"] = options.pop("normalize")
        return fuse_runs(self._runs, **options)


class _Piped:
    """Runs a pipeline under a setting, query by query."""

    def __init__(
        self,
        pipeline: Pipeline,
        runs: list[Run],
        judged: list[Hashable],
        queries: Mapping[Any, str] | None,
        now: Any,
    ) -> None:
        empty = Ranking()
        self._pipeline, self._now = pipeline, now
        self._given = [
            (query, [run.get(query, empty) for run in runs], None if queries is None else queries.get(query))
            for query in judged
            if any(query in run for run in runs)
        ]

    def __call__(self, setting: Setting) -> dict[Hashable, Ranking]:
        pipeline = self._pipeline.with_parameters(dict(setting))
        return {
            query: pipeline.run(rankings, query=text, now=self._now).ranking
            for query, rankings, text in self._given
        }
