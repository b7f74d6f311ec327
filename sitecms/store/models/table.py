"""The base of the models and the types of their columns."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

import orjson
from peewee import SQL, AutoField, BigIntegerField, ForeignKeyField, IntegerField, Model, NodeList, TextField

from sitecms.clock import from_microseconds, to_microseconds
from sitecms.messages import read_message, stored_form
from sitecms.store.sql import POSTGRES


class TimeField(BigIntegerField):
    """An aware UTC datetime, stored as microseconds since 1970."""

    def db_value(self, value: datetime | None) -> int | None:
        """Convert to the stored value."""
        return None if value is None else to_microseconds(value)

    def python_value(self, value: int | None) -> datetime | None:
        """Convert from the stored value."""
        return None if value is None else from_microseconds(value)


class JsonField(TextField):
    """Plain data, stored as JSON text."""

    def db_value(self, value: object) -> str:
        """Convert to the stored value."""
        return orjson.dumps(value).decode()

    def python_value(self, value: str | None) -> Any:
        """Convert from the stored value."""
        return None if value is None else orjson.loads(value)


class MessagesField(TextField):
    """Messages by field, stored as JSON text; those with values keep their templates."""

    def db_value(self, value: Mapping[str, Sequence[str]]) -> str:
        """Convert to the stored value."""
        return orjson.dumps({name: [stored_form(text) for text in texts] for name, texts in value.items()}).decode()

    def python_value(self, value: str) -> dict[str, list[str]]:
        """Convert from the stored value."""
        return {name: [read_message(text) for text in texts] for name, texts in orjson.loads(value).items()}


class ChoiceField(TextField):
    """A member of a StrEnum, stored as its value."""

    def __init__(self, members: type[StrEnum], **options: Any) -> None:
        super().__init__(**options)
        self.members = members

    def db_value(self, value: str | None) -> str | None:
        """Convert to the stored value."""
        return None if value is None else str(value)

    def python_value(self, value: str | None) -> StrEnum | None:
        """Convert from the stored value."""
        return None if value is None else self.members(value)


class FlagField(IntegerField):
    """True or False, stored as 1 or 0."""

    def db_value(self, value: object) -> int:
        """Convert to the stored value."""
        return int(bool(value))

    def python_value(self, value: object) -> bool:
        """Convert from the stored value."""
        return bool(value)


class IdField(AutoField):
    """The number of a row: one more than the greatest of its table."""


class LastingIdField(AutoField):
    """The number of a post or write, which is given out once, whatever was removed since."""

    def ddl(self, ctx: Any) -> Any:
        """Return the declaration of the column; on PostgreSQL a trigger gives out the numbers."""
        declaration = super().ddl(ctx)
        return declaration if ctx.state.engine == POSTGRES else NodeList((declaration, SQL("AUTOINCREMENT")))


def number_with_default(value: int) -> IntegerField:
    """Return a column with a default in the table, too."""
    return IntegerField(default=value, constraints=[SQL(f"DEFAULT {value}")])


def text_with_default(value: str, column_name: str | None = None) -> TextField:
    """Return a column with a default in the table, too. The value has no quotes."""
    return TextField(default=value, constraints=[SQL(f"DEFAULT '{value}'")], column_name=column_name)


def reference(model: type[Model], *, on_delete: str | None = "CASCADE", **options: Any) -> ForeignKeyField:
    """Return a column that refers to a row of another table. Indexes are declared by name."""
    return ForeignKeyField(model, on_delete=on_delete, backref="+", index=False, **options)


class ParentKey(NamedTuple):
    """Columns that refer to a row of another table by a key of several columns, which Peewee cannot declare."""

    columns: tuple[str, ...]
    model: type[Model]
    parent_columns: tuple[str, ...]


class Table(Model):
    """Base of the models. They are bound to no database: a session runs every query."""

    PARENTS: ClassVar[tuple[ParentKey, ...]] = ()
