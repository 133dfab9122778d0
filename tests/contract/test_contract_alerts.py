"""Alerts as a caller over HTTP meets them (interface 2, 3, 4.1, 4.3 and 8)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import update

from workbench.service.store.workspace_tables import alert as alert_table

Record = dict[str, Any]

FIELDS = {
    "id", "title", "description", "platformUrl", "criteria", "notificationConfig", "responsibles", "isActive", "isPublic",
    "isArchived", "isAutoConfigured", "createdBy", "createdAt", "updatedAt", "lastNotifiedAt", "lastNotificationSentAt",
}  # fmt: skip
PUBLICATION = {"field": "expedientPublishedAt"}
DRAFT = {"title": "Roads", "windowsSearch": [PUBLICATION]}


class AlertWorld:
    """An account of its own, with two users and a key, so that no other test's alerts are in the way."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.account = world.access.create_account(f"Account {uuid4()}").slug
        self.key = world.new_key("alerts", account_slug=self.account, rate_limit=1_000_000)
        self.users = [world.access.create_user(self.account, name, email=f"{name}@example.org").id for name in ("ana", "eva")]

    def call(self, method: str, path: str, **options: Any) -> Any:
        return self.world.call(method, path, **{"key": self.key, **options})

    def create(self, **fields: Any) -> Record:
        answer = self.call("POST", "/v1/alerts", json={**DRAFT, **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def patch(self, alert: Record, **fields: Any) -> Record:
        answer = self.call("PATCH", f"/v1/alerts/{alert['id']}", json=fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def get(self, alert: Record) -> Record:
        answer = self.call("GET", f"/v1/alerts/{alert['id']}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def list(self, **query: Any) -> Record:
        answer = self.call("GET", "/v1/alerts", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def titles(self, **query: Any) -> list[str]:
        return [one["title"] for one in self.list(**{"pageSize": 100, **query})["data"]]

    def results(self, alert: Record, **filters: Any) -> list[Record]:
        found: list[Record] = []
        for page in range(1, 100):
            body = {"pageSize": 100, **filters, "page": page}
            answer = self.call("POST", f"/v1/alerts/{alert['id']}/results", json=body)
            assert answer.status_code == 200, answer.text
            found += answer.json()["data"]
            if not answer.json()["pagination"]["hasNextPage"]:
                return found
        raise AssertionError("the pages never end")

    def refused(self, refusal: Any, field: str, /, **fields: Any) -> str:
        """The sentence of a refused draft, which is refused as a change in the same way and changes nothing."""
        before = self.create()
        answer = self.call("PATCH", f"/v1/alerts/{before['id']}", json=fields)
        assert f"'{field}'" in refusal(answer, 422, "INVALID_REQUEST")
        assert self.get(before) == before
        count = self.list()["totalCount"]
        sentence = refusal(self.call("POST", "/v1/alerts", json={**DRAFT, **fields}), 422, "INVALID_REQUEST")
        assert f"'{field}'" in sentence
        assert self.list()["totalCount"] == count
        return sentence


@pytest.fixture(name="alerts")
def alerts_(world: Any) -> AlertWorld:
    if world.hosted:
        pytest.skip("makes alerts; a hosted account is only asked what changes nothing")
    return AlertWorld(world)


@pytest.mark.requirement("ALR-4", "ALR-3")
def test_title_and_one_trigger_make_an_alert(alerts: AlertWorld) -> None:
    made = alerts.create()
    assert set(made) == FIELDS | {"windowsSearch"}
    assert made == made | {
        "title": "Roads",
        "description": None,
        "criteria": {},
        "notificationConfig": {},
        "responsibles": [],
        "windowsSearch": [PUBLICATION],
        "isActive": True,
        "isPublic": True,
        "isArchived": False,
        "isAutoConfigured": False,
        "lastNotifiedAt": None,
        "lastNotificationSentAt": None,
    }
    assert made["createdBy"] == alerts.call("GET", "/v1/whoami").json()["principal"]["id"]
    assert datetime.fromisoformat(made["createdAt"]) == datetime.fromisoformat(made["updatedAt"]) == _now(alerts)
    assert isinstance(made["platformUrl"], str)
    assert made["id"] in made["platformUrl"]
    assert alerts.get(made) == made
    assert alerts.list()["data"] == [made]


def _now(alerts: AlertWorld) -> datetime:
    return alerts.world.clock.now.replace(microsecond=0)


@pytest.mark.requirement("ALR-4")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"windowsSearch": [PUBLICATION]}, "title"),
        ({"title": "Roads"}, "windowsSearch"),
        ({"title": "Roads", "windowsSearch": []}, "windowsSearch"),
        ({**DRAFT, "title": None}, "title"),
        ({**DRAFT, "title": " \t"}, "title"),
        ({**DRAFT, "title": "x" * 501}, "title"),
        ({**DRAFT, "title": 5}, "title"),
        ({**DRAFT, "isActive": "true"}, "isActive"),
        ({**DRAFT, "isPublic": 1}, "isPublic"),
        ({**DRAFT, "isArchived": True}, "isArchived"),
        ({**DRAFT, "isAutoConfigured": True}, "isAutoConfigured"),
        ({**DRAFT, "tittle": "Roads"}, "tittle"),
        ({**DRAFT, "responsibles": [{"id": "x"}]}, "responsibles[0].receiveEmails"),
    ],
)
def test_a_draft_that_lacks_or_misspells_something_is_refused_by_name(
    alerts: AlertWorld, refusal: Any, body: Record, field: str
) -> None:
    assert f"'{field}'" in refusal(alerts.call("POST", "/v1/alerts", json=body), 422, "INVALID_REQUEST")
    assert alerts.list()["totalCount"] == 0


@pytest.mark.requirement("ALR-4")
def test_a_draft_says_otherwise(alerts: AlertWorld) -> None:
    people = [{"id": alerts.users[0], "receiveEmails": True}, {"id": alerts.users[1], "receiveEmails": False}]
    made = alerts.create(description="Ñandú <b>", isActive=False, isPublic=False, responsibles=people)
    assert made == made | {"description": "Ñandú <b>", "isActive": False, "isPublic": False, "responsibles": people}


@pytest.mark.requirement("ALR-5")
def test_triggers_take_the_three_dates_and_only_the_deadline_takes_more(alerts: AlertWorld, refusal: Any) -> None:
    windows = [
        PUBLICATION,
        {"field": "expedientAdjudicationDate"},
        {"field": "expedientExpirationDate", "expirationOffset": 1, "withExtension": True},
        {"field": "expedientExpirationDate", "expirationOffset": 2.5},
        {"field": "expedientExpirationDate"},
    ]
    assert alerts.create(windowsSearch=windows)["windowsSearch"] == windows
    for window, name in (
        ({"field": "expedientExpirationDate", "expirationOffset": 0}, "windowsSearch[0].expirationOffset"),
        ({"field": "expedientExpirationDate", "expirationOffset": 0.5}, "windowsSearch[0].expirationOffset"),
        ({"field": "expedientExpirationDate", "expirationOffset": 1e9}, "windowsSearch[0].expirationOffset"),
        ({"field": "expedientExpirationDate", "withExtension": "yes"}, "windowsSearch[0].withExtension"),
        ({**PUBLICATION, "expirationOffset": 3}, "windowsSearch[0]"),
        ({"field": "expedientAdjudicationDate", "withExtension": False}, "windowsSearch[0]"),
        ({"field": "expedientUpdatedAt"}, "windowsSearch[0].field"),
        ({}, "windowsSearch[0].field"),
        ({**PUBLICATION, "offset": 3}, "windowsSearch[0].offset"),
    ):
        alerts.refused(refusal, name, windowsSearch=[window])


@pytest.mark.requirement("ALR-6")
def test_criteria_come_back_as_they_were_sent(alerts: AlertWorld) -> None:
    criteria = {
        "keywords": {"include": ["carretera", "obra civil"], "exclude": ["limpieza"]},
        "cpvCodes": {"include": ["45233120-6"], "exclude": []},
        "locations": {
            "country": {"include": ["ES"], "exclude": ["PT"]},
            "province": {"include": ["08", "ES-M"], "exclude": ["Sevilla"]},
        },
        "budget": {"min": 1000, "max": 250000.5},
        "statuses": ["Publicada", "Cerrada"],
        "contractTypes": ["Obras"],
        "procedures": ["Abierto"],
        "inDeadline": True,
    }
    assert alerts.create(criteria=criteria)["criteria"] == criteria
    for part, value in criteria.items():
        assert alerts.create(criteria={part: value})["criteria"] == {part: value}


@pytest.mark.requirement("ALR-6")
@pytest.mark.parametrize(
    ("criteria", "field"),
    [
        ({"statuses": []}, "criteria.statuses"),
        ({"statuses": ["Open"]}, "criteria.statuses[0]"),
        ({"keywords": ["x"]}, "criteria.keywords"),
        ({"keywords": {"include": "x"}}, "criteria.keywords.include"),
        ({"keywords": {"include": [" - "]}}, "criteria.keywords.include"),
        ({"cpvCodes": {"include": ["45233120-7"]}}, "criteria.cpvCodes.include"),
        ({"cpvCodes": {"exclude": ["roads"]}}, "criteria.cpvCodes.exclude"),
        ({"locations": {"country": {"include": ["Spain"]}}}, "criteria.locations.country.include"),
        ({"locations": {"province": {"exclude": ["99"]}}}, "criteria.locations.province.exclude"),
        ({"locations": {"town": {"include": ["Vic"]}}}, "criteria.locations.town"),
        ({"budget": {"min": "1"}}, "criteria.budget.min"),
        ({"budget": {"min": 2, "max": 1}}, "criteria.budget"),
        ({"inDeadline": 1}, "criteria.inDeadline"),
        ({"contractTypes": ["  "]}, "criteria.contractTypes"),
        ({"cpvs": ["45233120-6"]}, "criteria.cpvs"),
    ],
)
def test_criteria_that_cannot_be_meant_are_refused_by_name(
    alerts: AlertWorld, refusal: Any, criteria: Record, field: str
) -> None:
    alerts.refused(refusal, field, criteria=criteria)


@pytest.mark.requirement("ALR-7")
def test_schedules_come_back_as_they_were_sent(alerts: AlertWorld) -> None:
    for config in (
        {"frequency": {"type": "daily", "weekdays": [1, 7]}, "hour": 0, "timezone": "Atlantic/Canary"},
        {"frequency": {"type": "weekly", "dayOfWeek": 3}, "hour": 23},
        {
            "attachments": {"hasPdf": True, "hasCsv": False, "hasXlsx": True},
            "includeModifications": True,
            "sendWithoutItems": False,
        },
        {},
    ):
        assert alerts.create(notificationConfig=config)["notificationConfig"] == config


@pytest.mark.requirement("ALR-7")
@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"hour": 24}, "notificationConfig.hour"),
        ({"hour": -1}, "notificationConfig.hour"),
        ({"hour": 8.5}, "notificationConfig.hour"),
        ({"timezone": "Madrid"}, "notificationConfig.timezone"),
        ({"timezone": "CET+1"}, "notificationConfig.timezone"),
        ({"frequency": {"type": "hourly"}}, "notificationConfig.frequency"),
        ({"frequency": {"type": "daily"}}, "notificationConfig.frequency.daily.weekdays"),
        ({"frequency": {"type": "daily", "weekdays": []}}, "notificationConfig.frequency.weekdays"),
        ({"frequency": {"type": "daily", "weekdays": [0]}}, "notificationConfig.frequency.daily.weekdays[0]"),
        ({"frequency": {"type": "weekly", "dayOfWeek": 8}}, "notificationConfig.frequency.weekly.dayOfWeek"),
        ({"frequency": {"type": "weekly", "weekdays": [1]}}, "notificationConfig.frequency.weekly.dayOfWeek"),
        ({"attachments": {"hasPdf": "yes"}}, "notificationConfig.attachments.hasPdf"),
        ({"attachments": {"hasDocx": True}}, "notificationConfig.attachments.hasDocx"),
        ({"sendWithoutItems": None}, "notificationConfig.sendWithoutItems"),
    ],
)
def test_a_schedule_that_cannot_be_kept_is_refused_by_name(
    alerts: AlertWorld, refusal: Any, config: Record, field: str
) -> None:
    alerts.refused(refusal, field, notificationConfig=config)


@pytest.mark.requirement("ALR-4", "ALR-8")
def test_responsibles_are_users_of_the_account(alerts: AlertWorld, refusal: Any) -> None:
    stranger = alerts.world.access.create_user(alerts.world.access.create_account(f"Other {uuid4()}").slug, "eve").id
    for user in (stranger, str(uuid4()), ""):
        alerts.refused(refusal, "responsibles[0].id", responsibles=[{"id": user, "receiveEmails": True}])
    twice = [{"id": alerts.users[0], "receiveEmails": True}] * 2
    alerts.refused(refusal, "responsibles[1].id", responsibles=twice)


@pytest.mark.requirement("ALR-8")
def test_a_patch_changes_what_it_names_and_nothing_else(alerts: AlertWorld) -> None:
    people = [{"id": alerts.users[0], "receiveEmails": True}]
    made = alerts.create(
        description="All roads",
        criteria={"keywords": {"include": ["carretera"]}, "inDeadline": True},
        notificationConfig={"frequency": {"type": "weekly", "dayOfWeek": 3}, "hour": 7, "attachments": {"hasPdf": True}},
        responsibles=people,
    )
    changes: list[Record] = [
        {"title": "Motorways"},
        {"description": None},
        {"description": ""},
        {"windowsSearch": [{"field": "expedientAdjudicationDate"}]},
        {"criteria": {"keywords": {"include": [], "exclude": []}}},
        {"criteria": {}},
        {"responsibles": []},
        {"isActive": False},
        {"isPublic": False},
        {"isArchived": True},
        {"isArchived": False},
        {"isActive": True, "isPublic": True},
    ]
    for change in changes:
        alerts.world.clock.advance(5)
        changed = alerts.patch(made, **change)
        assert changed == {**made, **change, "updatedAt": changed["updatedAt"]}
        assert datetime.fromisoformat(changed["updatedAt"]) == _now(alerts)
        assert alerts.get(made) == changed
        made = changed


@pytest.mark.requirement("ALR-8")
def test_a_patch_of_nothing_or_of_what_is_there_changes_nothing(alerts: AlertWorld) -> None:
    made = alerts.create(description="All roads")
    alerts.world.clock.advance(5)
    assert alerts.patch(made) == made
    assert alerts.patch(made, title="Roads", description="All roads", isActive=True) == made


@pytest.mark.requirement("ALR-8", "ALR-7")
def test_a_new_hour_keeps_the_days(alerts: AlertWorld) -> None:
    weekly = {"type": "weekly", "dayOfWeek": 3}
    made = alerts.create(notificationConfig={"frequency": weekly, "hour": 7, "timezone": "Atlantic/Canary"})
    assert alerts.patch(made, notificationConfig={"hour": 9})["notificationConfig"] == {
        "frequency": weekly,
        "hour": 9,
        "timezone": "Atlantic/Canary",
    }


@pytest.mark.requirement("ALR-8", "ALR-3")
def test_alerts_that_are_not_there_are_not_found(alerts: AlertWorld, refusal: Any) -> None:
    other = AlertWorld(alerts.world)
    theirs = other.create()
    for alert_id in (str(uuid4()), "x", "%00", theirs["id"]):
        path = f"/v1/alerts/{alert_id}"
        refusal(alerts.call("GET", path), 404, "NOT_FOUND")
        refusal(alerts.call("PATCH", path, json={"title": "Mine"}), 404, "NOT_FOUND")
        refusal(alerts.call("POST", f"{path}/results", json={}), 404, "NOT_FOUND")
    assert other.get(theirs) == theirs
    assert alerts.list()["totalCount"] == 0


@pytest.mark.requirement("ALR-1")
def test_the_list_is_filtered_by_title_and_archive_and_counts(alerts: AlertWorld) -> None:
    for title in ("Señalización de Carreteras", "Obras: 100 % público", "Limpieza", "limpiezas viarias"):
        alerts.create(title=title)
    archived = alerts.create(title="Limpieza vieja")
    alerts.patch(archived, isArchived=True)
    everything = alerts.titles()
    assert len(everything) == 5
    for text, expected in (
        ("senalizacion", {"Señalización de Carreteras"}),
        ("CARRETERAS señal", {"Señalización de Carreteras"}),
        ("limpieza", {"Limpieza", "limpiezas viarias", "Limpieza vieja"}),
        ("100 %", {"Obras: 100 % público"}),
        ("_", set()),
        ("' OR 1=1 --", set()),
        ("nothing", set()),
        ("", set(everything)),
        ("  ", set(everything)),
    ):
        found = alerts.list(text=text)
        assert {one["title"] for one in found["data"]} == expected
        assert found["totalCount"] == found["pagination"]["totalCount"] == len(expected)
    assert alerts.titles(isArchived="true") == ["Limpieza vieja"]
    assert len(alerts.titles(isArchived="false")) == 4
    assert alerts.titles(isArchived="true", text="carretera") == []


@pytest.mark.requirement("ALR-1")
def test_the_list_comes_in_pages(alerts: AlertWorld, refusal: Any) -> None:
    for number in range(23):
        alerts.create(title=f"Alert {number:02}")
    everything = alerts.titles(sort="by-name", sortDirection="asc")
    assert everything == [f"Alert {number:02}" for number in range(23)]
    first = alerts.list(sort="by-name", sortDirection="asc")
    assert first["pagination"] == {"page": 1, "pageSize": 20, "hasNextPage": True, "totalCount": 23}
    cut = [
        one["title"]
        for page in (1, 2, 3)
        for one in alerts.list(page=page, pageSize=10, sort="by-name", sortDirection="asc")["data"]
    ]
    assert cut == everything
    last = alerts.list(page=3, pageSize=10)["pagination"]
    assert last == {"page": 3, "pageSize": 10, "hasNextPage": False, "totalCount": 23}
    assert alerts.list(page=9_999_999)["data"] == []
    for query, name in (
        ({"page": 0}, "page"),
        ({"page": "x"}, "page"),
        ({"pageSize": 0}, "pageSize"),
        ({"pageSize": 101}, "pageSize"),
        ({"isArchived": "yes"}, "isArchived"),
        ({"sort": "by-relevance"}, "sort"),
        ({"sortDirection": "down"}, "sortDirection"),
        ({"isDescendent": "true"}, "isDescendent"),
    ):
        answer = alerts.call("GET", "/v1/alerts", params=query)
        assert f"'{name}'" in refusal(answer, 422, "INVALID_REQUEST")


@pytest.mark.requirement("ALR-2")
def test_the_six_orders_in_both_directions(alerts: AlertWorld) -> None:
    made: dict[str, Record] = {}
    for title in ("delta", "Álamo", "beta", "Charlie"):
        made[title] = alerts.create(title=title)
        alerts.world.clock.advance(5)
    alerts.patch(made["Álamo"], isActive=False)
    alerts.patch(made["delta"], description="later in the same second")
    # What a delivery writes, as the service's own runs would.
    for title, notified, sent in (("delta", 30, None), ("Álamo", 10, 20), ("Charlie", 20, 30)):
        with alerts.world.database.writer() as connection:
            values = {"last_notified_at": notified, "last_notification_sent_at": sent}
            connection.execute(update(alert_table).where(alert_table.c.id == made[title]["id"]).values(**values))
    ascending = {
        "by-name": ["Álamo", "beta", "Charlie", "delta"],
        "by-creation-date": ["delta", "Álamo", "beta", "Charlie"],
        "by-update-date": ["beta", "Charlie", "Álamo", "delta"],
        "by-status": ["Álamo", "delta", "beta", "Charlie"],
    }
    for sort, expected in ascending.items():
        assert alerts.titles(sort=sort, sortDirection="asc") == expected
        assert alerts.titles(sort=sort, sortDirection="desc") == expected[::-1]
        assert alerts.titles(sort=sort) == expected[::-1]
    # Those that never were notified come last, in either direction.
    for sort, expected in (
        ("by-last-notified-date", (["Álamo", "Charlie", "delta"], ["beta"])),
        ("by-last-notification-sent-date", (["Álamo", "Charlie"], ["delta", "beta"])),
    ):
        dated, never = expected
        assert alerts.titles(sort=sort, sortDirection="asc") == dated + never
        assert alerts.titles(sort=sort, sortDirection="desc") == dated[::-1] + never[::-1]
    assert alerts.titles() == ascending["by-update-date"][::-1]
    assert alerts.get(made["Álamo"])["lastNotifiedAt"] == "1970-01-01T00:00:10Z"


@pytest.mark.requirement("ALR-9", "ALR-6")
def test_results_are_the_tenders_that_match(alerts: AlertWorld) -> None:
    everything = alerts.world.search_all()

    def ids(records: list[Record]) -> set[str]:
        return {record["id"] for record in records}

    def expected(criteria: Record, keep: Any) -> None:
        found = alerts.results(alerts.create(criteria=criteria))
        wanted = [record for record in everything if keep(record)]
        assert wanted
        assert ids(found) == ids(wanted)
        assert len(found) == len(wanted)
        published = [record["expedientPublishedAt"] for record in found]
        assert published == sorted(published, reverse=True)

    def has(record: Record, word: str) -> bool:
        return word in f"{record['name']} {record['description']}".lower().replace("ñ", "n").replace("ó", "o").split()

    def at(record: Record, code: str) -> bool:
        return any(place["code"] == code for place in record["locations"])

    now = alerts.world.clock.now
    expected({}, lambda _: True)
    expected({"keywords": {"include": ["software", "Señalizacion"]}}, lambda r: has(r, "software") or has(r, "senalizacion"))
    expected(
        {"keywords": {"include": ["autopista"]}, "cpvCodes": {"include": ["45000000-7"]}},
        lambda r: has(r, "autopista") or any(code.startswith("45") for code in r["cpvCodes"]),
    )
    expected(
        {"keywords": {"exclude": ["obras"]}, "cpvCodes": {"exclude": ["72000000-5"]}},
        lambda r: not has(r, "obras") and not any(code.startswith("72") for code in r["cpvCodes"]),
    )
    expected(
        {"budget": {"min": 1_000, "max": 100_000}},
        lambda r: r["budgetNoTaxes"] is None or 1_000 <= r["budgetNoTaxes"] <= 100_000,
    )
    expected(
        {"locations": {"country": {"include": ["ES", "PT"]}, "province": {"include": ["08"]}}},
        lambda r: at(r, "08") or at(r, "PT"),
    )
    expected({"locations": {"province": {"exclude": ["08", "28"]}}}, lambda r: not at(r, "08") and not at(r, "28"))
    expected({"statuses": ["Publicada", "Resuelta"]}, lambda r: r["status"] in ("Publicada", "Resuelta"))
    expected({"contractTypes": ["Obras"], "procedures": ["Abierto"]}, lambda r: r["contractType"] == "Obras")
    expected(
        {"inDeadline": True},
        lambda r: (
            r["status"] == "Publicada"
            and r["expedientSubmissionDeadline"]
            and datetime.fromisoformat(r["expedientSubmissionDeadline"]).astimezone(UTC) > now
        ),
    )


@pytest.mark.requirement("ALR-9")
def test_results_take_the_search_filters_on_top(alerts: AlertWorld, refusal: Any) -> None:
    alert = alerts.create(criteria={"cpvCodes": {"include": ["45000000-7"]}, "statuses": ["Publicada", "Adjudicada"]})
    matching = {record["id"] for record in alerts.results(alert)}
    assert matching
    filters: list[Record] = [
        {"text": "obras"},
        {"status": ["Publicada"]},
        {"status": ["Cerrada"]},
        {"cpvs": ["45233120-6"]},
        {"locations": ["province/08"]},
        {"minBudget": 1_000, "maxBudget": 200_000},
        {"isOnlyWithinDeadline": True},
        {"minPublicationDate": "2025-09-01T00:00:00Z", "maxDeadlineDate": "2026-06-01T00:00:00Z"},
        {"minAwardingDate": "2025-06-01T00:00:00Z"},
        {"text": "carretera -limpieza", "locations": ["country/ES"], "sort": "by-relevance"},
    ]
    for filter_ in filters:
        searched = {record["id"] for record in alerts.world.search_all(**filter_)}
        assert {record["id"] for record in alerts.results(alert, **filter_)} == matching & searched
    by_budget = [record["budgetNoTaxes"] for record in alerts.results(alert, sort="by-budget", isDescendent=False)]
    known = [budget for budget in by_budget if budget is not None]
    assert known == sorted(known)
    assert by_budget[: len(known)] == known
    answer = alerts.call("POST", f"/v1/alerts/{alert['id']}/results")
    assert answer.json()["pagination"] == answer.json()["pagination"] | {"page": 1, "pageSize": 20}
    for body, name in (({"pageSize": 101}, "pageSize"), ({"procedures": ["Abierto"]}, "procedures"), ({"sort": "x"}, "sort")):
        answer = alerts.call("POST", f"/v1/alerts/{alert['id']}/results", json=body)
        assert f"'{name}'" in refusal(answer, 422, "INVALID_REQUEST")
    for body in ({"cpvs": ["45233120-7"]}, {"locations": ["Barcelona"]}):
        refusal(alerts.call("POST", f"/v1/alerts/{alert['id']}/results", json=body), 422, "INVALID_REQUEST")


@pytest.mark.requirement("ALR-10")
def test_a_private_alert_is_its_maker_s_until_it_is_shared(alerts: AlertWorld, refusal: Any) -> None:
    colleague = alerts.world.new_key("colleague", account_slug=alerts.account)
    made = alerts.create(title="Mine", isPublic=False)
    path = f"/v1/alerts/{made['id']}"
    assert alerts.get(made) == made
    assert alerts.list()["totalCount"] == 1
    assert alerts.call("GET", "/v1/alerts", key=colleague).json()["totalCount"] == 0
    refusal(alerts.call("GET", path, key=colleague), 404, "NOT_FOUND")
    refusal(alerts.call("PATCH", path, key=colleague, json={"isPublic": True}), 404, "NOT_FOUND")
    refusal(alerts.call("POST", f"{path}/results", key=colleague, json={}), 404, "NOT_FOUND")
    alerts.patch(made, isPublic=True)
    assert alerts.call("GET", path, key=colleague).json()["title"] == "Mine"
    assert alerts.call("PATCH", path, key=colleague, json={"title": "Ours"}).json()["title"] == "Ours"


@pytest.mark.requirement("ALR-10")
def test_pausing_and_archiving_are_flags_that_go_both_ways(alerts: AlertWorld) -> None:
    made = alerts.create()
    for flag, values in (("isActive", (False, True)), ("isArchived", (True, False))):
        for value in values:
            assert alerts.patch(made, **{flag: value})[flag] is value
            assert alerts.get(made)[flag] is value
    assert alerts.results(alerts.patch(made, isActive=False, isArchived=True)) == alerts.results(alerts.create())
