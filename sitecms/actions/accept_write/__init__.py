"""Accept writes (design, The write line): everything checked at once, then one durable row, and only then 202."""

from sitecms.actions.accept_write.deletions import delete_item, delete_page, delete_post
from sitecms.actions.accept_write.desk import Accepted, Body, Caller, Desk
from sitecms.actions.accept_write.items import create_items, update_item
from sitecms.actions.accept_write.pages import create_page, update_page
from sitecms.actions.accept_write.posts import create_post, update_post

__all__ = [
    "Accepted",
    "Body",
    "Caller",
    "Desk",
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
