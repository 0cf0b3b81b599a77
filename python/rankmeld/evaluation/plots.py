"""Pictures of what was measured, as SVG or PNG."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeld.errors import InvalidArgumentError, MissingExtraError
from rankmeld.evaluation.measures import Difference

if TYPE_CHECKING:
    from rankmeld.tuning import TuneResult

__all__ = ["check_ending", "plot_differences", "plot_trials"]

_GAIN, _LOSS, _NEUTRAL = "#2a7f62", "#b3443c", "#666666"


def plot_differences(
    difference: Difference, path: str | os.PathLike[str], *, measure: str, names: tuple[str, str]
) -> None:
    """Draw what each query gains or loses, the largest gain first.

    Parameters
    ----------
    difference : Difference
        Of `Evaluation.difference`.
    path : str or os.PathLike
        Where the picture goes; its ending, ``.svg`` or ``.png``, says how.
    measure : str
        What was measured, for the axis.
    names : (str, str)
        The run and the one that it is compared with.

    Raises
    ------
    MissingExtraError
        ``rankmeld[plot]`` is not installed.
    InvalidArgumentError
        The ending is another one.
    OSError
        The file cannot be written.
    """
    figure, axes = _figure(path)
    gains = np.sort(np.array(list(difference.values.values())))[::-1]
    places = np.arange(1, len(gains) + 1)
    for wanted, colour in ((gains > 0, _GAIN), (gains < 0, _LOSS)):
        axes.bar(places[wanted], gains[wanted], width=1.0, color=colour)
    axes.axhline(0.0, color=_NEUTRAL, linewidth=0.8)
    axes.axhline(difference.mean, color=_NEUTRAL, linewidth=0.8, linestyle="--")
    axes.set_xlim(0.5, max(len(gains), 1) + 0.5)
    axes.set_xlabel("queries, the largest gain first")
    axes.set_ylabel(f"{measure}: {names[0]} less {names[1]}")
    axes.set_title(str(difference), fontsize=9)
    _save(figure, path)


def plot_trials(result: TuneResult, path: str | os.PathLike[str]) -> None:
    """Draw every setting that a tuning measured: over the first list's weight where there are two lists.

    Parameters
    ----------
    result : TuneResult
        Of `rankmeld.tune`.
    path : str or os.PathLike
        As in `plot_differences`.

    Raises
    ------
    MissingExtraError, InvalidArgumentError, OSError
        As in `plot_differences`.
    """
    figure, axes = _figure(path)
    weights = [_first_weight(dict(trial.parameters)) for trial in result.trials]
    if len(result.legs) == 2 and None not in weights:
        methods = [_method(dict(trial.parameters)) for trial in result.trials]
        for method in dict.fromkeys(methods):
            points = [
                (weight, trial.mean)
                for weight, trial, own in zip(weights, result.trials, methods, strict=True)
                if own == method
            ]
            axes.plot(*zip(*points, strict=True), "o", markersize=3, label=method)
        axes.legend(fontsize=8)
        axes.set_xlabel(f"weight of {result.legs[0]} (the rest is {result.legs[1]}'s)")
    else:
        axes.plot([trial.mean for trial in result.trials], "o", markersize=3)
        axes.set_xlabel("settings, the best first")
    axes.axhline(result.baseline.mean, color=_NEUTRAL, linewidth=0.8, linestyle="--")
    axes.set_ylabel(f"{result.measure}, all queries")
    axes.set_title(f"{result.verdict}: {result.held_out} on queries held out", fontsize=9)
    _save(figure, path)


def _first_weight(parameters: dict[str, Any]) -> float | None:
    found = next((value for name, value in parameters.items() if name.endswith(".weights")), None)
    return None if found is None else float(found[0])


def _method(parameters: dict[str, Any]) -> str:
    names = ("fuse_scores.normalize", "fuse_ranks.method")
    return next((str(parameters[name]) for name in names if name in parameters), "rrf")


def check_ending(path: str | os.PathLike[str]) -> None:
    """Refuse what is no picture's name, before anything is measured for it."""
    if Path(path).suffix.lower() not in {".svg", ".png"}:
        raise InvalidArgumentError(f"path is {os.fspath(path)!r}; its ending must be .svg or .png")


def _figure(path: str | os.PathLike[str]) -> tuple[Any, Any]:
    check_ending(path)
    try:
        # The figure alone, without pyplot: no window, no state that others share.
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError.for_extra("plot", "a plot") from None
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    return figure, figure.add_subplot()


def _save(figure: Any, path: str | os.PathLike[str]) -> None:
    # Without a date, so that the same figures make the same file.
    kind = Path(path).suffix.lower()[1:]
    figure.savefig(path, format=kind, metadata={"Date": None} if kind == "svg" else None)
