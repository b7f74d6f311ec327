"""Queries that are built once, on both engines."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from peewee import IntegrityError, fn

from sitecms.store.database import Database
from sitecms.store.engines.postgres.session import DIALECT as POSTGRES
from sitecms.store.engines.sqlite.session import DIALECT as SQLITE
from sitecms.store.models.accounts import AuditEntryRow
from sitecms.store.models.entries import AuthorRow
from sitecms.store.models.site_state import DocumentRow
from sitecms.store.models.writes import DeliveryRow
from sitecms.store.prepared import prepared

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@prepared
def _save(name: str, value: object) -> Any:
    document = DocumentRow.insert(name=name, value=value)
    return document.on_conflict(conflict_target=[DocumentRow.name], preserve=[DocumentRow.value])


@prepared
def _document(name: str) -> Any:
    return DocumentRow.select(DocumentRow.value, fn.COUNT(DocumentRow.name).over()).where(DocumentRow.name == name)


@prepared
def _add_action(at: datetime, user_name: str, action: str = "save") -> Any:
    return AuditEntryRow.insert(at=at, user_name=user_name, action=action, subject="", detail="it's")


@prepared
def _rename(user_name: str, before: datetime, new: str) -> Any:
    changed = AuditEntryRow.update(user_name=new, at=before).where(
        AuditEntryRow.at < before, AuditEntryRow.user_name == user_name, AuditEntryRow.detail == "it's"
    )
    return changed.returning(AuditEntryRow.id, AuditEntryRow.at, AuditEntryRow.user_name)


@prepared
def _or_nothing(name: str) -> Any:
    return DocumentRow.select().where(DocumentRow.name == (name or "nothing"))


@prepared
def _waiting(webhook_id: int, at: datetime) -> Any:
    is_due = (DeliveryRow.status == "waiting") & (DeliveryRow.webhook_id == webhook_id) & (DeliveryRow.due_at <= at)
    return DeliveryRow.select(DeliveryRow.id).where(is_due).limit(1)


def test_arguments_are_converted_as_their_columns_are(store: Database) -> None:
    """JSON and times are stored and read in every part of a query, each time with other values."""
    with store.writing() as transaction:
        for value in ({"a": [1]}, "it's", None):
            transaction.run(_save("one", value))
            assert transaction.row(_document("one")) == (value, 1)
        assert transaction.row(_document("two")) is None
        numbers = [transaction.run(_add_action(NOON, "ann", "sign in")), transaction.run(_add_action(NOON, "bo", "x"))]
        assert numbers == [1, 2]
        later = NOON + timedelta(microseconds=1)
        assert transaction.rows(_rename("ann", before=later, new="cy")) == [(1, later, "cy")]
        assert transaction.rows(_rename("ann", later, "cy")) == []


def test_rows_that_a_query_returns_count_as_changes(store: Database) -> None:
    """A transaction that changed rows by such a query alone increments the change number."""
    with store.writing(counts_as_change=False) as transaction:
        transaction.run(_add_action(NOON, "ann", "save"))
    before = store.change_number()
    with store.writing() as transaction:
        transaction.rows(_rename("ann", NOON + timedelta(days=1), "bo"))
    assert store.change_number() == before + 1


def test_many_rows(store: Database) -> None:
    """One prepared query runs for many arguments; for none it does nothing."""
    with store.writing() as transaction:
        transaction.run_many([])
        transaction.run_many([_save("one", 1), _save("two", [2]), _save("one", {"three": 3})])
        rows = transaction.rows(DocumentRow.select(DocumentRow.value).order_by(DocumentRow.name))
    assert [value for (value,) in rows if value != []][-2:] == [{"three": 3}, [2]]


def test_query_cannot_depend_on_an_argument(store: Database) -> None:
    """Its text is that of the first call: what looks at a value fails at once."""
    with store.reading() as session, pytest.raises(TypeError, match="before its arguments"):
        session.rows(_or_nothing("one"))


def test_constants_select_partial_indexes(store: Database) -> None:
    """They are a part of the text, as in the index; values that are sent apart would not select it."""
    is_file = isinstance(store.address, Path)
    compiled, values = (SQLITE if is_file else POSTGRES).compile(_waiting(1, NOON))
    with store.writing() as transaction:
        if not is_file:
            transaction.sql("SET LOCAL enable_seqscan = off")
        plan = str(transaction.sql(f"EXPLAIN {'QUERY PLAN ' * is_file}{compiled.text}".replace("$", "?"), *values))
    assert "delivery_due" in plan, compiled.text


def test_constraint_of_prepared_insert(store: Database) -> None:
    """It raises Peewee's error, and the transaction of a savepoint goes on."""
    with store.writing() as transaction:
        with pytest.raises(IntegrityError), transaction.savepoint():
            transaction.run(AuthorRow.insert(slug=None))
        transaction.run(_save("one", 1))
        assert transaction.row(_document("one")) == (1, 1)
