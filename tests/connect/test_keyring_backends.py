"""Key stores that are none, through the real keyring package as a user configures it: ``PYTHON_KEYRING_BACKEND``.

``fail``, ``null`` and the misspelt name are keyring's own. The locked, the slow, the write-losing and the talkative store are
stand-ins, a few lines each, written to a module that keyring loads as it loads any plug-in: no such program can be had here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

CANARY = "wb_canary-50d2ab71e9"
STAND_INS = '''
import threading
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked


class Memory(KeyringBackend):
    """Keeps what it is given, as long as the process lives."""

    priority = 5
    kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


class Locked(Memory):
    def get_password(self, service, username):
        raise KeyringLocked("Failed to unlock the collection!")

    def set_password(self, service, username, password):
        raise KeyringLocked("Failed to unlock the collection!")


class Slow(Memory):
    """Waits for somebody to answer its prompt, who never does."""

    def get_password(self, service, username):
        threading.Event().wait()

    def set_password(self, service, username, password):
        threading.Event().wait()


class Losing(Memory):
    def set_password(self, service, username, password):
        pass


class Talkative(Memory):
    """Puts the key into its error message, as some do."""

    def set_password(self, service, username, password):
        raise RuntimeError(f"the store is full: cannot keep {password}")


class Half(Memory):
    """Keeps the beginning: some stores cut a long value without a word."""

    def set_password(self, service, username, password):
        self.kept[service, username] = password[:10]
'''
STEPS = f'''
from pydantic import SecretStr
from workbench.client.errors import KeyNotFound, KeyNotStored
from workbench.keys import find_key, store_key
from workbench.profiles import Profile

work = Profile("work", "hosted", base_url="https://api.example.org")
for step in (lambda: find_key(work, seconds=SECONDS), lambda: store_key(work, SecretStr("{CANARY}"), seconds=SECONDS)):
    try:
        print("fine:", step())
    except (KeyNotFound, KeyNotStored) as refusal:
        print(f"{{type(refusal).__name__}}: {{refusal}}")
'''

pytestmark = pytest.mark.requirement("AUTH-8")


def run(folder: Path, backend: str, *line: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run Python with this backend; the stand-ins can be imported. A store that hangs must not keep the program from ending."""
    (folder / "stand_ins.py").write_text(STAND_INS, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WORKBENCH_", "DBUS_"))}
    ours = {"WORKBENCH_CONFIG": str(folder / "config"), "WORKBENCH_DATA": str(folder / "data"), "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *line],
        input=typed,
        env=kept | ours | {"PYTHON_KEYRING_BACKEND": backend},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


@pytest.mark.parametrize(
    ("backend", "find", "store"),
    [
        ("keyring.backends.fail.Keyring", "No secure key store is available", "No secure key store is available"),
        ("keyring.backends.null.Keyring", "No secure key store is available", "No secure key store is available"),
        ("keyring.backends.Sekret.Keyring", "could not be loaded (ModuleNotFoundError)", "could not be loaded"),
        ("keyring.backends.fail.Keyrong", "could not be loaded (AttributeError)", "could not be loaded"),
        ("stand_ins.Locked", "stand_ins.Locked refused (KeyringLocked); it may be locked.", "refused (KeyringLocked)"),
        ("stand_ins.Slow", "did not answer within", "did not answer within"),
        ("stand_ins.Losing", "Store one with 'workbench login --profile work'", "took it and did not give it back"),
        ("stand_ins.Half", "Store one with", "took it and did not give it back"),
        ("stand_ins.Talkative", "Store one with", "stand_ins.Talkative refused (RuntimeError)"),
    ],
    ids=["fail", "null", "misspelt module", "misspelt class", "locked", "slow", "write-losing", "cutting", "talkative"],
)
def test_a_store_that_cannot_keep_a_key_is_a_sentence_with_ways_out(
    tmp_path: Path, backend: str, find: str, store: str
) -> None:
    seconds = "0.2" if backend.endswith("Slow") else "30"
    done = run(tmp_path, backend, "-c", textwrap.dedent(STEPS).replace("SECONDS", seconds))
    assert done.returncode == 0, done.stderr
    found, stored = done.stdout.splitlines()
    assert found.startswith("KeyNotFound: No API key for profile 'work' was found.")
    assert find in found
    assert stored.startswith("KeyNotStored: The key was not stored")
    assert store in stored
    for sentence in (found, stored):
        assert "WORKBENCH_API_KEY" in sentence
        assert CANARY not in sentence
    assert CANARY not in done.stderr


def test_a_memory_store_would_be_fine(tmp_path: Path) -> None:
    """The tests above fail for the stores' sake and not for that of the way they are loaded."""
    done = run(tmp_path, "stand_ins.Memory", "-c", STEPS.replace("SECONDS", "30"))
    assert done.stdout.splitlines()[1] == "fine: stand_ins.Memory"


@pytest.mark.parametrize(
    "backend", ["keyring.backends.fail.Keyring", "keyring.backends.null.Keyring", "keyring.backends.Sekret.Keyring"]
)
def test_login_and_doctor_say_so_before_a_key_is_typed(tmp_path: Path, backend: str) -> None:
    line = ["-m", "workbench", "login", "--base-url", "https://api.example.org", "--key-stdin"]
    done = run(tmp_path, backend, *line, typed=f"{CANARY}\n")
    assert (done.returncode, done.stdout) == (4, "")
    assert "WORKBENCH_BASE_URL=https://api.example.org" in done.stderr
    assert "WORKBENCH_API_KEY_FILE" in done.stderr
    assert "never written in plain text" in done.stderr
    assert done.stderr.count("\n") == 1
    assert CANARY not in done.stderr
    assert not (tmp_path / "config").exists()
    looked = run(tmp_path, backend, "-m", "workbench", "doctor")
    assert looked.returncode == 0  # the local profile needs no key store
    assert "key store" in looked.stdout
    assert f"PYTHON_KEYRING_BACKEND asks for {backend}" in " ".join(looked.stdout.split())
