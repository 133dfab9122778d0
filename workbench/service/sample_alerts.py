"""The saved alerts of the sample workspace: every trigger, both rhythms, running, paused, archived, shared and private."""

from __future__ import annotations

from typing import Any, Final

from workbench.service.sample_board import Board, sample_id

_WORKDAYS: Final = {"type": "daily", "weekdays": [1, 2, 3, 4, 5]}
_PUBLICATION: Final = {"field": "expedientPublishedAt"}
_AWARD: Final = {"field": "expedientAdjudicationDate"}


def _weekly(day: int) -> dict[str, Any]:
    return {"type": "weekly", "dayOfWeek": day}


def _notification(frequency: dict[str, Any], hour: int, timezone: str = "Europe/Madrid", **more: Any) -> dict[str, Any]:
    attachments = {"hasPdf": True, "hasCsv": False, "hasXlsx": True}
    plain = {"attachments": attachments, "includeModifications": False, "sendWithoutItems": False}
    return {"frequency": frequency, "hour": hour, "timezone": timezone, **plain, **more}


_ALERTS: Final[tuple[dict[str, Any], ...]] = (
    {
        "title": "Public works in Catalonia above 500,000 €",
        "description": "Roads, buildings and water works of every Catalan buyer.",
        "windows_search": [_PUBLICATION],
        "criteria": {
            "cpvCodes": {"include": ["45000000-7"], "exclude": ["45112711-2"]},
            "locations": {"province": {"include": ["08", "17", "25", "43"], "exclude": []}},
            "budget": {"min": 500_000},
            "statuses": ["Publicada"],
            "inDeadline": True,
        },
        "notification_config": _notification(_WORKDAYS, 8),
    },
    {
        "title": "Software, cloud and cybersecurity",
        "description": "Everything in divisions 48 and 72 that speaks of software, but no spare parts.",
        "windows_search": [_PUBLICATION, _AWARD],
        "criteria": {
            "keywords": {"include": ["software", "ciberseguridad", "nube"], "exclude": ["tóner"]},
            "cpvCodes": {"include": ["48000000-8", "72000000-5"], "exclude": []},
            "contractTypes": ["Servicios", "Suministros"],
        },
        "notification_config": _notification(_weekly(1), 9, includeModifications=True),
    },
    {
        "title": "Cleaning contracts that end within 90 days",
        "description": "The next opportunity is the contract that ends.",
        "windows_search": [{"field": "expedientExpirationDate", "expirationOffset": 90, "withExtension": True}],
        "criteria": {"cpvCodes": {"include": ["90910000-9"], "exclude": []}, "statuses": ["Formalizada"]},
        "notification_config": _notification(_weekly(5), 7, sendWithoutItems=True),
    },
    {
        "title": "What our competitors win",
        "windows_search": [_AWARD],
        "criteria": {
            "contractTypes": ["Obras"],
            "statuses": ["Adjudicada", "Formalizada"],
            "budget": {"min": 100_000, "max": 5_000_000},
        },
        "notification_config": _notification(_WORKDAYS, 18, attachments={"hasPdf": False, "hasCsv": True, "hasXlsx": False}),
        "is_public": False,
    },
    {
        "title": "Clinical supplies by open procedure",
        "description": "Paused until the framework agreement is decided.",
        "windows_search": [_PUBLICATION],
        "criteria": {"cpvCodes": {"include": ["33000000-0"], "exclude": []}, "procedures": ["Abierto", "Abierto simplificado"]},
        "notification_config": _notification({"type": "daily", "weekdays": [2, 4]}, 6),
        "is_active": False,
    },
    {
        "title": "Swimming pools (old campaign)",
        "windows_search": [_PUBLICATION],
        "criteria": {"keywords": {"include": ["piscina"], "exclude": ["mantenimiento"]}},
        "notification_config": _notification(_weekly(3), 12),
        "is_active": False,
        "is_archived": True,
    },
    {
        "title": "Suggested for you: engineering in the Canary Islands",
        "description": "Made by the service from what this workspace follows.",
        "windows_search": [_PUBLICATION, {"field": "expedientExpirationDate", "expirationOffset": 30, "withExtension": False}],
        "criteria": {
            "cpvCodes": {"include": ["71000000-8"], "exclude": []},
            "locations": {"country": {"include": ["ES"], "exclude": []}, "province": {"include": ["35", "38"], "exclude": []}},
        },
        "notification_config": _notification(_WORKDAYS, 7, "Atlantic/Canary"),
        "is_auto_configured": True,
    },
    {
        "title": "Everything in Portugal",
        "windows_search": [_PUBLICATION],
        "criteria": {"locations": {"country": {"include": ["PT"], "exclude": []}}},
        "notification_config": _notification({"type": "daily", "weekdays": [1, 2, 3, 4, 5, 6, 7]}, 23, "Europe/Lisbon"),
        "is_public": False,
    },
)


def add_alerts(board: Board) -> None:
    """The rows of ``alert``: each belongs to one user, who and sometimes a second one get its e-mails."""
    for number, plan in enumerate(_ALERTS):
        is_active = plan.get("is_active", True)
        people = [board.users[number % len(board.users)], board.users[(number + 2) % len(board.users)]]
        created = board.seconds(420 - 45 * number)
        notified = board.seconds(1 + number, plan["notification_config"]["hour"]) if is_active else board.seconds(200)
        board.add(
            "alert",
            id=sample_id("alert", number),
            title=plan["title"],
            description=plan.get("description"),
            criteria=plan["criteria"],
            windows_search=plan["windows_search"],
            notification_config=plan["notification_config"],
            responsibles=[{"id": person, "receiveEmails": place == 0} for place, person in enumerate(people[: 1 + number % 2])],
            is_active=is_active,
            is_public=plan.get("is_public", True),
            is_archived=plan.get("is_archived", False),
            is_auto_configured=plan.get("is_auto_configured", False),
            created_by=people[0],
            last_notified_at=None if number == 6 else notified,
            last_notification_sent_at=None if number >= 6 else notified + 60,
            next_run_at=None,
            created_at=created,
            updated_at=max(created, board.seconds(30 - number)) if is_active else created,
        )
