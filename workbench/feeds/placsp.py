"""PLACSP syndication feeds (ATOM with CODICE, and tombstones after RFC 6721) as a stream of items in constant memory.

The source of an item is the feed's name in its id, ``PlataformasAgregadasSinMenores`` of
``https://contrataciondelestado.es/sindicacion/PlataformasAgregadasSinMenores/1868692``, and its source id is the whole
id, the same for all versions of a procedure and for its tombstone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, Final

from workbench.feeds.detect import HEAD_BYTES, Kind, detect
from workbench.feeds.moments import stamp
from workbench.feeds.notice import FeedItem, Origin, Refused, Withdrawal, WithdrawalReason
from workbench.feeds.placsp_entry import read_entry, source_of
from workbench.feeds.placsp_names import ATOM, TOMBSTONE
from workbench.feeds.xml_element import Element, etree

ENTRY: Final = ATOM + "entry"
DELETED: Final = TOMBSTONE + "deleted-entry"
ITEM_BYTES_MAX: Final = 8 * 1024 * 1024
"""Most bytes between the ends of two items; more is refused, since an item has to fit in memory."""

SAFE_PARSING: Final[dict[str, bool]] = {
    "resolve_entities": False,
    "no_network": True,
    "huge_tree": False,
    "load_dtd": False,
    "remove_blank_text": True,
    "remove_comments": True,
    "remove_pis": True,
}
"""How every parser here is made: no entities, no network, no document type, no text or depth beyond libxml2's limits."""

_CHUNK: Final = 64 * 1024
_COMMENT: Final = TOMBSTONE + "comment"
_UPDATED: Final = ATOM + "updated"
_FILE_TIME: Final = re.compile(r"_([0-9]{8}_[0-9]{6})(?![0-9])")
_STAMP: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})").match
_REASONS: Final = {"ANULADA": WithdrawalReason.CANCELLED, "CERRADA": WithdrawalReason.ARCHIVED}


class Broken(Exception):
    """The XML cannot be read further; the message says where and why."""


class Progress:
    """How far a feed has been read: what the next item's position is, and which item was last."""

    __slots__ = ("entries", "last_id", "origin", "tombstones")

    def __init__(self, origin: Origin) -> None:
        """Start before the first item."""
        self.origin = origin
        self.entries = 0
        self.tombstones = 0
        self.last_id: str | None = None

    def item(self, element: Element) -> FeedItem:
        """What an entry or tombstone says."""
        origin = self.origin
        if element.tag == ENTRY:
            self.entries += 1
            found = read_entry(element, Origin(origin.file, origin.member, self.entries, origin.file_time))
        else:
            self.tombstones += 1
            found = _tombstone(element, Origin(origin.file, origin.member, self.tombstones, origin.file_time))
        self.last_id = found.source_id
        return found


def parse_feed(stream: BinaryIO, origin: Origin) -> Iterator[FeedItem]:
    """The items of one feed in the order they stand there: notices, withdrawals, and a refusal for each that is broken.

    Whatever is no PLACSP feed gives one refusal. Where the XML breaks, what stood before is kept, and what comes after
    is found again where the stream can be read twice (`stream.seekable()`); else a refusal says where reading ended.

    Raises:
        whatever `stream.read` raises: it is the caller's stream.
    """
    head = stream.read(HEAD_BYTES)
    found = detect(head)
    if found.kind is not Kind.PLACSP:
        yield Refused(origin, found.reason)
        return
    progress = Progress(with_file_time(origin))
    try:
        yield from _read(stream, head, progress)
    except Broken as broken:
        from workbench.feeds.placsp_salvage import salvage

        yield from salvage(stream, head, progress, str(broken))


def with_file_time(origin: Origin) -> Origin:
    """The origin with the time stamp that its member or file name carries, where it has none yet."""
    named = _FILE_TIME.search(origin.member or "") or _FILE_TIME.search(origin.file)
    return replace(origin, file_time=named[1]) if named and origin.file_time is None else origin


def _read(stream: BinaryIO, chunk: bytes, progress: Progress) -> Iterator[FeedItem]:
    xml = etree()
    parser = xml.XMLPullParser(events=("end",), tag=(ENTRY, DELETED), **SAFE_PARSING)
    events = parser.read_events()
    root: Element | None = None
    since_item = 0
    broken: str | None = None
    while True:
        since_item += len(chunk)
        try:
            if chunk:
                parser.feed(chunk)
            else:
                parser.close()
        except xml.XMLSyntaxError as error:
            broken = explain(error)
        for _, element in events:
            if root is None:
                root = _root_of(element, progress)
            if element.getparent() is root:
                since_item = 0
                yield progress.item(element)
        if broken is not None:
            raise Broken(broken)
        if not chunk:
            return
        if since_item > ITEM_BYTES_MAX:
            raise Broken(f"an entry is larger than {ITEM_BYTES_MAX // 1024 // 1024} MB")
        if root is not None:
            del root[:-1]
        chunk = stream.read(_CHUNK)


def _root_of(element: Element, progress: Progress) -> Element:
    tree = element.getroottree()
    if tree.docinfo.internalDTD is not None:
        raise Broken("it has a document type declaration")
    root = tree.getroot()
    if progress.origin.file_time is None:
        updated = _STAMP(root.findtext(_UPDATED) or "")
        if updated:
            progress.origin = replace(progress.origin, file_time="{}{}{}_{}{}{}".format(*updated.groups()))
    return root


def explain(error: SyntaxError) -> str:
    """What an XML parser found and where, in one clause."""
    message = re.sub(r",? line [0-9]+, column [0-9]+.*$", "", error.msg or "", flags=re.DOTALL)
    return f"line {error.lineno}: {message[:160]}" if error.lineno else message[:160] or "it is not well-formed"


def _tombstone(element: Element, origin: Origin) -> Withdrawal | Refused:
    source_id = (element.get("ref") or "").strip()
    when = (element.get("when") or "").strip()
    if not source_id:
        return Refused(origin, "The tombstone does not say which entry it is for.")
    at = stamp(when)
    if at is None:
        return Refused(origin, f"The tombstone's time {when[:80]!r} is not a date and time.", source_id)
    reason = WithdrawalReason.UNSTATED
    for comment in element.iterchildren(_COMMENT):
        reason = _REASONS.get((comment.get("type") or "").strip().upper(), reason)
    return Withdrawal(source_of(source_id), source_id, at, origin, reason)
