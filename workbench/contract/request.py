"""Base of what the workbench sends: strict, complete, and honest about what was left out."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Request(BaseModel):
    """A request body or query. A misspelt field or a value of the wrong type is refused, never dropped.

    Fields are snake_case in Python and camelCase on the wire; both spellings are accepted on input, so plain dicts in
    either style validate. A field that was not given stays out of the body.
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        defer_build=True,
        protected_namespaces=(),
    )

    def to_wire(self) -> dict[str, Any]:
        """The JSON object to send: the fields that were given, under their wire names; ``None`` is sent as ``null``."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
