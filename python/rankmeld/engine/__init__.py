"""What an agent calls: a message in, a context out, ranked better with every mark of what was useful."""

from rankmeld.engine.context import Context, ContextAssembler, Skipped
from rankmeld.engine.engine import Reasoner, RetrievalEngine
from rankmeld.engine.feedback import FEEDBACK_CAP, Feedback, FeedbackStore, feedback_factor
from rankmeld.engine.feedback_memory import MemoryFeedback
from rankmeld.engine.memory import Memory, MultiSourceMemory
from rankmeld.engine.relevance import RELEVANCE_THRESHOLD, relevance_filter
from rankmeld.engine.results import EngineResult, EngineTrace, HopTrace
from rankmeld.engine.settings import EngineSettings

__all__ = [
    "FEEDBACK_CAP",
    "RELEVANCE_THRESHOLD",
    "Context",
    "ContextAssembler",
    "EngineResult",
    "EngineSettings",
    "EngineTrace",
    "Feedback",
    "FeedbackStore",
    "HopTrace",
    "Memory",
    "MemoryFeedback",
    "MultiSourceMemory",
    "Reasoner",
    "RetrievalEngine",
    "Skipped",
    "feedback_factor",
    "relevance_filter",
]
