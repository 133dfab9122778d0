"""The summary writer that asks a language model: what it sends, whom it trusts with the key, and honest failures."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from loopback_source import Source, answer, source
from pydantic import SecretStr
from store_builders import NOW

from workbench.service.summary_endpoint import EndpointWriter, WriterMisconfigured, configured_writer
from workbench.service.summary_facts import SummaryFacts
from workbench.service.summary_text import compose
from workbench.service.summary_worker import FactWriter, SummaryFailed

KEY = "sk-very-secret"
FACTS = SummaryFacts(now=NOW, opportunity="Obra", pipeline="Bids", stage="New", tender={"name": "Obra", "country": "ES"})


@pytest.fixture
def endpoint() -> Iterator[Source]:
    with source() as running:
        yield running


def completion(content: Any, **choice: Any) -> bytes:
    body = {"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop", **choice}]}
    return answer(body=json.dumps(body).encode(), content_type="application/json")


def writer(endpoint: Source, **options: Any) -> EndpointWriter:
    return EndpointWriter(endpoint.url("/v1/"), "model-x", **options)


def test_the_known_facts_are_sent_and_the_answer_is_the_summary(endpoint: Source) -> None:
    endpoint.gives(completion("# Obra\n\nñ"))
    asked = writer(endpoint, key=SecretStr(KEY))
    assert asked.write(FACTS) == "# Obra\n\nñ"
    assert asked.name == "model-x at 127.0.0.1"
    ((path, headers, body),) = endpoint.asked
    sent = json.loads(body)
    assert (path, headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert (sent["model"], sent["stream"]) == ("model-x", False)
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert compose(FACTS) in sent["messages"][1]["content"]


def test_without_a_key_none_is_sent(endpoint: Source) -> None:
    endpoint.gives(completion("# x"))
    writer(endpoint).write(FACTS)
    assert "authorization" not in endpoint.asked[0][1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (answer("401 Unauthorized", f"bad key {KEY}".encode()), "answered 401"),
        (answer("429 Too Many Requests"), "answered 429"),
        (answer("302 Found", location="https://elsewhere.example/"), "answered 302"),
        (answer(body=b"<html>"), "an answer without a text"),
        (answer(body=b"{}"), "an answer without a text"),
        (answer(body=b'{"choices": []}'), "an answer without a text"),
        (answer(body=b'{"choices": [{"message": {"content": 5}}]}'), "an answer without a text"),
        (answer(body=b"[1]"), "an answer without a text"),
        (completion(" \n"), "an answer without a text"),
        (completion(None), "an answer without a text"),
        (completion("# half", finish_reason="length"), "cut off at its length limit"),
        (answer(body=b"x" * 1_100_000), "more than a summary can hold"),
        (b"garbage\r\n\r\n", "no HTTP"),
    ],
)
def test_an_endpoint_that_fails_is_said_without_its_words_or_the_key(
    endpoint: Source, caplog: pytest.LogCaptureFixture, given: bytes, words: str
) -> None:
    endpoint.gives(given)
    caplog.set_level(logging.DEBUG)
    with pytest.raises(SummaryFailed, match=words) as failure:
        writer(endpoint, key=SecretStr(KEY)).write(FACTS)
    assert str(failure.value).startswith("The summary writer failed: ")
    assert KEY not in str(failure.value) + caplog.text
    assert len(endpoint.asked) == 1


def test_nobody_there_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(SummaryFailed, match="could not be reached"):
        EndpointWriter(f"http://127.0.0.1:{port}", "m").write(FACTS)


def test_an_endpoint_that_takes_too_long_is_left(endpoint: Source) -> None:
    endpoint.script = lambda _connection, _path, _headers: endpoint.leaving.wait(30) and None
    with pytest.raises(SummaryFailed, match=r"within 0\.3 seconds"):
        writer(endpoint, seconds=0.3).write(FACTS)


def test_a_question_can_be_ended(endpoint: Source) -> None:
    asked = writer(endpoint)
    came = threading.Event()

    def silent(_connection: socket.socket, _path: str, _headers: dict[str, str]) -> None:
        came.set()
        endpoint.leaving.wait(30)

    endpoint.script = silent
    failures: list[str] = []

    def write() -> None:
        try:
            asked.write(FACTS)
        except SummaryFailed as trouble:
            failures.append(str(trouble))

    thread = threading.Thread(target=write)
    thread.start()
    assert came.wait(30)
    asked.cancel()
    thread.join(30)
    assert len(failures) == 1
    asked.cancel()


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"WORKBENCH_SUMMARY_URL": "https://x.example/v1"}, "needs the name of a model"),
        ({"WORKBENCH_SUMMARY_URL": "ftp://x.example", "WORKBENCH_SUMMARY_MODEL": "m"}, "cannot be used"),
        (
            {"WORKBENCH_SUMMARY_URL": "http://x.example", "WORKBENCH_SUMMARY_MODEL": "m", "WORKBENCH_SUMMARY_KEY": KEY},
            "in clear",
        ),
        (
            {"WORKBENCH_SUMMARY_URL": "http://x", "WORKBENCH_SUMMARY_MODEL": "m", "WORKBENCH_SUMMARY_SECONDS": "soon"},
            "number of sec",
        ),
        (
            {"WORKBENCH_SUMMARY_URL": "http://x", "WORKBENCH_SUMMARY_MODEL": "m", "WORKBENCH_SUMMARY_SECONDS": "-1"},
            "number of sec",
        ),
        (
            {"WORKBENCH_SUMMARY_URL": "http://x", "WORKBENCH_SUMMARY_MODEL": "m", "WORKBENCH_SUMMARY_SECONDS": "nan"},
            "number of sec",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_one_sentence(environment: dict[str, str], words: str) -> None:
    with pytest.raises(WriterMisconfigured, match=words) as failure:
        configured_writer(environment)
    assert KEY not in str(failure.value)


def test_who_writes_is_chosen_by_options_then_environment() -> None:
    assert isinstance(configured_writer({}), FactWriter)
    settings = {"WORKBENCH_SUMMARY_URL": "https://a.example/v1", "WORKBENCH_SUMMARY_MODEL": "m", "WORKBENCH_SUMMARY_KEY": KEY}
    assert configured_writer(settings).name == "m at a.example"
    assert configured_writer(settings, url="http://localhost:11434/v1", model="n").name == "n at localhost"
    assert KEY not in repr(vars(configured_writer(settings)))
