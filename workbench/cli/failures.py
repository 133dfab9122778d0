"""What went wrong, as an exit code and a sentence: the one place where exceptions become words of the command."""

from __future__ import annotations

import errno
from enum import IntEnum
from pathlib import Path


class ExitCode(IntEnum):
    """What the command tells the shell."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    NO_CONNECTION = 3
    NO_KEY = 4
    INTERRUPTED = 130
    PIPE_CLOSED = 141


class Failure(Exception):
    """A failure whose sentence is already written for a person. ``code`` is the exit code."""

    def __init__(self, sentence: str, code: ExitCode = ExitCode.REFUSED) -> None:
        super().__init__(sentence)
        self.code = code


class WrongUse(Failure):
    """The command line asks for something that cannot be; exit code 2."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, ExitCode.USAGE)


def explain(error: BaseException) -> tuple[ExitCode, str]:
    """The exit code and the sentence of any exception; never its traceback."""
    if isinstance(error, Failure):
        return error.code, str(error)
    if isinstance(error, OSError):
        return ExitCode.REFUSED, _of_the_system(error)
    if _is_of_pydantic(error):
        return ExitCode.USAGE, _of_a_request(error)
    if type(error).__module__.startswith("workbench."):
        return _of_ours(error)
    return ExitCode.REFUSED, _of_a_fault(error)


def _of_ours(error: BaseException) -> tuple[ExitCode, str]:
    # Only reached once something of ours was raised, so the client is loaded already and this import is free.
    from workbench.client import errors

    if type(error).__module__.startswith("workbench.feeds"):
        # A path that is not there is a file that could not be read: a refusal, not a wrong option.
        return ExitCode.REFUSED, str(error)
    if isinstance(error, errors.TargetExists):
        return ExitCode.USAGE, f"{error.path} exists already; name another file or folder, or add --overwrite."
    codes: tuple[tuple[tuple[type[BaseException], ...], ExitCode], ...] = (
        ((errors.KeyNotFound, errors.KeyNotStored), ExitCode.NO_KEY),
        ((errors.ConnectionFailed,), ExitCode.NO_CONNECTION),
        ((errors.ApiError, errors.UnexpectedAnswer), ExitCode.REFUSED),
        ((errors.ProfileError, errors.TerminalMoveNotConfirmed, ValueError, LookupError), ExitCode.USAGE),
    )
    return next((code for kinds, code in codes if isinstance(error, kinds)), ExitCode.REFUSED), str(error)


def _of_the_system(error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    remedy = ""
    if error.errno == errno.ENOSPC:
        remedy = " Free some space, or write elsewhere."
    elif error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        remedy = " Choose a folder that you may write to."
    name = f"{error.filename}: " if error.filename is not None else ""
    return f"{name}{reason}.{remedy}"


def _is_of_pydantic(error: BaseException) -> bool:
    return type(error).__name__ == "ValidationError" and type(error).__module__.startswith("pydantic")


def _of_a_request(error: BaseException) -> str:
    troubles = error.errors(include_url=False)  # type: ignore[attr-defined]  # pydantic's, told by name to keep its import out
    parts: list[str] = []
    for trouble in troubles:
        place = ".".join(str(step) for step in trouble["loc"] if isinstance(step, str))
        parts.append(f"{place}: {trouble['msg']}" if place else str(trouble["msg"]))
    return f"The search cannot be sent. {'; '.join(parts)}."


def _of_a_fault(error: BaseException) -> str:
    place = ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if str(name).startswith("workbench."):
            place = f" in {name} line {trace.tb_lineno} ({Path(trace.tb_frame.f_code.co_filename).name})"
        trace = trace.tb_next
    # The exception's own words are left out: they may hold what the service sent, or a key.
    return f"This is a fault of the workbench itself: {type(error).__name__}{place}. Please report it with this line."
