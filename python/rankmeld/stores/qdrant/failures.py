"""What a Qdrant client reports, as an error that says which collection, what is wrong, and what helps."""

from __future__ import annotations

from rankmeld.errors import StoreError

__all__ = ["already_there", "failure", "is_missing"]

_BY_STATUS = {
    400: "was not understood by the server; the client and the server should be of about the same version",
    401: "cannot be used without a valid key; give QdrantClient the right api_key",
    403: "cannot be used with this key; give QdrantClient an api_key that may do this",
    404: "is not there any more, or its server is too old (1.18 or newer is needed)",
    409: "is being changed by somebody else; try again",
    413: "was sent more than its server takes at once; cut texts into smaller documents, or raise "
    "service.max_request_size_mb of the server",
    429: "has a server that is asked too often; try again later",
}
_UNREACHABLE = "cannot be reached; check that the server runs and that QdrantClient has its address"
_LATE = "did not answer in time; check the server, or give QdrantClient a longer timeout"
_CLOSED = "cannot be used, as its client is closed; make a new client"
_SERVER = "has a server that failed; look at its log, then try again"
_OTHER = "cannot do this"

#: Longer reports are cut: a server's may quote a whole request.
_LONGEST_REPORT = 200


def failure(shown: str, error: Exception) -> StoreError:
    """Say what the client's error means; neither the request nor a key is in it.

    Parameters
    ----------
    shown : str
        The collection, as messages show it.
    error : Exception
        What a method of the client raised.
    """
    return StoreError(f"collection {shown} {_explanation(error)} (Qdrant: {_report(error)})")


def is_missing(error: Exception) -> bool:
    """Whether the collection is not there."""
    return _status(error) == 404 or (isinstance(error, ValueError) and "not found" in str(error))


def already_there(error: Exception) -> bool:
    """Whether somebody else has made it meanwhile."""
    return _status(error) == 409 or "already exists" in str(error)


def _explanation(error: Exception) -> str:
    status = _status(error)
    if status is not None:
        return _BY_STATUS.get(status, _SERVER if status >= 500 else _OTHER)
    source = getattr(error, "source", error)
    if "Timeout" in type(source).__name__ or isinstance(source, TimeoutError):
        return _LATE
    if source is not error or isinstance(source, ConnectionError):
        return _UNREACHABLE
    return _CLOSED if "closed" in str(error) else _OTHER


#: Of gRPC's codes, by name, the status that HTTP has for them.
_BY_CODE = {
    "INVALID_ARGUMENT": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNIMPLEMENTED": 404,
}  # fmt: skip


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return status
    code = getattr(error, "code", None)  # gRPC's errors have a method of this name
    return _BY_CODE.get(getattr(code() if callable(code) else code, "name", ""))


def _report(error: Exception) -> str:
    """What is told, in one line, without the answer's headers."""
    status = _status(error)
    content, details = getattr(error, "content", None), getattr(error, "details", None)
    if isinstance(content, bytes):
        report = f"{status} {content.decode('utf-8', 'replace')}"
    elif callable(details):
        report = str(details())
    else:
        source = getattr(error, "source", error)
        report = f"{type(source).__name__}: {source}"
    line = " ".join(report.split())
    return line if len(line) <= _LONGEST_REPORT else f"{line[:_LONGEST_REPORT]}..."
