"""What a document is worth by itself, whatever is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, NamedTuple

from rankmeld import _core
from rankmeld._options import as_half_life, not_negative
from rankmeld._time import Moment, now_microseconds
from rankmeld.errors import InvalidArgumentError
from rankmeld.types import Document, Tier

__all__ = ["QualityModel"]

#: ``None`` is the weight of a document without a tier.
_TIER_WEIGHTS: Mapping[Tier | None, float] = MappingProxyType(
    {
        None: 0.5,
        Tier.WORKING: 0.30,
        Tier.EPISODIC: 0.55,
        Tier.SEMANTIC: 0.90,
        Tier.PROCEDURAL: 0.95,
    }
)

#: The epoch, where terms are asked for that no moment changes.
_ANY_TIME = 0.0


#: The model as the core takes it; weights of tiers by their numbers.
_Options = tuple[float, float, tuple[float, ...], float, float, float, float]


class _Terms(NamedTuple):
    """As the core gives them."""

    recency: float
    effective_importance: float
    salience: float
    effective_confidence: float
    usage: float
    quality: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityModel:
    """How importance, trust, use and age make up what a document is worth.

    A frozen value: it compares and hashes by its options, pickles, and is shared freely. `rerank`
    reads whole rankings through it at once; its methods answer for one document.

    Parameters
    ----------
    half_life_days : float, default 7.0
        Age at which one half is left of recency, and of the quality of what is short-term; above
        zero. Infinite: age takes nothing.
    stability : float, default 0.0
        How much more slowly what is used often fades: its half-life is
        ``half_life_days * (1 + stability * ln(1 + access_count))``. Not negative.
    tier_weights : Mapping, optional
        What a `Tier` (or its name, or ``None`` for a document without one) counts; not negative.
        Those that are not given keep their defaults: procedural 0.95, semantic 0.90, episodic 0.55,
        working 0.30, none 0.5.
    confidence_decay : float, default 0.05
        What confidence loses per week; not negative.
    grace_weeks : float, default 1.0
        Weeks in which it loses nothing; not negative.
    confidence_floor : float, default 0.05
        What is always left of it; within 0..1.
    undated : float, default 1.0
        Recency of a document without a date; not negative.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed.

    Notes
    -----
    Ages are fractional days of 86,400 seconds; a moment after `now` has age 0. Fading by half-lives
    that grow with use follows Ebbinghaus's forgetting curve, as memories of agents do since Park
    et al., Generative agents, UIST 2023. ``evergreen`` says something to `time_decay` only: what is
    to last has a long-term tier here.

    Examples
    --------
    >>> import rankmeld as rm
    >>> model = rm.QualityModel()
    >>> note = rm.Document("n", tier="episodic", importance=1.0, created_at="2024-03-01")
    >>> model.salience(note), model.quality(note, now="2024-03-08")
    (0.55, 0.275)
    """

    half_life_days: float = 7.0
    stability: float = 0.0
    tier_weights: Mapping[Tier | None, float] = field(default_factory=lambda: _TIER_WEIGHTS, hash=False)
    confidence_decay: float = 0.05
    grace_weeks: float = 1.0
    confidence_floor: float = 0.05
    undated: float = 1.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "half_life_days", as_half_life(self.half_life_days))
        for name in ("stability", "confidence_decay", "grace_weeks", "confidence_floor", "undated"):
            put(self, name, not_negative(getattr(self, name), name))
        if self.confidence_floor > 1.0:
            raise InvalidArgumentError(
                f"confidence_floor is {self.confidence_floor}; it must be within 0..1, as confidence is"
            )
        put(self, "tier_weights", _as_tier_weights(self.tier_weights))

    def recency(self, document: Document, *, now: Moment | None = None) -> float:
        """How new: ``2 ** -(age / half_life_days)``.

        Parameters
        ----------
        document : Document
            Its age counts from ``last_accessed_at``, else ``updated_at``, else ``created_at``.
        now : datetime, date, str or float, optional
            The moment that age counts to; the current time if not given.

        Returns
        -------
        float
            Within 0..1; `undated` for a document without a date.
        """
        return self._terms(document, now).recency

    def effective_importance(self, document: Document) -> float:
        """``assessed_importance``, else ``importance``, else 0.5, clamped to 0..1.

        Parameters
        ----------
        document : Document
            The document.
        """
        return self._terms(document, _ANY_TIME).effective_importance

    def salience(self, document: Document) -> float:
        """The tier's weight times ``0.5 + 0.5 * effective_importance``, clamped to 0..1.

        Parameters
        ----------
        document : Document
            The document.
        """
        return self._terms(document, _ANY_TIME).salience

    def effective_confidence(self, document: Document, *, now: Moment | None = None) -> float:
        """What is left of the confidence in a semantic or procedural memory.

        Parameters
        ----------
        document : Document
            Its ``confidence`` loses `confidence_decay` per week (fractions count) beyond
            `grace_weeks` since the later of ``updated_at`` and ``last_accessed_at``; with neither it
            loses nothing.
        now : datetime, date, str or float, optional
            The moment that age counts to; the current time if not given.

        Returns
        -------
        float
            From `confidence_floor` to 1; 1 for other tiers, and where no confidence is set.
        """
        return self._terms(document, now).effective_confidence

    def usage(self, document: Document) -> float:
        """``1 + ln(1 + access_count)``: each use counts less than the one before.

        Parameters
        ----------
        document : Document
            The document.
        """
        return self._terms(document, _ANY_TIME).usage

    def quality(self, document: Document, *, now: Moment | None = None) -> float:
        """``salience * effective_confidence * usage``, and for what is short-term its freshness.

        Parameters
        ----------
        document : Document
            One that is working, episodic or without a tier fades by half over its half-life; see
            `stability`.
        now : datetime, date, str or float, optional
            The moment that age counts to; the current time if not given.

        Returns
        -------
        float
            Not negative; may exceed 1 for what is used often.
        """
        return self._terms(document, now).quality

    def _terms(self, document: Document, now: Moment | None) -> _Terms:
        if not isinstance(document, Document):
            raise TypeError(f"document must be a rankmeld.Document, not {type(document).__name__}")
        return _Terms(*_core.quality_terms(document, self._options(), now_microseconds(now)))

    def _options(self) -> _Options:
        """As the core takes them."""
        weights = self.tier_weights
        return (
            self.half_life_days,
            self.stability,
            (weights[None], *(weights[tier] for tier in Tier)),
            self.confidence_decay,
            self.grace_weeks,
            self.confidence_floor,
            self.undated,
        )

    def __repr__(self) -> str:
        """The options that differ from their defaults."""
        shown = []
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, Mapping):
                value = {tier: weight for tier, weight in value.items() if weight != _TIER_WEIGHTS[tier]}
                if value:
                    shown.append(f"{option.name}={value!r}")
            elif value != option.default:
                shown.append(f"{option.name}={value!r}")
        return f"QualityModel({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A mapping proxy cannot be pickled, so the options go out as plain values."""
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        values["tier_weights"] = dict(self.tier_weights)
        return _rebuild, (values,)


def _rebuild(values: dict[str, Any]) -> QualityModel:
    return QualityModel(**values)


def _as_tier_weights(given: object) -> Mapping[Tier | None, float]:
    if not isinstance(given, Mapping):
        raise TypeError(f"tier_weights must be a mapping of tiers to numbers, not {type(given).__name__}")
    weights = dict(_TIER_WEIGHTS)
    for key, value in given.items():
        weights[_as_tier(key)] = not_negative(value, f"tier_weights[{key!r}]")
    return MappingProxyType(weights)


def _as_tier(key: object) -> Tier | None:
    if key is None or isinstance(key, Tier):
        return key
    if not isinstance(key, str):
        raise TypeError(f"a key of tier_weights must be a Tier, its name or None, not {type(key).__name__}")
    for tier in Tier:
        if tier.value == key.lower():
            return tier
    allowed = ", ".join(repr(tier.value) for tier in Tier)
    raise InvalidArgumentError(f"tier_weights has the key {key!r}; its keys are {allowed} or None")
