"""Parameters of stages: the plain options of anything that is a dataclass or a partial call."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any

import numpy as np

__all__ = ["Parameter", "parameters_of", "with_parameter"]

#: What a parameter can be, and what JSON has for it.
Parameter = float | int | str | bool | None | tuple[float, ...]

_PLAIN = (float, int, str, bool, type(None))

#: How the annotation of an option reads that is ``None`` and could be a number or a word.
_SETTABLE = re.compile(r"\b(?:float|int|str|bool|Literal|SupportsIndex|Scale)\b")


def parameters_of(stage: Any) -> dict[str, Parameter]:
    """The options of a stage that can be set: those whose values are plain.

    Of a dataclass its fields, of those that are dataclasses themselves theirs, as ``weights.recency``; of a
    `functools.partial` its keywords. Data, as a mapping of neighbours, is no parameter, nor is a field that
    its class does not show. What is ``None`` counts where its annotation has a number or a word.
    """
    found: dict[str, Parameter] = {}
    for name, value, kind in _options(stage):
        if value is None and not _SETTABLE.search(kind):
            continue
        if _is_plain(value):
            found[name] = tuple(value) if isinstance(value, list) else value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            inner = parameters_of(value)
            found.update({f"{name}.{key}": setting for key, setting in inner.items()})
    return found


def with_parameter(stage: Any, name: str, value: Any) -> Any:
    """The stage with one parameter set; its own checks decide what may be."""
    name, _, inner = name.partition(".")
    if inner:
        value = with_parameter(getattr(stage, name), inner, value)
    elif isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, list):  # as JSON has it
        value = tuple(value)
    if isinstance(stage, functools.partial):
        return functools.partial(stage.func, *stage.args, **{**stage.keywords, name: value})
    return dataclasses.replace(stage, **{name: value})


def _options(stage: Any) -> list[tuple[str, Any, str]]:
    """Name, value and annotation of each option."""
    if isinstance(stage, functools.partial):
        return [(name, value, "float") for name, value in stage.keywords.items()]
    if not dataclasses.is_dataclass(stage):
        return []
    shown = [field for field in dataclasses.fields(stage) if field.init and field.repr]
    return [(field.name, getattr(stage, field.name), str(field.type)) for field in shown]


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return len(value) > 0 and all(isinstance(one, _PLAIN) for one in value)
    return isinstance(value, _PLAIN)
