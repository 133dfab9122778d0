"""Where a request may go, and where the key may go with it (design: the key never leaves its origin)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

REDIRECTS_MAX: Final = 5
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_SPACE_OR_CONTROL: Final = re.compile(r"[\x00-\x20\x7f]")


class UnusableAddress(ValueError):
    """An address that a request must not go to; the text is a sentence that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port: what the key is bound to."""

    scheme: str
    host: str
    port: int

    @property
    def loopback(self) -> bool:
        """Whether the host is this machine."""
        if self.host == "localhost":
            return True
        import ipaddress

        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if _DEFAULT_PORTS[self.scheme] == self.port else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


@dataclass(frozen=True, slots=True)
class BaseAddress:
    """The base URL of a service: its origin and the path in front of ``/v1``, without a slash at the end."""

    origin: Origin
    prefix: str = ""

    def __str__(self) -> str:
        return f"{self.origin}{self.prefix}"


def origin_of(url: str) -> Origin:
    """The origin of an absolute http or https address. Raises :class:`UnusableAddress` for anything else, or with user info."""
    return _origin(_split(url))


def base_address(url: str, *, with_key: bool) -> BaseAddress:
    """A base URL as a person writes it, normalised; a pasted ``/v1`` at its end is dropped.

    Raises :class:`UnusableAddress` where it is no plain http or https address, and where a key would travel over plain http
    to another machine.
    """
    parts = _split(url.strip())
    origin = _origin(parts)
    if parts.query or parts.fragment:
        raise UnusableAddress("A base URL has no '?' and no '#': give scheme, host and, if there is one, the path before /v1.")
    if with_key and origin.scheme == "http" and not origin.loopback:
        raise UnusableAddress(
            f"{origin} is plain http, over which anyone on the way can read the API key. "
            "Use https; plain http goes to this machine only."
        )
    return BaseAddress(origin, parts.path.rstrip("/").removesuffix("/v1").rstrip("/"))


def redirect_target(current: str, location: str | None, status: int, *, method: str, base: Origin, file: bool) -> str | None:
    """The address that an answer redirects to; ``None`` where the answer is no redirect.

    An API call is followed within the base URL's origin only; a file anywhere, without the key (which is attached by origin
    alone), but never from https down to http. A request with a body is followed only where it is to be repeated unchanged.
    Raises :class:`UnusableAddress` where it must not be followed.
    """
    if status not in {301, 302, 303, 307, 308}:
        return None
    if not location:
        raise UnusableAddress(f"The service redirects (HTTP {status}) without saying where to. Check the base URL.")
    try:
        target = urljoin(current, location).partition("#")[0]
        origin = origin_of(target)
    except ValueError:  # UnusableAddress is one
        raise UnusableAddress(f"The service redirects (HTTP {status}) to what is no web address. Check the base URL.") from None
    if method != "GET" and status not in {307, 308}:
        raise UnusableAddress(
            f"The service redirects a {method} to {origin} (HTTP {status}), which would lose it. Check the base URL."
        )
    if not file and origin != base:
        raise UnusableAddress(
            f"{base} redirects to {origin}, where the API key does not go by itself. "
            "If that is your service, make it the base URL."
        )
    if origin.scheme == "http" and _origin(_split(current)).scheme == "https":
        raise UnusableAddress(f"The download is redirected from https to plain {origin}, which anyone on the way can change.")
    return target


def _split(url: str) -> SplitResult:
    if _SPACE_OR_CONTROL.search(url):
        raise UnusableAddress("An address holds no spaces and no control characters.")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise UnusableAddress("This is no address: give one such as https://api.example.org.") from None
    return parts


def _origin(parts: SplitResult) -> Origin:
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise UnusableAddress("An address begins with https:// (or http://) and a host, such as https://api.example.org.")
    if "@" in parts.netloc:
        raise UnusableAddress("An address holds no user name and no password; the API key goes in its own place.")
    return Origin(parts.scheme, parts.hostname.rstrip("."), parts.port or _DEFAULT_PORTS[parts.scheme])
