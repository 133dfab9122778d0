"""What ``workbench doctor`` looks at, one function a thing; each gives a state and a sentence, and none raises.

Nothing here asks for the value of a key but to send it to the service that it is for, and nothing prints one.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from pydantic import SecretStr

    from workbench.profiles import Profile

State = Literal["ok", "warning", "failed", "off"]

STORE_SECONDS: Final = 10.0
"""A diagnosis waits less long for a key store that asks to be unlocked than a login does."""

SKEW_SECONDS: Final = 60.0
"""A clock further off than this misreads deadlines and expiry times by a minute that can be seen."""

LIBRARIES: Final = ("httpx2", "keyring", "pydantic", "rich", "textual", "typer")


@dataclass(frozen=True)
class Check:
    """One finding: ``detail`` is the sentence for people, ``facts`` the figures for programs, spelt as the interface spells."""

    name: str
    state: State
    detail: str
    facts: dict[str, Any] = field(default_factory=dict[str, Any])

    def as_record(self) -> dict[str, Any]:
        """The finding for ``--json``."""
        return {"name": self.name, "state": self.state, "detail": self.detail, **self.facts}


def examine(profile: str | None) -> list[Check]:
    """Every check for the named profile, or for the current one."""
    found, check = _profile(profile)
    checks = [_versions(), check, *_folders(), *_stores(found)]
    if found is None:
        return [*checks, _terminal()]
    if found.kind == "embedded":
        return [*checks, _embedded(found), _terminal()]
    key, key_check = _key(found)
    service = list(_service(found))
    answered = service[0].state != "failed"
    return [*checks, key_check, *service, _tool_server(found), _limits(found, key, answered=answered), _terminal()]


def _versions() -> Check:
    versions = {name: metadata.version(name) for name in ("tender-workbench", *LIBRARIES)}
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    versions |= {"python": platform.python_version(), "system": system}
    own = versions["tender-workbench"]
    others = ", ".join(f"{name} {versions[name]}" for name in LIBRARIES)
    return Check("versions", "ok", f"workbench {own}, Python {versions['python']}, {others}; {system}.", {"versions": versions})


def _profile(name: str | None) -> tuple[Profile | None, Check]:
    from workbench.client.errors import ProfileError
    from workbench.profiles import load_profiles

    try:
        known = load_profiles()
        found = known.get(name) if name else known.current
    except ProfileError as trouble:
        return None, Check("profile", "failed", str(trouble))
    facts = {"profile": found.name, "kind": found.kind, "baseUrl": found.base_url, "mcpUrl": found.mcp_url}
    where = found.base_url or f"embedded, in {found.data}"
    return found, Check("profile", "ok", f"{found.name} ({where}).", facts)


def _folders() -> Iterator[Check]:
    from workbench.profiles import cache_folder, config_folder, data_folder

    for name, folder in (("config", config_folder()), ("data", data_folder()), ("cache", cache_folder())):
        yield _folder(f"{name} folder", folder)


def _folder(name: str, folder: Path) -> Check:
    try:
        status = folder.stat()
    except FileNotFoundError:
        return _absent(name, folder)
    except OSError as trouble:
        return Check(name, "failed", f"{folder} cannot be read: {trouble.strerror}.", {"path": str(folder)})
    mode = stat.S_IMODE(status.st_mode)
    facts = {"path": str(folder), "exists": True, "mode": f"{mode:04o}", "writable": os.access(folder, os.W_OK)}
    if not stat.S_ISDIR(status.st_mode):
        return Check(name, "failed", f"{folder} is a file and no folder; move it away.", facts)
    if not facts["writable"]:
        return Check(name, "failed", f"{folder} (mode {mode:04o}) cannot be written to; correct its permissions.", facts)
    if os.name == "posix" and mode & 0o022:
        return Check(name, "warning", f"Others may write to {folder} (mode {mode:04o}); run: chmod go-w {folder}", facts)
    return Check(name, "ok", f"{folder} (mode {mode:04o}).", facts)


def _absent(name: str, folder: Path) -> Check:
    parent = next((one for one in folder.parents if one.exists()), folder.parent)
    facts = {"path": str(folder), "exists": False, "mode": None, "writable": os.access(parent, os.W_OK)}
    if facts["writable"]:
        return Check(name, "ok", f"{folder} is made when it is needed.", facts)
    return Check(name, "failed", f"{folder} does not exist, and cannot be made in {parent}.", facts)


def _stores(profile: Profile | None) -> Iterator[Check]:
    from workbench.keys import store_state

    needed = profile is not None and profile.kind == "hosted"
    found = store_state(seconds=STORE_SECONDS)
    asked = os.environ.get("PYTHON_KEYRING_BACKEND", "")
    facts = {
        "used": found.used.name if found.used else None,
        "priority": found.used.priority if found.used else None,
        "reason": found.reason,
        "offered": [{"backend": one.name, "priority": one.priority, "trusted": one.trusted} for one in found.offered],
        "seconds": round(found.seconds, 3),
        "pythonKeyringBackend": asked or None,
    }
    offered = ", ".join(
        f"{one.name} ({one.priority:g}{'' if one.trusted else ', not trusted'})"
        for one in found.offered
        if one.priority is not None
    )
    forced = f" PYTHON_KEYRING_BACKEND asks for {asked}." if asked else ""
    tail = f" On offer: {offered or 'none'}.{forced} Found in {found.seconds * 1000:.0f} ms."
    if found.used:
        yield Check("key store", "ok", f"{found.used.name}, priority {found.used.priority:g}.{tail}", facts)
    else:
        yield Check("key store", "warning" if needed else "off", f"{found.reason}{tail}", facts)
    if sys.platform == "linux":
        yield _bus(needed=needed and found.used is None)


def _bus(*, needed: bool) -> Check:
    # The address itself is not shown: it names a socket that whoever can reach it may talk to.
    known = bool(os.environ.get("DBUS_SESSION_BUS_ADDRESS"))
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    socket = bool(runtime and (Path(runtime) / "bus").exists())
    facts = {"dbusSessionBusAddress": known, "userBus": socket}
    if known or socket:
        return Check("D-Bus session", "ok", "There is one, over which a Secret Service can be reached.", facts)
    text = "There is none (DBUS_SESSION_BUS_ADDRESS is not set), so no Secret Service can be reached."
    return Check("D-Bus session", "warning" if needed else "off", text, facts)


def _embedded(profile: Profile) -> Check:
    from workbench.local import DATABASE_FILE

    file = (profile.data or Path()) / DATABASE_FILE
    facts = {"path": str(file), "exists": file.exists()}
    if not facts["exists"]:
        return Check("service", "ok", f"Embedded and still empty; {file} is made when it is needed. It needs no key.", facts)
    mode = stat.S_IMODE(file.stat().st_mode)
    facts["mode"] = f"{mode:04o}"
    if not os.access(file, os.R_OK | os.W_OK):
        return Check("service", "failed", f"{file} (mode {mode:04o}) cannot be written to; correct its permissions.", facts)
    if os.name == "posix" and mode & 0o077:
        return Check("service", "warning", f"Others may read {file} (mode {mode:04o}); run: chmod go= {file}", facts)
    return Check("service", "ok", f"Embedded, in {file}. It needs no key.", facts)


def _key(profile: Profile) -> tuple[SecretStr | None, Check]:
    from workbench.client.errors import KeyNotFound
    from workbench.keys import find_key, key_ahead_of_store

    try:
        found = find_key(profile, seconds=STORE_SECONDS)
    except KeyNotFound as trouble:
        return None, Check("key", "failed", str(trouble), {"source": None})
    where = key_ahead_of_store() or "the key store"
    return found.key, Check("key", "ok", f"There is one, from {where}.", {"source": found.source})


def _service(profile: Profile) -> Iterator[Check]:
    from workbench.client.errors import ConnectionFailed
    from workbench.client.reachability import reach

    base = str(profile.base_url).rstrip("/").removesuffix("/v1")
    facts: dict[str, Any] = {"url": base, "proxy": _proxies()}
    try:
        reached = reach(f"{base}/v1/whoami")
    except ConnectionFailed as trouble:
        yield Check("service", "failed", f"{trouble} Check the base URL, the network and that the service runs.", facts)
        return
    took = f"{reached.seconds * 1000:.0f} ms"
    facts |= {"status": reached.status, "seconds": round(reached.seconds, 3)}
    if reached.redirect:
        yield Check(
            "service", "failed", f"{base} answers in {took}, but redirects (HTTP {reached.status}). Check the base URL.", facts
        )
    elif reached.status in {200, 401, 403}:
        yield Check("service", "ok", f"{base} answers in {took}.", facts)
    else:
        text = f"{base} answers in {took} with HTTP {reached.status}, where the interface has 401. Check the base URL."
        yield Check("service", "failed" if reached.status == 404 else "warning", text, facts)
    yield _clock(reached.clock_ahead)


def _proxies() -> list[str]:
    """For which schemes the environment names a proxy; not the address, which may hold a password."""
    from urllib.request import getproxies

    return sorted(name for name in getproxies() if name != "no")


def _clock(ahead: float | None) -> Check:
    if ahead is None:
        return Check("clock", "off", "The service states no date to compare with.", {"aheadSeconds": None})
    facts = {"aheadSeconds": round(ahead, 1)}
    if abs(ahead) <= SKEW_SECONDS:
        return Check("clock", "ok", f"Within {max(abs(ahead), 1):.0f} s of the service's.", facts)
    way = "ahead of" if ahead > 0 else "behind"
    text = f"This machine's clock is {abs(ahead):.0f} s {way} the service's: deadlines and expiry times are misjudged. Set it."
    return Check("clock", "warning", text, facts)


def _tool_server(profile: Profile) -> Check:
    from workbench.client.errors import ConnectionFailed
    from workbench.client.reachability import reach

    if profile.mcp_url is None:
        return Check("tool server", "off", "The profile names none (`workbench login --mcp-url URL`).", {"url": None})
    facts: dict[str, Any] = {"url": profile.mcp_url}
    try:
        reached = reach(profile.mcp_url)
    except ConnectionFailed as trouble:
        return Check("tool server", "failed", f"{trouble} Check the tool server's URL.", facts)
    facts |= {"status": reached.status, "seconds": round(reached.seconds, 3)}
    took = f"{profile.mcp_url} answers in {reached.seconds * 1000:.0f} ms"
    if reached.status == 404 or reached.redirect:
        return Check("tool server", "failed", f"{took} with HTTP {reached.status}. Check the tool server's URL.", facts)
    return Check("tool server", "ok", f"{took}.", facts)


def _limits(profile: Profile, key: SecretStr | None, *, answered: bool) -> Check:
    from workbench.cli.moments import local_minute
    from workbench.client import Client
    from workbench.client.errors import WorkbenchError

    if key is None or not answered:
        return Check(
            "key at the service", "off", "There is no key to ask with." if key is None else "The service was not reached."
        )
    try:
        with Client(str(profile.base_url), key, profile=profile) as client:
            info = client.api_key()
    except WorkbenchError as trouble:
        return Check("key at the service", "failed", str(trouble))
    limit = info.rate_limit.limit if info.rate_limit else None
    window = info.rate_limit.window_seconds if info.rate_limit else None
    facts = {
        "limit": limit,
        "windowSeconds": window,
        "expiresAt": info.to_wire().get("expiresAt"),
        "isActive": info.is_active,
        "isMcpEnabled": info.is_mcp_enabled,
    }
    rate = f"{limit} requests in {window or 60:g} s" if limit is not None else "limit not stated"
    expiry = f"expires {local_minute(info.expires_at)}" if info.expires_at else "no expiry stated"
    tools = {True: "tools on", False: "tools off", None: "tools not stated"}[info.is_mcp_enabled]
    state: State = "warning" if info.is_active is False else "ok"
    active = "" if info.is_active is not False else " The service calls it inactive."
    return Check("key at the service", state, f"Accepted: {rate}, {expiry}, {tools}.{active}", facts)


def _terminal() -> Check:
    from workbench.cli.output import console

    screen = console()
    size = shutil.get_terminal_size()
    facts = {
        "input": sys.stdin.isatty(),
        "output": sys.stdout.isatty(),
        "term": os.environ.get("TERM"),
        "columns": size.columns,
        "rows": size.lines,
        "colours": screen.color_system,
        "noColor": "NO_COLOR" in os.environ,
        "encoding": sys.stdout.encoding,
    }
    if not (facts["input"] and facts["output"]):
        return Check("terminal", "off", "This is none (a pipe or a file), so the terminal UI cannot open here.", facts)
    shown = f"{facts['term'] or 'TERM is not set'}, {size.columns} x {size.lines}, {screen.color_system or 'no'} colours"
    troubles = [words for words, wrong in _terminal_troubles(size, facts) if wrong()]
    if troubles:
        return Check("terminal", "warning", f"{shown}, {facts['encoding']}. {' '.join(troubles)}", facts)
    return Check("terminal", "ok", f"{shown}, {facts['encoding']}.", facts)


def _terminal_troubles(size: os.terminal_size, facts: dict[str, Any]) -> tuple[tuple[str, Callable[[], bool]], ...]:
    return (
        ("Below 80 columns and 24 rows the terminal UI is cramped.", lambda: size.columns < 80 or size.lines < 24),
        ("It shows no UTF-8, so letters will be missing.", lambda: "utf" not in str(facts["encoding"]).lower()),
        ("TERM says that it can do nothing.", lambda: facts["term"] in {None, "", "dumb"}),
    )
