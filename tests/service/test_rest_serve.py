"""Serving over HTTP as a process: the ready callback, addresses, signals, and what a socket may send."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from workbench.service.access import Access
from workbench.service.serve import PARSER_BYTES_MAX, AddressUnavailable, Ready, run
from workbench.service.store.database import Database

SERVE = """
import json, sys
from pathlib import Path
from workbench.service.serve import run

def tell(ready):
    print(json.dumps({"baseUrl": ready.base_url, "mcpUrl": ready.mcp_url, "key": ready.key.get_secret_value()}), flush=True)

run(Path(sys.argv[1]), port=0, on_ready=tell)
print("closed", flush=True)
"""


class Running:
    """A service in a thread of this process."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.ready: Ready | None = None
        self._answering, self._stop = threading.Event(), threading.Event()
        self._options = {"port": 0, "stop": self._stop, "on_ready": self._note, **options}
        self._thread = threading.Thread(target=run, args=(folder,), kwargs=self._options)

    def _note(self, ready: Ready) -> None:
        self.ready = ready
        self._answering.set()

    def __enter__(self) -> Ready:
        self._thread.start()
        assert self._answering.wait(30)
        assert self.ready is not None
        return self.ready

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with Running(tmp_path_factory.mktemp("served")) as ready:
        yield ready


def raw(ready: Ready, request: bytes) -> bytes:
    """What a socket gets for these bytes, until the service hangs up."""
    host, port = ready.base_url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_tells_when_it_is_ready_and_ends_well_on_a_signal(tmp_path: Path, number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        assert line["mcpUrl"] == f"{line['baseUrl']}/mcp"
        answer = httpx2.get(f"{line['baseUrl']}/v1/whoami", headers={"api-key": line["key"]})
        assert answer.json()["account"]["slug"] == "local"
        assert answer.headers["ratelimit-limit"] == "300"
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (out, err, process.returncode) == ("closed\n", "", 0)
    with Database(tmp_path).reader() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_the_key_of_a_start_ends_with_it_and_is_stored_nowhere(tmp_path: Path) -> None:
    with Running(tmp_path) as first:
        assert first.key is not None
        key = first.key.get_secret_value()
        assert httpx2.get(f"{first.base_url}/v1/whoami", headers={"api-key": key}).status_code == 200
        assert key not in repr(first)
    with Running(tmp_path, no_key=True) as second:
        assert second.key is None
        assert httpx2.get(f"{second.base_url}/v1/whoami", headers={"api-key": key}).status_code == 401
    database = Database(tmp_path)
    assert Access(database).keys() == []
    database.close()


def test_an_ephemeral_service_leaves_nothing(tmp_path: Path) -> None:
    with Running(tmp_path / "unused", ephemeral=True) as ready:
        assert httpx2.get(f"{ready.base_url}/v1/openapi.json").status_code == 200
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("host", "port", "words"),
    [("no.such.host.invalid", 0, "is no address to listen on"), ("192.0.2.1", 0, "cannot listen on 192.0.2.1")],
)
def test_an_address_that_is_not_here_is_one_sentence(tmp_path: Path, host: str, port: int, words: str) -> None:
    with pytest.raises(AddressUnavailable, match=words) as trouble:
        run(tmp_path / "data", host, port, on_ready=lambda _: None)
    assert str(trouble.value).endswith(".")
    assert not (tmp_path / "data").exists()


def test_a_port_in_use_is_one_sentence(tmp_path: Path, ready: Ready) -> None:
    port = int(ready.base_url.rpartition(":")[2])
    with pytest.raises(AddressUnavailable, match=r"in use.*--port"):
        run(tmp_path / "data", "127.0.0.1", port, on_ready=lambda _: None)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_loopback_answers_to_its_own_names_only(ready: Ready, host: str) -> None:
    assert ready.base_url.startswith("http://127.0.0.1:")
    path = f"{ready.base_url}/v1/openapi.json"
    assert httpx2.get(path, headers={"host": host}).status_code == 200
    assert httpx2.get(path, headers={"host": "rebound.example"}).status_code == 421


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        # One byte more than the parser holds of an unfinished header, so that nothing is left unread when it hangs up.
        b"GET /v1/whoami HTTP/1.1\r\nhost: localhost\r\nx: ".ljust(PARSER_BYTES_MAX + 1, b"y"),
        b"GET /v1/whoami HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n",
        b"POST /v1/tenders/search HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
    ],
    ids=["a TLS greeting", "an endless header", "two hosts", "two lengths"],
)
def test_what_is_no_http_is_told_so_in_the_house_form(ready: Ready, request_: bytes) -> None:
    head, _, body = raw(ready, request_).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"server:" not in head.lower()
    assert json.loads(body)["error"] == "INVALID_REQUEST"


def test_a_large_header_is_refused_and_the_connection_goes_on(ready: Ready) -> None:
    with httpx2.Client(base_url=ready.base_url) as client:
        assert client.get("/v1/openapi.json", headers={"x": "y" * 33_000}).status_code == 431
        assert client.get("/v1/openapi.json").status_code == 200


def test_a_request_over_the_limit_of_bodies_is_refused_while_it_comes(ready: Ready) -> None:
    assert ready.key is not None
    head = (
        f"POST /v1/tenders/search HTTP/1.1\r\nhost: localhost\r\napi-key: {ready.key.get_secret_value()}\r\n"
        "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    answer = raw(ready, head.encode() + chunk * 16 + b"1\r\n ")
    assert answer.startswith(b"HTTP/1.1 413 ")
