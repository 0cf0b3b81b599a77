"""How near a date is to the time that is asked for."""

from __future__ import annotations

from rankmeld import _core
from rankmeld._options import not_negative
from rankmeld._time import Moment, read_moment

__all__ = ["temporal_proximity"]


def temporal_proximity(date: Moment | None, target: Moment, tolerance: float) -> float:
    """How near a date is to a target: 1 within the tolerance, 0 from three times it on.

    Parameters
    ----------
    date : datetime, date, str or float, optional
        The date; ``None`` is near to nothing.
    target : datetime, date, str or float
        The time that is asked for.
    tolerance : float
        Days around the target that are as good; finite, not negative. 0: the very moment.

    Returns
    -------
    float
        Within 0..1; linear between one and three tolerances, on both sides of the target.

    Raises
    ------
    TypeError, InvalidArgumentError
        A moment cannot be read, or the tolerance is negative or not finite.

    Examples
    --------
    >>> import rankmeld as rm
    >>> [rm.temporal_proximity(f"2024-03-{day}", "2024-03-10", 2) for day in (12, 14, 16)]
    [1.0, 0.5, 0.0]
    """
    days = not_negative(tolerance, "tolerance")
    aim = read_moment(target, "target")[1]
    return 0.0 if date is None else _core.temporal_proximity(abs(read_moment(date, "date")[1] - aim), days)
