"""Every entry and tombstone of the real files is accounted for: the counts equal those of a plain look at the bytes."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.feeds.load import find_files, read
from workbench.feeds.notice import FeedItem, Notice, Refused, Withdrawal


def pages(path: Path) -> Iterator[bytes]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield archive.read(name)
    else:
        yield path.read_bytes()


def plain_count(path: Path) -> dict[str, int]:
    raw = b"".join(pages(path))
    entries = re.findall(rb"<entry>\s*<id>([^<]+)</id>.*?<updated>([^<]+)</updated>", raw, re.DOTALL)
    return {
        "entries": raw.count(b"<entry>"),
        "tombstones": raw.count(b"deleted-entry "),
        "unique ids": len({source_id for source_id, _ in entries}),
        "versions": len(set(entries)),
    }


def our_count(items: list[FeedItem]) -> dict[str, int]:
    notices = [item for item in items if isinstance(item, Notice)]
    return {
        "entries": len(notices),
        "tombstones": sum(isinstance(item, Withdrawal) for item in items),
        "unique ids": len({item.source_id for item in notices}),
        "versions": len({(item.source_id, item.version_at) for item in notices}),
    }


@pytest.fixture(scope="module")
def read_files(shared_data: Path) -> dict[Path, list[FeedItem]]:
    return {file.path: list(read(file)) for file in find_files([shared_data / "placsp"])}


def test_counts_of_each_file_equal_a_plain_count(read_files: dict[Path, list[FeedItem]]) -> None:
    assert len(read_files) == 4
    for path, items in read_files.items():
        assert our_count(items) == plain_count(path), path.name


def test_nothing_of_the_real_files_is_refused(read_files: dict[Path, list[FeedItem]]) -> None:
    refused = [item for items in read_files.values() for item in items if isinstance(item, Refused)]
    assert refused == []


def test_positions_count_entries_and_tombstones_of_each_member(read_files: dict[Path, list[FeedItem]]) -> None:
    last: Counter[tuple[str, str | None, type]] = Counter()
    for items in read_files.values():
        for item in items:
            key = (item.origin.file, item.origin.member, type(item))
            last[key] += 1
            assert item.origin.position == last[key]


def test_status_codes_and_results_equal_a_plain_count(read_files: dict[Path, list[FeedItem]]) -> None:
    raw = b"".join(page for path in read_files for page in pages(path))
    notices = [item for items in read_files.values() for item in items if isinstance(item, Notice)]

    def plain(tag: bytes) -> Counter[str]:
        return Counter(code.decode() for code in re.findall(rb"<[a-z-]+:" + tag + rb"\b[^>]*>([^<]+)<", raw))

    assert Counter(notice.source_status for notice in notices) == plain(b"ContractFolderStatusCode")
    assert Counter(notice.contract_type_code for notice in notices) == plain(b"TypeCode")
    assert Counter(notice.procedure_code for notice in notices if notice.procedure_code) == plain(b"ProcedureCode")
    # In these files every result has one winner at most, so that rows and results are the same number.
    assert Counter(row.result_code for n in notices for row in n.awards if row.result_code) == plain(b"ResultCode")
    assert sum(len(notice.documents) for notice in notices) == raw.count(b"<cbc:URI>")
    assert {cpv[:8] for notice in notices for cpv in notice.cpvs} == set(plain(b"ItemClassificationCode"))


def test_file_times_come_from_the_names(read_files: dict[Path, list[FeedItem]]) -> None:
    for items in read_files.values():
        for item in items:
            name = item.origin.member or item.origin.file
            assert item.origin.file_time
            assert f"_{item.origin.file_time}" in name


def test_bytes_are_told_as_they_are_read_and_add_up(shared_data: Path) -> None:
    for file in find_files([shared_data / "placsp"]):
        told: list[int] = []
        for _ in read(file, on_bytes=told.append):
            pass
        assert sum(told) == file.size
        assert len(told) > 3
        assert min(told) > 0
