"""What an e-mail looks like inside: text from outside stays text in every form, and the same digest is the same bytes."""

from __future__ import annotations

import html as html_module
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from alert_world import ALL_FILES, text_of_pdf
from mail_server import Mailbox, attachments, body, csv_rows, mail_server, parsed, xlsx_rows
from pydantic import SecretStr

from workbench.service.delivery import post as post_module
from workbench.service.delivery.changes import Change, changes_between
from workbench.service.delivery.digest import Digest, Entry, Recipient
from workbench.service.delivery.digest_text import SHOWN_MAX, html, plain
from workbench.service.delivery.gathering import Reason
from workbench.service.delivery.message import compose
from workbench.service.delivery.post import MailServer, PostUnavailable
from workbench.service.delivery.wording import clean, shortened

HOSTILE = (
    '=HYPERLINK("https://evil.example";"x")',
    "@SUM(A1:A9)",
    "+1-1",
    "<script>alert(1)</script>",
    "<b>&amp;\"'",
    "{{ digest.title }} {% raw %}",
    "\x1b[31mred\x1b[0m\x00\x07",
    "\u202egnp.exe\u2066",
    "línea\r\nBcc: all@example.org\r\n\r\nbody",
    "W" * 10_000,
    "\ud800 lone",
    "Προμήθεια Доставка Łódź 🚒",
    "<para><font size=99>&nbsp;",
    "",
)


def record(number: int, **values: Any) -> dict[str, Any]:
    return {
        "id": f"id-{number}",
        "name": f"Obra {number}",
        "status": "Publicada",
        "currency": "EUR",
        "budgetNoTaxes": 1_234_567.5,
        "location": "Telde, Las Palmas",
        "contractingOrganization": {"name": "Cabildo"},
        "successBidders": [],
        "cpvCodes": ["45233120-6"],
        "expedientSubmissionDeadline": "2026-10-25T00:30:00Z",
        "platformUrl": f"https://example.org/{number}?a=1&b=2",
        **values,
    }


def digest_of(*entries: Entry, **values: Any) -> Digest:
    made = Digest(
        id="0b3f1f5e-0000-4000-8000-000000000000",
        alert_id="alert-1",
        created_at=datetime(2026, 10, 25, 8, tzinfo=UTC),
        total=len(entries),
        title="Obras",
        description=None,
        account="Local workspace",
        criteria={},
        zone=ZoneInfo("Atlantic/Canary"),
        attachments=ALL_FILES,
        entries=entries,
    )
    return replace(made, **values)


def new(**values: Any) -> Entry:
    return Entry((Reason.NEW,), (), record(1, **values))


PEOPLE = (Recipient("Ana <x>", "ana@example.org", "waiting", None), Recipient("No mail", None, "refused", "none"))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_text_from_outside_stays_text(text: str, tmp_path: Path) -> None:
    changed = (Change("name", text, text + "!"), Change("status", text, None), Change("documents", 2, [text] * 5))
    supplied = {"successBidders": [{"name": text}], "contractingOrganization": {"name": text}, "location": text}
    entry = Entry((Reason.AWARDED, Reason.MODIFIED), changed, record(1, name=text, expedient=text, **supplied))
    digest = Digest.read(
        "0b3f1f5e",
        "alert-1",
        datetime(2026, 10, 25, 8, tzinfo=UTC),
        1,
        {
            "title": text or "x",
            "description": text,
            "account": text or "x",
            "criteria": {"keywords": {"include": [text]}, "contractTypes": [text]},
            "timezone": "Europe/Madrid",
            "attachments": ALL_FILES,
        },
        [entry],
    )
    content = compose(digest, PEOPLE, "alerts@example.org").as_bytes()
    message = parsed(content)
    assert (message["Bcc"], message["To"]) == (None, '"Ana <x>" <ana@example.org>')
    assert len(str(message["Subject"])) <= 200
    page = body(message, "html")
    assert "<script" not in page
    assert page.count("<b>") == 0
    shown = shortened(clean(text), 240) or "(without a name)"
    assert shown in html_module.unescape(page)
    for kind in ("plain", "html"):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", body(message, kind))
    assert max(map(len, content.split(b"\r\n"))) < 998
    files = attachments(message)
    (row,) = csv_rows(files["csv"])
    assert not any(re.match(r"\s*[=+\-@]", cell) for cell in row.values())
    header, cells = xlsx_rows(files["xlsx"])
    assert header[0] == "reason"
    assert cells[0] == "awarded, modified"
    assert files["pdf"].startswith(b"%PDF-")
    read = text_of_pdf(files["pdf"], tmp_path)
    assert read is None or "Awarded (1)" in read


def test_a_digest_is_the_same_to_the_byte() -> None:
    digest = digest_of(*(Entry((Reason.NEW,), (), record(number)) for number in range(40)))
    first, second = (compose(digest, PEOPLE, "alerts@example.org").as_bytes() for _ in range(2))
    assert first == second
    assert parsed(first)["Auto-Submitted"] == "auto-generated"


def test_both_bodies_say_the_same_in_the_alert_s_own_zone() -> None:
    entries = (
        new(),
        Entry((Reason.AWARDED,), (), record(2, status="Adjudicada", awardAmount=900.0, successBidders=[{"name": "Firmes"}])),
        Entry((Reason.DEADLINE,), (), record(3, status="Formalizada", expedientExpirationDate="2026-12-31T12:00:00Z")),
        Entry((Reason.MODIFIED,), (Change("budgetNoTaxes", None, 10.0),), record(4)),
    )
    digest = digest_of(*entries, criteria={"cpvCodes": {"include": ["45000000-7"]}, "budget": {"min": 5}})
    assert digest.subject == "Obras: 1 new, 1 awarded, 1 closing, 1 modified"
    page = html_module.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html(digest))))
    text = " ".join(plain(digest).split())
    for said in (
        # Half past midnight in UTC is half past one in the Canaries, before clocks go back.
        "Sun 25 Oct 2026 01:30",
        "1,234,567.50 €",
        "900 €",
        "Firmes",
        "Thu 31 Dec 2026",
        "45000000-7 Construction work",
        "from 5 €, or not stated",
        "Atlantic/Canary",
    ):
        assert said in text
        assert said in " ".join(page.split())
    assert "not stated -> 10 €" in text
    assert "https://example.org/1?a=1&b=2" in plain(digest)
    assert 'href="https://example.org/1?a=1&amp;b=2"' in html(digest)
    assert all(len(line) <= 76 for line in plain(digest).splitlines() if "https://" not in line)


def test_a_body_stops_where_mail_programs_would_cut_it() -> None:
    digest = digest_of(*(Entry((Reason.NEW,), (), record(number)) for number in range(SHOWN_MAX + 7)))
    assert plain(digest).count("https://") == SHOWN_MAX
    assert "And 7 more; the attachments hold all." in plain(digest)
    assert "And 7 more; the attachments hold all." in html(digest)
    assert len(csv_rows(attachments(parsed(compose(digest, PEOPLE, "a@example.org").as_bytes()))["csv"])) == SHOWN_MAX + 7


def test_only_links_that_a_browser_may_open() -> None:
    for link in ("javascript:alert(1)", "file:///etc/passwd", None, 5):
        digest = digest_of(new(platformUrl=link, sources=[{"linkUrl": link}]))
        assert "href" not in html(digest)
        assert "javascript" not in plain(digest)


def test_what_changed_is_told_and_clocks_are_not_changes() -> None:
    before = record(1, updatedAt="a", expedientUpdatedAt="a", lots=[])
    assert changes_between(before, before | {"updatedAt": "b", "expedientUpdatedAt": "b"}, ["d1"], {"d1": "Pliego"}) == ()
    assert changes_between(before, before | {"lots": [1]}, [], {}) == (Change("other", None, None),)
    assert changes_between(before, before | {"status": "Cerrada", "lots": [1]}, ["d1", "d2"], {"d2": "B", "d3": "C"}) == (
        Change("status", "Publicada", "Cerrada"),
        Change("documents", 1, ["C"]),
    )
    won = before | {"successBidders": [{"name": "A"}, {"name": "A"}, {"name": None}]}
    assert changes_between(before, won, [], {}) == (Change("successBidders", [], ["A", "?"]),)


def test_a_password_is_not_sent_in_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    mailbox = Mailbox()
    message = compose(digest_of(new()), PEOPLE, "alerts@example.org")
    with mail_server(mailbox) as (host, port):
        server = MailServer(host, port, "alerts@example.org", "ana", SecretStr("hunter2"))
        monkeypatch.setattr(post_module, "_is_this_machine", lambda _: False)
        with pytest.raises(PostUnavailable, match="offers no TLS, so the password is not sent") as refused:
            server.send(message, ["ana@example.org"])
    assert mailbox.taken == []
    assert "hunter2" not in f"{refused.value!r} {server!r}"
