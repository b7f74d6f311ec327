"""Acceptance of writes: a request is checked as a whole, then kept in one durable row before it is answered."""

from sitecms.actions.writing.accept.acceptance import ANY_REVISION, Accepted, Body, Caller, WriteContext
from sitecms.actions.writing.accept.deletions import delete_item, delete_page, delete_post
from sitecms.actions.writing.accept.items import create_items, update_item
from sitecms.actions.writing.accept.pages import create_page, update_page
from sitecms.actions.writing.accept.posts import create_post, update_post
from sitecms.actions.writing.accept.studio_values import StudioValues

__all__ = [
    "ANY_REVISION",
    "Accepted",
    "Body",
    "Caller",
    "StudioValues",
    "WriteContext",
    "create_items",
    "create_page",
    "create_post",
    "delete_item",
    "delete_page",
    "delete_post",
    "update_item",
    "update_page",
    "update_post",
]
