"""Fifty callers at once, and a service that is killed while it writes: nothing lost, nothing torn, nothing broken."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from serving import AMOUNT, Board, board, client, serving, token

from workbench.service.store import upkeep
from workbench.service.store.database import FILE_NAME

CLIENTS = 50
REQUESTS = 120
KILLS = 50
WRITERS_WHILE_KILLED = 6


class Written:
    """What the service acknowledged: tasks by id, the last words of each alert, and the stage of each opportunity."""

    def __init__(self) -> None:
        self.tasks: dict[str, str] = {}
        self.alerts: dict[str, str] = {}
        self.stages: dict[str, str] = {}
        self.moves: Counter[str] = Counter()
        self.count = 0


class Writer:
    """One caller that writes: tasks, alerts, and moves of an opportunity of its own and of one that all of them move."""

    def __init__(self, http: httpx2.Client, place: Board, number: int, seed: int) -> None:
        self.http, self.place = http, place
        self.random = random.Random(seed)
        self.mine, self.shared = place.opportunities[number % (len(place.opportunities) - 1)], place.opportunities[-1]
        self.written = Written()
        self.pending: tuple[str, str, str] | None = None

    def step(self) -> None:
        """One acknowledged write. ``pending`` is what was sent and not yet answered."""
        self.random.choice((self.add_task, self.add_alert, self.change_alert, self.move_mine, self.move_shared))()
        self.pending = None
        self.written.count += 1

    def add_task(self) -> None:
        word = token()
        body = {"title": word, "description": word}
        answer = self.sent("POST", f"/v1/opportunities/{self.mine}/tasks", body, 201)
        self.written.tasks[answer.json()["id"]] = word

    def add_alert(self) -> None:
        word = token()
        body = {"title": word, "description": word, "windowsSearch": [{"field": "expedientPublishedAt"}], "isActive": False}
        answer = self.sent("POST", "/v1/alerts", body, 201)
        self.written.alerts[answer.json()["id"]] = word

    def change_alert(self) -> None:
        if not self.written.alerts:
            self.add_alert()
        alert, word = self.random.choice(list(self.written.alerts)), token()
        self.pending = ("alert", alert, word)
        self.sent("PATCH", f"/v1/alerts/{alert}", {"title": word, "description": word}, 200)
        self.written.alerts[alert] = word

    def move_mine(self) -> None:
        target = self.random.choice(self.place.stages)
        self.pending = ("stage", self.mine, target)
        self.sent("PUT", f"/v1/opportunities/{self.mine}/status", {"targetStatusId": target}, 204)
        self.written.stages[self.mine] = target

    def move_shared(self) -> None:
        target = self.random.choice(self.place.stages)
        self.sent("PUT", f"/v1/opportunities/{self.shared}/status", {"targetStatusId": target}, 204)

    def sent(self, method: str, path: str, body: dict[str, Any], status: int) -> httpx2.Response:
        answer = self.http.request(method, path, json=body)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text[:300]}"
        return answer


def read(http: httpx2.Client, place: Board, chance: random.Random) -> int:
    """One read whose answer must be of one moment; gives its status, 429 where the key is rationed."""

    def totals() -> httpx2.Response:
        answer = http.get(f"/v1/kanban/{place.pipeline}/status")
        if answer.status_code == 200:
            rows = answer.json()
            assert sum(row["opportunityCount"] for row in rows) == len(place.opportunities)
            assert sum(row["totalAmount"] for row in rows) == pytest.approx(AMOUNT * len(place.opportunities))
        return answer

    def search() -> httpx2.Response:
        answer = http.get(f"/v1/kanban/{place.pipeline}/search", params={"limit": 50})
        if answer.status_code == 200:
            shown = [one["id"] for column in answer.json().values() for one in column]
            assert sorted(shown) == sorted(place.opportunities)
        return answer

    def alerts() -> httpx2.Response:
        answer = http.get("/v1/alerts", params={"pageSize": 100})
        if answer.status_code == 200:
            assert all(one["title"] == one["description"] for one in answer.json()["data"])
        return answer

    def tasks() -> httpx2.Response:
        answer = http.get(f"/v1/opportunities/{chance.choice(place.opportunities)}/tasks", params={"pageSize": 100})
        if answer.status_code == 200:
            assert all(one["title"] == one["description"] for one in answer.json()["data"])
        return answer

    def tenders() -> httpx2.Response:
        return http.post("/v1/tenders/search", json={"text": "obras"})

    answer = chance.choice((totals, search, alerts, tasks, tenders))()
    assert answer.status_code in (200, 429), answer.text[:300]
    if answer.status_code == 429:
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    return answer.status_code


def in_threads(works: list[Callable[[], None]]) -> list[BaseException]:
    """Run them all at once; gives what they raised."""
    raised: list[BaseException] = []
    begin = threading.Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        begin.wait(60)
        try:
            work()
        except BaseException as trouble:
            raised.append(trouble)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def stored(folder: Path, question: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as raw:
        return raw.execute(question).fetchall()


def assert_all_there(folder: Path, writers: list[Writer]) -> None:
    """Every acknowledged write is in the database; what was sent and never answered may be or may not be."""
    tasks = dict(stored(folder, "SELECT id, title FROM task"))
    alerts = dict(stored(folder, "SELECT id, title FROM alert"))
    stages = dict(stored(folder, "SELECT id, stage_id FROM opportunity"))
    for writer in writers:
        pending = writer.pending or ("", "", "")
        assert writer.written.tasks.items() <= tasks.items()
        for kind, wanted, found in (("alert", writer.written.alerts, alerts), ("stage", writer.written.stages, stages)):
            for name, value in wanted.items():
                assert found[name] == value or pending == (kind, name, found[name])


def assert_history_is_a_chain(folder: Path) -> None:
    """Each move begins where the one before it ended, and the last one ends where the opportunity is."""
    at = dict(stored(folder, "SELECT id, stage_id FROM opportunity"))
    chains: defaultdict[str, list[tuple[str | None, str]]] = defaultdict(list)
    for opportunity, before, after in stored(
        folder, "SELECT opportunity_id, from_stage_id, to_stage_id FROM opportunity_history ORDER BY rowid"
    ):
        chains[opportunity].append((before, after))
    for opportunity, chain in chains.items():
        assert [before for before, _ in chain[1:]] == [after for _, after in chain[:-1]]
        assert chain[-1][1] == at[opportunity]


@pytest.mark.slow
@pytest.mark.requirement("OPP-1", "TSK-2", "LIM-1")
def test_fifty_callers_at_once_lose_nothing_and_see_nothing_torn(tmp_path: Path) -> None:
    place = board(tmp_path, CLIENTS)
    statuses: Counter[int] = Counter()
    writers: list[Writer] = []
    with serving(tmp_path) as (address, process):
        clients = [client(address, place.rationed_key if number % 9 == 1 else place.key) for number in range(CLIENTS)]

        def write(writer: Writer) -> None:
            for _ in range(REQUESTS):
                writer.step()

        def look(number: int) -> None:
            chance = random.Random(number)
            for _ in range(REQUESTS):
                statuses[read(clients[number], place, chance)] += 1

        works: list[Callable[[], None]] = []
        for number in range(CLIENTS):
            if number % 3 == 0:
                writers.append(Writer(clients[number], place, number, number))
                works.append(lambda writer=writers[-1]: write(writer))
            else:
                works.append(lambda number=number: look(number))
        raised = in_threads(works)
        for http in clients:
            http.close()
        assert process.poll() is None
    assert raised == []
    assert statuses[200] > 0
    assert statuses[429] > 0
    assert sum(writer.written.count for writer in writers) == len(writers) * REQUESTS
    assert_all_there(tmp_path, writers)
    assert_history_is_a_chain(tmp_path)
    assert upkeep.check(tmp_path).problems == ()


@pytest.mark.slow
@pytest.mark.requirement("OPP-1", "TSK-2")
def test_a_service_that_is_killed_while_it_writes_keeps_every_acknowledged_write(tmp_path: Path) -> None:
    place = board(tmp_path, WRITERS_WHILE_KILLED + 1)
    chance = random.Random(50)
    ever: list[Writer] = []
    for _ in range(KILLS):
        with serving(tmp_path) as (address, process):
            acknowledged = threading.Semaphore(0)
            clients = [client(address, place.key) for _ in range(WRITERS_WHILE_KILLED)]
            writers = [Writer(http, place, number, chance.randrange(10**9)) for number, http in enumerate(clients)]

            def write(writer: Writer, told: threading.Semaphore = acknowledged) -> None:
                while True:
                    try:
                        writer.step()
                    except httpx2.TransportError:
                        return
                    told.release()

            def kill(
                process: Any = process, told: threading.Semaphore = acknowledged, after: int = chance.randrange(1, 40)
            ) -> None:
                for _ in range(after):
                    told.acquire()
                process.kill()

            raised = in_threads([kill, *(lambda writer=writer: write(writer) for writer in writers)])
            for http in clients:
                http.close()
        assert raised == []
        assert_all_there(tmp_path, writers)
        for writer in ever:
            assert writer.written.tasks.items() <= dict(stored(tmp_path, "SELECT id, title FROM task")).items()
        ever += writers
        assert upkeep.check(tmp_path).problems == ()
    assert_history_is_a_chain(tmp_path)
    assert sum(writer.written.count for writer in ever) >= KILLS
