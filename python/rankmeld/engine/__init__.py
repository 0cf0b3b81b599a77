"""What an agent calls: a message in, a context out, ranked better with every mark of what was useful."""

from rankmeld.engine.context import Context, ContextAssembler, Skipped
from rankmeld.engine.feedback import FEEDBACK_CAP, Feedback, FeedbackStore, feedback_factor
from rankmeld.engine.feedback_memory import MemoryFeedback

__all__ = [
    "FEEDBACK_CAP",
    "Context",
    "ContextAssembler",
    "Feedback",
    "FeedbackStore",
    "MemoryFeedback",
    "Skipped",
    "feedback_factor",
]
