"""``doctor``: what it looks at, what it says, and what it never shows. The service is a scripted one on loopback."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command_line import Run, no_controls
from scripted_service import KEY, Script

from workbench.cli import checks
from workbench.client.reachability import reach

SECRET = "canary-of-the-proxy"


def findings(run: Run, *line: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Exit code, findings by name, and the whole text."""
    done = run("doctor", "--json", *line)
    report = json.loads(done.out)
    assert report["ok"] == (done.code == 0)
    return done.code, {one["name"]: one for one in report["checks"]}, done.out + done.err


def test_a_fresh_machine_is_healthy_and_stays_as_it_is(run: Run, home: Path) -> None:
    code, found, _ = findings(run)
    assert code == 0
    assert list(found)[:5] == ["versions", "profile", "config folder", "data folder", "cache folder"]
    assert found["profile"]["kind"] == "embedded"
    assert found["config folder"]["exists"] is False
    assert {"backend", "priority", "trusted"} == found["key store"]["offered"][0].keys()
    assert found["versions"]["versions"]["httpx2"].startswith("2.")
    assert found["terminal"]["state"] == "off"
    assert list(home.iterdir()) == []
    shown = run("doctor")
    assert shown.code == 0
    assert no_controls(shown.out)


@pytest.mark.requirement("AUTH-8")
def test_a_hosted_service_is_reached_and_the_key_asked_about(
    run: Run, service: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{SECRET}@proxy.example.org:3128")
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path=/run/{SECRET}")
    monkeypatch.setenv("WORKBENCH_MCP_URL", f"{service.base_url}/mcp")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    code, found, text = findings(run)
    assert found["service"]["status"] == 401
    assert found["service"]["seconds"] >= 0
    assert "https" in found["service"]["proxy"]
    assert found["clock"]["state"] == "ok"
    assert found["key"]["source"] == "environment"
    assert found["key at the service"]["limit"] == 300
    assert found["tool server"]["status"] == 401
    assert found["D-Bus session"]["dbusSessionBusAddress"] is True
    assert code == 0
    # What asks whether the service is there carries no key; what asks about the key does.
    assert [one.key for one in service.asked] == [None, None, KEY]
    for shown in (text, run("doctor").out):
        assert KEY not in shown
        assert SECRET not in shown


@pytest.mark.parametrize(
    ("answers", "name", "words"),
    [
        ({"GET /v1/api-key": (401, {"error": "UNAUTHORIZED", "message": "expired"})}, "key at the service", "workbench login"),
        ({"GET /v1/api-key": (500, {})}, "key at the service", "The service failed"),
    ],
)
def test_a_key_that_is_refused_fails(run: Run, service: Script, answers: dict[str, Any], name: str, words: str) -> None:
    service.answers |= answers
    code, found, _ = findings(run)
    assert code == 1
    assert found[name]["state"] == "failed"
    assert words in found[name]["detail"]


def test_a_service_that_is_not_there_fails_and_nothing_hangs_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WORKBENCH_API_KEY", KEY)
    code, found, _ = findings(run)
    assert code == 1
    assert found["service"]["state"] == "failed"
    assert "Check the base URL" in found["service"]["detail"]
    assert found["key at the service"]["state"] == "off"


def test_a_profile_without_a_key_fails_with_the_ways_out(run: Run, service: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_API_KEY")
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    code, found, _ = findings(run)
    assert code == 1
    assert found["key"]["state"] == "failed"
    assert "WORKBENCH_API_KEY" in found["key"]["detail"]
    assert found["service"]["state"] == "ok"


def test_an_unknown_profile_or_a_broken_file_is_a_finding(run: Run, home: Path) -> None:
    code, found, _ = findings(run, "--profile", "nobody")
    assert (code, found["profile"]["state"]) == (1, "failed")
    (home / "config").mkdir()
    (home / "config" / "profiles.toml").write_text("[", encoding="utf-8")
    code, found, _ = findings(run)
    assert code == 1
    assert "not valid TOML" in found["profile"]["detail"]


@pytest.mark.skipif(os.name != "posix", reason="permissions are a thing of Unix")
def test_folders_and_files_that_others_may_use_are_named(run: Run, home: Path) -> None:
    for name in ("config", "data"):
        (home / name).mkdir()
        (home / name).chmod(0o777)
    (home / "data" / "local").mkdir()
    database = home / "data" / "local" / "workbench.sqlite3"
    database.touch(0o644)
    code, found, _ = findings(run)
    assert code == 0
    assert found["config folder"]["state"] == "warning"
    assert "chmod go-w" in found["config folder"]["detail"]
    assert found["service"]["state"] == "warning"
    assert "Others may read" in found["service"]["detail"]
    (home / "config").rmdir()
    (home / "config").write_text("in the way", encoding="utf-8")
    code, found, _ = findings(run)
    assert (code, found["config folder"]["state"]) == (1, "failed")


@pytest.mark.parametrize(
    ("ahead", "state", "words"),
    [
        (0.4, "ok", "Within 1 s"),
        (-30.0, "ok", "Within 30 s"),
        (3600.0, "warning", "3600 s ahead of"),
        (-90.0, "warning", "90 s behind"),
    ],
)
def test_a_clock_that_is_off_is_told_with_its_direction(
    run: Run, service: Script, monkeypatch: pytest.MonkeyPatch, ahead: float, state: str, words: str
) -> None:
    import workbench.client.reachability as reachability

    real = reach(f"{service.base_url}/v1/whoami")
    moved = reachability.Reached(real.status, real.seconds, ahead, real.redirect)
    monkeypatch.setattr(reachability, "reach", lambda _url: moved)
    found = {one.name: one for one in checks.examine(None)}
    assert (found["clock"].state, found["clock"].facts["aheadSeconds"]) == (state, ahead)
    assert words in found["clock"].detail


def test_reach_measures_the_clock_against_the_date_header(service: Script) -> None:
    reached = reach(f"{service.base_url}/v1/whoami")
    assert reached.clock_ahead is not None
    assert abs(reached.clock_ahead) < 30
    assert service.asked[-1].key is None
