"""Columns, keys and foreign keys of all tables with content, as the models declare them."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from peewee import AutoField, CompositeKey, ForeignKeyField, IntegerField

from sitecms.store.models import MODELS
from sitecms.store.models.table import Table

SEPARATOR = "\x1f"
"""Separates the values of a key of several columns; none of them contains it."""
_NOT_CONTENT = ("change_number", "move", "presence", "sign_in_step")
_ROWID = "rowid"  # a column of that name in PostgreSQL, for tables whose order depends on it


class ForeignKey(Struct, frozen=True):
    """Columns that refer to a row of another table by as many of that table's columns."""

    columns: tuple[str, ...]
    table: str
    parent_columns: tuple[str, ...]


class TableColumns(Struct, frozen=True):
    """One table: all of its columns, those of its key, which orders its rows, and its foreign keys."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    parents: tuple[ForeignKey, ...]


def _table_columns(model: type[Table]) -> TableColumns:
    meta = model._meta
    columns = tuple(field.column_name for field in meta.sorted_fields)
    key = _key(model)
    parents = (
        ForeignKey((field.column_name,), field.rel_model._meta.table_name, (field.rel_field.column_name,))
        for field in meta.sorted_fields
        if isinstance(field, ForeignKeyField)
    )
    keys = (ForeignKey(each.columns, each.model._meta.table_name, each.parent_columns) for each in model.PARENTS)
    ordered = tuple(sorted((*parents, *keys), key=lambda parent: parent.columns))
    return TableColumns(meta.table_name, (_ROWID, *columns) if key == (_ROWID,) else columns, key, ordered)


def _key(model: type[Table]) -> tuple[str, ...]:
    key: Any = model._meta.primary_key
    if isinstance(key, CompositeKey):
        return tuple(model._meta.fields[name].column_name for name in key.field_names)
    if model._meta.without_rowid or isinstance(key, AutoField | IntegerField | ForeignKeyField):
        return (key.column_name,)
    return (_ROWID,)


CONTENT_TABLES = tuple(_table_columns(model) for model in MODELS if model._meta.table_name not in _NOT_CONTENT)
"""The tables with content, each after the tables that it refers to.

Tables that are derived from others, as the search index, those about the store itself, open forms and sign-ins that
wait for a code are left out.
"""
KEYS: Mapping[str, tuple[str, ...]] = {table.name: table.key for table in CONTENT_TABLES}
"""The key columns of each table whose rows have a digest, with which `sitecms verify` compares each row."""
