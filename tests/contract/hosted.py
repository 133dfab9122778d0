"""A hosted account as the suite's world: asked only what changes nothing, and never more than its key may ask."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, NoReturn

import httpx2
import pytest
from pydantic import SecretStr

from workbench.client.policy.addresses import UnusableAddress, base_address
from workbench.client.policy.redaction import excerpt
from workbench.client.policy.retry import RATE_WAIT_DEFAULT_SECONDS, RATE_WAIT_MAX_SECONDS, read_retry_after

READING_POSTS = ("/v1/tenders/search",)
RATE_WAITS_MAX = 5


def key_from(place: str) -> SecretStr:
    """The key in an environment variable of this name, or in a file that only its owner may read."""
    text = os.environ.get(place)
    if text is None:
        path = Path(place).expanduser()
        if not path.is_file():
            raise pytest.UsageError(f"--key-from: {place!r} is neither an environment variable that is set nor a file")
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise pytest.UsageError(f"--key-from: others may read {place}; run chmod 600 on it")
        text = path.read_text(encoding="utf-8")
    if not text.strip():
        raise pytest.UsageError(f"--key-from: {place!r} is empty")
    return SecretStr(text.strip())


class _Key(httpx2.Auth):
    """Puts the key into a request's header, so that no local variable of a test ever holds it."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        request.headers["api-key"] = self._key.get_secret_value()
        yield request


class Hosted:
    """The face of a world that a hosted account can show; a test that needs more is skipped, saying what it needs."""

    hosted = True

    def __init__(self, base_url: str, key: SecretStr) -> None:
        try:
            address = base_address(base_url, with_key=True)
        except UnusableAddress as trouble:
            raise pytest.UsageError(f"--base-url: {trouble}") from None
        self._auth = _Key(key)
        self.client = httpx2.Client(base_url=str(address), timeout=30)

    def call(self, method: str, path: str, *, key: str | None = None, **options: Any) -> httpx2.Response:
        """One request with the account's key, or with the one given ("" for none); waits where the limit is reached."""
        if not (method == "GET" or (method == "POST" and _reads(path))):
            pytest.skip(f"would send {method} {path}; a hosted account is only asked what changes nothing")
        if path.startswith("/v1/openapi.json"):
            pytest.skip("the description is no part of the interface")
        headers = {**options.pop("headers", {}), **({"api-key": key} if key else {})}
        auth = self._auth if key is None else None
        for _ in range(RATE_WAITS_MAX):
            answer = self.client.request(method, path, headers=headers, auth=auth, **options)
            if answer.status_code != 429:
                break
            asked = read_retry_after(answer.headers.get("retry-after"), now=time.time())
            time.sleep(min(RATE_WAIT_DEFAULT_SECONDS if asked is None else asked, RATE_WAIT_MAX_SECONDS))
        return answer

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.call("GET", path, **options)

    def search(self, **body: Any) -> dict[str, Any]:
        """One page of a search that must succeed."""
        answer = self.call("POST", "/v1/tenders/search", json=body)
        assert answer.status_code == 200, excerpt(answer.content)
        return answer.json()

    def search_all(self, **_body: Any) -> NoReturn:
        pytest.skip("walks through all tenders and holds them against the sample, which a hosted account does not have")

    def new_key(self, *_: object, **__: object) -> NoReturn:
        pytest.skip("makes a key, which only the owner of a service can")

    def __getattr__(self, name: str) -> NoReturn:
        if name in {"access", "clock", "database", "fetch_ports", "links", "suite_key", "token"}:
            pytest.skip(f"needs the service's own {name}, which a hosted account does not give")
        raise AttributeError(name)

    def serves(self, _operation: str) -> bool:
        """Whether the service answers an operation: a hosted one is taken at the interface's word."""
        return True


def _reads(path: str) -> bool:
    bare = path.partition("?")[0]
    return bare in READING_POSTS or (bare.startswith("/v1/alerts/") and bare.endswith("/results"))


def refusal(answer: httpx2.Response, status: int, code: str) -> str:
    """As the embedded service's; a difference where the interface does not say is told as an expected failure."""
    assert 400 <= answer.status_code < 500, f"expected a refusal, got {answer.status_code}: {excerpt(answer.content)}"
    try:
        body = answer.json()
    except json.JSONDecodeError:
        pytest.xfail(f"the embedded service answers {status} {code} as JSON; this one {answer.status_code} as no JSON")
    if answer.status_code != status or body.get("error") != code or "message" not in body:
        pytest.xfail(f"the embedded service answers {status} {code}; this one {answer.status_code}: {excerpt(answer.content)}")
    return body["message"]
