"""What tuning found: the setting to use, what it gains, and the trials behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmeld.errors import InvalidArgumentError
from rankmeld.evaluation.bootstrap import Interval
from rankmeld.evaluation.measures import Difference
from rankmeld.pipeline.parameters import Parameter

if TYPE_CHECKING:
    from rankmeld.pipeline import Pipeline

__all__ = ["TuneResult", "TuneTrial", "TunedFold", "first_stage"]

_FORMAT, _VERSION = "rankmeld.pipeline", 1

Parameters = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class TuneTrial:
    """A setting that was measured.

    Attributes
    ----------
    parameters : dict
        As `Pipeline.parameters` names them.
    mean : float
        The measure's mean over all judged queries.
    """

    parameters: Parameters
    mean: float


@dataclass(frozen=True, slots=True)
class TunedFold:
    """What was chosen without some queries, and what it measures on them.

    Attributes
    ----------
    parameters : dict
        Chosen on the other folds.
    queries : int
        How many queries were held out.
    trained : float
        The measure's mean over the queries that chose.
    held_out, baseline : float
        Its mean over those that were held out, and the baseline's.
    """

    parameters: Parameters
    queries: int
    trained: float
    held_out: float
    baseline: float


@dataclass(frozen=True)
class TuneResult:
    """What `tune` found.

    Attributes
    ----------
    better : bool
        Whether what is chosen on some queries gains on others: the interval of `gain` lies above 0.
    parameters : dict
        The setting to use: the best one where `better`, else the baseline.
    best, baseline : TuneTrial
        The best setting over all queries, whose mean is too good to be true on other queries; and where the
        search began.
    gain : Difference
        What the setting chosen without a query gains on the baseline for that query, over all queries.
    held_out : Interval
        The measure itself, in the same way: what to expect on new queries.
    folds : tuple of TunedFold
        What each fold chose; if they differ widely, little depends on the parameters.
    trials : tuple of TuneTrial
        Every setting that was measured, the best first.
    measure : str
        What was measured.
    legs : tuple of str
        The names of the runs, in the order of the weights.
    """

    better: bool
    parameters: Parameters
    best: TuneTrial
    baseline: TuneTrial
    gain: Difference
    held_out: Interval
    folds: tuple[TunedFold, ...]
    trials: tuple[TuneTrial, ...]
    measure: str
    legs: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """``"better"``, or ``"no better than equal weights"``, or ``"no better than the defaults"``."""
        if self.better:
            return "better"
        weighted = any(name.endswith(".weights") for name in self.baseline.parameters)
        return f"no better than {'equal weights' if weighted else 'the defaults'}"

    def pipeline(self) -> Pipeline:
        """The fusion that was chosen, as a pipeline of one stage.

        Raises
        ------
        InvalidArgumentError
            It was a pipeline that was tuned; give it the parameters with
            ``pipeline.with_json(result.to_json())`` or ``pipeline.with_parameters(result.parameters)``.
        """
        from rankmeld.pipeline import Pipeline  # noqa: PLC0415 - brings all stages with it

        return Pipeline([first_stage(self.parameters)])

    def to_json(self) -> str:
        """The parameters in the form of `Pipeline.to_json`, and beside them what was found, for people."""
        found = {
            "format": _FORMAT,
            "version": _VERSION,
            "parameters": dict(self.parameters),
            "tuning": {
                "better": self.better,
                "verdict": self.verdict,
                "measure": self.measure,
                "legs": self.legs,
                "held_out": _plain(self.held_out),
                "gain": {
                    **_plain(self.gain),
                    "better": self.gain.better,
                    "worse": self.gain.worse,
                    "queries": len(self.gain.values),
                },
                "best": _trial(self.best),
                "baseline": _trial(self.baseline),
                "folds": [
                    {
                        "parameters": dict(fold.parameters),
                        "queries": fold.queries,
                        "trained": fold.trained,
                        "held_out": fold.held_out,
                        "baseline": fold.baseline,
                    }
                    for fold in self.folds
                ],
                "trials": [_trial(trial) for trial in self.trials],
            },
        }
        return json.dumps(found, indent=2)

    def __str__(self) -> str:
        """A few lines for people."""
        lines = [
            f"{self.verdict}: {self.measure} {self.held_out} on queries held out",
            f"gain     {self.gain}",
            f"use      {_shown(self.parameters)}",
        ]
        if not self.better:
            lines.append(
                f"best     {_shown(self.best.parameters)} ({self.best.mean:.3f} where it was chosen)"
            )
        lines.append(f"baseline {_shown(self.baseline.parameters)} ({self.baseline.mean:.3f})")
        return "\n".join(lines)


def first_stage(parameters: Parameters) -> Any:
    """The stage that fuses with these parameters, weights and all."""
    from rankmeld.pipeline import FuseRanks, FuseScores, Rrf  # noqa: PLC0415 - as above

    stages: dict[str, Any] = {"rrf": Rrf, "fuse_scores": FuseScores, "fuse_ranks": FuseRanks}
    names = {name.partition(".")[0] for name in parameters}
    if len(names) != 1 or not names <= stages.keys():
        raise InvalidArgumentError(
            "these parameters are not those of one fusion but of a pipeline of your own: "
            "pipeline.with_parameters(result.parameters)"
        )
    (name,) = names
    return stages[name](**{key.partition(".")[2]: value for key, value in parameters.items()})


def _plain(interval: Interval) -> dict[str, float | None]:
    shown = {
        "mean": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "confidence": interval.confidence,
    }
    return {key: None if value != value else value for key, value in shown.items()}  # noqa: PLR0124 - NaN


def _trial(trial: TuneTrial) -> dict[str, Any]:
    return {"parameters": dict(trial.parameters), "mean": trial.mean}


def _shown(parameters: Parameters) -> str:
    def value(given: Any) -> str:
        if isinstance(given, tuple):
            return "(" + ", ".join(f"{one:g}" for one in given) + ")"
        return f"{given:g}" if isinstance(given, float) else str(given)

    return ", ".join(f"{name}={value(given)}" for name, given in parameters.items())
