# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""Sends calls: turn by turn, attempt by attempt, as the policies decide."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, Literal, TypeVar

from pydantic import SecretStr

from workbench.client.calls import Call
from workbench.client.downloads import Download, Target
from workbench.client.effects import SyncEffects
from workbench.client.errors import (
    ApiError,
    ConnectionFailed,
    ServerFault,
    TimedOut,
    Unauthorized,
    UnexpectedAnswer,
    WorkbenchError,
)
from workbench.client.moves import check_clearance
from workbench.client.options import OnWait, Progress, Timeouts, Waiting
from workbench.client.policy.addresses import REDIRECTS_MAX, UnusableAddress, redirect_target
from workbench.client.policy.answers import RawResponse, expectation, read_answer, refusal
from workbench.client.policy.bodies import DamagedBody
from workbench.client.policy.retry import Answered, Broken, Outcome, Raise, Return, decide, read_retry_after
from workbench.client.transport import FAULTS, Answer, SyncHttp, Sender, broken, headers_of, reason
from workbench.client.windows import Turnstile
from workbench.contract.operations import AnswerKind

T = TypeVar("T")
R = TypeVar("R")

BODY_BYTES_MAX: Final = 64 * 1024 * 1024
"""A JSON answer beyond this is no page of a hundred records; a file has no such limit."""

ERROR_BODY_BYTES_MAX: Final = 64 * 1024
ANNOUNCED_SECONDS: Final = 0.1
"""A shorter pause is over before anyone could read of it."""

_KEPT: Final = " What came so far is kept: the same download goes on from there."


class Driver:
    """What every resource of one client sends its calls through."""

    def __init__(
        self,
        http: SyncHttp,
        sender: Sender,
        *,
        key: SecretStr | None,
        window: Turnstile | None,
        timeouts: Timeouts,
        on_wait: OnWait | None,
        profile: str | None,
    ) -> None:
        self._http = http
        self._sender = sender
        self._secrets = () if key is None else (key,)
        self._window = window
        self._timeouts = timeouts
        self._on_wait = on_wait
        self._profile = profile
        self._effects = SyncEffects()

    def with_options(self, *, timeouts: Timeouts | None, on_wait: OnWait | None) -> Driver:
        """A driver with other options on the same connections and the same window."""
        other = copy.copy(self)
        other._timeouts = timeouts or self._timeouts
        other._on_wait = on_wait or self._on_wait
        return other

    def close(self, then: Callable[[], None] | None = None) -> None:
        """Close the connections, then do what the client's owner wants done. Closing again does nothing."""
        if self._effects.closed:
            return
        try:
            if self._effects.end():
                self._http.close()
        finally:
            if then is not None:
                self._effects.work(then)

    def read(self, call: Call[T]) -> T:
        """The typed answer."""
        return read_answer(call.operation, self.raw(call), self._secrets)

    def raw(self, call: Call[Any]) -> RawResponse:
        """The answer as it came; a refusal raises here as everywhere."""
        return self._exchange(call, self._whole)

    def check(self, target: Target) -> None:
        """Refuse a download's target that cannot be used, before anything is sent for it."""
        self._effects.work(target.check)

    def pause(self, call: Call[Any], seconds: float) -> None:
        """Wait for what the service is still making; ``on_wait`` is told."""
        self._effects.enter()
        self._pause(call, seconds, "not ready")

    def save(self, call: Call[bytes], target: Target, progress: Progress | None) -> Any:
        """The path of the file that the answer was saved to."""
        self.check(target)
        download = Download(target, self._sender.address(call.target))

        def keep(call: Call[Any], answer: Answer) -> Any:
            return self._to_disk(call, answer, download, progress)

        try:
            self._effects.work(download.prepare)
            return self._exchange(call, keep, lambda: replace(call, headers=download.headers))
        except (ConnectionFailed, ServerFault) as trouble:
            if self._effects.work(download.keep) and trouble.message:
                trouble.message += _KEPT
            raise
        finally:
            download.discard()

    def _exchange(
        self,
        call: Call[Any],
        take: Callable[[Call[Any], Answer], R],
        again: Callable[[], Call[Any]] | None = None,
    ) -> R:
        """What ``take`` makes of the answer; ``again`` gives the call anew for each attempt."""
        self._effects.enter()
        attempt, rate_waits = 1, 0
        while True:
            outcome, error, taken = self._attempt(call if again is None else again(), take)
            decision = decide(
                call.operation,
                attempt,
                outcome,
                rate_waits=rate_waits,
                jitter=random.random(),  # noqa: S311 - spreads retries
            )
            if isinstance(decision, Return):
                return taken  # pyright: ignore[reportReturnType] - a taken answer goes with this outcome
            if isinstance(decision, Raise) or error is None:
                # Raised here, outside every except block: no frame that saw the request's headers hangs on the error.
                raise error or UnexpectedAnswer(expectation(call.operation), where="the status", operation=call.operation.name)
            if not decision.window:
                attempt += 1
                self._pause(call, decision.seconds, "retry")
                continue
            rate_waits += 1
            if self._window is None:
                self._pause(call, decision.seconds, "rate limit")
            else:
                self._window.block(decision.seconds)

    def _attempt(
        self, call: Call[Any], take: Callable[[Call[Any], Answer], R]
    ) -> tuple[Outcome, WorkbenchError | None, R | None]:
        try:
            answer = self._send(call)
            try:
                if 200 <= answer.status_code < 300 or (call.headers and answer.status_code == 416):
                    return _TAKEN, None, take(call, answer)
                body = self._body(answer, ERROR_BODY_BYTES_MAX, cut=True)
            finally:
                answer.close()
            response = RawResponse(answer.status_code, headers_of(answer), body)
            wait = read_retry_after(response.headers.get("retry-after"), now=time.time())
            error = self._named(refusal(call.operation, response, retry_after=wait, secrets=self._secrets))
            return Answered(answer.status_code, wait), error, None
        except FAULTS as fault:
            outcome, words = broken(fault), reason(fault)
        except (DamagedBody, _TooLate) as fault:
            outcome, words = Broken(sent=True, timed_out=isinstance(fault, _TooLate)), str(fault)
        except UnusableAddress as trouble:
            return Answered(0), self._led_astray(call, str(trouble)), None
        return outcome, self._failure(call, outcome, words), None

    def _named(self, error: ApiError) -> ApiError:
        if isinstance(error, Unauthorized):
            error.profile = self._profile
        return error

    def _led_astray(self, call: Call[Any], words: str) -> ConnectionFailed:
        name = call.operation.name
        return ConnectionFailed(f"{name}: {words}", operation=name, address=str(self._sender.base.origin))

    def _failure(self, call: Call[Any], outcome: Broken, words: str) -> ConnectionFailed:
        kind = TimedOut if outcome.timed_out else ConnectionFailed
        address = str(self._sender.base.origin)
        if not outcome.sent:
            end = "Nothing was sent. Check the base URL, the network and that the service is running."
        elif call.operation.replayable:
            end = "Check the network, and try again."
        else:
            end = "It may have been carried out: look before you send it again."
        return kind(
            f"{call.operation.name}: {words} ({address}). {end}",
            operation=call.operation.name,
            address=address,
            arrived=None if outcome.sent else False,
        )

    def _send(self, call: Call[Any]) -> Answer:
        """The answer's head, after redirects that may be followed; its body is still to be read."""
        file = call.operation.answer.kind is AnswerKind.FILE
        method = call.operation.method.value
        url = self._sender.address(call.target)
        for _ in range(REDIRECTS_MAX + 1):
            answer = self._hop(call, method, url, file)
            try:
                target = redirect_target(
                    url,
                    answer.headers.get("location"),
                    answer.status_code,
                    method=method,
                    base=self._sender.base.origin,
                    file=file,
                )
            except UnusableAddress:
                answer.close()
                raise
            if target is None:
                return answer
            answer.close()
            url = target
        raise UnusableAddress("The service redirects in circles. Check the base URL.")

    def _hop(self, call: Call[Any], method: str, url: str, file: bool) -> Answer:
        request = self._sender.build(method, url, call.body, file=file, timeouts=self._timeouts)
        for name, value in call.headers:
            request.headers[name] = value
        window = self._window if self._window is not None and self._sender.at_home(url) else None
        if window is not None:
            self._turn(call, window, bulk=call.bulk or file)
        sent = False
        try:
            check_clearance(call)
            sent = True
            with self._effects.at_most(self._timeouts.total):
                answer = self._http.dispatch(request)
        except TimeoutError:
            raise _TooLate from None
        except FAULTS as fault:
            sent = broken(fault).sent
            raise
        except BaseException as stop:  # noqa: BLE001 - every one, and every one goes on
            # The library's frames hold the headers, and with them the key; tracebacks with local values would print it.
            raise stop.with_traceback(None)  # noqa: B904
        finally:
            if window is not None:
                window.settle() if sent else window.release()
        answer.extensions.pop("reason_phrase", None)  # the service's own words, which the answer's repr would show
        return answer

    def _turn(self, call: Call[Any], window: Turnstile, *, bulk: bool) -> None:
        while delay := window.reserve(bulk=bulk):
            self._pause(call, delay, "rate limit")

    def _pause(self, call: Call[Any], seconds: float, why: Literal["rate limit", "retry", "not ready"]) -> None:
        if self._on_wait is not None and seconds >= ANNOUNCED_SECONDS:
            self._on_wait(Waiting(call.operation.name, seconds, why))
        self._effects.pause(seconds)

    def _whole(self, call: Call[Any], answer: Answer) -> RawResponse:
        file = call.operation.answer.kind is AnswerKind.FILE
        body = self._body(answer, None if file else BODY_BYTES_MAX)
        if len(body) > BODY_BYTES_MAX and not file:
            raise UnexpectedAnswer(
                expectation(call.operation),
                where=f"the body, which is longer than {BODY_BYTES_MAX // 2**20} MiB",
                status=answer.status_code,
                operation=call.operation.name,
            )
        return RawResponse(answer.status_code, headers_of(answer), body)

    def _body(self, answer: Answer, limit: int | None, *, cut: bool = False) -> bytes:
        """The decoded body; up to the chunk that passes ``limit``, and cut to it where asked."""
        deadline = time.monotonic() + self._timeouts.total
        chunks: list[bytes] = []
        size = 0
        for chunk in answer.iter_bytes():
            chunks.append(chunk)
            size += len(chunk)
            if limit is not None and size > limit:
                break
            if limit is not None and time.monotonic() > deadline:
                raise _TooLate
        body = b"".join(chunks)
        return body[:limit] if cut else body

    def _to_disk(self, call: Call[Any], answer: Answer, download: Download, progress: Progress | None) -> Any:
        status = answer.status_code
        if status != 200 and not (call.headers and status in {206, 416}):
            raise UnexpectedAnswer("a file", where="the status", status=status, operation=call.operation.name)
        self._effects.work(lambda: download.begin(status, headers_of(answer)))
        if progress is not None:
            progress(download.received, download.total)
        broke_off: Exception | None = None
        try:
            for chunk in answer.iter_raw():
                if download.take(chunk):
                    self._effects.work(download.write)
                    if progress is not None:
                        progress(download.received, download.total)
        except FAULTS as fault:
            broke_off = fault
        # Outside the except block: a disk that refuses must not carry the fault along, whose frames saw the key.
        self._effects.work(download.write)
        if broke_off is not None:
            raise broke_off
        if progress is not None:
            progress(download.received, download.total)
        return self._effects.work(download.finish)


_TAKEN: Final = Answered(200)
"""The outcome of a call whose answer was taken."""


class _TooLate(Exception):
    """An answer that drips in for longer than the whole call may take."""

    def __str__(self) -> str:
        return "the answer did not end in time"
