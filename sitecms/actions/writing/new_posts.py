"""Storage of new posts, one or many in a transaction: rows are inserted by the hundred, in the order of the posts.

Authors and terms are looked up once.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sitecms.actions.writing.save_context import SaveContext, author_id_of, columns_of, derived_columns, group_of
from sitecms.actions.writing.search_rows import searched_text_of_post
from sitecms.content.change import EntryChange, VersionChange
from sitecms.content.search_text import indexed_text
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.content.text.html import plain_text
from sitecms.store.database import IndexRow
from sitecms.store.entries import posts, terms
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.site_state.last_ids import last_id

ROWS_AT_ONCE = 512
MOST_CHARACTERS = 8_000_000


class DerivedTexts(NamedTuple):
    """Texts that are derived from a post: columns of its row, and title and body as the search index holds them."""

    columns: tuple[tuple[str, object], ...]
    title: str
    body: str


def derived_texts(change: EntryChange) -> DerivedTexts:
    """Derive the texts of a post; those of the search index are empty for a post that is not published."""
    version = change.only
    columns = tuple(derived_columns(version.body).items())
    if version.status is not Status.PUBLISHED:
        return DerivedTexts(columns, "", "")
    return DerivedTexts(columns, indexed_text(change.title or ""), indexed_text(plain_text(version.body)))


class NewPosts:
    """New posts that are not stored yet. Call `flush` before anything reads them, and at the end."""

    def __init__(self, context: SaveContext) -> None:
        self._context = context
        self._transaction = context.transaction
        self._next_id = 0
        self._authors: dict[str, int] = {}
        self._terms: dict[tuple[TermKind, str | Term], tuple[int, str] | None] = {}
        self._forget()

    def _forget(self) -> None:
        self._rows: list[dict[str, object]] = []
        self._terms_of: dict[int, dict[int, str]] = {}
        self._searched: list[IndexRow] = []
        self._ids: dict[str, int] = {}
        self._variants: set[tuple[int, str]] = set()
        self._characters = 0

    def find(self, slug: str) -> int | None:
        """Return the id of the post of that slug among those that are not stored yet."""
        return self._ids.get(slug)

    def has_id(self, post_id: int) -> bool:
        """Return whether a post that is not stored yet has the id."""
        return post_id in self._terms_of

    def add(self, change: EntryChange, derived: DerivedTexts | None = None) -> int:
        """Take a post whose slug and id, if it has one, no other post has; return its id.

        Raises InvalidFields as `save_entry`.
        """
        derived, version = derived or derived_texts(change), change.only
        group_id = self._group(change)
        if version.author not in self._authors:
            self._authors[version.author] = author_id_of(self._transaction, version.author, self._context.owner)
        spelt = self._spelt(TermKind.CATEGORY, version.categories) | self._spelt(TermKind.TAG, version.tags)
        post_id = self._give_id(change.id)
        self._rows.append(
            {
                "id": post_id,
                **columns_of(change, None, self._context.at),
                "group_id": group_id or post_id,
                "author_id": self._authors[version.author],
                **dict(derived.columns),
                "origin": self._context.origin.value,
                "deleted_at": None,
                "markdown": version.markdown,
            }
        )
        self._terms_of[post_id] = spelt
        if version.status is Status.PUBLISHED:
            self._searched.append((post_id, derived.title, self._searched_body(version, derived)))
        self._ids[change.slug] = post_id
        self._variants.add((group_id or post_id, version.locale))
        self._characters += len(version.body) + len(derived.body)
        if len(self._rows) >= ROWS_AT_ONCE or self._characters >= MOST_CHARACTERS:
            self.flush()
        return post_id

    def _searched_body(self, version: VersionChange, derived: DerivedTexts) -> str:
        """Return the text of the body and of the fields, which are not clean yet when texts are derived."""
        if not version.fields:
            return derived.body
        schema = self._context.schema or load_content_schema(self._transaction)
        return indexed_text(searched_text_of_post(version.body, version.fields, schema))

    def flush(self) -> None:
        """Insert the rows. Those of the index come last: each statement on a table before them would flush it."""
        if self._rows:
            posts.insert_posts(self._transaction, self._rows)
            terms.set_terms_of_new_posts(self._transaction, self._terms_of)
            index.index_new_posts(self._transaction, self._searched)
            self._forget()

    def _give_id(self, given: int) -> int:
        if not self._next_id:
            self._next_id = last_id(self._transaction, "post") + 1
        post_id = given or self._next_id
        self._next_id = max(self._next_id, post_id + 1)
        return post_id

    def _spelt(self, kind: TermKind, names: Sequence[str | Term]) -> dict[int, str]:
        """Return the spelling of each of these terms by id, without repeats; create the missing ones."""
        if unknown := [name for name in names if (kind, name) not in self._terms]:
            found = terms.ensure_each(self._transaction, kind, unknown)
            self._terms |= {(kind, name): found.get(name) for name in unknown}
        spelt: dict[int, str] = {}
        for name in names:
            if (term := self._terms[kind, name]) is not None:
                spelt.setdefault(*term)
        return spelt

    def _group(self, change: EntryChange) -> int:
        """Return the locale group of a translation, 0 for a post that begins its own."""
        if not change.translation_of:
            return 0
        if change.translation_of in self._ids:
            self.flush()
        group_id = self._group_of(change)
        if (group_id, change.only.locale) in self._variants:
            self.flush()
            group_of(
                self._transaction, change, None, self._context.origin
            )  # raises the error that names the other variant
        return group_id

    def _group_of(self, change: EntryChange) -> int:
        return group_of(self._transaction, change, None, self._context.origin)
