"""The one collection of tables that every table module of the store adds to."""

from __future__ import annotations

from typing import Final

from sqlalchemy import MetaData

METADATA: Final = MetaData()
"""All tables of the database; :mod:`workbench.service.store.schema` imports each module that adds to it."""
