"""``login``, ``logout`` and ``profiles`` against a scripted service, with a key store in memory (a stand-in).

The real Secret Service, and a key typed on a terminal, are in tests/connect/test_keyring_real.py.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from types import SimpleNamespace

import keyring
import pytest
from command_line import Run
from keyring.backend import KeyringBackend
from scripted_service import KEY, Script

from workbench import profiles
from workbench.profiles import Profile, load_profiles

pytestmark = pytest.mark.requirement("AUTH-8")
OLD = "canary-key-old-4c1e"
WRONG = "canary-key-wrong-77"
Pipe = Callable[[bytes], None]
"""Puts bytes on standard input."""


class MemoryStore(KeyringBackend):
    """A store that keeps what it is given, unless it is told not to."""

    priority = 5  # type: ignore[assignment]  # keyring reads it as a class property

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.full = False

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.full:
            raise RuntimeError(f"no room for {password}")
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    memory = MemoryStore()
    monkeypatch.setattr(keyring, "get_keyring", lambda: memory)
    return memory


@pytest.fixture
def hosted(service: Script, monkeypatch: pytest.MonkeyPatch) -> Script:
    """The service, known to nobody yet: nothing of it in the environment."""
    monkeypatch.delenv("WORKBENCH_BASE_URL")
    monkeypatch.delenv("WORKBENCH_API_KEY")
    return service


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Pipe:
    """What standard input holds."""

    def hold(content: bytes) -> None:
        stream = SimpleNamespace(buffer=io.BytesIO(content), isatty=lambda: False, close=lambda: None)
        monkeypatch.setattr(sys, "stdin", stream)

    return hold


def address(script: Script) -> str:
    return script.base_url.partition("://")[2]


def test_the_first_login_makes_a_profile_named_after_the_host(run: Run, hosted: Script, store: MemoryStore, pipe: Pipe) -> None:
    pipe(f"  {KEY}\r\n".encode())
    done = run("login", "--base-url", f"{hosted.base_url}/v1", "--mcp-url", f"{hosted.base_url}/mcp", "--key-stdin")
    assert (done.code, done.err) == (0, "")
    assert "accepted the key “Laptop” of Ajuntament" in done.out
    assert KEY not in done.out
    name = address(hosted).replace(":", "-")
    assert store.kept == {(f"workbench:{address(hosted)}", name): KEY}
    known = load_profiles()
    assert known.current.name == name
    assert (known.current.base_url, known.current.mcp_url) == (hosted.base_url, f"{hosted.base_url}/mcp")
    assert [one.path for one in hosted.asked] == ["/v1/whoami", "/v1/api-key"]
    assert run("whoami", "--json").code == 0


def test_a_new_key_replaces_the_old_one_and_says_so(run: Run, hosted: Script, store: MemoryStore, pipe: Pipe) -> None:
    pipe(KEY.encode())
    assert run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin").code == 0
    store.kept[f"workbench:{address(hosted)}", "work"] = OLD
    refused = run("whoami")
    assert refused.code == 1
    assert "The key of profile 'work' may have expired" in refused.err
    assert "workbench login --profile work" in refused.err
    assert "WORKBENCH_API_KEY or WORKBENCH_API_KEY_FILE goes before the stored one" in refused.err
    pipe(KEY.encode())
    done = run("login", "--profile", "work", "--key-stdin", "--json")
    report = json.loads(done.out)
    assert (report["profile"], report["newProfile"]) == ("work", False)
    assert report["replaced"] not in (None, report["fingerprint"])
    assert report["apiKey"]["rateLimit"]["limit"] == 300
    assert store.kept == {(f"workbench:{address(hosted)}", "work"): KEY}
    pipe(KEY.encode())
    assert "had this key already" in run("login", "--profile", "work", "--key-stdin").out
    assert OLD not in refused.err + done.out + done.err


def test_a_key_that_the_service_refuses_is_not_stored(run: Run, hosted: Script, store: MemoryStore, pipe: Pipe) -> None:
    store.kept[f"workbench:{address(hosted)}", "work"] = OLD
    pipe(WRONG.encode())
    done = run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
    assert (done.code, done.out) == (1, "")
    assert "did not accept this key (401: no such key)" in done.err
    assert "Nothing was stored" in done.err
    assert WRONG not in done.err
    assert store.kept == {(f"workbench:{address(hosted)}", "work"): OLD}
    assert load_profiles().names == ("local", "sample")


def test_a_store_that_refuses_leaves_no_profile(run: Run, hosted: Script, store: MemoryStore, pipe: Pipe) -> None:
    store.full = True
    pipe(KEY.encode())
    done = run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
    assert (done.code, done.out) == (4, "")
    assert "The key was not stored." in done.err
    assert "WORKBENCH_API_KEY" in done.err
    assert KEY not in done.err
    assert load_profiles().names == ("local", "sample")


def test_a_profile_that_cannot_be_written_takes_the_key_back(
    run: Run, hosted: Script, store: MemoryStore, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(profiles, "_write", full)
    for before in ({}, {(f"workbench:{address(hosted)}", "work"): OLD}):
        store.kept = dict(before)
        pipe(KEY.encode())
        done = run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
        assert (done.code, done.out) == (2, "")
        assert "Could not write the profiles file" in done.err
        assert store.kept == before


def test_a_profile_that_moves_forgets_the_old_key_and_the_old_tool_server(
    run: Run, hosted: Script, store: MemoryStore, pipe: Pipe
) -> None:
    old = ("workbench:old.example.org", "work")
    store.kept[old] = OLD
    known = load_profiles()
    known.put(Profile("work", "hosted", "https://old.example.org", "https://tools.old.example.org/mcp"))
    known.save()
    pipe(KEY.encode())
    done = run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
    assert done.code == 0
    assert "tools.old.example.org" in done.err
    assert "is forgotten" in done.err
    assert "replaces the key with fingerprint" in done.out
    assert list(store.kept) == [(f"workbench:{address(hosted)}", "work")]
    assert load_profiles().get("work").mcp_url is None
    assert load_profiles().current.name == "local"  # it was there before, and the choice is the user's


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["login", WRONG], "does not go on the command line"),
        (["login", "--api-key", WRONG], "does not go on the command line"),
        (["login", f"--key={WRONG}"], "does not go on the command line"),
        (["login", "--base-url", "https://h.example", WRONG], "does not go on the command line"),
        (["login"], "Which service?"),
        (["login", "--profile", "nobody"], "no profile 'nobody' yet; add --base-url"),
        (["login", "--profile", "local", "--base-url", "https://h.example"], "embedded service, which needs no key"),
        (["login", "--profile", "given", "--base-url", "https://h.example"], "cannot name a profile"),
        (["login", "--profile", "a/b", "--base-url", "https://h.example"], "cannot name a profile"),
        (["login", "--base-url", "http://api.example.org"], "plain http"),
        (["login", "--base-url", "https://me:secret@api.example.org"], "no user name"),
        (["login", "--base-url", "https://api.example.org", "--mcp-url", "ftp://x"], "begins with https"),
        (["login", "--base-url", "https://api.example.org"], "add --key-stdin"),
        (["logout"], "has no key"),
        (["logout", "--profile", "nobody"], "There is no profile"),
    ],
)
def test_what_cannot_be_is_refused_before_a_key_is_asked_for(
    run: Run, store: MemoryStore, pipe: Pipe, line: list[str], words: str
) -> None:
    pipe(WRONG.encode())
    done = run(*line)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert WRONG not in done.err
    assert store.kept == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The key is empty"),
        (b"k" * 5000, "too long"),
        (b"two words", "no API key has"),
        ("ñ".encode() * 9, "no API key has"),
        (b"\xff\xfe", "no API key has"),
        (b"one\ntwo", "no API key has"),
    ],
)
def test_what_is_no_key_is_refused_and_not_shown(
    run: Run, hosted: Script, store: MemoryStore, pipe: Pipe, content: bytes, words: str
) -> None:
    pipe(content)
    done = run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert hosted.asked == []
    assert store.kept == {}


def test_the_environment_goes_first_and_login_says_so(
    run: Run, hosted: Script, store: MemoryStore, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_API_KEY", OLD)
    monkeypatch.setenv("WORKBENCH_PROFILE", "sample")
    pipe(KEY.encode())
    done = run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
    assert done.code == 0
    assert "WORKBENCH_API_KEY is set here and goes before the key store" in done.err
    assert "WORKBENCH_PROFILE is set here and chooses the service; --profile work uses this one" in done.err
    assert OLD not in done.out + done.err


def test_the_environments_own_service_can_have_a_stored_key(
    run: Run, hosted: Script, store: MemoryStore, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_BASE_URL", hosted.base_url)
    pipe(KEY.encode())
    assert run("login", "--key-stdin").code == 0
    assert list(store.kept) == [(f"workbench:{address(hosted)}", "environment")]
    assert run("whoami").code == 0
    pipe(KEY.encode())
    assert run("login", "--profile", "environment", "--base-url", "https://other.example", "--key-stdin").code == 2


def test_logout_removes_the_key_and_keeps_the_profile(run: Run, hosted: Script, store: MemoryStore, pipe: Pipe) -> None:
    pipe(KEY.encode())
    run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
    done = run("logout", "--json")
    assert json.loads(done.out) == {"profile": "work", "removed": True}
    assert store.kept == {}
    again = run("logout")
    assert (again.code, again.out) == (0, "")
    assert "nothing to remove" in again.err
    missing = run("whoami")
    assert missing.code == 4
    assert "workbench login --profile work" in missing.err


def test_profiles_are_listed_chosen_and_forgotten(run: Run, hosted: Script, store: MemoryStore, pipe: Pipe) -> None:
    for name in ("work", "other"):
        pipe(KEY.encode())
        assert run("login", "--profile", name, "--base-url", hosted.base_url, "--key-stdin").code == 0
    listed = json.loads(run("profiles", "--json").out)
    assert listed == json.loads(run("profiles", "list", "--json").out)
    assert [one["name"] for one in listed] == ["local", "sample", "other", "work"]
    assert [one["name"] for one in listed if one["current"]] == ["other"]
    assert run("profiles", "use", "work").out == "Profile work is now the current one.\n"
    assert load_profiles().current.name == "work"
    assert run("profiles", "use", "wrok").code == 2
    assert run("profiles", "use", "environment").code == 2
    assert "and its key" in run("profiles", "remove", "work").out
    assert list(store.kept) == [(f"workbench:{address(hosted)}", "other")]
    assert load_profiles().current.name == "local"
    assert run("profiles", "remove", "local").code == 2
    assert run("profiles", "remove", "work").code == 2
    for outcome in (run("profiles"), run("profiles", "list")):
        assert KEY not in outcome.out + outcome.err


def test_a_forgotten_profile_whose_store_is_gone_says_what_may_be_left(
    run: Run, hosted: Script, store: MemoryStore, pipe: Pipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe(KEY.encode())
    run("login", "--profile", "work", "--base-url", hosted.base_url, "--key-stdin")
    from keyring.backends.fail import Keyring

    monkeypatch.setattr(keyring, "get_keyring", Keyring)
    done = run("profiles", "remove", "work")
    assert done.code == 0
    assert "Forgot profile work." in done.out
    assert "still there, under the name 'work'" in done.err
