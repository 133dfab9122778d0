"""What can still be read of a feed whose XML is broken somewhere: each item on its own, with the same safe parser.

Items are cut out by their tags as they stand in the bytes. A cut that is wrong (a tag inside a comment, say) gives XML
that does not parse, so it can refuse an item but never invent one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, Final, NamedTuple

from workbench.feeds.notice import FeedItem, Refused
from workbench.feeds.placsp import DELETED, ENTRY, ITEM_BYTES_MAX, SAFE_PARSING, Progress, explain
from workbench.feeds.xml_element import Element, etree

_CHUNK: Final = 256 * 1024
_FEED_START: Final = re.compile(rb"<(?:[\w.-]+:)?feed\b(?:[^<>\"']|\"[^<\"]*\"|'[^<']*')*>").search
_ITEM_START: Final = re.compile(rb"<(?:[\w.-]+:)?((?:deleted-)?entry)(?=[\s/>])")
_ENTRY_END: Final = re.compile(rb"</(?:[\w.-]+:)?entry\s*>")
_TOMBSTONE_END: Final = re.compile(rb"</(?:[\w.-]+:)?deleted-entry\s*>|(?<=/)>")
_AN_ID: Final = re.compile(rb"<(?:[\w.-]+:)?id>\s*([^<]{1,500}?)\s*</|\bref\s*=\s*[\"']([^\"'<]{1,500})[\"']").search
_TOO_LARGE: Final = f"it is larger than {ITEM_BYTES_MAX // 1024 // 1024} MB"
_NO_END: Final = "the file ends, or another entry begins, before its end"
_OVERLAP: Final = 256


class Piece(NamedTuple):
    """The bytes of one item: its line in the file, whether it is an entry, and why they are not the whole of it, if so."""

    line: int
    is_entry: bool
    data: bytes
    flaw: str = ""


def salvage(stream: BinaryIO, head: bytes, progress: Progress, broken: str) -> Iterator[FeedItem]:
    """The items after those already read, and a refusal for each that is broken; at least one refusal in any case."""
    start = _FEED_START(head)
    # What precedes the feed goes before each item again: never with a document type that could define entities.
    if start is None or b"<!DOCTYPE" in head[: start.end()].upper() or not stream.seekable():
        yield _rest_is_lost(progress, broken)
        return
    stream.seek(0)
    pieces = _pieces(stream)
    opening = head[: start.end()]
    closing = b"</" + re.split(rb"[\s>]", start[0][1:], maxsplit=1)[0] + b">"
    read_already = progress.entries + progress.tombstones
    last: Piece | None = None
    for _ in range(read_already):
        last = next(pieces, None)
    if read_already and (last is None or _id_of(last.data) != progress.last_id):
        yield _rest_is_lost(progress, broken)
        return
    refused = False
    for piece in pieces:
        found = _item(piece, opening, closing, progress)
        refused = refused or isinstance(found, Refused)
        yield found
    if not refused:
        yield _rest_is_lost(progress, broken)


def _rest_is_lost(progress: Progress, broken: str) -> Refused:
    entries = f"{progress.entries} {'entry' if progress.entries == 1 else 'entries'}"
    tombstones = f"{progress.tombstones} {'tombstone' if progress.tombstones == 1 else 'tombstones'}"
    lost = "whatever else stood there could not be read. Download the file again."
    return Refused(progress.origin, f"The XML is broken ({broken}): {entries} and {tombstones} were found, {lost}")


def _item(piece: Piece, opening: bytes, closing: bytes, progress: Progress) -> FeedItem:
    why = piece.flaw or (_TOO_LARGE if len(piece.data) > ITEM_BYTES_MAX else "")
    if not why:
        xml = etree()
        parser = xml.XMLParser(**SAFE_PARSING)
        try:
            root = xml.fromstring(opening + piece.data + closing, parser)
            element = _only_item(root, ENTRY if piece.is_entry else DELETED)
        except xml.XMLSyntaxError as error:
            line = piece.line + max(0, (error.lineno or 1) - 1 - opening.count(b"\n"))
            why = re.sub(r" line [0-9]+\b", "", re.sub(r"^line [0-9]+", f"line {line}", explain(error)))
        else:
            if element is not None:
                return progress.item(element)
            why = "its tags do not fit together"
    return _refused(piece, progress, why)


def _only_item(root: Element, tag: str) -> Element | None:
    items = list(root.iterchildren(tag))
    return items[0] if len(items) == 1 and items[0] is root[-1] else None


def _refused(piece: Piece, progress: Progress, why: str) -> Refused:
    if piece.is_entry:
        progress.entries += 1
    else:
        progress.tombstones += 1
    kind, position = ("entry", progress.entries) if piece.is_entry else ("tombstone", progress.tombstones)
    reason = f"This {kind} (from line {piece.line}) could not be read and was left out: {why}."
    return Refused(replace(progress.origin, position=position), reason, _id_of(piece.data))


def _id_of(data: bytes) -> str | None:
    found = _AN_ID(data)
    if found is None:
        return None
    raw: bytes = found[1] or found[2]
    return raw.decode("utf-8", errors="replace").replace("&amp;", "&")


def _pieces(stream: BinaryIO) -> Iterator[Piece]:
    data, at, line = b"", 0, 1
    ended = False
    while True:
        start = _ITEM_START.search(data, at)
        stop = _end_of(data, start, ended=ended) if start else None
        if start and stop is None and len(data) - start.start() > 2 * ITEM_BYTES_MAX:
            stop = len(data) - _OVERLAP, _TOO_LARGE
        if start and stop:
            first_line = line + data.count(b"\n", 0, start.start())
            end, flaw = stop
            yield Piece(first_line, start[1] == b"entry", data[start.start() : end], flaw)
            at = end
            continue
        if ended:
            return
        keep = start.start() if start else max(at, len(data) - _OVERLAP)
        line += data.count(b"\n", 0, keep)
        more = stream.read(_CHUNK)
        data, at, ended = data[keep:] + more, 0, not more


def _end_of(data: bytes, start: re.Match[bytes], *, ended: bool) -> tuple[int, str] | None:
    """Where an item ends, and what is wrong with that end, if anything; ``None`` where more bytes are needed to say."""
    pattern = _ENTRY_END if start[1] == b"entry" else _TOMBSTONE_END
    end = pattern.search(data, start.end())
    following = _ITEM_START.search(data, start.end())
    if end and (following is None or end.end() <= following.start()):
        return end.end(), ""
    if following:
        return following.start(), _NO_END
    return (len(data), _NO_END) if ended else None
