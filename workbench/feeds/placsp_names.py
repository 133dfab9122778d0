"""Namespaces of a PLACSP feed, each in the braces that lxml writes around it."""

from __future__ import annotations

from typing import Final

ATOM: Final = "{http://www.w3.org/2005/Atom}"
TOMBSTONE: Final = "{http://purl.org/atompub/tombstones/1.0}"
CBC: Final = "{urn:dgpe:names:draft:codice:schema:xsd:CommonBasicComponents-2}"
CAC: Final = "{urn:dgpe:names:draft:codice:schema:xsd:CommonAggregateComponents-2}"
PLACE_CBC: Final = "{urn:dgpe:names:draft:codice-place-ext:schema:xsd:CommonBasicComponents-2}"
PLACE_CAC: Final = "{urn:dgpe:names:draft:codice-place-ext:schema:xsd:CommonAggregateComponents-2}"
