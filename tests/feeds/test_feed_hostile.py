"""Files that are no feeds, broken, or made to do harm: one clear sentence each, and whatever is sound is read."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from placsp_building import BASE, NAMESPACES, entry, feed, folder, ids, items_of, refusal_of, tombstone

from workbench.feeds.detect import Kind, detect
from workbench.feeds.notice import Notice, Origin, Refused
from workbench.feeds.placsp import ITEM_BYTES_MAX, parse_feed


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (b"", Kind.EMPTY, "empty"),
        (b" \n\t", Kind.EMPTY, "empty"),
        (b"<!DOCTYPE html><html><body>503</body></html>", Kind.HTML, "web page"),
        (b"\n\n<HTML><head></head></HTML>", Kind.HTML, "web page"),
        (
            b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x" "y"><html xmlns="http://www.w3.org/1999/xhtml"/>',
            Kind.HTML,
            "web page",
        ),
        (b'{"error": 500}', Kind.JSON, "JSON"),
        (b'[{"ocid": 1}]', Kind.JSON, "JSON"),
        (gzip.compress(b"<feed/>", mtime=0), Kind.GZIP, "gzip"),
        (b"%PDF-1.7", Kind.OTHER, "PDF"),
        (b"Rar!\x1a\x07", Kind.OTHER, "RAR"),
        (b"\x00\x01\x02", Kind.OTHER, "neither"),
        (b"hello", Kind.OTHER, "neither"),
        (b"<ContractNotice/>", Kind.OTHER_XML, "'ContractNotice'"),
        (b"<feed/>", Kind.OTHER_XML, "'feed'"),
        (b"<feed", Kind.OTHER_XML, "cut short"),
        (b"<?xml version='1.0' encoding='UTF-7'?><feed/>", Kind.OTHER_XML, "UTF-7"),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id></entry></feed>", Kind.OTHER_FEED, "no PLACSP"),
        (b"<!DOCTYPE feed [<!ENTITY a 'b'>]><feed xmlns='http://www.w3.org/2005/Atom'/>", Kind.XML_WITH_DTD, "DOCTYPE"),
    ],
)
def test_what_is_no_feed_is_told_from_its_content(tmp_path: Path, data: bytes, kind: Kind, words: str) -> None:
    assert detect(data).kind is kind
    refused = refusal_of(tmp_path, data, "PlataformasAgregadasSinMenores_20220104_030016.atom")
    assert words in refused.reason
    assert refused.reason.endswith(".")
    assert (refused.origin.position, refused.source_id) == (None, None)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_feeds_in_the_usual_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = feed(entry(title="Ñandú"), prolog=f'<?xml version="1.0" encoding="{declared}"?><!-- é -->').decode()
    (item,) = items_of(tmp_path, text.encode(encoding))
    assert isinstance(item, Notice)
    assert item.name == "Ñandú"


ENTITIES = f"""<?xml version="1.0"?>
<!-- a comment > here --><?style x?>
<!DOCTYPE feed [<!ENTITY xxe SYSTEM "file:///etc/hostname"><!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<feed {NAMESPACES}><entry><id>{BASE}1</id><title>&xxe;&b;</title>
<updated>2024-05-06T10:11:12Z</updated>{folder()}</entry></feed>"""


def test_entities_are_never_expanded(tmp_path: Path) -> None:
    refused = refusal_of(tmp_path, ENTITIES.encode())
    assert "DOCTYPE" in refused.reason
    assert Path("/etc/hostname").read_text().strip() not in repr(refused)


def test_a_document_type_hidden_behind_a_long_comment_is_refused(tmp_path: Path) -> None:
    hidden = ENTITIES.replace(" a comment > here ", "x" * 200_000)
    (refused,) = items_of(tmp_path, hidden.encode())
    assert isinstance(refused, Refused)


def test_an_undefined_entity_breaks_only_its_entry(tmp_path: Path) -> None:
    items = items_of(tmp_path, feed(entry(1), entry(2, title="a &xxe; b"), entry(3)))
    assert ids(items) == ["Notice 1", "Refused 2", "Notice 3"]


def test_an_entry_without_id_or_time_or_folder_is_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    no_id = entry(1).replace(f"<id>{BASE}1</id>", "")
    market = '<x:PreliminaryMarketConsultationStatus xmlns:x="urn:x"/>'
    items = items_of(
        tmp_path,
        feed(entry(0), no_id, entry(2, updated="last week"), entry(3, updated=None), entry(4, inside=market), entry(5)),
    )
    assert ids(items) == ["Notice 0", "Refused", "Refused 2", "Refused 3", "Refused 4", "Notice 5"]
    reasons = [item.reason for item in items if isinstance(item, Refused)]
    assert reasons == [
        "The entry has no id, so it cannot be told from others (its title: 'Obras').",
        "The entry cannot be placed among its versions: its time of update 'last week' is not a date and time.",
        "The entry cannot be placed among its versions: it has no time of update.",
        "The entry holds no contract folder (ContractFolderStatus), so it is not a tender.",
    ]
    assert [item.origin.position for item in items] == [1, 2, 3, 4, 5, 6]
    assert str(items[1].origin) == "feed.atom entry 2"


def test_a_tombstone_without_reference_or_time_is_refused(tmp_path: Path) -> None:
    items = items_of(tmp_path, feed(tombstone(1).replace(f"{BASE}1", " "), tombstone(2, when="once"), tombstone(3)))
    assert ids(items) == ["Refused", "Refused 2", "Withdrawal 3"]


@pytest.mark.parametrize("broken", ["\x01", "\x1b[31m", "&", "<b>", "</title>", "]]>", "\ufffe"])
def test_broken_xml_inside_an_entry_refuses_it_alone(tmp_path: Path, broken: str) -> None:
    before, after = [entry(number) for number in range(40)], [entry(number) for number in range(41, 80)]
    items = items_of(tmp_path, feed(*before, tombstone(7), entry(40, title=f"a{broken}b"), *after, tombstone(8)))
    expected = [*(f"Notice {n}" for n in range(40)), "Withdrawal 7", "Refused 40", *(f"Notice {n}" for n in range(41, 80))]
    assert ids(items) == [*expected, "Withdrawal 8"]
    refused = items[41]
    assert isinstance(refused, Refused)
    assert refused.origin.position == 41
    assert "could not be read and was left out" in refused.reason
    assert "line 46" in refused.reason
    assert [item.origin.position for item in items if isinstance(item, Notice)] == [*range(1, 41), *range(42, 81)]


def test_several_broken_entries_are_each_refused(tmp_path: Path) -> None:
    items = items_of(tmp_path, feed(entry(0), entry(1, title="\x01"), entry(2), entry(3, title="&x;"), entry(4)))
    assert ids(items) == ["Notice 0", "Refused 1", "Notice 2", "Refused 3", "Notice 4"]


def test_bytes_that_are_not_utf_8_refuse_only_their_entry(tmp_path: Path) -> None:
    items = items_of(tmp_path, feed(entry(0), entry(1, title="@@"), entry(2)).replace(b"@@", b"\xff\xfe"))
    assert ids(items) == ["Notice 0", "Refused 1", "Notice 2"]


def test_a_feed_that_is_cut_short_gives_what_stood_before(tmp_path: Path) -> None:
    whole = feed(*(entry(number) for number in range(50)))
    items = items_of(tmp_path, whole[: whole.index(f"<id>{BASE}30<".encode()) + 200])
    assert ids(items) == [*(f"Notice {number}" for number in range(30)), "Refused 30"]
    last = items[-1]
    assert isinstance(last, Refused)
    assert "before its end" in last.reason


def test_a_feed_that_is_cut_between_entries_says_so(tmp_path: Path) -> None:
    whole = feed(*(entry(number) for number in range(3)))
    items = items_of(tmp_path, whole[: whole.rindex(b"</feed>")])
    assert ids(items) == ["Notice 0", "Notice 1", "Notice 2", "Refused"]
    last = items[-1]
    assert isinstance(last, Refused)
    assert "3 entries and 0 tombstones were found" in last.reason
    assert "Download the file again." in last.reason


def test_rubbish_between_entries_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    items = items_of(tmp_path, feed(entry(0), "</oops>", entry(1)))
    assert ids(items) == ["Notice 0", "Notice 1", "Refused"]


def test_a_stream_that_cannot_be_read_twice_says_where_reading_ended() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    items = list(parse_feed(Pipe(feed(entry(0), entry(1, title="\x01"), entry(2))), Origin("pipe")))
    assert ids(items) == ["Notice 0", "Refused"]
    last = items[-1]
    assert isinstance(last, Refused)
    assert "line 6" in last.reason
    assert "1 entry and" in last.reason


def test_an_entry_inside_an_entry_is_no_entry_of_the_feed(tmp_path: Path) -> None:
    assert ids(items_of(tmp_path, feed(entry(1, extra=entry(9)), entry(2)))) == ["Notice 1", "Notice 2"]


def test_an_entry_in_a_comment_is_not_read(tmp_path: Path) -> None:
    assert ids(items_of(tmp_path, feed(f"<!-- {entry(1)} -->", entry(2)))) == ["Notice 2"]


def test_other_prefixes_and_cdata_mean_the_same(tmp_path: Path) -> None:
    data = feed(entry(1, title="<![CDATA[a <b> & c]]>")).decode()
    data = data.replace("xmlns=", "xmlns:f=").replace("cbc:", "q:").replace("xmlns:cbc=", "xmlns:q=")
    for tag in ("feed", "entry", "id", "title", "updated", "link"):
        data = data.replace(f"<{tag}>", f"<f:{tag}>").replace(f"<{tag} ", f"<f:{tag} ").replace(f"</{tag}>", f"</f:{tag}>")
    (item,) = items_of(tmp_path, data.encode())
    assert isinstance(item, Notice)
    assert (item.name, item.expedient) == ("a <b> & c", "EXP 1/2024")


@pytest.mark.parametrize(
    "title", ["x" * 10_000, "[bold]x[/] {y} $(z) =1+1", "\u202eevil\u202c", "a\u0085b\u2028c", "🏗️ obra", "../../etc/passwd"]
)
def test_texts_come_through_as_they_are(tmp_path: Path, title: str) -> None:
    (item,) = items_of(tmp_path, feed(entry(title=title)))
    assert isinstance(item, Notice)
    assert item.name == title


@pytest.mark.parametrize("times", [1.1, 2.5])
def test_an_entry_too_large_for_memory_is_refused_alone(tmp_path: Path, times: float) -> None:
    large = "".join(f"<cbc:Note>{'x' * 1000}</cbc:Note>" for _ in range(int(ITEM_BYTES_MAX / 1000 * times)))
    items = items_of(tmp_path, feed(entry(1), entry(2, extra=large), entry(3)))
    assert ids(items) == ["Notice 1", "Refused 2", "Notice 3"]
    assert isinstance(items[1], Refused)
    assert "it is larger than 8 MB" in items[1].reason


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    deep = "<a>" * 5000 + "</a>" * 5000
    assert ids(items_of(tmp_path, feed(entry(1), entry(2, extra=deep), entry(3)))) == ["Notice 1", "Refused 2", "Notice 3"]
