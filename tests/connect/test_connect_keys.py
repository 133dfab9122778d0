"""The key: where it is looked for, which stores are trusted, and what is said when there is none."""

from __future__ import annotations

import os
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.chainer import ChainerBackend
from keyring.backends.fail import Keyring as FailKeyring
from keyring.backends.null import Keyring as NullKeyring
from keyring.errors import KeyringLocked
from pydantic import SecretStr

from workbench import keys
from workbench.client.errors import KeyNotFound, KeyNotStored
from workbench.profiles import Profile

CANARY = "canary-4f1d7c0a9b"
WORK = Profile("work", "hosted", base_url="https://api.example.org:8443/base")
pytestmark = pytest.mark.requirement("AUTH-8")


class MemoryStore(KeyringBackend):
    """A store that keeps what it is given."""

    priority = 5  # type: ignore[assignment]  # keyring reads it as a class property

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class LosingStore(MemoryStore):
    def set_password(self, service: str, username: str, password: str) -> None:
        """Says nothing, keeps nothing."""


class StickyStore(MemoryStore):
    def delete_password(self, service: str, username: str) -> None:
        """Says nothing, removes nothing."""


class LockedStore(MemoryStore):
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked(f"Failed to unlock the collection! {CANARY}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError(f"cannot store {password}")


class SlowStore(MemoryStore):
    waiting = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.waiting.wait(20)
        return None


def plaintext_store() -> KeyringBackend:
    kind = type("PlaintextKeyring", (MemoryStore,), {"__module__": "keyrings.alt.file"})
    return kind()


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("WORKBENCH_"):
            monkeypatch.delenv(name)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Any:
    def use(backend: KeyringBackend) -> Any:
        monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
        return backend

    return use


def test_the_order_is_argument_environment_file_store(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = store(MemoryStore())
    memory.kept["workbench:api.example.org:8443", "work"] = "from-store"
    found = keys.find_key(WORK)
    assert (found.key.get_secret_value(), found.source) == ("from-store", "key store")
    file = tmp_path / "key"
    file.touch(0o600)
    file.write_text("from-file\n", encoding="ascii")
    monkeypatch.setenv("WORKBENCH_API_KEY_FILE", str(file))
    found = keys.find_key(WORK)
    assert (found.key.get_secret_value(), found.source) == ("from-file", "file")
    monkeypatch.setenv("WORKBENCH_API_KEY", " from-environment ")
    found = keys.find_key(WORK)
    assert (found.key.get_secret_value(), found.source) == ("from-environment", "environment")
    found = keys.find_key(WORK, "from-argument")
    assert (found.key.get_secret_value(), found.source) == ("from-argument", "argument")
    assert "from-argument" not in repr(found)


@pytest.mark.parametrize(
    ("mode", "content", "words"),
    [
        (0o644, b"k", "chmod 600"),
        (0o640, b"k", "others may read"),
        (0o600, b" \n", "holds no key"),
        (0o600, b"k" * 9000, "too long"),
        (0o600, b"\xff\xfe", "no plain text"),
    ],
)
def test_a_key_file_that_others_may_read_or_that_holds_no_key_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, content: bytes, words: str
) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    file.chmod(mode)
    monkeypatch.setenv("WORKBENCH_API_KEY_FILE", str(file))
    with pytest.raises(KeyNotFound, match=words):
        keys.find_key(WORK)


def test_a_key_file_that_is_missing_or_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, words in (
        (tmp_path / "gone", "cannot be read"),
        (tmp_path, "cannot be read|no ordinary file"),
        (Path("/dev/null"), "no ordinary file"),
    ):
        monkeypatch.setenv("WORKBENCH_API_KEY_FILE", str(path))
        with pytest.raises(KeyNotFound, match=words):
            keys.find_key(WORK)


def test_a_key_is_stored_read_back_and_removed(store: Any) -> None:
    memory = store(MemoryStore())
    assert keys.store_key(WORK, SecretStr(CANARY)).endswith("MemoryStore")
    assert memory.kept == {("workbench:api.example.org:8443", "work"): CANARY}
    assert keys.remove_key(WORK)
    assert not keys.remove_key(WORK)
    with pytest.raises(KeyNotFound, match="workbench login") as caught:
        keys.find_key(WORK)
    assert caught.value.profile == "work"


@pytest.mark.parametrize("backend", [FailKeyring, NullKeyring, plaintext_store], ids=["fail", "null", "plaintext"])
def test_a_store_that_is_none_is_not_used(store: Any, backend: Any) -> None:
    store(backend())
    for call in (lambda: keys.find_key(WORK), lambda: keys.store_key(WORK, SecretStr(CANARY))):
        with pytest.raises(
            (KeyNotFound, KeyNotStored), match=r"No secure key store.*WORKBENCH_API_KEY.*WORKBENCH_API_KEY_FILE.*Secret Service"
        ):
            call()


def test_a_chain_is_used_only_for_the_trusted_store_in_it(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, memory = plaintext_store(), MemoryStore()
    monkeypatch.setattr(ChainerBackend, "backends", [plain, memory])
    store(ChainerBackend())
    keys.store_key(WORK, SecretStr(CANARY))
    assert memory.kept
    assert not plain.kept  # type: ignore[attr-defined]  # it is a MemoryStore
    monkeypatch.setattr(ChainerBackend, "backends", [plain])
    with pytest.raises(KeyNotStored, match="No secure key store"):
        keys.store_key(WORK, SecretStr(CANARY))


def test_a_store_that_loses_or_keeps_against_its_word_is_found_out(store: Any) -> None:
    store(LosingStore())
    with pytest.raises(KeyNotStored, match="did not give it back"):
        keys.store_key(WORK, SecretStr(CANARY))
    sticky = store(StickyStore())
    keys.store_key(WORK, SecretStr(CANARY))
    with pytest.raises(KeyNotStored, match="still gives it"):
        keys.remove_key(WORK)
    assert sticky.kept


def test_a_locked_store_is_a_sentence_without_the_stores_own_words(store: Any) -> None:
    store(LockedStore())
    for call in (lambda: keys.find_key(WORK), lambda: keys.store_key(WORK, SecretStr(CANARY)), lambda: keys.remove_key(WORK)):
        with pytest.raises((KeyNotFound, KeyNotStored), match="locked") as caught:
            call()
        assert CANARY not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.fixture
def released() -> Iterator[None]:
    SlowStore.waiting.clear()
    yield
    SlowStore.waiting.set()
    for thread in threading.enumerate():
        if thread.name == "workbench-key-store":
            thread.join(5)


def test_a_store_that_waits_for_a_prompt_does_not_hold_us_up(store: Any, released: None) -> None:
    store(SlowStore())
    with pytest.raises(KeyNotFound, match="did not answer"):
        keys.find_key(WORK, seconds=0.05)


def test_a_misspelt_backend_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def misspelt() -> None:
        raise ModuleNotFoundError("No module named 'keyring.backends.Sekret'")

    broken = types.ModuleType("keyring")
    broken.get_keyring = misspelt  # type: ignore[attr-defined]  # a stand-in module
    monkeypatch.setitem(sys.modules, "keyring", broken)
    with pytest.raises(KeyNotFound, match="could not be loaded"):
        keys.find_key(WORK)


def test_an_embedded_service_needs_no_key(tmp_path: Path) -> None:
    with pytest.raises(KeyNotFound, match="needs no key"):
        keys.find_key(Profile("local", "embedded", data=tmp_path))
