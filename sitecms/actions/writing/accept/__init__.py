"""Acceptance of writes: a request is checked as a whole, then kept in one durable row before it is answered."""

from sitecms.actions.writing.accept.acceptance import ANY_REVISION, Accepted, Body, Caller, WriteContext
from sitecms.actions.writing.accept.create import create
from sitecms.actions.writing.accept.delete import delete
from sitecms.actions.writing.accept.planning import StudioValues
from sitecms.actions.writing.accept.update import replace_fields, update
from sitecms.actions.writing.known_entries import EntryName

__all__ = [
    "ANY_REVISION",
    "Accepted",
    "Body",
    "Caller",
    "EntryName",
    "StudioValues",
    "WriteContext",
    "create",
    "delete",
    "replace_fields",
    "update",
]
