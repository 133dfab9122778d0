"""The key store as it is on a Linux desktop: gnome-keyring behind a D-Bus session of its own. Nothing here is a stand-in.

Each session has its own folders, so that no key store of the machine is touched. ``dbus-run-session`` ends the daemon with it.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of Unix")

PROGRAMS = ("dbus-run-session", "gnome-keyring-daemon", "secret-tool")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
pytestmark = [
    pytest.mark.keyring,
    pytest.mark.requirement("AUTH-8"),
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} missing (Debian: gnome-keyring dbus libsecret-tools)"),
]

CANARY = "wb_canary-7f31d09c55aa"
PASSWORD = "ci-only"
COMMAND = [sys.executable, "-m", "workbench"]
UNLOCKED = 'eval "$(printf %s "$STORE_PASSWORD" | gnome-keyring-daemon --unlock --components=secrets 2>/dev/null)"; exec "$@"'
LOCKED = 'eval "$(gnome-keyring-daemon --start --components=secrets 2>/dev/null </dev/null)"; exec "$@"'
ON_THIS_TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
PROFILE = "from workbench.profiles import Profile; work = Profile('work', 'hosted', base_url='https://api.example.org')\n"


@dataclass(frozen=True)
class Desktop:
    """A user's home with a key store in it, which opens with a password."""

    home: Path

    def environment(self, password: str) -> dict[str, str]:
        """The environment of a program of this user: nothing of the machine's own session."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("WORKBENCH_", "XDG_", "DBUS_", "GNOME_", "PYTHON_KEYRING"))
        }
        folders = {name: self.home / folder for name, folder in (("XDG_DATA_HOME", "data"), ("XDG_RUNTIME_DIR", "run"))}
        for folder in folders.values():
            folder.mkdir(mode=0o700, exist_ok=True)
        ours = {"WORKBENCH_CONFIG": self.home / "config", "WORKBENCH_DATA": self.home / "workbench", "HOME": self.home}
        return kept | {name: str(path) for name, path in (folders | ours).items()} | {"STORE_PASSWORD": password}

    def line(self, *command: str, script: str = UNLOCKED) -> list[str]:
        """A command line inside a D-Bus session with a key store."""
        return ["dbus-run-session", "--", "sh", "-c", script, "sh", *command]

    def run(
        self, *command: str, password: str = PASSWORD, script: str = UNLOCKED, typed: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a session of its own, which ends with it."""
        return subprocess.run(
            self.line(*command, script=script),
            input=typed or "",
            env=self.environment(password),
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )

    def python(self, code: str, **how: str) -> str:
        """What a program prints; it must end well."""
        done = self.run(sys.executable, "-c", PROFILE + textwrap.dedent(code), **how)  # type: ignore[arg-type]
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    return Desktop(tmp_path)


def test_a_key_is_kept_encrypted_and_found_in_the_next_session(desktop: Desktop) -> None:
    stored = desktop.python(
        f"""
        import subprocess
        from pydantic import SecretStr
        from workbench.keys import find_key, store_key, store_state
        print(store_key(work, SecretStr({CANARY!r})))
        print(find_key(work).source)
        print(store_state().used)
        service = ["service", "workbench:api.example.org", "username", "work"]
        print(subprocess.run(["secret-tool", "lookup", *service], capture_output=True, text=True).stdout)
        """
    ).splitlines()
    assert stored[:2] == ["keyring.backends.SecretService.Keyring", "key store"]
    assert "priority=5" in stored[2]
    assert "trusted=True" in stored[2]
    assert stored[3] == CANARY  # another program of this user sees it under this name: that is what a key store does
    again = desktop.python("from workbench.keys import find_key; print(find_key(work).key.get_secret_value())")
    assert again == CANARY
    files = [path for path in desktop.home.rglob("*") if path.is_file()]
    assert [path for path in files if path.suffix == ".keyring"]
    for path in files:
        assert CANARY.encode() not in path.read_bytes()
        if path.suffix == ".keyring":
            assert path.stat().st_mode & 0o077 == 0
    removed = desktop.python("from workbench.keys import remove_key; print(remove_key(work), remove_key(work))")
    assert removed == "True False"


@pytest.mark.parametrize(
    ("password", "script"), [("another password", UNLOCKED), (PASSWORD, LOCKED)], ids=["wrong password", "never unlocked"]
)
def test_a_locked_store_is_a_sentence_and_nothing_is_kept(desktop: Desktop, password: str, script: str) -> None:
    desktop.python(
        f"from pydantic import SecretStr; from workbench.keys import store_key; store_key(work, SecretStr({CANARY!r}))"
    )
    code = f"""
        from pydantic import SecretStr
        from workbench.client.errors import KeyNotFound, KeyNotStored
        from workbench.keys import find_key, remove_key, store_key
        for step in (lambda: find_key(work), lambda: store_key(work, SecretStr({CANARY!r} + "-new")), lambda: remove_key(work)):
            try:
                step()
                print("no error")
            except (KeyNotFound, KeyNotStored) as refusal:
                print(refusal)
        """
    sentences = desktop.python(code, password=password, script=script).splitlines()
    assert len(sentences) == 3
    for sentence in sentences:
        assert "keyring.backends.SecretService.Keyring refused" in sentence
        assert "locked" in sentence
        assert CANARY not in sentence
    assert "WORKBENCH_API_KEY" in sentences[0]
    kept = desktop.python("from workbench.keys import find_key; print(find_key(work).key.get_secret_value())")
    assert kept == CANARY


@dataclass(frozen=True)
class Service:
    """The embedded service over HTTP, and two keys for it."""

    base_url: str
    first: str
    second: str
    first_id: str
    folder: Path


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    folder = tmp_path / "service"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WORKBENCH_")}
    made = [
        json.loads(
            subprocess.run(
                [*COMMAND, "local", "key", "create", "--name", name, "--data", str(folder), "--json"],
                capture_output=True,
                env=environment,
                check=True,
                timeout=60,
            ).stdout
        )
        for name in ("First", "Second")
    ]
    server = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--json", "--no-key", "--data", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert server.stdout is not None
    try:
        ready = json.loads(server.stdout.readline())
        yield Service(ready["baseUrl"], made[0]["key"], made[1]["key"], made[0]["id"], folder)
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()


def typed_login(desktop: Desktop, key: str, *options: str) -> tuple[int, str]:
    """``workbench login`` on a terminal: the key is typed at the prompt. Gives the exit code and all that was on the screen."""
    terminal, ours = pty.openpty()
    line = [sys.executable, "-c", ON_THIS_TERMINAL, *desktop.line(*COMMAND, "login", *options)]
    process = subprocess.Popen(
        line, stdin=ours, stdout=ours, stderr=ours, env=desktop.environment(PASSWORD), start_new_session=True
    )
    os.close(ours)
    shown, answered = b"", False
    try:
        while select.select([terminal], [], [], 60)[0]:
            shown += os.read(terminal, 65536)
            if not answered and b"(not shown): " in shown:
                os.write(terminal, key.encode() + b"\n")
                answered = True
    except OSError:
        # Linux ends a pseudo-terminal that nobody holds any more with an input/output error.
        pass
    finally:
        os.close(terminal)
    return process.wait(timeout=60), shown.decode().replace("\r\n", "\n")


def test_login_on_a_terminal_from_the_first_key_to_the_last(desktop: Desktop, service: Service) -> None:
    code, shown = typed_login(desktop, service.first, "--profile", "work", "--base-url", f"{service.base_url}/v1/")
    assert code == 0, shown
    assert service.first not in shown
    assert re.search(r"accepted the key “First” of ", shown)
    assert "SecretService.Keyring (fingerprint" in shown
    assert "read back" in shown
    assert "Profile work is now the current one" in shown
    file = (desktop.home / "config" / "profiles.toml").read_text(encoding="utf-8")
    assert f'base_url = "{service.base_url}"' in file
    assert service.first not in file

    # The next session finds the key by itself.
    who = desktop.run(*COMMAND, "whoami", "--json")
    assert who.returncode == 0, who.stderr
    assert json.loads(who.stdout)["principal"]["name"] == "First"
    checked = desktop.run(*COMMAND, "doctor", "--json")
    report = {one["name"]: one for one in json.loads(checked.stdout)["checks"]}
    assert checked.returncode == 0, checked.stdout
    assert report["key store"]["used"] == "keyring.backends.SecretService.Keyring"
    assert report["key"]["source"] == "key store"
    assert report["key at the service"]["limit"] == 300

    # A key that is switched off: which profile it is, and what to do. Then a new one replaces it.
    subprocess.run(
        [*COMMAND, "local", "key", "disable", service.first_id, "--data", str(service.folder)], check=True, timeout=60
    )
    refused = desktop.run(*COMMAND, "whoami")
    assert refused.returncode == 1
    assert "workbench login --profile work" in refused.stderr
    wrong_code, wrong = typed_login(desktop, service.first, "--profile", "work")
    assert wrong_code == 1
    assert "did not accept this key" in wrong
    assert "still there" in wrong
    rotated = desktop.run(*COMMAND, "login", "--key-stdin", "--json", typed=f"{service.second}\n")
    assert rotated.returncode == 0, rotated.stderr
    replaced = json.loads(rotated.stdout)
    assert replaced["profile"] == "work"
    assert replaced["replaced"] != replaced["fingerprint"]
    assert re.fullmatch(r"[0-9a-f]{8}", replaced["replaced"])
    assert json.loads(desktop.run(*COMMAND, "whoami", "--json").stdout)["principal"]["name"] == "Second"

    out = desktop.run(*COMMAND, "logout")
    assert (out.returncode, out.stdout[:30]) == (0, "Removed the key of profile wor")
    missing = desktop.run(*COMMAND, "whoami")
    assert missing.returncode == 4
    assert "workbench login --profile work" in missing.stderr
    for done in (who, checked, refused, rotated, out, missing):
        for key in (service.first, service.second):
            assert key not in done.stdout + done.stderr
    for path in desktop.home.rglob("*"):
        if path.is_file() and service.folder not in path.parents:
            assert service.first.encode() not in path.read_bytes()
            assert service.second.encode() not in path.read_bytes()


def test_login_in_a_session_that_nobody_unlocked_does_not_ask_for_the_key(desktop: Desktop, service: Service) -> None:
    line = [*COMMAND, "login", "--base-url", service.base_url, "--key-stdin"]
    done = desktop.run(*line, script=LOCKED, typed=f"{service.first}\n")
    assert done.returncode == 4
    assert "locked" in done.stderr
    assert "WORKBENCH_API_KEY_FILE" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (desktop.home / "config").exists()
