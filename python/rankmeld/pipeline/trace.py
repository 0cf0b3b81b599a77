"""What a pipeline did: which stages applied, what each took in, gave and cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankmeld.search.trace import StageTrace

__all__ = ["PipelineTrace"]


@dataclass(frozen=True, slots=True)
class PipelineTrace:
    """What a pipeline did.

    Attributes
    ----------
    stages : tuple of StageTrace
        One for each stage, in order. A stage that did not apply is ``"skipped"``, with the reason.
    seconds : float
        How long all of it took.
    """

    stages: tuple[StageTrace, ...]
    seconds: float

    def __getitem__(self, name: str) -> StageTrace:
        """The stage with this name."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """The trace in plain values, for strict JSON.

        Returns
        -------
        dict
            ``seconds``, and ``stages``, each with ``name``, ``status``, ``reason``, ``candidates_in``,
            ``candidates_out`` and ``seconds``.
        """
        return {
            "seconds": self.seconds,
            "stages": [
                {
                    "name": stage.name,
                    "status": stage.status,
                    "reason": stage.reason,
                    "candidates_in": stage.candidates_in,
                    "candidates_out": stage.candidates_out,
                    "seconds": stage.seconds,
                }
                for stage in self.stages
            ],
        }

    def __str__(self) -> str:
        """A line for each stage."""
        return "\n  ".join([f"pipeline: {self.seconds * 1000.0:.2f} ms", *map(str, self.stages)])
