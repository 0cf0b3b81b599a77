"""Measures of rankings against judgements, per query and over all, with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankmeld._options import TIES, as_float, choose
from rankmeld.errors import InvalidArgumentError, MissingExtraError
from rankmeld.evaluation.bootstrap import RESAMPLES, Interval, interval_of
from rankmeld.evaluation.inputs import as_judgements, as_rankings, ids_in_order

__all__ = ["DEFAULT_MEASURES", "Difference", "Evaluation", "evaluate"]

#: What is measured where nobody says: the head, the depth, the first answer.
DEFAULT_MEASURES = ("nDCG@10", "R@100", "RR")

Groups = Mapping[Any, Hashable]


@dataclass(frozen=True)
class Difference(Interval):
    """What a run gains on another by one measure, query by query.

    Attributes
    ----------
    mean, low, high, confidence
        The mean difference, and its bootstrap interval: where both ends are above 0, the gain is no accident
        of these queries.
    values : dict
        For each query the difference.
    """

    values: Mapping[Hashable, float] = field(default_factory=dict)

    @property
    def better(self) -> int:
        """Queries that gain."""
        return sum(value > 0 for value in self.values.values())

    @property
    def worse(self) -> int:
        """Queries that lose."""
        return sum(value < 0 for value in self.values.values())

    def __str__(self) -> str:
        """``+0.021 [+0.004, +0.038], 120 better, 88 worse, 92 equal``."""
        equal = len(self.values) - self.better - self.worse
        return (
            f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}], "
            f"{self.better} better, {self.worse} worse, {equal} equal"
        )


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` measured.

    Attributes
    ----------
    measures : tuple of str
        The measures, M of them.
    queries : tuple
        The queries that have judgements, Q of them.
    values : array of shape (Q, M), float64
        Read-only.
    unanswered : tuple
        Those of the queries that the run does not have; they count 0.
    unjudged : int
        How many queries of the run have no judgements; they do not count.
    """

    measures: tuple[str, ...]
    queries: tuple[Hashable, ...]
    values: npt.NDArray[np.float64]
    unanswered: tuple[Hashable, ...]
    unjudged: int

    @property
    def mean(self) -> dict[str, float]:
        """Each measure's mean over the queries."""
        return dict(zip(self.measures, self.values.mean(axis=0).tolist(), strict=True))

    def __getitem__(self, measure: str) -> dict[Hashable, float]:
        """A measure's value for each query."""
        return dict(zip(self.queries, self._column(measure).tolist(), strict=True))

    def interval(
        self,
        measure: str,
        *,
        groups: Groups | None = None,
        confidence: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Interval:
        """How far a mean can be trusted: Efron's percentile bootstrap over the queries.

        Parameters
        ----------
        measure : str
            One of `measures`.
        groups : mapping of query to group, optional
            Draws whole groups, where queries depend on each other, as those about one conversation do.
        confidence : float, default 0.95
            The share of resamples within the interval.
        resamples : int, default 10000
            How often queries are drawn.
        seed : int, default 0
            The same one gives the same interval.

        Returns
        -------
        Interval
        """
        return interval_of(
            self._column(measure),
            groups=self._groups(groups),
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )

    def difference(
        self,
        baseline: Evaluation,
        measure: str,
        *,
        groups: Groups | None = None,
        confidence: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Difference:
        """What this run gains on another, query by query.

        Parameters
        ----------
        baseline : Evaluation
            Of the other run, against the same judgements.
        measure : str
            One that both have.
        groups, confidence, resamples, seed
            As in `interval`.

        Returns
        -------
        Difference

        Raises
        ------
        InvalidArgumentError
            The two do not have the same queries, or not this measure.

        Examples
        --------
        >>> import rankmeld as rm
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
        >>> lexical = rm.evaluate({"q1": ["b", "a"], "q2": ["b"]}, qrels, ["RR"])
        >>> dense = rm.evaluate({"q1": ["a", "b"], "q2": ["b"]}, qrels, ["RR"])
        >>> dense.difference(lexical, "RR").mean
        0.25
        """
        if not isinstance(baseline, Evaluation):
            raise TypeError(f"baseline must be an Evaluation, not {type(baseline).__name__}")
        theirs = baseline[measure]
        if theirs.keys() != set(self.queries):
            raise InvalidArgumentError(
                "baseline is of other queries; evaluate both runs against the same qrels"
            )
        gains = self._column(measure) - np.array([theirs[query] for query in self.queries])
        found = interval_of(
            gains, groups=self._groups(groups), confidence=confidence, resamples=resamples, seed=seed
        )
        values = dict(zip(self.queries, gains.tolist(), strict=True))
        return Difference(found.mean, found.low, found.high, found.confidence, values)

    def to_dict(self) -> dict[str, Any]:
        """The means and what they are of, in plain values."""
        return {
            "queries": len(self.queries),
            "unanswered": len(self.unanswered),
            "unjudged": self.unjudged,
            "mean": self.mean,
        }

    def __repr__(self) -> str:
        """The means."""
        means = ", ".join(f"{measure}={value:.4f}" for measure, value in self.mean.items())
        return f"<Evaluation of {len(self.queries)} queries: {means}>"

    @cached_property
    def _columns(self) -> dict[str, npt.NDArray[np.float64]]:
        return {measure: self.values[:, place] for place, measure in enumerate(self.measures)}

    def _column(self, measure: str) -> npt.NDArray[np.float64]:
        if measure not in self._columns:
            raise InvalidArgumentError(
                f"measure is {measure!r}; measured were {', '.join(map(repr, self.measures))}"
            )
        return self._columns[measure]

    def _groups(self, groups: Groups | None) -> list[Hashable] | None:
        if groups is None:
            return None
        missing = next((query for query in self.queries if query not in groups), None)
        if missing is not None:
            raise InvalidArgumentError(f"groups has no entry for query {missing!r}")
        return [groups[query] for query in self.queries]


def evaluate(
    run: Any,
    qrels: Any,
    measures: str | Sequence[str] = DEFAULT_MEASURES,
    *,
    ties: Literal["first", "id_asc", "id_desc"] = "id_desc",
) -> Evaluation:
    """Measure rankings against judgements.

    Parameters
    ----------
    run : Run, or mapping of query to ranking
        Rankings in any form that `Ranking` takes.
    qrels : Qrels, or mapping of query to ``{id: grade}``
        What was judged. Grades are integers; above 0 is relevant.
    measures : str or sequence of str, default ("nDCG@10", "R@100", "RR")
        As ir-measures names them: ``nDCG@k``, ``R@k`` (recall), ``P@k``, ``RR`` (reciprocal rank), ``AP``,
        ``Success@k`` (whether any relevant one is among the first k) and others.
    ties : {"id_desc", "first", "id_asc"}, default "id_desc"
        In which order hits of equal score count: by descending id, as trec_eval has it, so that the order in
        which a file lists them makes nothing better; or as the run has them.

    Returns
    -------
    Evaluation
        Every query of the judgements counts; one that the run does not have counts 0.

    Raises
    ------
    MissingExtraError
        ``rankmeld[eval]`` is not installed.
    TypeError
        An argument is of the wrong kind.
    InvalidArgumentError
        A measure is unknown; a grade is no integer; a ranking has an id twice; the run has none of the
        judged queries.

    Notes
    -----
    The measures are those of ir-measures (MacAvaney, Macdonald and Ounis 2022), which asks trec_eval; ranks
    are handed over as ranks, so no rounding of scores makes ties of its own.

    Examples
    --------
    >>> import rankmeld as rm
    >>> found = rm.evaluate({"q1": ["d2", "d1"]}, {"q1": {"d1": 1}}, ["RR", "Success@1"])
    >>> found.mean
    {'RR': 0.5, 'Success@1': 0.0}
    """
    names = [measures] if isinstance(measures, str) else list(_sequence(measures))
    parsed = _parsed(names)
    order = choose(ties, TIES, "ties")
    rankings, judged = as_rankings(run), as_judgements(qrels)
    if not judged:
        raise InvalidArgumentError("qrels is empty; there is nothing to measure against")
    wanted = [query for query in judged if query in rankings]
    if not wanted:
        raise InvalidArgumentError(
            f"the run has none of the {len(judged)} judged queries: they are such as "
            f"{next(iter(judged))!r}, the run's such as {next(iter(rankings), None)!r}; queries are compared "
            "as they are written"
        )
    places = {query: str(place) for place, query in enumerate(judged)}
    grades = {places[query]: _grades(judged[query], query) for query in judged}
    lists = {query: ids_in_order(rankings[query], query, order) for query in wanted}
    longest = max(map(len, lists.values()))
    # An id that nobody judged needs a name of its own and no more; ranks stand for scores.
    unjudged, falling = [f"u{rank}" for rank in range(longest)], [-float(rank) for rank in range(longest)]
    scores = {
        places[query]: dict(zip(map(grades[places[query]][1].get, ids, unjudged), falling, strict=False))
        for query, ids in lists.items()
    }
    values = np.zeros((len(places), len(names)))
    column = {measure: place for place, measure in enumerate(parsed)}
    judgements = {place: found for place, (found, _) in grades.items()}
    for metric in _evaluator(parsed, judgements).iter_calc(scores):
        values[int(metric.query_id), column[metric.measure]] = metric.value
    values.flags.writeable = False
    return Evaluation(
        tuple(names),
        tuple(judged),
        values,
        tuple(query for query in judged if query not in rankings),
        sum(query not in judged for query in rankings),
    )


def _sequence(measures: Any) -> Iterable[Any]:
    if not isinstance(measures, Iterable):
        raise TypeError(f"measures must be a str or a sequence of str, not {type(measures).__name__}")
    return measures


def _parsed(names: Sequence[str]) -> list[Any]:
    try:
        import ir_measures  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError.for_extra("eval", "evaluate") from None
    if not names:
        raise InvalidArgumentError('measures is empty; name at least one, as "nDCG@10"')
    parsed = []
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"measures[{place}] must be a str, not {type(name).__name__}")
        try:
            parsed.append(ir_measures.parse_measure(name))
        except (NameError, ValueError, SyntaxError, TypeError, AttributeError) as error:
            raise InvalidArgumentError(
                f'measures[{place}] is {name!r}, which ir-measures does not know ({error}); as "nDCG@10", '
                '"RR", "AP", "P@5", "R@100" or "Success@5"'
            ) from None
    if len(set(parsed)) < len(parsed):
        raise InvalidArgumentError("measures names one twice")
    return parsed


def _evaluator(parsed: list[Any], judgements: dict[str, dict[str, int]]) -> Any:
    import ir_measures  # noqa: PLC0415 - an extra

    try:
        return ir_measures.evaluator(parsed, judgements)
    except (ValueError, AssertionError) as error:
        raise InvalidArgumentError(f"measures cannot be computed here: {error}") from None


def _grades(judged: Mapping[Hashable, Any], query: Hashable) -> tuple[dict[str, int], dict[Hashable, str]]:
    """The grades by code, and the code of each id."""
    codes = {id: f"d{place}" for place, id in enumerate(judged)}
    grades = {}
    for id, grade in judged.items():
        if not isinstance(grade, int | float | np.number) or not as_float(grade).is_integer():
            raise InvalidArgumentError(
                f"the grade of {id!r} for query {query!r} is {grade!r}; the measures are of whole grades"
            )
        grades[codes[id]] = int(as_float(grade))
    return grades, codes
