"""Texts of a source without the characters that no page and no feed can hold."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitecms.documents import UNFIT
from sitecms.importing.records import (
    AuthorRecord,
    Comment,
    Declaration,
    EntryRecord,
    Record,
    RedirectRecord,
    Site,
    TermRecord,
)

_WITH_TEXTS = (AuthorRecord, Comment, EntryRecord, RedirectRecord, Site, TermRecord)
_OF_READERS = frozenset({"data", "fields", "place"})


def fit_record(record: Record) -> Record:
    """Return a record with fit texts; names of files stay, and so does what only its reader understands."""
    if isinstance(record, Declaration):
        data = fit(record.data)
        return replace(record, data=data) if data != record.data else record
    return _fit_struct(record) if isinstance(record, _WITH_TEXTS) else record


def fit(value: Any) -> Any:
    """Return a text, or all texts in data, without unfit characters; the value itself if none has any."""
    match value:
        case str():
            return UNFIT.sub("", value) if UNFIT.search(value) else value
        case dict():
            return {fit(name): fit(each) for name, each in value.items()}
        case list() | tuple():
            return type(value)(map(fit, value))
        case Struct():
            return _fit_struct(value)
    return value


def _fit_struct(value: Any) -> Any:
    values = ((name, getattr(value, name)) for name in value.__struct_fields__ if name not in _OF_READERS)
    changed = {name: made for name, each in values if each and (made := fit(each)) != each}
    return replace(value, **changed) if changed else value
