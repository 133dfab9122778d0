"""What is used of an XML element, as a type: lxml ships none, and nothing here needs to load it to be checked."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Protocol, overload


class Element(Protocol):
    """An element of lxml, with the members that reading a feed takes. Comments and entities are parsed away before."""

    @property
    def tag(self) -> str:
        """Name with its namespace in braces."""
        ...

    @property
    def text(self) -> str | None:
        """Text before the first child."""
        ...

    def get(self, key: str, default: str = "", /) -> str:
        """An attribute."""
        ...

    def iter(self) -> Iterator[Element]:
        """The element and all below it, in the order of the document."""
        ...

    def iterchildren(self, tag: str, /) -> Iterator[Element]:
        """The children with a tag."""
        ...

    def findtext(self, path: str, /) -> str | None:
        """The text of the first child with a tag."""
        ...

    def getparent(self) -> Element | None:
        """The element around it."""
        ...

    def getroottree(self) -> Any:
        """The document."""
        ...

    def __iter__(self) -> Iterator[Element]: ...

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, at: int, /) -> Element: ...

    @overload
    def __getitem__(self, at: slice, /) -> list[Element]: ...

    def __delitem__(self, at: slice, /) -> None: ...


def etree() -> Any:
    """The module lxml.etree, loaded when it is first needed."""
    return import_module("lxml.etree")
