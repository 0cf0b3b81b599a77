"""How services want to be asked, and how they answer: field names, and nothing else."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Literal

from rankmeld._options import as_float
from rankmeld.errors import RerankResponseError
from rankmeld.remote.endpoint import endpoint_url

__all__ = ["DIALECTS", "Dialect", "DialectName"]

#: The dialects by name.
DialectName = Literal["jina", "voyage", "tei", "mixedbread"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to ask for scores.

    Attributes
    ----------
    documents : str
        The field of the request that holds the passages.
    count : str or None
        The field that says how many results are wanted.
    truncation : str or None
        The field that switches the cutting of passages that are too long for the model.
    named : bool
        Whether the request names the model.
    results : str or None
        The field of the answer that holds the results; ``None``: the answer is the list itself.
    score : str
        The field of a result that holds its score.
    action, prefix : str
        Of the endpoint; see `endpoint_url`.
    """

    documents: str
    count: str | None
    truncation: str | None
    named: bool
    results: str | None
    score: str
    action: str = "rerank"
    prefix: str = "/v1"

    def endpoint(self, base_url: str) -> str:
        """The URL to which passages are sent."""
        return endpoint_url(base_url, self.action, self.prefix)

    def request(self, model: str, query: str, passages: list[str], *, truncate: bool) -> bytes:
        """The body of a request, as JSON in UTF-8.

        Parameters
        ----------
        model : str
            The model; a blank one is left out, for servers that have only one.
        query : str
            What was asked.
        passages : list of str
            What is to be scored, at least one.
        truncate : bool
            Whether the service may cut what is too long, where it can be told.
        """
        body: dict[str, Any] = {"model": model} if model and self.named else {}
        body |= {"query": query, self.documents: passages}
        if self.count is not None:
            body[self.count] = len(passages)
        if self.truncation is not None:
            body[self.truncation] = truncate
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()

    def scores(self, body: bytes, count: int, service: str) -> list[float]:
        """The score of each passage, from the body of an answer.

        Results belong to passages by their index and by nothing else: not by their order, and not
        by the texts that some services send back.

        Parameters
        ----------
        body : bytes
            What came.
        count : int
            How many passages were sent.
        service : str
            What messages call the service.

        Raises
        ------
        RerankResponseError
            The answer is not one finite score for every passage. The message repeats nothing of it
            but indices: the rest may be a passage, or the key.
        """
        results = self._results(body, count, service)
        scores: list[float | None] = [None] * count
        for result in results:
            if not isinstance(result, dict):
                raise RerankResponseError(f"{service} gave a result that is not an object")
            index = result.get("index")
            if type(index) is not int:  # True is no index
                raise RerankResponseError(f"{service} gave a result whose index is not an integer")
            if not 0 <= index < count:
                shown = index if abs(index) < 10**9 else "out of all bounds"
                raise RerankResponseError(
                    f"{service} gave a result with index {shown}; {count} passages were sent, counted from 0"
                )
            if scores[index] is not None:
                raise RerankResponseError(f"{service} gave two results with index {index}")
            scores[index] = self._score(result, index, service)
        missing = [index for index, score in enumerate(scores) if score is None]
        if missing:
            raise RerankResponseError(
                f"{service} gave {count - len(missing)} results for {count} passages; there is none with "
                f"index {missing[0]}"
            )
        return [score for score in scores if score is not None]

    def _results(self, body: bytes, count: int, service: str) -> list[Any]:
        try:
            answer = json.loads(body.decode())
        except (ValueError, RecursionError):
            answer = ...
        # Raised outside of the handler: what is being handled knows the body.
        if answer is ...:
            raise RerankResponseError(
                f"{service} gave {len(body)} bytes that are not JSON; is it a rerank endpoint?"
            )
        wanted = "a list" if self.results is None else f"an object with a list {self.results!r}"
        if self.results is not None:
            answer = answer.get(self.results) if isinstance(answer, dict) else None
        if not isinstance(answer, list):
            raise RerankResponseError(
                f"{service} gave JSON that is not {wanted}; does it speak another dialect?"
            )
        if len(answer) > count:
            raise RerankResponseError(f"{service} gave {len(answer)} results for {count} passages")
        return answer

    def _score(self, result: dict[Any, Any], index: int, service: str) -> float:
        value = result.get(self.score)
        number = as_float(value) if type(value) in {int, float} else None
        if number is None or not math.isfinite(number):
            why = "is missing" if self.score not in result else "is not a finite number"
            raise RerankResponseError(
                f"{service} gave a result with index {index} whose {self.score!r} {why}"
            )
        return number


#: Jina's is spoken by Cohere, vLLM and Infinity too. Text Embeddings Inference listens at the root.
DIALECTS: dict[str, Dialect] = {
    "jina": Dialect("documents", "top_n", None, True, "results", "relevance_score"),
    "voyage": Dialect("documents", "top_k", "truncation", True, "data", "relevance_score"),
    "tei": Dialect("texts", None, "truncate", False, None, "score", prefix=""),
    "mixedbread": Dialect("input", "top_k", None, True, "data", "score", action="reranking"),
}
