"""Where a search for parameters may go: settings, and what lies next to each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankmeld.errors import InvalidArgumentError
from rankmeld.pipeline.parameters import Parameter

__all__ = ["Setting", "Space", "fusion_space", "grid_space"]

#: Parameters of a pipeline by name, sorted: what can be remembered.
Setting = tuple[tuple[str, Parameter], ...]

#: Constants of reciprocal rank fusion that are tried.
_RRF_K = (1.0, 5.0, 10.0, 20.0, 40.0, 60.0, 100.0, 200.0)

#: Persistence of rank-biased centroids.
_PHI = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)

_BY_SCORE = ("minmax", "max", "sum", "zscore", "dbsf", "rank", "none")
_BY_RANK = ("isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet")

#: How much weight goes from one list to another in a move, the large moves first.
_SHARES = (0.2, 0.1, 0.05)

#: A list that a start leans on has so much weight.
_LEANING = 0.6


def setting_of(parameters: Mapping[str, Parameter]) -> Setting:
    """Parameters as a key."""
    return tuple(sorted(parameters.items()))


@dataclass(frozen=True)
class Space:
    """Settings that are searched together.

    Attributes
    ----------
    starts : tuple of Setting
        Where a search begins; the first is the default.
    axes : mapping of str to tuple
        The values that a parameter may take, the others held.
    weights : str or None
        The parameter that holds one weight for each list; they sum to 1.
    """

    starts: tuple[Setting, ...]
    axes: Mapping[str, tuple[Parameter, ...]]
    weights: str | None = None

    @property
    def directions(self) -> int:
        """In how many directions there is something to try."""
        return len(self.axes) + (len(_SHARES) if self.weights is not None else 0)

    def along(self, setting: Setting, direction: int) -> list[Setting]:
        """What can be tried in one direction; the best of it is one step."""
        if direction < len(self.axes):
            name, values = list(self.axes.items())[direction]
            return [_with(setting, name, value) for value in values]
        if self.weights is None:
            return []
        share = _SHARES[direction - len(self.axes)]
        held = dict(setting)[self.weights]
        return [_with(setting, self.weights, moved) for moved in _transfers(held, share)]


def _with(setting: Setting, name: str, value: Parameter) -> Setting:
    return setting_of({**dict(setting), name: value})


def _transfers(held: Any, share: float) -> Iterator[tuple[float, ...]]:
    """Weights after `share`, or what is left, went from one list to another."""
    for giver, weight in enumerate(held):
        if weight <= 0.0:
            continue
        for taker in range(len(held)):
            if taker != giver:
                moved = list(held)
                moved[giver] = round(weight - min(share, weight), 10)
                moved[taker] = round(moved[taker] + min(share, weight), 10)
                yield tuple(moved)


def fusion_space(method: str, lists: int) -> Space:
    """The space of one method over so many lists.

    Parameters
    ----------
    method : str
        ``"rrf"``, a normalization of `fuse_scores`, or a method of `fuse_ranks`.
    lists : int
        How many runs there are.

    Returns
    -------
    Space
        It starts from equal weights, and once for each list from weights that lean on it.
    """
    stage, options, axes = _of_method(method)
    equal = (1.0 / lists,) * lists
    starts = [equal]
    if lists > 1:
        rest = (1.0 - _LEANING) / (lists - 1)
        starts += [tuple(_LEANING if at == place else rest for at in range(lists)) for place in range(lists)]
    names = {f"{stage}.{option}": value for option, value in options.items()}
    weights = f"{stage}.weights"
    settings = tuple(setting_of({**names, weights: start}) for start in starts)
    return Space(settings, {f"{stage}.{option}": values for option, values in axes.items()}, weights)


def _of_method(method: str) -> tuple[str, dict[str, Parameter], dict[str, tuple[Parameter, ...]]]:
    if method == "rrf":
        return "rrf", {"k": 60.0}, {"k": _RRF_K}
    if method in _BY_SCORE:
        return "fuse_scores", {"normalize": method, "combine": "sum"}, {}
    if method == "rbc":
        return "fuse_ranks", {"method": method, "phi": 0.8}, {"phi": _PHI}
    if method in _BY_RANK:
        return "fuse_ranks", {"method": method}, {}
    words = ", ".join(map(repr, ("rrf", *_BY_SCORE, *_BY_RANK)))
    raise InvalidArgumentError(f"methods names {method!r}; each must be one of {words}")


def grid_space(parameters: Mapping[str, Sequence[Parameter]], defaults: Mapping[str, Parameter]) -> Space:
    """The space of some parameters of a pipeline, from its own settings on.

    Parameters
    ----------
    parameters : mapping of str to sequence
        For each parameter the values to try.
    defaults : mapping of str to parameter
        What the pipeline has.

    Returns
    -------
    Space
    """
    axes: dict[str, tuple[Parameter, ...]] = {}
    for name, values in parameters.items():
        if name not in defaults:
            known = ", ".join(map(repr, defaults)) or "none"
            raise InvalidArgumentError(
                f"parameters names {name!r}, which the pipeline does not have; it has {known}"
            )
        if not isinstance(values, list | tuple) or not values:
            raise InvalidArgumentError(
                f"parameters[{name!r}] must be a list of values to try, not {values!r}"
            )
        axes[name] = tuple(tuple(value) if isinstance(value, list) else value for value in values)
    if not axes:
        raise InvalidArgumentError(
            'parameters is empty; name at least one, as {"propagate.weight": [0.2, 0.4]}'
        )
    return Space((setting_of({name: defaults[name] for name in axes}),), axes)
