"""Where documents may be fetched from: public addresses, in whatever form others are written."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.service.address_guard import AddressRefused, Target, is_public, judged_addresses, public_only, target_of

PRIVATE = """
127.0.0.1 127.8.9.1 0.0.0.0 0.1.2.3 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1
192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.9
192.88.99.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1
::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:7f00:1::
2001:0:7f00:1:: fe80::1 fec0::1 fc00::1 fd12:3456::1 ff02::1 2001:db8::1 100::1 4000::1
"""
PUBLIC = ["8.8.8.8", "193.110.128.109", "172.32.0.1", "2a00:1450:4003:80f::200e", "64:ff9b::808:808", "::ffff:8.8.8.8"]


@pytest.mark.parametrize("text", PRIVATE.split())
def test_what_only_this_machine_can_reach_is_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_the_open_internet_is_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_judged_alike_in_ipv6_dress(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    assert is_public(ipaddress.IPv6Address((0xFFFF << 32) + number)) == is_public(address)
    assert is_public(ipaddress.IPv6Address(int(ipaddress.IPv6Address("64:ff9b::")) + number)) == is_public(address)
    assert not is_public(address) or address.is_global


@pytest.mark.parametrize("port", [22, 25, 53, 110, 139, 445, 587, 1023])
def test_low_ports_are_those_of_the_web_only(port: int) -> None:
    public = ipaddress.ip_address("8.8.8.8")
    assert not public_only("example.org", port, public)
    assert all(public_only("example.org", one, public) for one in (80, 443, 8080, 8443))


@pytest.mark.parametrize(
    "url",
    [
        "", "/etc/passwd", "file:///etc/passwd", "ftp://example.org/x", "javascript:alert(1)", "gopher://x", "http://", "http:///x",
        "https://user@example.org/", "https://user:pass@example.org/", "http://example.org:99999/", "http://example.org:0/",
        "http://exa mple.org/", "http://example.org/\r\nX: y", "http://example.org\\@127.0.0.1/", "http://[::1/",
        "http://a..b/", "http://\u202e/", "http://" + "a" * 300 + ".es/", "http://example.org/" + "x" * 4_000, "http://%31%32/",
    ],
)  # fmt: skip
def test_a_link_that_is_none_of_the_web_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused, match="link"):
        target_of(url)


def test_a_link_is_read_as_it_is_asked_for() -> None:
    assert target_of("HTTPS://Contratación.example.ES./a b".replace(" ", "%20") + "?q=ñ&x=1#part") == Target(
        "https", "xn--contratacin-zeb.example.es", 443, "/a%20b?q=%C3%B1&x=1"
    )
    assert target_of("http://[2a00:1450::1]:8080").url == "http://[2a00:1450::1]:8080/"


@given(st.text(max_size=60))
def test_any_text_is_a_link_or_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"https://example.org/{text}"):
        try:
            target = target_of(url)
        except AddressRefused:
            continue
        assert target_of(target.url) == target
        assert target.url.isascii()
        assert target.url.isprintable()


@pytest.mark.parametrize(
    "url",
    ["http://localhost/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://[::1]/",
     "http://[::ffff:127.0.0.1]/", "http://0/", "http://169.254.169.254/latest/meta-data"],
)  # fmt: skip
def test_every_spelling_of_this_machine_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        judged_addresses(target_of(url), public_only)


def test_of_several_addresses_the_public_ones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolved(host: str, port: int, **_: Any) -> list[Any]:
        return [(0, 0, 0, "", (text, port)) for text in ("10.0.0.1", "8.8.8.8", "8.8.8.8", "fe80::1%eth0")]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    assert judged_addresses(target_of("http://example.org/"), public_only) == ["8.8.8.8"]
