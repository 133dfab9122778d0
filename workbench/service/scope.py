"""Whose data: the one place where an account's rows are kept apart from everyone else's (interface 5.2).

Whatever an account owns is read and written through an :class:`AccountScope`, which is made with the account's id and asks
for it nowhere again. Every statement is narrowed to the account here, whatever its author thought of; what cannot be
narrowed is refused; and every row that is added or changed is noted in the history that nothing deletes. So neither the
account nor the history can be forgotten by a use case.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVarTuple, cast
from uuid import uuid4

from sqlalchemy import Alias, ColumnElement, Connection, FromClause, Join, Row, Select, Table, insert, select, update
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import TextClause
from sqlalchemy.sql.selectable import SelectBase, TableValuedAlias

from workbench.contract.errors import ErrorCode
from workbench.service.refusals import RequestRefused, not_found
from workbench.service.store import tenders_tables
from workbench.service.store.access_tables import account, api_key, team, team_member
from workbench.service.store.board_tables import workspace_history
from workbench.service.store.database import Database
from workbench.service.store.schema import METADATA
from workbench.service.store.workspace_tables import opportunity_history

ColumnTypes = TypeVarTuple("ColumnTypes")

_OWNED: Final = frozenset(table for table in METADATA.tables.values() if "account_id" in table.c and table is not api_key)
"""Tables of rows that an account owns. Keys are not among them: no use case has any business with their digests."""

_OPEN_DATA: Final = frozenset(cast("list[Any]", [part for part in vars(tenders_tables).values() if isinstance(part, Table)]))
_HISTORIES: Final = frozenset({workspace_history, opportunity_history})


class Actor(NamedTuple):
    """Who changes something, as the histories keep it: ``apiKey``, ``user``, ``administration`` or ``service``, and which."""

    type: str
    id: str | None = None


ADMINISTRATION: Final = Actor("administration")
"""The owner of the embedded service at the command line, who needs no key."""


def calling_key(key_id: str) -> Actor:
    """The actor of a request."""
    return Actor("apiKey", key_id)


class Owner(Enum):
    """Whose a row is, seen from one account."""

    OURS = "ours"
    ANOTHERS = "another's"
    NOBODYS = "nobody's"


class NotKept(RuntimeError):
    """A statement that cannot be kept to one account: a fault of the use case, never of a request."""


class AccountScope:
    """The rows of one account in ``database``, for reading and writing by ``actor``.

    Both ways raise the store's own errors where the database does not answer, and :class:`NotKept` for a statement that
    would reach beyond the account.
    """

    def __init__(self, database: Database, account_id: str, actor: Actor = ADMINISTRATION) -> None:
        self._database = database
        self.account_id = account_id
        self.actor = actor

    @contextmanager
    def reading(self) -> Generator[OwnedRows]:
        """The account's rows at one moment."""
        with self._database.reader() as connection:
            yield OwnedRows(connection, self.account_id)

    @contextmanager
    def writing(self) -> Generator[WritableRows]:
        """The account's rows in a transaction that is committed at the end, or undone when the block raises.

        Such transactions are serial, in this process and among processes: what is read here is true until the end.
        """
        now = int(self._database.clock().timestamp())
        with self._database.writer() as connection:
            yield WritableRows(connection, self.account_id, self.actor, now)


class OwnedRows:
    """Rows of one account: what its own tables hold for it, beside the open data, which belongs to everyone."""

    def __init__(self, connection: Connection, account_id: str) -> None:
        self._connection = connection
        self.account_id = account_id

    def all(self, statement: Select[*ColumnTypes]) -> Sequence[Row[*ColumnTypes]]:
        """Every row of a statement on the account's own rows."""
        return self._connection.execute(_kept(statement, self.account_id)).all()

    def first(self, statement: Select[*ColumnTypes]) -> Row[*ColumnTypes] | None:
        """The first row of a statement on the account's own rows, or ``None``."""
        return self._connection.execute(_kept(statement, self.account_id)).first()

    def owner_of(self, table: Table, id: str) -> Owner:  # noqa: A002 - the column's name
        """Whose the row is: all that one account may learn of another's."""
        found = self._connection.execute(select(_owner_column(table)).where(table.c.id == id)).first()
        if found is None:
            return Owner.NOBODYS
        return Owner.OURS if found[0] == self.account_id else Owner.ANOTHERS

    def get(self, table: Table, id: str) -> Row[Any] | None:  # noqa: A002 - the column's name
        """The account's row with this id, or ``None``."""
        return self.first(select(table).where(table.c.id == id))

    def need(self, table: Table, id: str, *, missing: str, forbidden: str | None = None) -> Row[Any]:  # noqa: A002
        """The account's row with this id; else refused: 404 with ``missing``.

        Where ``forbidden`` is given, 403 with it for a row that another account owns (interface 7).
        """
        found = self.get(table, id)
        if found is not None:
            return found
        if forbidden is not None and self.owner_of(table, id) is Owner.ANOTHERS:
            raise RequestRefused(403, ErrorCode.FORBIDDEN, forbidden)
        raise not_found(missing)


class WritableRows(OwnedRows):
    """Rows of one account within a writing transaction; ``now`` is its moment in seconds since 1970."""

    def __init__(self, connection: Connection, account_id: str, actor: Actor, now: int) -> None:
        super().__init__(connection, account_id)
        self.actor = actor
        self.now = now

    def add(self, table: Table, **values: Any) -> str:
        """Add a row of this account and give its id; id and time stamps are made unless they are given."""
        self._check(table, values)
        row: dict[str, Any] = {"id": str(uuid4())}
        row |= {name: self.now for name in ("created_at", "updated_at") if name in table.c}
        row |= values
        self._connection.execute(insert(table).values(**row, account_id=self.account_id))
        self._note(table, row["id"], {name: value for name, value in values.items() if name != "id" and value is not None})
        return row["id"]

    def change(self, table: Table, id: str, **values: Any) -> bool:  # noqa: A002 - the column's name
        """Change columns of the account's row with this id; ``False``, and nothing done, where the account has none."""
        self._check(table, values)
        before = self.get(table, id)
        if before is None:
            return False
        stored = dict(zip(table.c.keys(), before, strict=True))
        changes = {name: [stored[name], value] for name, value in values.items() if stored[name] != value}
        if changes:
            ours = (table.c.id == id) & (table.c.account_id == self.account_id)
            self._connection.execute(update(table).where(ours).values(**{name: values[name] for name in changes}))
            self._note(table, id, changes)
        return True

    def _note(self, table: Table, id: str, changes: Mapping[str, Any]) -> None:  # noqa: A002 - the column's name
        if table in _HISTORIES:
            return
        noted = {"kind": table.name, "row_id": id, "changes": changes, "at": self.now}
        actor = {"actor_type": self.actor.type, "actor_id": self.actor.id}
        self._connection.execute(insert(workspace_history).values(account_id=self.account_id, **noted, **actor))

    def _check(self, table: Table, values: Mapping[str, Any]) -> None:
        _owner_column(table)
        if "account_id" in values:
            raise NotKept(f"the account of a row of {table.name} is the scope's own")
        for key in table.foreign_keys:
            target, value = key.column.table, values.get(key.parent.name)
            if value is not None and target in _OWNED and self.get(target, value) is None:
                raise NotKept(f"a row of {table.name} would refer to a row of {target.name} that this account does not have")


def _owner_column(table: Table) -> ColumnElement[str]:
    if table not in _OWNED:
        raise NotKept(f"{table.name} is no table of rows that an account owns")
    return table.c.account_id


def _kept(statement: Select[*ColumnTypes], account_id: str) -> Select[*ColumnTypes]:
    """The statement with each table that accounts own narrowed to this one."""
    for part in visitors.iterate(statement):
        if isinstance(part, TextClause):
            raise NotKept("a statement in raw SQL cannot be kept to one account")
        if isinstance(part, SelectBase) and part is not statement and not _is_open(part):
            raise NotKept("a query within a query cannot be kept to one account: ask for the rows in a query of their own")
    return statement.where(*(narrow for origin in statement.get_final_froms() for narrow in _narrowed(origin, account_id)))


def _is_open(query: SelectBase) -> bool:
    """Whether a nested query reads open data and JSON values of its row only."""
    if not isinstance(query, Select):
        return False
    froms = cast("Select[Any]", query).get_final_froms()
    return all(isinstance(origin, TableValuedAlias) or origin in _OPEN_DATA for origin in froms)


def _narrowed(origin: FromClause, account_id: str, *, optional: bool = False) -> Iterator[ColumnElement[bool]]:
    if isinstance(origin, Join):
        yield from _narrowed(origin.left, account_id, optional=optional or origin.full)
        yield from _narrowed(origin.right, account_id, optional=optional or origin.full or origin.isouter)
        return
    table = origin.element if isinstance(origin, Alias) and not isinstance(origin, TableValuedAlias) else origin
    if isinstance(table, TableValuedAlias) or table in _OPEN_DATA:
        return
    if optional:
        # Narrowed afterwards, rows would be missing where another account has what this one has not, and so tell of it.
        raise NotKept(f"an outer join onto {origin} cannot be kept to one account: ask for its rows in a query of their own")
    column = _column_of_owner(origin, table)
    if table is team_member:
        yield column.in_(select(team.c.id).where(team.c.account_id == account_id))
    else:
        yield column == account_id


def _column_of_owner(origin: FromClause, table: FromClause) -> ColumnElement[Any]:
    if table is account:
        return origin.c.id
    if table is team_member:
        return origin.c.team_id
    if table in _OWNED:
        return origin.c.account_id
    raise NotKept(f"{origin} cannot be kept to one account")
