"""Chat and embeddings of any server that speaks OpenAI's API, through its own client and our transport."""

from __future__ import annotations

import json
import ssl
import time
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rankmeld._options import as_integer, as_number
from rankmeld.embed.packages import import_extra
from rankmeld.errors import ConfigError, InvalidArgumentError, RemoteError, RemoteTimeoutError
from rankmeld.remote.policy import OutboundPolicy
from rankmeld.remote.secret import Secret
from rankmeld.remote.served import Asked, ServedChat, ServedEmbedder
from rankmeld.text import is_blank

if TYPE_CHECKING:
    from rankmeld.remote.dialling import Resolver

__all__ = ["ModelServer", "openai_compatible"]

_T = TypeVar("_T")

#: An answer is read up to here: 2,000 vectors of 4,096 numbers in base64, or 500 as text.
_MOST_BYTES = 64 * 2**20

#: What a request is made of. The openai package adds headers from environment variables of its own, and
#: others about the machine; neither is anybody's business here.
_SENT = (
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
    "user-agent",
)


def openai_compatible(
    base_url: str,
    policy: OutboundPolicy,
    *,
    key_variable: str | None = None,
    timeout: float = 600,
    max_retries: int = 2,
    resolver: Resolver | None = None,
    tls: ssl.SSLContext | None = None,
) -> ModelServer:
    """Reach the models of a server that speaks OpenAI's API: OpenAI, vLLM, Ollama, llama.cpp and others.

    Needs ``pip install "rankmeld[http]"``.

    Parameters
    ----------
    base_url : str
        Where the API begins: ``https://api.openai.com/v1``, ``http://127.0.0.1:11434/v1``.
    policy : OutboundPolicy
        What may be reached. Its `timeout` holds for each wait of each attempt.
    key_variable : str, optional
        Name of the environment variable that holds the key; it is read here, once. Not given: no key is
        sent. No other variable is read.
    timeout : float, default 600
        Seconds that a request may take with all its attempts, whatever the server does. A thread that
        waits between two attempts then is late by up to 8 seconds, or what ``Retry-After`` asks for.
    max_retries : int, default 2
        How often a request is tried again after a failed connection and after the statuses 408, 409, 429
        and 500 or more, as the openai package does it.
    resolver, tls
        As in `rankmeld.remote.transport.PolicyTransport`.

    Returns
    -------
    ModelServer
        Its `chat` and `embedder` give the models.

    Raises
    ------
    ConfigError
        `base_url` is blank or has a query or a fragment; the variable of the key is not set.
    OutboundRefusedError
        The policy does not allow the server.
    MissingExtraError
        The extra is not installed.

    Examples
    --------
    >>> import rankmeld as rm
    >>> policy = rm.OutboundPolicy(["models.example.com"])
    >>> server = openai_compatible("https://models.example.com/v1", policy)
    >>> server.embedder("bge-m3", dimensions=1024)
    ServedEmbedder(model='bge-m3', server='https://models.example.com:443')
    >>> server.chat("qwen3")
    ServedChat(model='qwen3', server='https://models.example.com:443')
    """
    return ModelServer(
        base_url,
        policy,
        key_variable=key_variable,
        timeout=timeout,
        max_retries=max_retries,
        resolver=resolver,
        tls=tls,
    )


class ModelServer:
    """A server of models; made by `openai_compatible`.

    It can be shared by threads and tasks. A pickle of it holds no key: that is read again, from the same
    variable, where the pickle is opened.

    Parameters
    ----------
    base_url, policy, key_variable, timeout, max_retries, resolver, tls
        As in `openai_compatible`.
    """

    def __init__(
        self,
        base_url: str,
        policy: OutboundPolicy,
        *,
        key_variable: str | None,
        timeout: float,
        max_retries: int,
        resolver: Resolver | None,
        tls: ssl.SSLContext | None,
    ) -> None:
        options: dict[str, Any] = {
            "key_variable": key_variable,
            "timeout": timeout,
            "max_retries": max_retries,
            "resolver": resolver,
            "tls": tls,
        }
        self._given = (base_url, policy, options)
        if not isinstance(policy, OutboundPolicy):
            raise TypeError(f"policy must be an OutboundPolicy, not {type(policy).__name__}")
        self.name = _server_name(base_url, policy)
        self._key_variable = key_variable
        retries = as_integer(max_retries, "max_retries")
        if retries < 0:
            raise InvalidArgumentError(f"max_retries is {retries}; it must be 0 or more")
        self._timeout = as_number(timeout, "timeout")
        if self._timeout <= 0.0:
            raise InvalidArgumentError(f"timeout is {self._timeout:g}; it must be above 0 seconds")

        # Only now: both take time to load, and arguments are checked without them.
        self._openai = openai = import_extra("openai", extra="http", purpose="openai_compatible")
        httpx2 = import_extra("httpx2", extra="http", purpose="openai_compatible")
        from rankmeld.remote import deadlines, quiet, transport  # noqa: PLC0415

        self._response, self._connect_error = httpx2.Response, httpx2.ConnectError
        authorized = _Authorized(None if key_variable is None else Secret(key_variable), deadlines.left_of)
        shared: dict[str, Any] = {"auth": authorized, "timeout": policy.timeout, "trust_env": False}
        of_package: dict[str, Any] = {
            "base_url": base_url,
            # The openai package wants one and is not told ours: `_Authorized` sets the header.
            "api_key": "none",
            "max_retries": retries,
            "timeout": policy.timeout,
        }
        dialling: dict[str, Any] = {"tls": tls, "most_bytes": _MOST_BYTES}
        if resolver is not None:
            dialling["resolver"] = resolver
        self._http = httpx2.Client(transport=transport.PolicyTransport(policy, **dialling), **shared)
        in_tasks = transport.AsyncPolicyTransport(policy, **dialling)
        self._async_http = httpx2.AsyncClient(transport=in_tasks, **shared)
        opened = _Opened(self.name)  # not a method: the server would hold itself
        self._http.event_hooks = {"response": [opened]}
        self._async_http.event_hooks = {"response": [opened.awaited]}
        self._quietly, self._until = quiet.quietly, deadlines.until
        # Where nobody closes them, connections go with the server itself.
        weakref.finalize(self, self._http.close)
        self._client = openai.OpenAI(http_client=self._http, **of_package)
        self._async_client = openai.AsyncOpenAI(http_client=self._async_http, **of_package)

    def chat(
        self, model: str, *, system: str | None = None, options: Mapping[str, Any] | None = None
    ) -> ServedChat:
        """Give one of the server's chat models.

        Parameters
        ----------
        model : str
            Its name on the server.
        system : str, optional
            What it is told before each prompt.
        options : Mapping[str, Any], optional
            Further fields of the request: ``{"temperature": 0, "max_completion_tokens": 300}``.

        Returns
        -------
        ServedChat
            A `Chat`.
        """
        return ServedChat(self, model, system=system, options=options)

    def embedder(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        batch_size: int = 64,
        options: Mapping[str, Any] | None = None,
    ) -> ServedEmbedder:
        """Give one of the server's embedding models.

        Parameters
        ----------
        model : str
            Its name on the server.
        dimensions : int, optional
            Width of a vector; the server is asked for it, which not every model supports. Not given: learned
            from the first call.
        batch_size : int, default 64
            Texts of one request.
        options : Mapping[str, Any], optional
            Further fields of the request.

        Returns
        -------
        ServedEmbedder
            An `Embedder`.
        """
        return ServedEmbedder(self, model, dimensions=dimensions, batch_size=batch_size, options=options)

    def close(self) -> None:
        """Close the connections of threads. The server's models cannot be used afterwards."""
        self._http.close()

    async def aclose(self) -> None:
        """Close the connections of this event loop, and those of threads."""
        self._http.close()
        await self._async_http.aclose()

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the connections of threads."""
        self.close()

    async def __aenter__(self) -> Self:
        """Give itself."""
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the connections."""
        await self.aclose()

    def __repr__(self) -> str:
        """Scheme, host and port."""
        return f"ModelServer({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """What it was made from; the key is no part of that."""
        return (_again, self._given)

    def answered(self, asked: Asked[_T]) -> _T:
        """Drive a flow, and wait for each answer."""
        try:
            path, body = next(asked)
            while True:
                path, body = asked.send(self._posted(path, body))
        except StopIteration as end:
            result: _T = end.value
            return result

    async def awaited(self, asked: Asked[_T]) -> _T:
        """Drive a flow, and await each answer."""
        try:
            path, body = next(asked)
            while True:
                path, body = asked.send(await self._aposted(path, body))
        except StopIteration as end:
            result: _T = end.value
            return result

    def _posted(self, path: str, body: dict[str, Any]) -> Any:
        self._require_open(self._http)
        try:
            with self._quietly(), self._until(time.monotonic() + self._timeout):
                return self._json(self._client.post(path, body=body, cast_to=self._response))
        except (self._openai.OpenAIError, RemoteTimeoutError) as error:
            failure = self._failure(error)
        # Raised out here: the package's error holds the request, and with it the key, and would be chained.
        raise failure

    async def _aposted(self, path: str, body: dict[str, Any]) -> Any:
        import asyncio  # noqa: PLC0415 - whoever awaits has it; the others need not pay for it

        self._require_open(self._async_http)
        try:
            with self._quietly():
                async with asyncio.timeout(self._timeout):
                    return self._json(await self._async_client.post(path, body=body, cast_to=self._response))
        except (self._openai.OpenAIError, TimeoutError) as error:
            failure = self._failure(error)
        raise failure

    def _require_open(self, client: Any) -> None:
        if client.is_closed:
            raise RemoteError(f"{self.name} was not asked: close() ended this ModelServer; make another one")

    def _json(self, answer: Any) -> Any:
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            pass
        raise RemoteError(f"{self.name} answered with what is not JSON", answer.status_code)

    def _failure(self, error: Exception) -> RemoteError:
        """The same failure in words of our own: what the server says may repeat the key."""
        if isinstance(error, self._openai.APIStatusError):
            status = error.status_code
            hint = ""
            if status in (401, 403):
                variable = self._key_variable
                hint = (
                    "; pass key_variable=, the environment variable of its key"
                    if variable is None
                    else f"; it does not accept the key in {variable}"
                )
            elif status == 404:
                hint = "; check base_url and the name of the model"
            return RemoteError(f"{self.name} answered with status {status}{hint}", status)
        if isinstance(error, self._openai.APITimeoutError | TimeoutError | RemoteTimeoutError):
            return RemoteTimeoutError(
                f"{self.name} did not answer in time; see timeout= and the policy's timeout"
            )
        cause = error.__cause__
        if isinstance(cause, self._connect_error):
            return RemoteError(f"{self.name} could not be reached: {cause}")
        # The text of a protocol error repeats what the server sent.
        return RemoteError(f"the connection to {self.name} broke before the answer was complete")


class _Authorized:
    """Leaves of a request what is needed, and adds the key."""

    def __init__(self, key: Secret | None, left_of: Callable[..., object]) -> None:
        self._key = key
        self._left_of = left_of

    def __call__(self, request: Any) -> Any:
        """Set the headers of a request that is about to be sent, if there is time for it."""
        self._left_of(None, RemoteTimeoutError)
        for name in [name for name in request.headers if name.lower() not in _SENT]:
            del request.headers[name]
        request.headers["Accept-Encoding"] = "identity"  # a packed answer may be a thousand times as long
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        return request


class _Opened:
    """Looks at the head of a response, before its body is read."""

    def __init__(self, server: str) -> None:
        self._server = server

    def __call__(self, response: Any) -> None:
        """Leave out what the openai package logs, which may repeat the key; refuse what is packed."""
        response.headers.pop("x-request-id", None)
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise RemoteError(
                f"{self._server} gave a compressed answer, although none was asked for", response.status_code
            )

    async def awaited(self, response: Any) -> None:
        """As the call, for tasks."""
        self(response)


def _again(base_url: str, policy: OutboundPolicy, options: dict[str, Any]) -> ModelServer:
    """Make a server anew, as a pickle asks for it."""
    return ModelServer(base_url, policy, **options)


def _server_name(base_url: str, policy: OutboundPolicy) -> str:
    """What messages call the server; checks its URL."""
    if not isinstance(base_url, str):
        raise TypeError(f"base_url must be a str, not {type(base_url).__name__}")
    if is_blank(base_url):
        raise ConfigError("base_url is blank; it must be like https://models.example.com/v1")
    origin = policy.check_url(base_url)
    if "?" in base_url or "#" in base_url:
        raise ConfigError(f"base_url for {origin} has a query or a fragment; leave it out")
    return str(origin)
