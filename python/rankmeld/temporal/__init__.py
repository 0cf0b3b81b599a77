"""The time that a query names, and rankings that aim at it."""

from rankmeld.temporal.anchors import (
    AnchorExtractor,
    CallableAnchorExtractor,
    RegexAnchorExtractor,
    TimeAnchor,
)

__all__ = [
    "AnchorExtractor",
    "CallableAnchorExtractor",
    "RegexAnchorExtractor",
    "TimeAnchor",
]
