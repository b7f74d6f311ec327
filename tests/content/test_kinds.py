"""What each kind of entry needs beside its row in `content/kinds.py` ("Add a kind of entry" in CONTRIBUTING)."""

from collections.abc import Collection
from datetime import datetime

import pytest

from sitecms.actions.loading.reading.files import ENTRY_KINDS
from sitecms.actions.writing.accept.create import CREATIONS
from sitecms.content.change import Origin
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.settings.site import Permalinks
from sitecms.store.database import Database
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.models.entries import EntryRow


@pytest.mark.parametrize(
    ("table", "kinds"),
    [
        (KINDS, {*EntryKind}),
        (CREATIONS, {*EntryKind}),
        (VERSIONS, {*EntryKind}),
        (ENTRY_KINDS.values(), {*EntryKind}),
    ],
    ids=["kinds", "creations", "stored versions", "files"],
)
def test_tables_by_kind_have_every_kind(table: Collection[EntryKind], kinds: set[EntryKind]) -> None:
    """A table that lacked one would let an entry of it fail, or leave it out, where it is used."""
    assert {*table} == kinds


@pytest.mark.parametrize("kind", EntryKind)
def test_kind_has_its_store_and_permalinks(store: Database, noon: datetime, kind: EntryKind) -> None:
    """The store takes its rows, and a setting gives its entries addresses."""
    properties = KINDS[kind]
    with store.writing() as transaction:
        transaction.insert(EntryRow, {"kind": kind, "id": 1, "type": "", "origin": Origin.API, "created_at": noon})
    if properties.has_slug:
        names = {properties.permalink, properties.untyped_permalink} - {""}
        assert names <= {*Permalinks.__struct_fields__}
