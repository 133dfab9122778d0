"""Where requests may go, and with what in the path."""

from __future__ import annotations

from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.client.policy.addresses import BaseAddress, Origin, UnusableAddress, base_address, origin_of, redirect_target
from workbench.client.policy.paths import UnusablePathValue, fill

TEMPLATE = "/v1/organizations/{idOrSlug}/awards"


@given(st.text(min_size=1, max_size=60))
def test_an_id_stays_one_segment_or_is_refused(value: str) -> None:
    try:
        path = fill(TEMPLATE, {"idOrSlug": value})
    except UnusablePathValue:
        return
    parts = path.split("/")
    assert len(parts) == 5
    assert unquote(parts[3]) == value
    assert path.isascii()
    assert not {"?", "#", " ", "\\"} & set(path)


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        ".",
        "..",
        "../alerts",
        "a/../b",
        "%2e%2e",
        "%2E",
        "%252e%252e",
        "%25252e",
        "..%2falerts",
        "..\\x",
        "a\n",
        "\x00",
        "a/%2e%2e",
    ],
)
def test_dot_segments_are_refused_however_they_are_spelt(value: str) -> None:
    with pytest.raises(UnusablePathValue) as caught:
        fill(TEMPLATE, {"idOrSlug": value})
    assert caught.value.name == "idOrSlug"


@pytest.mark.parametrize("value", [None, 5, b"x", ["x"]])
def test_an_id_is_text(value: object) -> None:
    with pytest.raises(UnusablePathValue, match="takes text"):
        fill(TEMPLATE, {"idOrSlug": value})


@pytest.mark.parametrize("value", ["a.b", "...", "x..y", "a?b#c", "45000000-7", "ñ", quote("a/b", safe="")])
def test_ordinary_ids_pass(value: str) -> None:
    assert unquote(fill(TEMPLATE, {"idOrSlug": value}).split("/")[3]) == value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://api.example.org", "https://api.example.org"),
        ("  https://API.example.org/v1/ ", "https://api.example.org"),
        ("https://api.example.org:443/base/", "https://api.example.org/base"),
        ("https://api.example.org:8443/base/v1", "https://api.example.org:8443/base"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_base_urls_are_normalised(text: str, shown: str) -> None:
    assert str(base_address(text, with_key=True)) == shown


@pytest.mark.requirement("AUTH-8")
@pytest.mark.parametrize(
    "text", ["http://api.example.org", "http://10.0.0.1", "http://127.0.0.1.example.org", "http://localhost.example.org"]
)
def test_plain_http_with_a_key_goes_to_this_machine_only(text: str) -> None:
    with pytest.raises(UnusableAddress, match="plain http"):
        base_address(text, with_key=True)
    assert base_address(text, with_key=False).origin.scheme == "http"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.example.org",
        "ftp://x",
        "file:///etc/passwd",
        "https://",
        "https://u:p@h",
        "https://h?x",
        "https://h#x",
        "https://h:x",
        "https://h h",
        "https://[::1",
        "javascript:alert(1)",
        "https://h\n.example",
        "https://h:99999",
    ],
)
def test_what_is_no_base_url_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UnusableAddress, match=r"\.$"):
        base_address(text, with_key=False)


BASE = Origin("https", "api.example.org", 443)


def test_api_calls_are_redirected_at_home_only() -> None:
    here = "https://api.example.org/v1/whoami"
    assert redirect_target(here, None, 200, method="GET", base=BASE, file=False) is None
    assert redirect_target(here, "/v2/whoami", 302, method="GET", base=BASE, file=False) == "https://api.example.org/v2/whoami"
    for location in (
        "https://evil.example/",
        "http://api.example.org/",
        "https://api.example.org:444/",
        "//evil.example/x",
        "file:///x",
        None,
    ):
        with pytest.raises(UnusableAddress):
            redirect_target(here, location, 302, method="GET", base=BASE, file=False)


def test_a_body_is_repeated_only_where_the_redirect_says_so() -> None:
    here = "https://api.example.org/v1/tenders/search"
    for status in (301, 302, 303):
        with pytest.raises(UnusableAddress):
            redirect_target(here, "/other", status, method="POST", base=BASE, file=False)
    assert redirect_target(here, "/other", 307, method="POST", base=BASE, file=False)


def test_files_are_fetched_elsewhere_but_not_over_less() -> None:
    here = "https://api.example.org/v1/tenders/sheets/1/download"
    assert (
        redirect_target(here, "https://store.example/x", 302, method="GET", base=BASE, file=True) == "https://store.example/x"
    )
    with pytest.raises(UnusableAddress, match="plain"):
        redirect_target(here, "http://store.example/x", 302, method="GET", base=BASE, file=True)


def test_origins_are_compared_by_scheme_host_and_port() -> None:
    assert origin_of("https://API.example.org/x") == BASE
    assert origin_of("https://api.example.org:443") == BASE
    assert origin_of("https://api.example.org.") == BASE
    assert origin_of("https://api.example.org:8443") != BASE
    assert BaseAddress(BASE, "/x").origin == BASE
