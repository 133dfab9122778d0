"""``workbench local alerts|mail``: alerts without a service running, and the outbox of their e-mails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import httpx2
import pytest
from command_line import Run


@pytest.fixture(scope="module", name="sample")
def sample_(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from workbench.local import fill_sample

    folder = tmp_path_factory.mktemp("alerts") / "data"
    fill_sample(data=folder)
    return folder


@pytest.fixture(name="folder")
def folder_(sample: Path, tmp_path: Path) -> Path:
    """A copy of the sample workspace."""
    import sqlite3
    from contextlib import closing

    folder = tmp_path / "data"
    folder.mkdir()
    name = "workbench.sqlite3"
    with closing(sqlite3.connect(sample / name)) as source, closing(sqlite3.connect(folder / name)) as copy:
        source.backup(copy)
    return folder


def test_alerts_run_when_they_are_due_or_at_once(run: Run, folder: Path) -> None:
    idle = run("local", "alerts", "run", "--data", str(folder))
    assert (idle.code, idle.out) == (0, "No alert is due. Add --now to run all that are active.\n")
    done = run("local", "alerts", "run", "--now", "--data", str(folder))
    assert done.code == 0
    lines = done.out.splitlines()
    assert any(line.startswith("Everything in Portugal: ") and ", to 1 recipient; next on " in line for line in lines)
    assert not any(line.startswith("Swimming pools") for line in lines)
    files = sorted((folder / "mail").iterdir())
    assert len(files) == sum(line.startswith("E-mail ") and line.endswith(": sent.") for line in lines) > 3
    message = message_from_bytes(next(file for file in files if "portugal" in file.name).read_bytes(), policy=policy.default)
    assert message["To"] == "Clara Ficticia <clara@example.org>"
    again = run("local", "alerts", "run", "--now", "--data", str(folder))
    assert "Everything in Portugal: nothing to send; next on " in again.out


def test_one_alert_is_run_by_its_id(run: Run, folder: Path) -> None:
    alerts = json.loads(run("alerts", "list", "--json", "--data", str(folder)).out)
    portugal = next(alert["id"] for alert in alerts if alert["title"] == "Everything in Portugal")
    done = json.loads(run("local", "alerts", "run", portugal, "--json", "--data", str(folder)).out)
    (ran,) = done["runs"]
    (mail,) = done["mails"]
    assert (ran["alertId"], ran["recipients"], mail["state"]) == (portugal, 1, "sent")
    assert ran["deliveryId"] == mail["deliveryId"]
    missing = run("local", "alerts", "run", "nonsense", "--data", str(folder))
    assert (missing.code, missing.out) == (1, "")
    assert "No running alert has the id nonsense" in missing.err


def test_the_outbox_can_be_looked_at(run: Run, folder: Path) -> None:
    empty = run("local", "mail", "list", "--data", str(folder))
    assert (empty.code, empty.out) == (0, "")
    assert "--now" in empty.err
    run("local", "alerts", "run", "--now", "--data", str(folder))
    listed = json.loads(run("local", "mail", "list", "--json", "--data", str(folder)).out)
    letter = next(one for one in listed if one["title"] == "Everything in Portugal")
    assert letter["state"] == "sent"
    assert letter["recipients"][0]["email"] == "clara@example.org"
    assert "Everything in Portugal" in run("local", "mail", "list", "--data", str(folder)).out
    shown = run("local", "mail", "show", letter["id"][:8], "--data", str(folder))
    assert shown.out.startswith("To Clara Ficticia <clara@example.org>: sent.\n\nEverything in Portugal\n")
    assert "This alert looks for:\n  Places:         PT\n" in shown.out
    whole = run("local", "mail", "show", letter["id"], "--eml", "--data", str(folder)).out
    assert f"Message-ID: <{letter['id']}@" in whole
    again = run("local", "mail", "send", letter["id"], "--data", str(folder))
    assert (again.code, again.err) == (1, "Everybody whom this e-mail is for has it.\n")
    missing = run("local", "mail", "show", "zz", "--data", str(folder))
    assert missing.code == 1
    assert "local mail list" in missing.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--smtp", "mail.example.org"], "is no mail server: expected HOST:PORT"),
        (["--smtp", "mail.example.org:99999"], "is no mail server: expected HOST:PORT"),
        (["--smtp-user", "ana"], "needs a mail server"),
        (["--smtp", "mail.example.org:587", "--smtp-user", "ana"], "WORKBENCH_SMTP_PASSWORD"),
        (["--smtp", "mail.example.org:587", "--mail-from", "nobody"], "no address that e-mails could come from"),
    ],
)
def test_settings_of_a_mail_server_that_cannot_be_meant(run: Run, folder: Path, options: list[str], sentence: str) -> None:
    for command in (["local", "alerts", "run"], ["serve", "--port", "0"]):
        outcome = run(*command, *options, "--data", str(folder))
        assert (outcome.code, outcome.out) == (2, "")
        assert sentence in outcome.err


def test_a_running_service_delivers(folder: Path, tmp_path: Path) -> None:
    """The whole program: served, an alert made over HTTP, run from a second process, the e-mail a file that opens."""
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--json", "--data", str(folder)]
    environment = os.environ | {"WORKBENCH_CONFIG": str(tmp_path / "config"), "PYTHONWARNINGS": "error"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        ready: dict[str, Any] = json.loads(process.stdout.readline())
        with httpx2.Client(base_url=ready["baseUrl"], headers={"api-key": ready["key"]}) as client:
            people = client.get("/v1/alerts").json()["data"][0]["responsibles"]
            draft = {
                "title": "Made just now",
                "windowsSearch": [{"field": "expedientPublishedAt"}],
                "criteria": {"locations": {"country": {"include": ["PT"]}}},
                "notificationConfig": {"attachments": {"hasPdf": True, "hasCsv": True, "hasXlsx": True}},
                "responsibles": [{"id": people[0]["id"], "receiveEmails": True}],
            }
            made = client.post("/v1/alerts", json=draft).json()
            run_it = [sys.executable, "-m", "workbench", "local", "alerts", "run", made["id"], "--json", "--data", str(folder)]
            done = subprocess.run(run_it, capture_output=True, text=True, check=True, env=environment)
            (ran,) = json.loads(done.stdout)["runs"]
            total = client.post(f"/v1/alerts/{made['id']}/results", json={"pageSize": 100}).json()["data"]
            assert ran["total"] == len(total) > 0
            assert client.get(f"/v1/alerts/{made['id']}").json()["lastNotificationSentAt"] is not None
        (file,) = (folder / "mail").glob("*made-just-now*.eml")
        message = message_from_bytes(file.read_bytes(), policy=policy.default)
        kinds = sorted(part.get_content_type().rpartition("/")[2] for part in message.iter_attachments())  # type: ignore[attr-defined]
        assert kinds == ["csv", "pdf", "vnd.openxmlformats-officedocument.spreadsheetml.sheet"]
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert (process.returncode, "Traceback" in said) == (0, False)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
