"""The real client on the embedded service: both sides of the interface at once, on alerts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import workbench
from workbench.client.errors import Invalid, NotFound
from workbench.contract.alerts import Alert, AlertDraft, AlertPatch
from workbench.contract.vocabulary import AlertField, AlertSort, FrequencyType

UNKNOWN = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module", name="folder")
def folder_(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("alerts") / "sample"


@pytest.fixture(name="client")
def client_(folder: Path) -> Iterator[Any]:
    with workbench.connect("sample", data=folder) as client:
        yield client


@pytest.mark.requirement("ALR-1", "ALR-2", "ALR-3")
def test_the_client_lists_and_reads_alerts(client: Any) -> None:
    page = client.alerts.list()
    assert page.total_count == page.pagination.total_count == len(page)
    assert [one.id for one in client.alerts.iterate(page_size=3)] == [one.id for one in page]
    archived = client.alerts.list(is_archived=True)
    assert {one.id for one in archived} == {one.id for one in page if one.is_archived}
    assert {one.title for one in client.alerts.list(text="PORTUGAL")} == {"Everything in Portugal"}
    by_name = [one.title for one in client.alerts.list(sort=AlertSort.NAME, sort_direction="asc")]
    assert by_name == sorted(by_name)
    for one in page:
        whole = client.alerts.get(one.id)
        assert whole == one
        assert (whole.other_fields, whole.unreadable_fields) == ({}, ())
    with pytest.raises(NotFound):
        client.alerts.get(UNKNOWN)


@pytest.mark.requirement("ALR-4", "ALR-5", "ALR-6", "ALR-7", "ALR-8", "ALR-9")
def test_the_client_makes_an_alert_changes_it_and_reads_its_results(client: Any) -> None:
    made = client.alerts.create(
        {
            "title": "Obras en Cataluña",
            "windows_search": [{"field": AlertField.DEADLINE, "expiration_offset": 5, "with_extension": True}],
            "criteria": {"cpv_codes": {"include": ["45000000-7"]}, "locations": {"province": {"include": ["08"]}}},
            "notification_config": {
                "frequency": {"type": "weekly", "day_of_week": 7},
                "hour": 8,
                "timezone": "Atlantic/Canary",
            },
        }
    )
    assert isinstance(made, Alert)
    assert made.windows_search == ({"field": "expedientExpirationDate", "expirationOffset": 5, "withExtension": True},)
    assert (made.is_active, made.is_public, made.is_archived) == (True, True, False)
    found = client.alerts.results(made.id, page_size=100)
    assert {one.id for one in found} == {
        one.id for one in client.tenders.iterate(cpvs=["45000000-7"], locations=["province/08"])
    }
    open_ones = list(client.alerts.iterate_results(made.id, status=["Publicada"], min_budget=100_000))
    assert {one.id for one in open_ones} == {
        one.id for one in found if one.status == "Publicada" and (one.budget_no_taxes or 0) >= 100_000
    }
    changed = client.alerts.update(made.id, AlertPatch(title="Obras", description=None))
    assert (changed.title, changed.criteria) == ("Obras", made.criteria)
    assert client.alerts.update(made.id, {"isActive": False}).is_active is False
    assert client.alerts.update(made.id, {"is_archived": True}).is_archived is True
    later = client.alerts.update(made.id, {"notification_config": {"hour": 9}})
    assert later.notification_config["frequency"]["type"] == FrequencyType.WEEKLY
    with pytest.raises(Invalid, match="responsibles"):
        client.alerts.update(made.id, {"responsibles": [{"id": UNKNOWN, "receive_emails": True}]})
    with pytest.raises(Invalid, match=r"criteria\.cpvCodes\.include"):
        client.alerts.create(
            AlertDraft.model_validate(
                {
                    "title": "x",
                    "windowsSearch": [{"field": "expedientPublishedAt"}],
                    "criteria": {"cpvCodes": {"include": ["1"]}},
                }
            )
        )
