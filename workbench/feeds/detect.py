"""What a file is, told from its first bytes and never from its name, with a sentence for whatever is no PLACSP feed."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

HEAD_BYTES: Final = 64 * 1024
"""How much of a file `detect` wants to see."""


class Kind(StrEnum):
    """Kinds of file that are told apart."""

    PLACSP = "placsp"
    ZIP = "zip"
    EMPTY = "empty"
    HTML = "html"
    GZIP = "gzip"
    JSON = "json"
    XML_WITH_DTD = "xml-with-dtd"
    OTHER_FEED = "other-feed"
    OTHER_XML = "other-xml"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Detected:
    """A kind, and for all but a PLACSP feed the sentence that says why it is not read as one."""

    kind: Kind
    reason: str = ""


_ATOM: Final = "http://www.w3.org/2005/Atom"
_MARKS_OF_PLACSP: Final = ("urn:dgpe:names:draft:codice", "http://purl.org/atompub/tombstones/1.0")
_ENCODINGS: Final = frozenset(
    {"utf-8", "utf8", "utf-16", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "latin1", "windows-1252"}
)
_BOMS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_BINARIES: Final = (
    (b"\x1f\x8b", Kind.GZIP, "This is a gzip file; unpack it and import what is inside."),
    (b"%PDF", Kind.OTHER, "This is a PDF document, not a feed."),
    (b"Rar!", Kind.OTHER, "This is a RAR archive; unpack it and import what is inside."),
    (b"7z\xbc\xaf\x27\x1c", Kind.OTHER, "This is a 7z archive; unpack it and import what is inside."),
)
_DECLARATION: Final = re.compile(r"<\?xml\s[^>]*?\bencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']").match
_MISC: Final = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->)", re.DOTALL).match
_ROOT: Final = re.compile(r"\s*<(?:([\w.-]+):)?([\w.-]+)((?:[^<>\"']|\"[^<\"]*\"|'[^<']*')*)>").match
_DOCTYPE: Final = re.compile(r"\s*<!DOCTYPE\s*(\w*)", re.IGNORECASE).match

_ZIP = Detected(Kind.ZIP, "This is a zip archive inside a zip archive; unpack the outer one and import what is inside.")
_EMPTY = Detected(Kind.EMPTY, "The file is empty; download it again.")
_HTML = Detected(
    Kind.HTML, "This is a web page, not a feed: often a server's error page under the feed's name. Download it again."
)
_JSON = Detected(Kind.JSON, "This is JSON, not an ATOM feed.")
_DTD = Detected(
    Kind.XML_WITH_DTD,
    "This XML has a document type declaration (DOCTYPE), which can define entities; PLACSP feeds have none, so it is not read.",
)


def detect(head: bytes) -> Detected:
    """What begins with these bytes (up to `HEAD_BYTES` of them).

    XML with a document type declaration is refused here, before any parser sees it.
    """
    if not head.strip():
        return _EMPTY
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _ZIP
    for magic, kind, reason in _BINARIES:
        if head.startswith(magic):
            return Detected(kind, reason)
    text = _text(head)
    start = text.lstrip()[:1]
    if start == "<":
        return _xml(text)
    if start in ("{", "["):
        return _JSON
    return Detected(Kind.OTHER, "This is neither an ATOM feed nor a zip archive.")


def _text(head: bytes) -> str:
    for bom, encoding in _BOMS:
        if head.startswith(bom):
            return head[len(bom) :].decode(encoding, errors="replace")
    return head.decode("latin-1")


def _xml(text: str) -> Detected:
    declared = _DECLARATION(text.lstrip())
    if declared and declared[1].lower() not in _ENCODINGS:
        return Detected(
            Kind.OTHER_XML, f"This XML says it is encoded as {declared[1]!r}, which is not read; PLACSP uses UTF-8."
        )
    at = 0
    while misc := _MISC(text, at):
        at = misc.end()
    if doctype := _DOCTYPE(text, at):
        return _HTML if doctype[1].lower() == "html" else _DTD
    root = _ROOT(text, at)
    if root is None:
        return Detected(Kind.OTHER_XML, "This looks like XML, but no first element was found in it; it may be cut short.")
    prefix, name, attributes = root.groups()
    if name.lower() == "html":
        return _HTML
    if name != "feed" or not _declares(attributes, prefix):
        return Detected(Kind.OTHER_XML, f"This is XML, but no ATOM feed: its first element is {name[:60]!r}.")
    if re.search(r"<(?:[\w.-]+:)?entry[\s>]", text) and not any(mark in text for mark in _MARKS_OF_PLACSP):
        return Detected(Kind.OTHER_FEED, "This is an ATOM feed, but its entries are no PLACSP tenders.")
    return Detected(Kind.PLACSP)


def _declares(attributes: str, prefix: str | None) -> bool:
    name = f"xmlns:{re.escape(prefix)}" if prefix else "xmlns"
    return bool(re.search(rf"(?:^|\s){name}\s*=\s*[\"']{re.escape(_ATOM)}[\"']", attributes))
