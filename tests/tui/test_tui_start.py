"""Starting: what is loaded before the first frame, the first choice, hosted services, importing, and stopping by a fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.widgets import Checkbox, Input, OptionList
from tui_fake import FakeSession, clock
from tui_stage import stage

from workbench.tui import crash
from workbench.tui.app import WorkbenchApp
from workbench.tui.dialogs.importing import ImportDialog
from workbench.tui.dialogs.start import HostedDialog, StartDialog
from workbench.tui.session import Start
from workbench.tui.startup import check_address, complete_path, is_first_run, keep_hosted, paths_of
from workbench.tui.trouble import Trouble

HEAVY = {
    "httpx2",
    "pydantic",
    "sqlalchemy",
    "starlette",
    "keyring",
    "lxml",
    "anyio",
    "pandas",
    "plotly",
    "typer",
    "uvicorn",
    "reportlab",
}
LATER = {
    "workbench.client", "workbench.connect", "workbench.contract.tenders", "workbench.reference.cpv", "workbench.service",
    "workbench.tui.screens.tender", "workbench.tui.widgets.filters", "workbench.tui.dialogs.start", "workbench.tui.palette",
}  # fmt: skip

FIRST_FRAME = """
import asyncio, json, sys
from workbench.tui.app import WorkbenchApp
from workbench.tui.session import Session, Start

class Still(Session):
    async def open(self):
        await asyncio.Event().wait()

seen = []
class Probe(WorkbenchApp):
    def on_ready(self):
        seen.extend(sorted(sys.modules))
        self.exit()

asyncio.run(Probe(Start("sample"), make_session=Still).run_async(headless=True))
print(json.dumps(seen))
"""


def test_nothing_heavy_is_loaded_before_the_first_frame() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_FRAME], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "workbench.tui.app" in loaded
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    assert not loaded & LATER


def test_importing_the_package_of_the_terminal_ui_loads_no_terminal_ui() -> None:
    code = "import sys, workbench.tui; print('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data and configuration in folders of the test's own, and no profile chosen."""
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("WORKBENCH_CONFIG", str(tmp_path / "config"))
    for name in ("WORKBENCH_PROFILE", "WORKBENCH_BASE_URL", "WORKBENCH_API_KEY", "WORKBENCH_API_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_first_run_is_one_without_profile_environment_or_data(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_first_run()
    monkeypatch.setenv("WORKBENCH_PROFILE", "sample")
    assert not is_first_run()
    monkeypatch.delenv("WORKBENCH_PROFILE")
    (own_folders / "config").mkdir()
    (own_folders / "config" / "profiles.toml").write_text('current = "sample"\n')
    assert not is_first_run()


@pytest.mark.anyio
async def test_the_first_run_offers_three_ways_and_the_sample_is_one_key_away(own_folders: Path) -> None:
    async with stage(start=Start(), first_run=lambda: True) as on:
        await on.until(lambda: isinstance(on.app.screen, StartDialog))
        words = on.words()
        for expected in ("Look at the sample workspace", "Import open data", "Connect to a hosted service"):
            assert expected in words
        assert on.session.asked == []
        await on.press("enter")
        await on.until(lambda: on.session.asked)
        assert on.session.start == Start("sample")


@pytest.mark.anyio
async def test_escape_at_the_first_run_opens_the_empty_local_workspace(own_folders: Path) -> None:
    async with stage(FakeSession(tenders=[]), start=Start(), first_run=lambda: True) as on:
        await on.until(lambda: isinstance(on.app.screen, StartDialog))
        await on.press("escape")
        await on.until(lambda: on.search.results.shown is not None)
        await on.idle()
        assert "holds no tenders yet" in on.words()
        assert "imports open data" in on.words()


@pytest.mark.anyio
async def test_another_workspace_can_be_opened_any_time(own_folders: Path) -> None:
    async with stage() as on:
        await on.press("ctrl+o")
        assert isinstance(on.app.screen, StartDialog)
        await on.until(lambda: on.app.screen.query_one(OptionList).option_count == 4)
        await on.press("end", "enter")
        await on.until(lambda: on.session.start == Start("local"))


@pytest.mark.anyio
async def test_a_hosted_service_takes_an_address_and_a_key_that_is_never_shown(own_folders: Path) -> None:
    async with stage() as on:
        await on.press("ctrl+o", "j", "j", "enter")
        await on.until(lambda: isinstance(on.app.screen, HostedDialog))
        await on.type("http://api.example.org")
        await on.press("enter", "enter")
        assert "asks for a key" in on.words() or "over https" in on.words()
        on.app.screen.query_one("#address", Input).value = "https://api.example.org/"
        on.app.screen.query_one("#key", Input).value = "a-key-of-the-test"
        assert "a-key-of-the-test" not in on.words()
        on.app.screen.query_one("#key", Input).focus()
        await on.pilot.press("enter")
        await on.until(lambda: on.session.start.base_url == "https://api.example.org")
        assert "a-key-of-the-test" not in repr(on.session.start)


@pytest.mark.anyio
async def test_a_key_that_cannot_be_stored_says_so_and_names_the_way_out(
    own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    async with stage() as on:
        await on.press("ctrl+o", "j", "j", "enter")
        await on.until(lambda: isinstance(on.app.screen, HostedDialog))
        on.app.screen.query_one("#address", Input).value = "https://api.example.org"
        on.app.screen.query_one("#key", Input).value = "a-key-of-the-test"
        on.app.screen.query_one("#keep", Checkbox).value = True
        on.app.screen.query_one("#key", Input).focus()
        await on.pilot.press("enter")
        await on.until(lambda: "Untick the box" in " ".join(on.words().split()))
        assert "a-key-of-the-test" not in on.words()
        assert not (own_folders / "config" / "profiles.toml").exists()


@pytest.mark.parametrize(
    ("text", "address"), [("https://api.example.org/", "https://api.example.org"), ("api.example.org/base", "https://api.example.org/base"),
                          ("http://localhost:8000", "http://localhost:8000"), (" http://127.0.0.1:1 ", "http://127.0.0.1:1")],
)  # fmt: skip
def test_addresses_of_services_are_taken_as_people_write_them(text: str, address: str) -> None:
    assert check_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "http://api.example.org", "ftp://x.org", "https://user:pass@x.org", "https://x.org?key=1", "https://", "//"]
)
def test_addresses_that_a_key_must_not_go_to_are_refused(text: str) -> None:
    with pytest.raises(Trouble):
        check_address(text)


def test_keeping_a_hosted_service_without_a_key_store_keeps_nothing(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with pytest.raises(Trouble) as caught:
        keep_hosted("https://api.example.org", "a-key-of-the-test")
    assert "a-key-of-the-test" not in str(caught.value)
    assert not (own_folders / "config" / "profiles.toml").exists()


def test_paths_are_read_as_a_shell_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("a.zip", "b.zip", "with space.atom", "deep"):
        (tmp_path / name).touch()
    assert paths_of("~/a.zip") == [tmp_path / "a.zip"]
    assert paths_of(f"{tmp_path}/*.zip ~/none.atom") == [tmp_path / "a.zip", tmp_path / "b.zip", tmp_path / "none.atom"]
    assert paths_of(f"{tmp_path}/with space.atom") == [tmp_path / "with space.atom"]
    assert paths_of(f"'{tmp_path}/with space.atom'") == [tmp_path / "with space.atom"]
    assert paths_of("it's") == [Path("it's")]
    assert complete_path(f"{tmp_path}/wi") == f"{tmp_path}/with space.atom"
    assert complete_path(f"{tmp_path}/zz") is None


ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>none</title></feed>
"""


@pytest.mark.anyio
async def test_an_import_that_cannot_start_says_why_and_another_may_be_tried(own_folders: Path) -> None:
    async with stage() as on:
        await on.app.push_screen(ImportDialog("local", None))
        await on.until(lambda: isinstance(on.app.screen, ImportDialog))
        field = on.app.screen.query_one("#paths", Input)
        field.value = str(own_folders / "missing.zip")
        await on.pilot.press("enter")
        await on.until(lambda: "missing.zip" in on.words() and "▲" in on.words())
        await on.press("escape")
        assert not isinstance(on.app.screen, ImportDialog)


@pytest.mark.anyio
async def test_an_import_ends_with_a_report_that_names_what_was_refused(own_folders: Path) -> None:
    page = own_folders / "page.atom"
    page.write_text("<html><body>an error page</body></html>")
    async with stage() as on:
        await on.app.push_screen(ImportDialog("local", None))
        await on.until(lambda: isinstance(on.app.screen, ImportDialog))
        on.app.screen.query_one("#paths", Input).value = str(page)
        await on.pilot.press("enter")
        await on.until(lambda: "Done." in on.words() or "▲" in on.words())
        words = on.words()
        assert "page.atom" in words
        assert "refused" in words.lower() or "▲" in words


def test_a_crash_report_holds_places_and_no_values() -> None:
    secret = "Zx81-abcdefghijklmnop0123456789"
    try:
        raise ValueError(
            f"api-key: {secret} for https://user:pw@example.org/v1/documents/{secret}/download?token=abc at {Path.home()}/x"
        )
    except ValueError as error:
        text = crash.report(error, datetime(2026, 1, 1, tzinfo=UTC)) + crash.farewell(error, Path("report.txt"))
    assert secret not in text
    assert "user:pw" not in text
    assert "token=abc" not in text
    assert str(Path.home()) + "/" not in text
    assert "test_tui_start.py" in text
    assert "ValueError" in text


def list_reports(folder: Path) -> list[Path]:
    """The reports that were written."""
    return list(folder.glob("workbench-report-*.txt"))


@pytest.mark.anyio
async def test_a_fault_of_our_own_prints_a_sentence_and_no_variables(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    class Faulty(WorkbenchApp):
        def action_toggle_theme(self) -> None:
            api_key = "Zx81-secret-in-a-variable-0123456789"
            raise RuntimeError(f"a fault with {api_key}")

    app = Faulty(Start("sample"), clock=clock, make_session=lambda start: FakeSession())
    with pytest.raises(RuntimeError):  # noqa: PT012 - the fault ends the whole block
        async with app.run_test() as pilot:
            await pilot.press("ctrl+t")
            await pilot.pause()
    printed = capsys.readouterr().err
    assert "stopped by a fault of its own" in " ".join(printed.split())
    assert "Zx81" not in printed
    (written,) = list_reports(tmp_path)
    assert "Zx81" not in written.read_text()
    assert written.stat().st_mode & 0o077 == 0
    assert app.return_code == 1


@pytest.mark.anyio
async def test_no_color_leaves_the_screen_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with stage() as on:
        assert on.app.no_color
        assert "Publicada" in on.words()
    assert os.environ["NO_COLOR"] == "1"
