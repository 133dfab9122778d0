"""The API key: found, stored, removed, and never written to disk in clear by us.

Order: what was passed as an argument, ``WORKBENCH_API_KEY``, the file that ``WORKBENCH_API_KEY_FILE`` names (readable by its
owner alone), the operating system's key store. There is no fallback in plain text.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from pydantic import SecretStr

from workbench.client.errors import KeyNotFound, KeyNotStored
from workbench.client.policy.addresses import UnusableAddress, origin_of
from workbench.profiles import Profile

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

T = TypeVar("T")

KEY_VARIABLE: Final = "WORKBENCH_API_KEY"
KEY_FILE_VARIABLE: Final = "WORKBENCH_API_KEY_FILE"
STORE_SECONDS: Final = 60.0
"""A desktop may ask its user to unlock the store; after this long nobody is there to answer."""

_KEY_FILE_BYTES_MAX: Final = 4096
_REFUSED: Final = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt", "keyrings.cryptfile")
"""Backends that keep nothing, keep it in clear, or ask on standard input, where a terminal UI is running."""

Source = Literal["argument", "environment", "file", "key store"]


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key and where it was found; ``repr`` does not show it."""

    key: SecretStr
    source: Source


class StoreUnavailable(Exception):
    """The system's key store cannot be used; the text says why. ``backend`` names it, where there is one."""

    def __init__(self, reason: str, backend: str | None = None) -> None:
        super().__init__(reason)
        self.backend = backend


def find_key(profile: Profile, given: SecretStr | str | None = None, *, seconds: float = STORE_SECONDS) -> FoundKey:
    """The key for a hosted profile and where it was found. Blocks, at most ``seconds`` on the key store.

    Raises ``KeyNotFound`` with the ways out.
    """
    if given is not None:
        return FoundKey(given if isinstance(given, SecretStr) else SecretStr(given), "argument")
    if text := os.environ.get(KEY_VARIABLE, "").strip():
        return FoundKey(SecretStr(text), "environment")
    if path := os.environ.get(KEY_FILE_VARIABLE, "").strip():
        return FoundKey(_from_file(Path(path).expanduser(), profile), "file")
    try:
        stored = stored_key(profile, seconds=seconds)
    except StoreUnavailable as trouble:
        raise KeyNotFound(f"{_no_key(profile)} {trouble} {WAYS_OUT}", profile=profile.name) from None
    if stored is None:
        raise KeyNotFound(
            f"{_no_key(profile)} Store one with 'workbench login --profile {profile.name}', "
            f"or set {KEY_VARIABLE} for this session.",
            profile=profile.name,
        )
    return FoundKey(stored, "key store")


def key_ahead_of_store() -> str | None:
    """Name of the environment variable whose key goes before a stored one, where there is one."""
    return next((name for name in (KEY_VARIABLE, KEY_FILE_VARIABLE) if os.environ.get(name, "").strip()), None)


def stored_key(profile: Profile, *, seconds: float = STORE_SECONDS) -> SecretStr | None:
    """The key that the system's key store holds for a hosted profile, if any. Blocks, at most ``seconds`` a step.

    Raises :class:`StoreUnavailable` where the store is none we trust, is locked, or does not answer.
    """
    service = service_name(profile)
    stored = _use(_within(seconds, accepted_backend), lambda backend: backend.get_password(service, profile.name), seconds)
    return SecretStr(stored) if stored else None


def fingerprint(key: SecretStr) -> str:
    """Eight hexadecimal digits that tell two keys apart and give neither away."""
    return hashlib.sha256(key.get_secret_value().encode()).hexdigest()[:8]


def store_key(profile: Profile, key: SecretStr, *, seconds: float = STORE_SECONDS) -> str:
    """Keep a key in the system's key store, read it back, and give the store's name. Blocks, at most ``seconds`` a step.

    Raises ``KeyNotStored`` where the store is none we trust, refuses, or did not keep it.
    """
    service = service_name(profile)
    try:
        backend = _within(seconds, accepted_backend)
        name = backend_name(backend)
        _use(backend, lambda store: cast("Any", store).set_password(service, profile.name, key.get_secret_value()), seconds)
        kept = _use(backend, lambda store: store.get_password(service, profile.name), seconds)
    except StoreUnavailable as trouble:
        raise KeyNotStored(f"The key was not stored. {trouble} {WAYS_OUT}", backend=trouble.backend) from None
    if kept != key.get_secret_value():
        raise KeyNotStored(f"The key was not stored: {name} took it and did not give it back. {WAYS_OUT}", backend=name)
    return name


def remove_key(profile: Profile, *, seconds: float = STORE_SECONDS) -> bool:
    """Remove a profile's key from the system's key store; ``False`` where there was none.

    Raises ``KeyNotStored`` where the store cannot be used or kept it.
    """
    service = service_name(profile)
    try:
        backend = _within(seconds, accepted_backend)
        if not _use(backend, lambda store: store.get_password(service, profile.name), seconds):
            return False
        _use(backend, lambda store: store.delete_password(service, profile.name), seconds)
        left = _use(backend, lambda store: store.get_password(service, profile.name), seconds)
    except StoreUnavailable as trouble:
        raise KeyNotStored(f"The key was not removed. {trouble}", backend=trouble.backend) from None
    if left:
        raise KeyNotStored(f"The key was not removed: {backend_name(backend)} still gives it.", backend=backend_name(backend))
    return True


def service_name(profile: Profile) -> str:
    """Name under which the key store files a profile's key: ours, and the host it is for."""
    if profile.base_url is None:
        raise KeyNotFound(f"Profile {profile.name!r} is an embedded service, which needs no key.", profile=profile.name)
    try:
        return f"workbench:{str(origin_of(profile.base_url.strip())).partition('://')[2]}"
    except UnusableAddress as trouble:
        raise KeyNotFound(f"The base URL of profile {profile.name!r} cannot be used. {trouble}", profile=profile.name) from None


def accepted_backend() -> KeyringBackend:
    """The system's key store, if it is one that keeps secrets secret. Raises :class:`StoreUnavailable` where it is not.

    A chain of backends is not used as such, since it writes to whichever works: the best trusted one in it is.
    """
    try:
        import keyring

        found = keyring.get_keyring()
    except Exception as trouble:  # noqa: BLE001 - a misspelt or broken backend raises whatever its import raises
        raise StoreUnavailable(f"The key store could not be loaded ({type(trouble).__name__}).") from None
    chain = cast("list[KeyringBackend]", getattr(found, "backends", None) or [found])
    trusted = next((backend for backend in chain if _trusted(backend)), None)
    if trusted is None:
        name = backend_name(found)
        raise StoreUnavailable(f"No secure key store is available (backend: {name}).", name)
    return trusted


@dataclass(frozen=True, slots=True)
class Backend:
    """A key store that Python's keyring offers. ``trusted`` says whether it keeps secrets secret; ``priority`` is its own."""

    name: str
    priority: float | None
    trusted: bool


@dataclass(frozen=True, slots=True)
class StoreState:
    """What :func:`store_state` found: ``used`` is the store that keys go to, or ``None`` with the ``reason``."""

    used: Backend | None
    reason: str | None
    offered: tuple[Backend, ...]
    seconds: float


def store_state(*, seconds: float = STORE_SECONDS) -> StoreState:
    """The key store in use, and those on offer, the most eager first. Asks for no key. Blocks, at most ``seconds`` a step."""
    began = time.monotonic()
    used, reason = None, None
    try:
        used = _described(_within(seconds, accepted_backend))
    except StoreUnavailable as trouble:
        reason = str(trouble)
    try:
        offered = _within(seconds, _offered)
    except StoreUnavailable:
        offered = ()
    return StoreState(used, reason, offered, time.monotonic() - began)


def _offered() -> tuple[Backend, ...]:
    try:
        from keyring.backend import get_all_keyring

        found = [_described(backend) for backend in get_all_keyring()]
    except Exception as trouble:  # noqa: BLE001 - a broken plug-in raises whatever its import raises
        raise StoreUnavailable(f"The key stores could not be listed ({type(trouble).__name__}).") from None
    return tuple(sorted(found, key=lambda backend: (-(backend.priority or 0.0), backend.name)))


def _described(backend: KeyringBackend) -> Backend:
    return Backend(backend_name(backend), _priority(backend), _trusted(backend))


def _trusted(backend: KeyringBackend) -> bool:
    home = type(backend).__module__
    priority = _priority(backend)
    refused = any(home == module or home.startswith(f"{module}.") for module in _REFUSED)
    return priority is not None and priority >= 1 and not refused


def _priority(backend: KeyringBackend) -> float | None:
    try:
        return float(cast("Any", backend).priority)
    except Exception:  # noqa: BLE001 - a backend that cannot say its priority raises RuntimeError and others: it is not viable
        return None


def backend_name(backend: KeyringBackend) -> str:
    """A backend's name for people."""
    kind = type(backend)
    return f"{kind.__module__}.{kind.__qualname__}"


def _use(backend: KeyringBackend, step: Callable[[KeyringBackend], T], seconds: float) -> T:
    try:
        return _within(seconds, lambda: step(backend))
    except StoreUnavailable as trouble:
        raise StoreUnavailable(str(trouble), backend_name(backend)) from None
    except Exception as trouble:  # noqa: BLE001 - backends raise KeyringError, RuntimeError, ImportError and their libraries' own
        # The text of the exception is not repeated: some backends put the value into it.
        reason = f"{backend_name(backend)} refused ({type(trouble).__name__}); it may be locked."
    raise StoreUnavailable(reason, backend_name(backend))


def _within(seconds: float, step: Callable[[], T]) -> T:
    """What ``step`` gives or raises, run in a thread of its own; :class:`StoreUnavailable` when it takes too long.

    The thread is left behind then, and does not keep the program from ending: key stores wait for a prompt without end.
    """
    result: list[T] = []
    trouble: list[BaseException] = []

    def run() -> None:
        try:
            result.append(step())
        except BaseException as raised:  # noqa: BLE001 - raised again in the caller's thread
            trouble.append(raised)

    thread = threading.Thread(target=run, name="workbench-key-store", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise StoreUnavailable(f"The key store did not answer within {seconds:.0f} seconds; it may be waiting to be unlocked.")
    if trouble:
        raise trouble[0].with_traceback(None)
    return result[0]


def _from_file(path: Path, profile: Profile) -> SecretStr:
    def refuse(reason: str) -> KeyNotFound:
        return KeyNotFound(f"{_no_key(profile)} {KEY_FILE_VARIABLE} names {path}, which {reason}.", profile=profile.name)

    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            content = file.read(_KEY_FILE_BYTES_MAX + 1) if stat.S_ISREG(status.st_mode) else b""
    except OSError as trouble:
        raise refuse(f"cannot be read ({trouble.strerror or type(trouble).__name__})") from None
    if not stat.S_ISREG(status.st_mode):
        raise refuse("is no ordinary file")
    if os.name == "posix" and status.st_mode & 0o077:
        raise refuse(f"others may read (mode {stat.S_IMODE(status.st_mode):04o}); run: chmod 600 {path}")
    if len(content) > _KEY_FILE_BYTES_MAX or not content.strip():
        raise refuse("holds no key" if not content.strip() else "is too long to be a key")
    try:
        return SecretStr(content.decode("ascii").strip())
    except UnicodeDecodeError:
        raise refuse("is no plain text") from None


def _no_key(profile: Profile) -> str:
    return f"No API key for profile {profile.name!r} was found."


WAYS_OUT: Final = (
    f"Set {KEY_VARIABLE} for this session, name a file that only you can read in {KEY_FILE_VARIABLE}, "
    "or start the system's key store (on Linux a Secret Service, such as gnome-keyring)."
)
