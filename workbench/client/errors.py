"""The failures that a caller of the client can meet: one family, picklable, without a key and without a live request.

Every error is fields first; ``str()`` makes the sentence, which ends in what to do about it. Texts that came from a service
have passed :mod:`workbench.client.policy.redaction` before they get here.
"""

from __future__ import annotations

from typing import Any, ClassVar


class WorkbenchError(Exception):
    """Base of every failure of this package that a caller can act on.

    ``message`` says what went wrong; ``operation`` is the name of the call (``tenders.search``) or ``None``.
    """

    def __init__(self, message: str, *, operation: str | None = None) -> None:
        super().__init__(message)
        self.message: str | None = message
        self.operation = operation

    def __str__(self) -> str:
        return self.message or self.__class__.__name__

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call __init__ with the positional arguments alone, which loses or breaks keyword-only fields.
        return _restore, (type(self), self.args, dict(self.__dict__))


def _restore(kind: type[WorkbenchError], args: tuple[object, ...], fields: dict[str, object]) -> WorkbenchError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class InvalidArgument(WorkbenchError, ValueError):
    """An argument that cannot be sent; nothing was sent. ``field`` is its snake_case name."""

    def __init__(self, field: str, message: str, *, operation: str | None = None) -> None:
        super().__init__(message, operation=operation)
        self.field = field

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class ClientMisused(WorkbenchError, RuntimeError):
    """The client was used after it was closed, or from another event loop than the one it was first used in."""


class ApiError(WorkbenchError):
    """The service refused. Subclasses name the condition.

    ``status`` is the HTTP status, ``code`` the service's own code in capitals or ``None``, ``message`` its sentence or
    ``None``, ``retry_after`` the seconds after which it asks to be called again or ``None``.
    """

    remedy: ClassVar[str] = "Look at the service's message; if it does not help, ask whoever runs the service."
    what: ClassVar[str] = "The service refused the request"

    def __init__(
        self,
        status: int,
        code: str | None = None,
        message: str | None = None,
        operation: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message or "", operation=operation)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after

    def __str__(self) -> str:
        label = " ".join(part for part in (str(self.status), self.code) if part)
        where = f" in {self.operation}" if self.operation else ""
        said = f": {self.message.rstrip('. ')}." if self.message else "."
        return f"{self.what} ({label}{where}){said} {self._what_to_do()}"

    def _what_to_do(self) -> str:
        return _REMEDIES.get(self.code or "", self.remedy)


_REMEDIES = {
    "LINK_EXPIRED": "Ask for the tender's sheets again: their links are fresh.",
    "OPPORTUNITY_CLOSED": "A closed opportunity does not move any more.",
    "SOURCE_UNAVAILABLE": "The document's own source did not give it; try again later, or open it on the source's page.",
    "STORE_BUSY": "Another program is writing to the data; try again in a moment.",
    "STORE_FULL": "Free some disk space where the service keeps its data.",
}


class Unauthorized(ApiError):
    """401: the key is missing, unknown, expired or disabled. ``profile`` names the profile that was used, if there is one."""

    what = "The service did not accept the API key"
    remedy = "Log in again with 'workbench login', or give a valid key in WORKBENCH_API_KEY."
    profile: str | None = None

    def _what_to_do(self) -> str:
        if self.profile in {None, "given"}:  # no profile, or the one of an address that was passed: no key is stored for it
            return self.remedy
        return (
            f"The key of profile {self.profile!r} may have expired, or been replaced or disabled: "
            f"store a new one with 'workbench login --profile {self.profile}'. "
            "A key in WORKBENCH_API_KEY or WORKBENCH_API_KEY_FILE goes before the stored one."
        )


class Forbidden(ApiError):
    """403: the key is valid and may not do this, or the object belongs to another account."""

    what = "The key is not allowed to do this"
    remedy = "Use a key of the account that owns it, or ask the account's owner for access."


class NotFound(ApiError):
    """404: nothing has this id, slug, code or token."""

    what = "The service has no such thing"
    remedy = "Check the id; it may also have been withdrawn."


class Conflict(ApiError):
    """409: the state of the object does not allow it. This is a state and no fault: it is never retried."""

    what = "The state of the object does not allow it"
    remedy = "Read the object again, and decide by its present state."


class SummaryNotReady(Conflict):
    """409 ``SUMMARY_NOT_READY``: the summary's PDF was asked for before the summary was completed."""

    what = "The summary is not ready"
    remedy = "Ask again when its status is 'completed'."


class Invalid(ApiError):
    """400 or 422: the service does not take a value that was sent."""

    what = "The service does not take this request"
    remedy = "Correct the value it names."


class RateLimited(ApiError):
    """429, still after waiting: the key's requests of this minute are used up."""

    what = "The key has used up its requests of this minute"
    remedy = "Wait a minute; other programs that use the same key count too."


class ServerFault(ApiError):
    """5xx, still after retrying where that is safe."""

    what = "The service failed"
    remedy = "Try again later; if it stays, tell whoever runs the service."


class ConnectionFailed(WorkbenchError):
    """No complete answer came. ``arrived`` is ``False`` where nothing was sent, ``None`` where that is not known.

    ``operation`` names the call, ``address`` scheme, host and port of the service.
    """

    def __init__(
        self, message: str, *, operation: str | None = None, address: str | None = None, arrived: bool | None = None
    ) -> None:
        super().__init__(message, operation=operation)
        self.address = address
        self.arrived = arrived


class TimedOut(ConnectionFailed):
    """The service did not answer in time; as :class:`ConnectionFailed`, of which it is a kind."""


class UnexpectedAnswer(WorkbenchError):
    """The service answered with something that is not what the interface states.

    ``expected`` says what should have come, ``where`` the place in the answer that is wrong, ``excerpt`` the beginning of
    what came (redacted, at most 200 characters), ``status`` the HTTP status.
    """

    def __init__(
        self, expected: str, *, where: str, excerpt: str = "", status: int | None = None, operation: str | None = None
    ) -> None:
        super().__init__(expected, operation=operation)
        self.expected = expected
        self.where = where
        self.excerpt = excerpt
        self.status = status

    def __str__(self) -> str:
        call = f"{self.operation}: " if self.operation else ""
        status = f" (HTTP {self.status})" if self.status is not None else ""
        got = f"; it begins {self.excerpt!r}" if self.excerpt else ""
        return (
            f"{call}the service's answer{status} is not what the interface states: expected {self.expected}; "
            f"wrong at {self.where}{got}. Check that the base URL is that of the service."
        )


class TargetExists(WorkbenchError):
    """A download's target file is there already and ``overwrite=True`` was not given. ``path`` names it."""

    def __init__(self, path: str, *, operation: str | None = None) -> None:
        super().__init__(
            f"{path} is there already and was left as it is. Name another file or folder, or pass overwrite=True.",
            operation=operation,
        )
        self.path = path


class NotSaved(WorkbenchError):
    """A download could not be written to disk; nothing half-written is left. ``path`` names the target."""

    def __init__(self, path: str, reason: str, *, operation: str | None = None) -> None:
        super().__init__(
            f"Could not save {path}: {reason}. Free some space or choose another folder, and download again.",
            operation=operation,
        )
        self.path = path
        self.reason = reason


class TerminalMoveNotConfirmed(WorkbenchError):
    """A move that may close an opportunity for good was not confirmed; the move was not sent.

    ``opportunity`` and ``stage`` are the ids that were given, ``stage_name`` the stage's name where it is known. ``reason`` is
    ``"terminal"``, ``"not stated"`` (the service does not say whether the stage is terminal), ``"not found"`` (no pipeline
    lists it), or ``"not looked up"`` (the pipelines could not be read; ``__cause__`` is that failure).
    """

    def __init__(
        self,
        message: str,
        *,
        operation: str | None = None,
        opportunity: str | None = None,
        stage: str | None = None,
        stage_name: str | None = None,
        reason: str | None = None,
    ) -> None:
        super().__init__(message, operation=operation)
        self.opportunity = opportunity
        self.stage = stage
        self.stage_name = stage_name
        self.reason = reason


class SummaryFailed(WorkbenchError):
    """The service gave up generating a summary, so it will never have a PDF. ``summary_id`` names it."""

    def __init__(self, message: str, *, operation: str | None = None, summary_id: str | None = None) -> None:
        super().__init__(message, operation=operation)
        self.summary_id = summary_id


class ToolsNotEnabled(Forbidden):
    """403 of the tool server: the key is valid and has no access to the tools (interface 5.3)."""

    what = "The key is not enabled for the tool server"
    remedy = (
        "Whoever runs the service switches that access on for a key (the MCP flag); its owner cannot. "
        "The REST calls of this key go on working."
    )


class NoToolServer(NotFound):
    """404 at the address of the tool server: nothing speaks the tool protocol there. ``embedded`` says that the service is
    the embedded one, whose address nobody chooses.
    """

    what = "There is no tool server at this address"
    remedy = "Put the tool server's address into the profile as mcp_url, or set WORKBENCH_MCP_URL."
    embedded: bool = False

    def __str__(self) -> str:
        if not self.embedded:
            return super().__str__()
        return (
            "The embedded service of this version has no tool server. "
            "The client's other calls do the same; the tools need a hosted profile."
        )


class ToolRefused(WorkbenchError):
    """A tool answered with an error result, in the tool server's own words (``message``). ``tool`` is the tool's name."""

    def __init__(self, message: str, tool: str) -> None:
        super().__init__(message, operation=f"tools.{tool}")
        self.tool = tool

    def __str__(self) -> str:
        said = f": {self.message.rstrip('. ')}." if self.message else ", and does not say why."
        return f"The tool {self.tool} refused{said}"


class ProfileError(WorkbenchError):
    """A profile that is not there, or a profiles file that cannot be read or written."""


class DataUnusable(WorkbenchError):
    """The embedded service's data folder cannot be used; the message says why and what to do."""


class KeyNotFound(WorkbenchError):
    """No API key for this profile was found anywhere. ``profile`` names it."""

    def __init__(self, message: str, *, profile: str | None = None) -> None:
        super().__init__(message)
        self.profile = profile


class KeyNotStored(WorkbenchError):
    """The key store did not keep the key (or did not let it go). ``backend`` names the store."""

    def __init__(self, message: str, *, backend: str | None = None) -> None:
        super().__init__(message)
        self.backend = backend


_BY_STATUS: dict[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    422: Invalid,
    429: RateLimited,
}


def api_error_type(status: int, code: str | None) -> type[ApiError]:
    """The error class of an HTTP status and a code."""
    if status == 409 and code == "SUMMARY_NOT_READY":
        return SummaryNotReady
    return _BY_STATUS.get(status, ServerFault if status >= 500 else ApiError)
