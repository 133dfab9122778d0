"""Choosing a workspace: whether it is the first time, which there are, and keeping a hosted service. Called in threads."""

from __future__ import annotations

import glob
import os
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

from workbench.tui.trouble import Kind, Trouble


def is_first_run() -> bool:
    """Whether no profile was ever chosen, none is given by the environment, and the local data is empty."""
    from workbench import local
    from workbench.client.errors import WorkbenchError
    from workbench.profiles import BASE_URL_VARIABLE, PROFILE_VARIABLE, load_profiles

    if any(os.environ.get(name, "").strip() for name in (PROFILE_VARIABLE, BASE_URL_VARIABLE)):
        return False
    try:
        return load_profiles().chosen is None and local.is_empty()
    except WorkbenchError:
        return False  # opening the workspace will say what is wrong, with its remedy


def known_profiles() -> tuple[tuple[str, str], ...]:
    """The profiles beyond the sample, each with where it is: address or folder; none where the file cannot be read."""
    from workbench.client.errors import WorkbenchError
    from workbench.profiles import SAMPLE, load_profiles

    try:
        profiles = load_profiles()
        found = [profiles.get(name) for name in profiles.names if name != SAMPLE]
    except WorkbenchError:
        return ()
    return tuple((profile.name, profile.base_url or str(profile.data or "")) for profile in found)


def check_address(text: str) -> str:
    """The base URL as it is used. Raises :class:`Trouble` with what is wrong with it."""
    address = text.strip()
    parts = urlsplit(address if "://" in address else f"https://{address}")
    if not parts.hostname or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise Trouble("That is no address of a service: write it like https://api.example.org.", Kind.INVALID, "")
    if parts.username or parts.password:
        raise Trouble("The address carries a password: leave it out, the key goes into its own field.", Kind.INVALID, "")
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise Trouble("A key is only sent over https, or to this machine: write the address with https://.", Kind.INVALID, "")
    return parts.geturl().rstrip("/")


def keep_hosted(base_url: str, key: str) -> str:
    """Keep a hosted service as a profile named after its host, its key in the system's key store; gives the name.

    Raises :class:`Trouble` where the key store or the disk refuses; the key is then kept nowhere.
    """
    from pydantic import SecretStr

    from workbench.client.errors import WorkbenchError
    from workbench.keys import store_key
    from workbench.profiles import Profile, load_profiles

    host = urlsplit(base_url).hostname or "service"
    name = re.sub(r"[^A-Za-z0-9_.-]", "-", host)[:40]
    try:
        profiles = load_profiles()
        profile = Profile(name, "hosted", base_url=base_url)
        profiles.put(profile)
        store_key(profile, SecretStr(key))
        profiles.choose(name)
        profiles.save()
    except WorkbenchError as error:
        raise Trouble(str(error), Kind.LOCAL, "") from None
    return name


def paths_of(text: str) -> list[Path]:
    """The files and folders that a person typed: several parted by spaces, quotes around spaces, ``~`` and ``*`` understood."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    if words and Path(text.strip()).expanduser().exists():
        words = [text.strip()]
    found: list[Path] = []
    for word in words:
        expanded = str(Path(word).expanduser())
        matches = sorted(glob.glob(expanded)) if glob.has_magic(expanded) else []  # noqa: PTH207 - the pattern may be absolute
        found += [Path(match) for match in matches] or [Path(expanded)]
    return found


def complete_path(text: str) -> str | None:
    """The text with its last path completed as far as there is one way to go on; ``None`` where there is none."""
    head, space, last = text.rpartition(" ")
    path = Path(last).expanduser()
    folder, start = (path, "") if last.endswith("/") else (path.parent, path.name)
    try:
        names = sorted(
            entry.name + ("/" if entry.is_dir() else "") for entry in os.scandir(folder) if entry.name.startswith(start)
        )
    except OSError:
        return None
    names = [name for name in names if not name.startswith(".") or start.startswith(".")]
    common = names[0] if names else ""
    while not all(name.startswith(common) for name in names):
        common = common[:-1]
    return f"{head}{space}{last}{common[len(start) :]}" if len(common) > len(start) else None
