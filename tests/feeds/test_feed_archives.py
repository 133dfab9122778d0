"""Zip archives, folders and paths: every sound member is read, names are never paths, and nothing inflates without bound."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placsp_building import archive, entry, feed, folder, ids, items_of, refusal_of, tombstone

from workbench.feeds.load import FeedError, FeedFile, Limits, find_files, read
from workbench.feeds.notice import Notice, Refused, Withdrawal


def test_every_member_of_an_archive_is_read_whatever_links_say(tmp_path: Path) -> None:
    linked = feed('<link rel="next" href="b_20240101_000000.atom"/>', entry(1))
    data = archive(
        {"a_20240102_000000.atom": linked, "sub/b_20240101_000000.atom": feed(entry(2)), "lost.xml": feed(tombstone(3))}
    )
    items = items_of(tmp_path, data, "x_202401.zip")
    assert ids(items) == ["Notice 1", "Notice 2", "Withdrawal 3"]
    assert [item.origin.member for item in items] == ["a_20240102_000000.atom", "sub/b_20240101_000000.atom", "lost.xml"]
    assert [item.origin.file_time for item in items] == ["20240102_000000", "20240101_000000", "20240506_030001"]


def test_members_that_are_no_feeds_are_refused_one_by_one(tmp_path: Path) -> None:
    data = archive(
        {
            "a.atom": feed(entry(1)),
            "inner.zip": archive({"b.atom": feed(entry(2))}),
            "readme.txt": b"hi",
            "c.atom": feed(entry(3)),
        }
    )
    items = items_of(tmp_path, data, "x.zip")
    assert ids(items) == ["Notice 1", "Refused", "Refused", "Notice 3"]
    assert isinstance(items[1], Refused)
    assert "zip archive inside a zip archive" in items[1].reason
    assert str(items[1].origin) == "x.zip:inner.zip"


@pytest.mark.parametrize("name", ["../../evil.atom", "/etc/evil.atom", "C:\\evil.atom", "a\x1b[31m.atom"])
def test_names_in_an_archive_are_never_paths(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    items = items_of(inside, archive({name: feed(entry(1))}), "x.zip")
    assert ids(items) == ["Notice 1"]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["x.zip"]


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.999])
def test_an_archive_that_is_cut_short_is_one_refusal(tmp_path: Path, keep: float) -> None:
    whole = archive({f"{number}.atom": feed(*(entry(n, title=os.urandom(99).hex()) for n in range(50))) for number in range(5)})
    refused = refusal_of(tmp_path, whole[: int(len(whole) * keep)], "x.zip")
    assert "cut short" in refused.reason
    assert "Download it again." in refused.reason


def test_an_empty_archive_says_so(tmp_path: Path) -> None:
    assert refusal_of(tmp_path, archive({}), "x.zip").reason == "The zip archive is empty."


def test_a_damaged_member_does_not_stop_the_next(tmp_path: Path) -> None:
    pages = {f"{n}.atom": feed(*(entry(n * 100 + m, title=os.urandom(50).hex()) for m in range(60))) for n in range(3)}
    data = bytearray(archive(pages))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as held:
        middle = held.getinfo("1.atom").header_offset + held.getinfo("1.atom").compress_size // 2
    data[middle : middle + 40] = b"\x00" * 40
    items = items_of(tmp_path, bytes(data), "x.zip")
    sound = [item for item in items if isinstance(item, Notice) and item.origin.member in ("0.atom", "2.atom")]
    assert len(sound) == 120
    assert any(isinstance(item, Refused) and item.origin.member == "1.atom" for item in items)


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    data = bytearray(archive({"a.atom": feed(entry(1))}))
    data[6] |= 1
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal_of(tmp_path, bytes(data), "x.zip").reason


def test_a_member_packed_in_another_way_is_refused(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_LZMA) as made:
        made.writestr("a.atom", feed(entry(1)))
    assert "not read" in refusal_of(tmp_path, held.getvalue(), "x.zip").reason


BOMB = feed(*(tombstone(1) for _ in range(20_000)))


def test_a_member_that_inflates_beyond_its_limit_is_refused(tmp_path: Path) -> None:
    items = items_of(tmp_path, archive({"a.atom": BOMB, "b.atom": feed(entry(1))}), "x.zip", Limits(member_bytes=500_000))
    assert isinstance(items[-2], Refused)
    assert "more than 500,000 bytes" in items[-2].reason
    assert ids(items[-1:]) == ["Notice 1"]


def test_a_member_that_packs_too_well_is_refused(tmp_path: Path) -> None:
    items = items_of(
        tmp_path, archive({"a.atom": BOMB, "b.atom": feed(entry(1))}), "x.zip", Limits(ratio=20, ratio_from=100_000)
    )
    assert isinstance(items[-2], Refused)
    assert "zip bomb" in items[-2].reason
    assert ids(items[-1:]) == ["Notice 1"]


def test_an_archive_that_inflates_beyond_its_limit_is_not_read_further(tmp_path: Path) -> None:
    data = archive({"a.atom": BOMB, "b.atom": BOMB, "c.atom": BOMB, "d.atom": BOMB})
    items = items_of(tmp_path, data, "x.zip", Limits(total_bytes=len(BOMB) * 3 // 2))
    refusals = [item for item in items if isinstance(item, Refused)]
    assert [item.origin.member for item in refusals] == ["b.atom", None]
    assert "2 of its 4 members were not read" in refusals[-1].reason


def test_a_lying_size_in_the_directory_does_not_lift_the_limits(tmp_path: Path) -> None:
    data = bytearray(archive({"a.atom": BOMB}))
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    items = items_of(tmp_path, bytes(data), "x.zip")
    assert any(isinstance(item, Refused) for item in items)


def test_an_archive_of_too_many_members_is_refused_before_they_are_listed(tmp_path: Path) -> None:
    data = archive({f"{number}.atom": b"" for number in range(30)})
    assert "lists 30 members" in refusal_of(tmp_path, data, "x.zip", Limits(members=29)).reason


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_damage_to_an_archive_or_feed_raises(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    page = feed(entry(1), tombstone(2), entry(3, inside=folder(code="RES")), entry(4))
    whole = bytearray(data.draw(st.sampled_from([page, archive({"a.atom": page, "b.atom": page})])))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
        if not whole:
            whole = bytearray(b"x")
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(bytes(whole))
    for item in read(FeedFile(path, len(whole))):
        assert isinstance(item, Notice | Withdrawal | Refused)


def test_files_and_folders_are_found_once_and_by_name(tmp_path: Path) -> None:
    for name in ("b_2.atom", "a_1.zip", "sub/c.XML", "notes.txt", ".hidden.atom", ".git/x.atom"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"1234")
    found = find_files([tmp_path, tmp_path / "b_2.atom", tmp_path / "notes.txt"])
    assert [file.path.relative_to(tmp_path).as_posix() for file in found] == ["a_1.zip", "b_2.atom", "sub/c.XML", "notes.txt"]
    assert {file.size for file in found} == {4}


def test_paths_that_cannot_be_read_are_each_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FeedError) as caught:
        find_files([tmp_path / "missing.zip", tmp_path / "empty", tmp_path / "pipe"])
    missing, empty, pipe = str(caught.value).splitlines()
    assert missing == f"{tmp_path / 'missing.zip'}: there is no such file or folder."
    assert "this folder holds no feed" in empty
    assert "neither a file nor a folder" in pipe
    with pytest.raises(FeedError, match="No file was named"):
        find_files([])


def test_a_file_without_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.atom"
    path.write_bytes(b"x")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root, whom the tests may run as, may read everything
    with pytest.raises(FeedError, match="permission"):
        find_files([path])


def test_a_file_that_vanishes_is_one_refusal(tmp_path: Path) -> None:
    (refused,) = read(FeedFile(tmp_path / "gone.atom", 5))
    assert isinstance(refused, Refused)
    assert refused.reason == "The file cannot be read (No such file or directory)."


def test_reading_can_be_given_up_at_any_item(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(archive({"a.atom": feed(*(entry(number) for number in range(100)))}))
    items = read(FeedFile(path, path.stat().st_size))
    assert isinstance(next(items), Notice)
    items.close()  # type: ignore[attr-defined]
