"""Row numbers that sort by publication: the newest tender has the highest.

A row number is the second of publication (counted from 2000) above 32 bits of the tender's id. So "newest first" is a walk
over the table that stops at the page, a range of publication dates is a range of row numbers, tenders of the same second
stand in the order of their ids, and a tender has the same number in every database, whatever order files were read in.
"""

from __future__ import annotations

from typing import Final

EPOCH: Final = 946_684_800
"""2000-01-01 in seconds since 1970."""

ID_BITS: Final = 32
_ID_MASK: Final = (1 << ID_BITS) - 1
_LIMIT: Final = 1 << 31


def row_number(published: int, tender_id: str) -> int:
    """The row number of a tender published at ``published`` microseconds whose uuid text is ``tender_id``."""
    return (_second(published) << ID_BITS) | int(tender_id[:8], 16)


def neighbour(row: int) -> int:
    """The next number of the same second, for the rare case that another tender's id begins with the same 32 bits."""
    return (row & ~_ID_MASK) | ((row + 1) & _ID_MASK)


def first_row(at: int) -> int:
    """The lowest row number of a tender published at or after ``at`` microseconds."""
    return _second(-(-at // 1_000_000) * 1_000_000) << ID_BITS


def last_row(at: int) -> int:
    """The highest row number of a tender published at or before ``at`` microseconds."""
    return (_second(at) << ID_BITS) | _ID_MASK


def _second(moment: int) -> int:
    # 1932 to 2068 fit a signed 64-bit row number; a date outside is a typing error of the source and sorts at the edge.
    return max(-_LIMIT, min(_LIMIT - 1, moment // 1_000_000 - EPOCH))
