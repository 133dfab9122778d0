"""The database's shape and its history: making it, and bringing an older file up to date.

The number of the shape stands in the file's ``user_version``, and ``application_id`` tells a file of the workbench from
any other database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from workbench.service.store import (
    access_tables,
    board_tables,
    delivery_tables,
    summary_tables,
    tenders_tables,
    version_2,
    workspace_tables,
)
from workbench.service.store.failures import StoreError
from workbench.service.store.metadata import METADATA

__all__ = ["APPLICATION_ID", "METADATA", "MIGRATIONS", "bring_up_to_date"]

APPLICATION_ID: Final = 0x54574231
"""``TWB1``: marks a file as a database of the workbench."""

TABLE_MODULES: Final = (access_tables, board_tables, delivery_tables, summary_tables, tenders_tables, workspace_tables)
"""Importing a module adds its tables to :data:`METADATA`."""

Migration = Callable[[sqlite3.Connection], None]

MIGRATIONS: Final[dict[int, Migration]] = {1: version_2.migrate}
"""From the version in the key to the next one. A new file is made by :func:`_create` as the newest version, at once; a test
holds that it equals a file of version 1 that went through all of these."""

FIRST_VERSION: Final = 1


def newest_version() -> int:
    """The version that this release reads and writes."""
    return FIRST_VERSION + len(MIGRATIONS)


def bring_up_to_date(path: Path) -> None:
    """Create the tables in an empty file, migrate an older one (after a backup beside it), and leave a current one alone.

    Raises ``StoreError`` for a file that a newer release wrote and for one that is no database of the workbench.
    """
    from workbench.service.store.database import connect

    existed = path.exists()
    connection = connect(path)
    try:
        if not existed:
            path.chmod(0o600)
        _refuse_foreign(connection, path)
        version = _version(connection)
        if 0 < version < newest_version():
            _back_up(connection, path, version)
        if version == newest_version():
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have done it while this one waited for its turn.
            version = _version(connection)
            if version == 0:
                _create(connection)
            else:
                for step in range(version, newest_version()):
                    MIGRATIONS[step](connection)
            connection.execute(f"PRAGMA user_version = {newest_version()}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    finally:
        connection.close()


def shape_of(connection: sqlite3.Connection) -> dict[str, str]:
    """What the database consists of: each table, index and trigger with its text, blanks aside."""
    listed = "SELECT type || ' ' || name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    return {name: " ".join(sql.split()) for name, sql in connection.execute(listed)}


def fresh_shape() -> dict[str, str]:
    """:func:`shape_of` a database that this release makes."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        _create(connection)
        return shape_of(connection)
    finally:
        connection.close()


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    if tables and not ours:
        raise StoreError(f"The file {path} is a database of another program. Move it away, or name another folder with --data.")
    version = _version(connection)
    if version > newest_version():
        raise StoreError(
            f"The database {path} was written by a newer release of the workbench (its version is {version}, this release "
            f"knows {newest_version()}). Update the workbench, or name another folder with --data."
        )


def _create(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    words = sqlite.dialect()
    for table in METADATA.sorted_tables:
        connection.execute(str(CreateTable(table).compile(dialect=words)))
        for index in sorted(table.indexes, key=lambda one: str(one.name)):
            connection.execute(str(CreateIndex(index).compile(dialect=words)))
    for statement in (*tenders_tables.FULL_TEXT, *board_tables.HISTORY_GUARDS, *delivery_tables.TRIGGERS):
        connection.execute(statement)


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Copy the file beside itself before a migration touches it; an interrupted copy never has the final name."""
    final = path.with_name(f"{path.stem}.version-{version}.backup.sqlite3")
    partial = final.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    copy = sqlite3.connect(partial)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    partial.chmod(0o600)
    partial.replace(final)
