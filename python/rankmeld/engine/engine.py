"""The engine: a message in, a context out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Hashable, Iterable, Sequence
from typing import Any, SupportsIndex

from rankmeld._asking import as_function, name_of
from rankmeld._options import as_positive
from rankmeld._time import Moment, as_now
from rankmeld.engine.feedback import FeedbackStore
from rankmeld.engine.hops import HELPERS, Errand
from rankmeld.engine.memory import Memory, MultiSourceMemory, as_sources, user_of
from rankmeld.engine.results import EngineResult
from rankmeld.engine.settings import EngineSettings
from rankmeld.errors import InvalidArgumentError, RankmeldError
from rankmeld.ranking import Ranking
from rankmeld.search.asked import Asking, Call, Task, method_of
from rankmeld.search.driving import Outcome, Round, Team
from rankmeld.types import Chat

__all__ = ["Reasoner", "RetrievalEngine"]

#: Called as ``reasoner(message, ranking, hop)``; gives the next query, or ``"DONE"``.
Reasoner = Callable[[str, Ranking, int], str | Awaitable[str | None] | None]

#: More than can be looked at on an event loop: somebody else's counter or order may take its time.
_MUCH = 1_000_000


class RetrievalEngine:
    """Finds what a message needs in a memory, and puts it into a text that a model can read.

    Each hop is one question to the memory. Its candidates are weighed by words among them and by the
    memory's own score, and, where they are many, those are let go that are neither close to the message
    nor share a word with it. What all hops found is weighed by age and importance and by what the user
    said of it, reordered for diversity if that is wanted, and put into a text within a budget of tokens.

    Parameters
    ----------
    memory : Memory
        Has ``search_candidates(query, *, user_id, top_k)``, plain or a coroutine function, and perhaps
        ``asearch_candidates``. `StoreMemory` makes one of any store, `MultiSourceMemory` one of several.
        Its scores should lie within 0..1.
    llm : Chat, optional
        ``llm(prompt)`` gives a text; one with ``achat`` is awaited by the asynchronous methods. It sums up
        messages of more than 100 characters, and asks again in `iterative_retrieve` where no reasoner
        is given.
    feedback : FeedbackStore, optional
        What users said of documents: `MemoryFeedback`, `SqliteFeedback`, or one's own, which may also have
        ``aadd`` and ``anet``, coroutine functions.
    settings : EngineSettings, optional
        Weights, thresholds and budgets.

    Raises
    ------
    TypeError
        An argument is of the wrong kind.

    Notes
    -----
    What fails, and what becomes of it; ``trace`` tells of each, and a warning is logged (logger
    ``rankmeld``):

    ====================  ===========================================================================
    what fails            what the caller gets
    ====================  ===========================================================================
    the memory            `RankmeldError` with the cause; after the first hop what was found before
    one of its sources    the others' candidates
    the model             the first 200 characters of the message as the query
    the reasoner          what was found so far
    the feedback store    the ranking without feedback
    ====================  ===========================================================================

    To fail is to raise, to take longer than ``settings.timeout``, or to answer with what is no ranking of
    finite scores, no text, or no mapping of sums.

    An engine cannot be changed and may be used from many threads, tasks and event loops at once. It can
    be pickled if its parts can. The asynchronous methods hold up no event loop: what is not
    asynchronous runs in threads, and so does long work in between. A cancellation goes through at once.

    Examples
    --------
    >>> import rankmeld as rm
    >>> class Notes:
    ...     def search_candidates(self, query, *, user_id, top_k):
    ...         texts = {"n1": "The key is under the mat.", "n2": "The cat sleeps on the mat."}
    ...         return [(id, 0.8, rm.Document(id, text)) for id, text in texts.items()]
    >>> engine = rm.RetrievalEngine(Notes(), feedback=rm.MemoryFeedback())
    >>> engine.retrieve("Where does the cat sleep?", user_id="ada").ranking.ids
    ['n2', 'n1']
    >>> engine.report_feedback(["n1"], ["n2"], user_id="ada")
    >>> engine.retrieve("Is there anything on the mat?", user_id="ada").ranking.ids
    ['n1', 'n2']
    """

    __slots__ = ("_feedback", "_llm", "_memory", "_settings", "_sources", "_team")

    def __init__(
        self,
        memory: Memory,
        *,
        llm: Chat | None = None,
        feedback: FeedbackStore | None = None,
        settings: EngineSettings = EngineSettings(),  # noqa: B008 - frozen
    ) -> None:
        self._sources = as_sources(memory)
        if llm is not None:
            as_function(llm, "llm", "(prompt) -> str")
        if feedback is not None:
            _require_store(feedback)
        if not isinstance(settings, EngineSettings):
            raise TypeError(f"settings must be an EngineSettings, not {type(settings).__name__}")
        self._memory, self._llm, self._feedback, self._settings = memory, llm, feedback, settings
        self._team = Team([*HELPERS, *self._sources.legs], settings.timeout)

    @property
    def settings(self) -> EngineSettings:
        """The weights, thresholds and budgets."""
        return self._settings

    # ------------------------------------------------------------------ one hop

    def retrieve_for_inference(
        self, message: str, *, user_id: str | None = None, max_tokens: SupportsIndex | None = None
    ) -> str:
        """The text of what a message needs; see `retrieve`.

        Parameters
        ----------
        message : str
            What was said or asked.
        user_id : str, optional
            By whom.
        max_tokens : int, optional
            A budget in place of that of ``settings.context``.

        Returns
        -------
        str
            Empty if nothing was found, or nothing fits.
        """
        return self.retrieve(message, user_id=user_id, max_tokens=max_tokens).context.text

    async def aretrieve_for_inference(
        self, message: str, *, user_id: str | None = None, max_tokens: SupportsIndex | None = None
    ) -> str:
        """As `retrieve_for_inference`, for tasks."""
        found = await self.aretrieve(message, user_id=user_id, max_tokens=max_tokens)
        return found.context.text

    def retrieve(
        self,
        message: str,
        *,
        user_id: str | None = None,
        max_tokens: SupportsIndex | None = None,
        now: Moment | None = None,
    ) -> EngineResult:
        """Find what a message needs, with one question to the memory.

        Parameters
        ----------
        message : str
            What was said or asked. Up to 100 characters it is the query. A longer one is summed up by the
            model; without one, or where that fails, its first 200 characters up to the end of a word
            are the query. A blank one finds nothing, and nobody is asked.
        user_id : str, optional
            By whom: the memory is told, and this user's feedback counts. ``None``: nobody in
            particular, whose memories those are is the memory's to say, and no feedback counts.
        max_tokens : int, optional
            A budget in place of that of ``settings.context``.
        now : datetime, date, str or float, optional
            The moment that age counts to; the current time if not given.

        Returns
        -------
        EngineResult
            The context with what was left out of it, the whole ranking, and the trace.

        Raises
        ------
        TypeError, InvalidArgumentError
            An argument is not allowed, or a part of the engine would have to be awaited (then write
            ``await engine.aretrieve(...)``).
        RankmeldError
            The memory failed; its error is the cause.
        """
        errand = self._errand("retrieve", message, user_id, max_tokens, now)
        result: EngineResult = self._team.drive(errand.flow())
        return result

    async def aretrieve(
        self,
        message: str,
        *,
        user_id: str | None = None,
        max_tokens: SupportsIndex | None = None,
        now: Moment | None = None,
    ) -> EngineResult:
        """As `retrieve`, for tasks: sources of a `MultiSourceMemory` are asked at the same time."""
        errand = self._errand("retrieve", message, user_id, max_tokens, now)
        return await self._awaited(errand)

    # --------------------------------------------------------------- more hops

    def iterative_retrieve(
        self,
        message: str,
        *,
        user_id: str | None = None,
        max_tokens: SupportsIndex | None = None,
        max_hops: SupportsIndex = 2,
        reasoner: Reasoner | None = None,
        now: Moment | None = None,
    ) -> EngineResult:
        """Find what a message needs, and ask again for what the first answer only points at.

        After each hop but the last the reasoner reads the message and what was found so far, and gives the
        next query. Candidates of all hops are kept, each once (by id, else by an equal text) with its
        best score.

        Parameters
        ----------
        message, user_id, max_tokens, now
            As in `retrieve`.
        max_hops : int, default 2
            How often the memory may be asked, the first time included; 1 or more.
        reasoner : callable, optional
            ``reasoner(message, ranking, hop)`` gives the next query; `ranking` is what all hops have found
            so far, best first, and `hop` how many there were. It ends the search with ``"DONE"`` in any
            case, a blank or ``None``. Reasoning in ``<think>`` and a code fence are taken off. ``None``: the
            engine's model is asked, of whose query the first 200 characters count; without one there is
            one hop.

        Returns
        -------
        EngineResult
            ``trace.stopped`` says why no further hop followed: ``"done"``, a query was ``"repeated"``
            (but for case and white space), ``"max_hops"``, ``"no_reasoner"``, ``"reasoner_failed"`` or
            ``"memory_failed"``. With the last two it holds what was found before.

        Raises
        ------
        TypeError, InvalidArgumentError, RankmeldError
            As in `retrieve`; of a memory that fails only in the first hop.

        Notes
        -----
        After the interleaving of retrieval and reasoning in IRCoT (Harsh Trivedi, Niranjan Balasubramanian,
        Tushar Khot and Ashish Sabharwal, 2023).

        Examples
        --------
        >>> import rankmeld as rm
        >>> notes = {"n1": "Ada's sister is Mia.", "n2": "Mia lives in Basel."}
        >>> class Notes:
        ...     def search_candidates(self, query, *, user_id, top_k):
        ...         words = set(rm.tokenize(query))
        ...         found = {id: len(words & set(rm.tokenize(text))) for id, text in notes.items()}
        ...         return [(id, n / 10, rm.Document(id, notes[id])) for id, n in found.items() if n]
        >>> def reasoner(message, ranking, hop):
        ...     return "Mia lives where?" if hop == 1 else "DONE"
        >>> found = rm.RetrievalEngine(Notes()).iterative_retrieve("Ada's sister", reasoner=reasoner)
        >>> found.ranking.ids, found.trace.stopped
        (['n1', 'n2'], 'max_hops')
        """
        errand = self._errand("iterative_retrieve", message, user_id, max_tokens, now)
        _let_ask(errand, max_hops, reasoner)
        result: EngineResult = self._team.drive(errand.flow())
        return result

    async def aiterative_retrieve(
        self,
        message: str,
        *,
        user_id: str | None = None,
        max_tokens: SupportsIndex | None = None,
        max_hops: SupportsIndex = 2,
        reasoner: Reasoner | None = None,
        now: Moment | None = None,
    ) -> EngineResult:
        """As `iterative_retrieve`, for tasks; the reasoner may be a coroutine function."""
        errand = self._errand("iterative_retrieve", message, user_id, max_tokens, now)
        _let_ask(errand, max_hops, reasoner)
        return await self._awaited(errand)

    # ---------------------------------------------------------------- feedback

    def report_feedback(
        self,
        useful_ids: Iterable[Hashable] = (),
        harmful_ids: Iterable[Hashable] = (),
        *,
        user_id: str | None = None,
    ) -> None:
        """Count what was useful, and what did harm: +1 and -1 for each id.

        Parameters
        ----------
        useful_ids, harmful_ids : iterable of Hashable
            Ids of documents.
        user_id : str, optional
            Who says so. What nobody in particular says is kept, and moves no ranking.

        Raises
        ------
        InvalidArgumentError
            The engine has no feedback store.
        TypeError
            An argument is of the wrong kind, or the store would have to be awaited.
        RankmeldError
            The store failed; its error is the cause.
        """
        instead = "write `await engine.areport_feedback(...)`, not `report_feedback`"
        self._team.drive(self._reported(useful_ids, harmful_ids, user_id, instead))

    async def areport_feedback(
        self,
        useful_ids: Iterable[Hashable] = (),
        harmful_ids: Iterable[Hashable] = (),
        *,
        user_id: str | None = None,
    ) -> None:
        """As `report_feedback`, for tasks."""
        await self._team.adrive(self._reported(useful_ids, harmful_ids, user_id, ""), 0)

    def _reported(
        self,
        useful_ids: Iterable[Hashable],
        harmful_ids: Iterable[Hashable],
        user_id: str | None,
        instead: str,
    ) -> Generator[Round, Sequence[Outcome], None]:
        user = user_of(user_id)
        store = self._feedback
        if store is None:
            raise InvalidArgumentError(
                "the engine has no feedback store; make it with RetrievalEngine(memory, "
                "feedback=MemoryFeedback()), or SqliteFeedback(path) for feedback that lasts"
            )
        call = Call(
            "feedback",
            method_of(store, "add"),
            (useful_ids, harmful_ids),
            {"user_id": user},
            awaited=method_of(store, "aadd"),
            instead=instead,
        )

        def asking() -> Asking:
            yield call

        (outcome,) = yield Round((Task("feedback", asking),))
        if outcome.error is None:
            return
        if isinstance(outcome.raised, TypeError | InvalidArgumentError):
            raise outcome.raised  # the arguments' kind is the caller's slip
        what = "perhaps was not" if outcome.status == "timeout" else "was not"
        raise RankmeldError(
            f"feedback {what} stored ({type(store).__name__}): {outcome.error}"
        ) from outcome.raised

    # ------------------------------------------------------------------ running

    def _errand(
        self,
        method: str,
        message: str,
        user_id: str | None,
        max_tokens: SupportsIndex | None,
        now: Moment | None,
    ) -> Errand:
        """Check what was asked."""
        if not isinstance(message, str):
            raise TypeError(f"message must be a str, not {type(message).__name__}")
        assembler = self._settings.context
        return Errand(
            message,
            user_of(user_id),
            self._sources,
            self._llm,
            self._feedback,
            self._settings,
            assembler if max_tokens is None else assembler.with_budget(max_tokens),
            as_now(now),
            f"write `await engine.a{method}(message)`, not `{method}`",
        )

    async def _awaited(self, errand: Errand) -> EngineResult:
        weight = _MUCH if errand.assembler._asks_others else len(errand.message)
        result: EngineResult = await self._team.adrive(errand.flow(), weight)
        return result

    # ------------------------------------------------------------------ copies

    def __reduce__(self) -> tuple[Any, ...]:
        """The parts go out, if they can; threads are started anew."""
        return _unpickled, (self._memory, self._llm, self._feedback, self._settings)

    def __repr__(self) -> str:
        """The parts by name."""
        parts = [repr(self._memory) if isinstance(self._memory, MultiSourceMemory) else _kind(self._memory)]
        if self._llm is not None:
            parts.append(f"llm={name_of(self._llm)}")
        if self._feedback is not None:
            parts.append(f"feedback={_kind(self._feedback)}")
        if repr(self._settings) != repr(EngineSettings()):
            parts.append(f"settings={self._settings}")
        return f"RetrievalEngine({', '.join(parts)})"


def _unpickled(memory: Any, llm: Any, feedback: Any, settings: EngineSettings) -> RetrievalEngine:
    return RetrievalEngine(memory, llm=llm, feedback=feedback, settings=settings)


def _kind(part: Any) -> str:
    return type(part).__name__


def _let_ask(errand: Errand, max_hops: SupportsIndex, reasoner: Reasoner | None) -> None:
    """Let the memory be asked more than once."""
    errand.max_hops = as_positive(max_hops, "max_hops")
    if reasoner is not None:
        as_function(reasoner, "reasoner", "(message, ranking, hop) -> next query")
    errand.reasoner = reasoner


def _require_store(feedback: Any) -> None:
    if isinstance(feedback, type):
        raise TypeError(f"feedback is the class {feedback.__name__}; pass one of its objects")
    for plain, awaited in (("add", "aadd"), ("net", "anet")):
        if method_of(feedback, plain) is None and method_of(feedback, awaited) is None:
            raise TypeError(
                "feedback must be a FeedbackStore with add(useful_ids, harmful_ids, *, user_id) and "
                f"net(ids, *, user_id), such as MemoryFeedback; {type(feedback).__name__} has no `{plain}`"
            )
