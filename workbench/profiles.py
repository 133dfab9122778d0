"""Named services: where they are, never how to get in. The file holds no secret; keys live in :mod:`workbench.keys`."""

from __future__ import annotations

import os
import re
import secrets
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal, cast

from workbench.client.errors import ProfileError

PROFILE_VARIABLE: Final = "WORKBENCH_PROFILE"
BASE_URL_VARIABLE: Final = "WORKBENCH_BASE_URL"
MCP_URL_VARIABLE: Final = "WORKBENCH_MCP_URL"
DATA_VARIABLE: Final = "WORKBENCH_DATA"
CONFIG_VARIABLE: Final = "WORKBENCH_CONFIG"

LOCAL: Final = "local"
SAMPLE: Final = "sample"
ENVIRONMENT: Final = "environment"
"""Name of the profile that ``WORKBENCH_BASE_URL`` makes."""

GIVEN: Final = "given"
"""Name of the profile of a base URL that was passed as an argument."""

_RESERVED: Final = frozenset({LOCAL, SAMPLE, ENVIRONMENT, GIVEN})
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_SECRETS: Final = frozenset({"api_key", "apikey", "api-key", "key", "token", "password", "secret"})


@dataclass(frozen=True, slots=True)
class Profile:
    """A service by name: ``hosted`` has a ``base_url``, ``embedded`` a ``data`` folder. ``str()`` gives the name.

    ``sample`` says that the embedded service fills itself with the sample workspace when it is empty. ``mcp_url`` is the
    address of the tool server, where there is one.
    """

    name: str
    kind: Literal["hosted", "embedded"]
    base_url: str | None = None
    mcp_url: str | None = None
    data: Path | None = None
    sample: bool = False

    def __str__(self) -> str:
        return self.name


def data_folder() -> Path:
    """Parent of the embedded services' folders: ``WORKBENCH_DATA``, or the system's place for a user's data."""
    return _folder(DATA_VARIABLE, "user_data_dir")


def config_folder() -> Path:
    """Folder of the profiles file and settings: ``WORKBENCH_CONFIG``, or the system's place for a user's configuration."""
    return _folder(CONFIG_VARIABLE, "user_config_dir")


def cache_folder() -> Path:
    """Folder of what may be deleted at any time: the system's place for a user's caches, or beside ``WORKBENCH_DATA``."""
    if given := os.environ.get(DATA_VARIABLE):
        return Path(given).expanduser() / "cache"
    return _folder("", "user_cache_dir")


def _folder(variable: str, place: str) -> Path:
    if given := os.environ.get(variable):
        return Path(given).expanduser()
    import platformdirs

    return Path(getattr(platformdirs, place)("workbench", appauthor=False))


def builtin(name: str) -> Profile | None:
    """The profiles that are always there and need no file: ``local`` and ``sample``."""
    if name in {LOCAL, SAMPLE}:
        return Profile(name, "embedded", data=data_folder() / name, sample=name == SAMPLE)
    return None


def from_environment() -> Profile | None:
    """The profile that ``WORKBENCH_BASE_URL`` (and ``WORKBENCH_MCP_URL``) make; ``None`` where it is not set."""
    if base_url := os.environ.get(BASE_URL_VARIABLE, "").strip():
        return Profile(ENVIRONMENT, "hosted", base_url=base_url, mcp_url=os.environ.get(MCP_URL_VARIABLE, "").strip() or None)
    return None


@dataclass
class Profiles:
    """All profiles of this user. Changes are kept by :meth:`save`. Get one with :func:`load_profiles`."""

    path: Path
    chosen: str | None = None
    _stored: dict[str, Profile] = field(default_factory=dict[str, Profile])
    _document: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, built-in ones first."""
        environment = (ENVIRONMENT,) if from_environment() else ()
        return (LOCAL, SAMPLE, *environment, *sorted(self._stored))

    @property
    def current(self) -> Profile:
        """The profile to use when none is named: ``WORKBENCH_PROFILE``, the environment's, the chosen one, ``local``."""
        if named := os.environ.get(PROFILE_VARIABLE, "").strip():
            return self.get(named)
        return from_environment() or self.get(self.chosen or LOCAL)

    def get(self, name: str) -> Profile:
        """The profile of this name. Raises ``ProfileError``, naming those there are."""
        profile = builtin(name) or self._stored.get(name) or (from_environment() if name == ENVIRONMENT else None)
        if profile is None:
            close = get_close_matches(name, self.names, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ProfileError(
                f"There is no profile {name!r}.{hint} There are: {', '.join(self.names)}. 'workbench login' makes one."
            )
        return profile

    def at(self, base_url: str) -> Profile | None:
        """The stored hosted profile of this address, whichever way the address is written; ``None`` where there is none."""
        wanted = _normal(base_url)
        return next((one for one in self._stored.values() if one.base_url and _normal(one.base_url) == wanted), None)

    def put(self, profile: Profile) -> None:
        """Add a profile, or replace the one of its name. Raises ``ProfileError`` for a name or address that cannot be used."""
        if profile.name in _RESERVED or not _NAME.fullmatch(profile.name):
            raise ProfileError(
                f"{profile.name!r} cannot name a profile: use letters, digits, '-', '_' and '.', at most 40, "
                f"and none of {', '.join(sorted(_RESERVED))}."
            )
        if profile.kind == "hosted":
            _check_address(profile)
        elif profile.data is None:
            raise ProfileError(f"The embedded profile {profile.name!r} needs a data folder.")
        self._stored[profile.name] = profile

    def remove(self, name: str) -> None:
        """Forget a profile; its key stays where it is. Raises ``ProfileError`` where there is none, or it is built in."""
        if name not in self._stored:
            raise ProfileError(f"There is no stored profile {name!r}; stored are: {', '.join(sorted(self._stored)) or 'none'}.")
        del self._stored[name]
        if self.chosen == name:
            self.chosen = None

    def choose(self, name: str) -> Profile:
        """Make a profile the current one, and give it. Raises ``ProfileError`` where there is none."""
        profile = self.get(name)
        self.chosen = None if name == ENVIRONMENT else name
        return profile

    def save(self) -> None:
        """Write the file, whole or not at all. Raises ``ProfileError`` where the disk refuses."""
        import tomli_w

        document = {key: value for key, value in self._document.items() if key not in {"current", "profiles"}}
        if self.chosen:
            document["current"] = self.chosen
        document["profiles"] = {name: _table(profile) for name, profile in sorted(self._stored.items())}
        try:
            _write(self.path, tomli_w.dumps(document).encode())
        except OSError as trouble:
            reason = trouble.strerror or type(trouble).__name__
        else:
            self._document = document
            return
        raise ProfileError(
            f"Could not write the profiles file {self.path}: {reason}. Check the folder, or set {CONFIG_VARIABLE}."
        )


def load_profiles() -> Profiles:
    """The profiles of the file in :func:`config_folder` and the built-in ones; a missing file is an empty one.

    Raises ``ProfileError`` where the file cannot be read, is no TOML, or holds a secret.
    """
    path = config_folder() / "profiles.toml"
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Profiles(path)
    except (OSError, UnicodeDecodeError) as trouble:
        reason = getattr(trouble, "strerror", None) or "it is no text"
        raise ProfileError(f"Could not read the profiles file {path}: {reason}. Correct it or move it away.") from None
    except tomllib.TOMLDecodeError as trouble:
        raise ProfileError(f"The profiles file {path} is not valid TOML: {trouble}. Correct it or move it away.") from None
    chosen = document.get("current")
    profiles = Profiles(path, chosen if isinstance(chosen, str) else None, {}, document)
    tables = document.get("profiles", {})
    if not isinstance(tables, Mapping):
        raise ProfileError(f"In {path}, 'profiles' is no table. Correct it or move the file away.")
    for name, table in cast("Mapping[str, Any]", tables).items():
        try:
            profiles.put(_profile(name, table))
        except ProfileError as trouble:
            raise ProfileError(f"In {path}: {trouble}") from None
    return profiles


def _profile(name: str, table: object) -> Profile:
    if not isinstance(table, Mapping):
        raise ProfileError(f"Profile {name!r} is no table.")
    fields = cast("Mapping[str, Any]", table)
    if secret := next((key for key in fields if key.lower() in _SECRETS), None):
        raise ProfileError(
            f"Profile {name!r} holds {secret!r}. Keys are not kept in this file: delete the line, have the key re-generated "
            "if others could read it, and store it with 'workbench login'."
        )
    texts = {key: fields[key] for key in ("base_url", "mcp_url", "data") if isinstance(fields.get(key), str)}
    kind: Literal["hosted", "embedded"] = "embedded" if fields.get("kind") == "embedded" else "hosted"
    return Profile(
        name,
        kind,
        base_url=texts.get("base_url"),
        mcp_url=texts.get("mcp_url"),
        data=Path(texts["data"]).expanduser() if "data" in texts else None,
        sample=fields.get("sample") is True,
    )


def _table(profile: Profile) -> dict[str, Any]:
    table: dict[str, Any] = {"kind": profile.kind}
    for name in ("base_url", "mcp_url", "data"):
        if (value := getattr(profile, name)) is not None:
            table[name] = str(value)
    if profile.sample:
        table["sample"] = True
    return table


def name_for(base_url: str) -> str:
    """A profile name for an address: its host, and its port where that is not the usual one.

    Raises ``ProfileError`` where the address cannot be used, or its host makes no name.
    """
    from workbench.client.policy.addresses import UnusableAddress, origin_of

    try:
        name = str(origin_of(base_url)).partition("://")[2].replace(":", "-")
    except UnusableAddress as trouble:
        raise ProfileError(f"The base URL cannot be used. {trouble}") from None
    if not _NAME.fullmatch(name):
        raise ProfileError(f"The host {name!r} cannot name a profile; choose a name with --profile NAME.")
    return name


def _normal(url: str) -> str:
    from workbench.client.policy.addresses import UnusableAddress, base_address

    try:
        return str(base_address(url, with_key=False))
    except UnusableAddress:
        return url


def _check_address(profile: Profile) -> None:
    from workbench.client.policy.addresses import UnusableAddress, base_address

    for what, url in (("base URL", profile.base_url), ("tool server's URL", profile.mcp_url)):
        if url is None:
            if what == "base URL":
                raise ProfileError(f"The hosted profile {profile.name!r} needs a base URL.")
            continue
        try:
            base_address(url, with_key=True)
        except UnusableAddress as trouble:
            raise ProfileError(f"The {what} of profile {profile.name!r} cannot be used. {trouble}") from None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
