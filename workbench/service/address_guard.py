"""Which addresses this service may call because a document's record says so: public ones, and no others.

A record comes from outside, so its link may be meant to reach what only this machine can reach (server-side request
forgery). A name is resolved once, every address is judged, and the connection goes to a judged address itself: a name that
answers something else a moment later (DNS rebinding) changes nothing.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Judge = Callable[[str, int, Address], bool]
"""Whether the host may be called at this port and address."""

URL_LENGTH_MAX: Final = 4_000
_PORTS: Final = {"http": 80, "https": 443}
_LOW_PORTS: Final = frozenset(_PORTS.values())
_FIRST_FREE_PORT: Final = 1_024
# RFC 6052 and RFC 8215: IPv4 addresses behind a translator; RFC 3056: 6to4; RFC 4291, 2.4: global unicast as assigned.
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR_RELAYS: Final = ipaddress.IPv4Network("192.88.99.0/24")
_PROTOCOL_ASSIGNMENTS: Final = ipaddress.IPv4Network("192.0.0.0/24")
_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_TUNNELS: Final = (ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("2001::/32"))
_HOST: Final = re.compile(r"[a-z0-9._:-]{1,253}", re.ASCII)
_SAFE_IN_PATH: Final = "/:@!$&'()*+,;=~%-._"


class AddressRefused(Exception):
    """A link that is not followed; the text is the part of a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads: what to connect to and what to ask for there."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def url(self) -> str:
        """The link again, in plain form."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"


def target_of(url: str) -> Target:
    """What a link names. Raises :class:`AddressRefused` for anything but a plain ``http`` or ``https`` link."""
    if len(url) > URL_LENGTH_MAX or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefused("its link is not well-formed")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused("its link is not well-formed") from None
    if parts.scheme not in _PORTS:
        raise AddressRefused("its link is not one of the web (http or https)")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused("its link holds a user name")
    try:
        host = (parts.hostname or "").rstrip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise AddressRefused("its link is not well-formed") from None
    if not _HOST.fullmatch(host) or port == 0:
        raise AddressRefused("its link is not well-formed")
    path = quote(parts.path or "/", safe=_SAFE_IN_PATH)
    query = f"?{quote(parts.query, safe=_SAFE_IN_PATH + '?')}" if parts.query else ""
    return Target(parts.scheme, host, port or _PORTS[parts.scheme], path + query)


def public_only(_host: str, port: int, address: Address) -> bool:
    """The judge of a service in use: public addresses, at the ports of the web or unprivileged ones."""
    return (port in _LOW_PORTS or port >= _FIRST_FREE_PORT) and is_public(address)


def is_public(address: Address) -> bool:
    """Whether an address is one of the open internet, whatever form it is written in.

    Not public are: loopback, private, link-local (where clouds keep their credentials), shared, reserved, multicast and
    documentation ranges; the same inside an IPv4-mapped or translated IPv6 address; and tunnels (6to4, Teredo).
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or _translated(address)
        if inner is not None:
            return is_public(inner)
        return address in _GLOBAL_UNICAST and not any(address in net for net in _TUNNELS) and _is_global(address)
    return _is_global(address) and address not in _SIX_TO_FOUR_RELAYS and address not in _PROTOCOL_ASSIGNMENTS


def judged_addresses(target: Target, judge: Judge) -> list[str]:
    """The addresses of a target's host that may be called. Raises :class:`AddressRefused` where there is none."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefused(f"the name {target.host} is not known to this machine's network") from None
    texts = dict.fromkeys(str(entry[4][0]) for entry in found)
    kept = [text for text in texts if judge(target.host, target.port, ipaddress.ip_address(text.partition("%")[0]))]
    if not kept:
        raise AddressRefused(f"its link leads to {target.host} port {target.port}, which this service does not call")
    return kept


def _is_global(address: Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _translated(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address not in _TRANSLATED:
        return None
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
