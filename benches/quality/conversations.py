"""Conversations, their legs, and what a pipeline makes of them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import rankmeld as rm

from . import legs
from .data import Collection, Query
from .measures import Figures, recalls

#: Parameters of `rankmeld.conversation_pipeline`, by name: options of the function, or of its stages.
Settings = Mapping[str, Any]

#: Every stage behind the fusion without effect.
OFF: Settings = {
    "propagate.weight": 0.0,
    "question_forward": 1.0,
    "pool_groups.weight": 0.0,
    "boost_matches.boost": 0.0,
    "question_kept": 1.0,
    "late_interaction.maxsim_weight": 0.0,
    "named_time.boost": 0.0,
}


@dataclass(frozen=True)
class Conversation:
    """The turns of a conversation, the questions about it, and for each leg its rankings."""

    name: str
    documents: dict[str, rm.Document]
    queries: list[Query]
    legs: dict[str, dict[str, rm.Ranking]]


def conversations(collection: Collection) -> list[Conversation]:
    """A collection by conversation, with legs of our own index beside the given runs."""
    turns: defaultdict[str, dict[str, rm.Document]] = defaultdict(dict)
    for id, document in collection.documents.items():
        about = document.metadata
        turns[about["conversation_id"]][id] = rm.Document(
            id,
            document.text,
            title=document.title,
            parent_id=about["session"],
            created_at=document.created_at,
            metadata=about,
        )
    found = []
    for name, documents in turns.items():
        queries = [query for query in collection.queries if query.metadata["conversation_id"] == name]
        own = {
            "words": legs.words(documents),
            "words, default": legs.words(documents, rm.bm25_tokenize),
            "context": legs.words_in_context(documents),
            "context, default": legs.words_in_context(documents, rm.bm25_tokenize),
        }
        runs = {**collection.runs, **{leg: legs.searched(index, queries) for leg, index in own.items()}}
        found.append(Conversation(name, documents, queries, runs))
    return found


def pipeline(conversation: Conversation, settings: Settings) -> rm.Pipeline:
    """The recommended pipeline with some parameters set."""
    options = {name: value for name, value in settings.items() if "." not in name}
    parameters = {name: value for name, value in settings.items() if "." in name}
    made = rm.conversation_pipeline(conversation.documents.values(), **options)
    return made.with_parameters(parameters)


def orders(conversation: Conversation, named: Sequence[str], settings: Settings) -> list[list[Any]]:
    """For each question the ids in the order of the pipeline."""
    made = pipeline(conversation, settings)
    return [_asked(made, conversation, named, query).ranking.ids for query in conversation.queries]


def _asked(
    made: rm.Pipeline, conversation: Conversation, named: Sequence[str], query: Query
) -> rm.PipelineResult:
    rankings = [conversation.legs[leg][query.id] for leg in named]
    return made.run(rankings, query=query.text, now=query.metadata["now"])


def measured(conversation: Conversation, named: Sequence[str], settings: Settings) -> Figures:
    """Recall-any@5, @10 and MRR of each question."""
    found = orders(conversation, named, settings)
    return scored(conversation, found)


def scored(conversation: Conversation, found: Sequence[Sequence[Any]]) -> Figures:
    """The same of any order of ids."""
    pairs = zip(found, conversation.queries, strict=True)
    return np.array([recalls(ids, query.grades) for ids, query in pairs])


def milliseconds(conversation: Conversation, named: Sequence[str], settings: Settings) -> Figures:
    """How long each question takes behind the legs, in processor time."""
    made = pipeline(conversation, settings)
    found = []
    for query in conversation.queries:
        began = time.process_time_ns()
        _asked(made, conversation, named, query)
        found.append((time.process_time_ns() - began) / 1e6)
    return np.array(found)
