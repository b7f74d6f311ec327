"""Former states of posts in the form that the states of all entries have, as a step rewrites them.

A state had the post, and beside it the working copy with the values that it changes. It has a live and a draft version.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any, NamedTuple
from zlib import compress, decompress

import orjson

_TIMES = ("created_at", "updated_at", "published_at", "scheduled_at")
_TEXTS = (
    "author", "featured_image", "featured_image_alt", "body", "summary", "seo_title", "meta_description", "path",
    "guid",
)  # fmt: skip
_LISTS = ("categories", "tags", "aliases")
_LEVEL = 1


class Rewriting(NamedTuple):
    """New texts of a column that only Python can read.

    `select` returns a part of the ids and texts that follow an id, `update` stores a text by its id.
    """

    select: str
    update: str
    rewritten: Callable[[str], str]

    def run(self, execute: Callable[[str, tuple[object, ...]], Any]) -> None:
        """Rewrite all texts by a function that executes a statement with values and returns a cursor."""
        last = 0
        while rows := execute(self.select, (last,)).fetchall():
            for row_id, text in rows:
                execute(self.update, (self.rewritten(text), row_id))
            last = rows[-1][0]


def _rewritten(packed: str) -> str:
    """Return the text of the column `packed` of a state, in its new form."""
    state = orjson.loads(decompress(b64decode(packed)))
    live = _live(state["post"])
    draft = None if state["copy"] is None else _draft(live, state["copy"])
    named = {name: state["post"][name] for name in ("slug", "title")}
    return b64encode(compress(orjson.dumps({**named, "live": live, "draft": draft}), _LEVEL)).decode()


def _live(post: dict[str, Any]) -> dict[str, Any]:
    lists = {name: [_name(each) for each in post.get(name, ())] for name in _LISTS}
    own = {"status": post["status"], "fields": post.get("fields", {}), "markdown": post["markdown"], **lists}
    return {**own, **{name: post["times"][name] for name in _TIMES}, **{name: post.get(name, "") for name in _TEXTS}}


def _name(term: str | dict[str, str]) -> str:
    return term if isinstance(term, str) else term["name"]


def _draft(live: dict[str, Any], copy: dict[str, Any]) -> dict[str, Any]:
    values, at, scheduled_at = copy["values"], copy["saved_at"], copy.get("scheduled_at")
    is_html = values.pop("format", "html" if live["markdown"] is None else "markdown") == "html"
    text = values.pop("body", live["body"] if live["markdown"] is None else live["markdown"])
    return {
        **live,
        **values,
        "body": text if is_html else "",
        "markdown": None if is_html else text,
        "fields": {**live["fields"], **values.get("fields", {})},
        "status": "draft" if scheduled_at is None else "scheduled",
        "created_at": at,
        "updated_at": at,
        "scheduled_at": scheduled_at,
        "saved_by": copy["user_name"],
    }


REWRITING = Rewriting(
    "SELECT id, packed FROM revision WHERE kind = 'post' AND id > $1 ORDER BY id LIMIT 200",
    "UPDATE revision SET packed = $1 WHERE id = $2",
    _rewritten,
)
