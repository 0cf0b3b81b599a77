"""Reading what a model answered: as many numbers as passages, all of them finite, or an error."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld._options import as_float
from rankmeld.errors import RerankResponseError
from rankmeld.rerankers.base import Scores

__all__ = [
    "Places",
    "Rows",
    "as_query_tokens",
    "as_query_vector",
    "as_scores",
    "as_token_vectors",
    "as_vectors",
]

#: An array of real numbers in the dtype in which it came.
Rows = npt.NDArray[Any]

#: Where in the ranking the passages are that a model was asked about; `None` stands for the query.
Places = Sequence[int | None]

_REAL = "fiu"


def as_scores(answer: Any, places: Places, name: str) -> Scores:
    """One finite number for each passage.

    Parameters
    ----------
    answer : Any
        What came: an array, a tensor or any iterable of numbers; (N, 1) is read as (N,).
    places : sequence
        What was asked about.
    name : str
        What messages call the function.

    Raises
    ------
    RerankResponseError
        It is anything else.
    """
    wanted = f"it must give one finite number for each of {len(places)} passages, in their order"
    values = _column(answer, name, wanted)
    column = _numbers(values)
    if column is None:
        return _one_by_one(values, places, name, wanted)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise RerankResponseError(
            f"{name} gave an array of shape {column.shape}; {wanted} "
            "(of a model with several classes, give the column of the one that means relevant)"
        )
    _check_count(len(column), places, name, wanted)
    scores = column.astype(np.float64)
    finite = np.isfinite(scores)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise RerankResponseError(f"{name} gave {scores[bad]} for {_shown_place(places[bad])}; {wanted}")
    return scores


def as_vectors(answer: Any, places: Places, name: str) -> Rows:
    """One vector of finite numbers for each text: an array of shape (N, D).

    Parameters
    ----------
    answer, places, name
        As in `as_scores`.

    Raises
    ------
    RerankResponseError
        It is anything else.
    """
    wanted = f"it must give an array of shape ({len(places)}, D) of finite numbers, one row for each text"
    values = _column(answer, name, wanted)
    rows = _numbers(values)
    if rows is None:
        raise RerankResponseError(f"{name} gave what is no array of numbers; {wanted}")
    if rows.ndim != 2 or rows.shape[0] != len(places) or rows.shape[1] == 0:
        raise RerankResponseError(f"{name} gave an array of shape {rows.shape}; {wanted}")
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        place = places[int(np.argmin(finite))]
        raise RerankResponseError(f"{name} gave NaN or an infinity for {_shown_place(place)}; {wanted}")
    return rows


def as_query_vector(answer: Any, name: str) -> Rows:
    """The one vector of a query: an array of shape (D,); (1, D) is read as one.

    Parameters
    ----------
    answer, name
        As in `as_scores`.

    Raises
    ------
    RerankResponseError
        It is anything else.
    """
    wanted = "it must give an array of shape (D,) of finite numbers for a query"
    row = _numbers(_column(answer, name, wanted))
    if row is None:
        raise RerankResponseError(f"{name} gave what is no array of numbers; {wanted}")
    if row.ndim == 2 and len(row) == 1:
        row = row[0]
    if row.ndim != 1 or not row.size:
        raise RerankResponseError(f"{name} gave an array of shape {row.shape}; {wanted}")
    if not np.isfinite(row).all():
        raise RerankResponseError(f"{name} gave NaN or an infinity; {wanted}")
    return row


def as_token_vectors(answer: Any, places: Places, name: str) -> list[Rows]:
    """For each text an array of shape (T, D) of finite numbers, of which T may differ and be 0.

    Parameters
    ----------
    answer, places, name
        As in `as_scores`.

    Raises
    ------
    RerankResponseError
        It is anything else.
    """
    wanted = (
        f"it must give a list of {len(places)} arrays of shape (T, D), one for each text, "
        "one row for each of its tokens"
    )
    texts = list(_column(answer, name, wanted))
    _check_count(len(texts), places, name, wanted)
    return [
        _token_rows(item, f" for {_shown_place(place)}", name, wanted)
        for item, place in zip(texts, places, strict=True)
    ]


def as_query_tokens(answer: Any, name: str) -> Rows:
    """The vectors of a query's tokens: an array of shape (Q, D); (1, Q, D) is read as one.

    Parameters
    ----------
    answer, name
        As in `as_scores`.

    Raises
    ------
    RerankResponseError
        It is anything else.
    """
    wanted = "it must give an array of shape (Q, D) for a query, one row for each of its tokens"
    values = _column(answer, name, wanted)
    return _token_rows(values[0] if len(values) == 1 and np.ndim(values) == 3 else values, "", name, wanted)


def _token_rows(item: Any, whose: str, name: str, wanted: str) -> Rows:
    """The vectors of one text."""
    rows = _numbers(_as_column(item))
    if rows is None:
        raise RerankResponseError(f"{name} gave {_kind(item)}{whose}; {wanted}")
    if rows.size == 0:  # an empty list has no width of its own
        rows = rows.reshape(0, rows.shape[1] if rows.ndim == 2 else 0)
    if rows.ndim != 2:
        raise RerankResponseError(f"{name} gave an array of shape {rows.shape}{whose}; {wanted}")
    if not np.isfinite(rows).all():
        raise RerankResponseError(f"{name} gave NaN or an infinity{whose}; {wanted}")
    return rows


def _column(answer: Any, name: str, wanted: str) -> Any:
    values = _as_column(answer)
    if values is None:
        raise RerankResponseError(f"{name} gave {_kind(answer)}; {wanted}")
    return values


def _as_column(answer: Any) -> Any:
    """The answer as what NumPy reads in one go; `None` where it is no column at all."""
    if hasattr(answer, "detach"):  # a tensor, perhaps with a gradient, perhaps of another device
        answer = _from_tensor(answer.detach().cpu())
    if isinstance(answer, np.ma.MaskedArray):  # what is masked has no value, and would get one here
        return None
    if hasattr(answer, "__array__"):
        answer = np.asarray(answer)
    if isinstance(answer, np.ndarray):
        return answer if answer.ndim else None
    if isinstance(answer, str | bytes | Mapping | AbstractSet) or not isinstance(answer, Iterable):
        return None
    return answer if isinstance(answer, list | tuple) else list(answer)


def _from_tensor(tensor: Any) -> Any:
    try:
        return tensor.numpy()
    except TypeError:  # NumPy has no bfloat16
        return tensor.float().numpy()


def _numbers(values: Any) -> Rows | None:
    """An array of real numbers; `None` where something else is among them."""
    if values is None:
        return None
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, RuntimeError):  # rows of different lengths, tensors with a gradient
        return None
    if array.size == 0:
        return array.astype(np.float64)
    if array.dtype.kind not in _REAL:
        return None
    if array.dtype.itemsize <= 8:
        return array
    with np.errstate(over="ignore"):  # what is beyond float64 becomes infinite, and is refused as that
        return array.astype(np.float64)


def _one_by_one(values: Any, places: Places, name: str, wanted: str) -> Scores:
    """Read numbers of any kind, as `Decimal` or tensors without dimensions; find the one that is none."""
    _check_count(len(values), places, name, wanted)
    scores = np.empty(len(places))
    for index, value in enumerate(values):
        plain = value.item() if getattr(value, "ndim", None) == 0 else value
        is_number = isinstance(plain, numbers.Number) and not isinstance(plain, bool | complex)
        scores[index] = as_float(plain) if is_number else np.nan
        if not np.isfinite(scores[index]):
            shown = _shown_place(places[index])
            raise RerankResponseError(f"{name} gave {_shown(value)} for {shown}; {wanted}")
    return scores


def _check_count(found: int, places: Places, name: str, wanted: str) -> None:
    if found != len(places):
        raise RerankResponseError(f"{name} gave {found} answers; {wanted}")


def _shown_place(place: int | None) -> str:
    return "the query" if place is None else f"passage {place}"


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _shown(value: Any, width: int = 40) -> str:
    text = repr(value)
    return text if len(text) <= width else f"{text[: width - 3]}..."
