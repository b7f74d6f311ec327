"""Entries of a kind that match a text, as far as a user may open their forms: those of the palette and of links."""

from collections.abc import Iterator

from msgspec import Struct

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.query import Window
from sitecms.content.search_text import text_filter
from sitecms.store.database import Session
from sitecms.store.listings.entries import EntryFilter, list_entries, list_items
from sitecms.store.listings.posts import PostListing, list_posts
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.visit import Visit
from sitecms.studio.words import word

_LOOKED_THROUGH = 200


class EntryMatch(Struct, frozen=True):
    """An entry that matches a text: its title, and the label of its kind, or the name of its collection."""

    kind: EntryKind
    id: int
    type: str
    title: str
    label: str


def matching_entries(
    session: Session, visit: Visit, kind: EntryKind, wanted: EntryFilter, locale: str, most: int
) -> Iterator[EntryMatch]:
    """Yield the entries of a kind whose titles or texts have the words of the filter, with titles in the locale.

    Of posts, drafts are those that the user may read, and those whose title has the words come first.
    Items are found by a text alone, `most` of each collection.
    """
    label = word(KINDS[kind].label)
    if KINDS[kind].has_slug and not KINDS[kind].has_locales:
        listing, has_words = PostListing(text=wanted.text, own_author=visit.own_author), text_filter(wanted.text)
        posts = [each.post for each in list_posts(session, listing, Window(_LOOKED_THROUGH)).entries]
        posts.sort(key=lambda post: not has_words(post.title))
        yield from (EntryMatch(kind, each.id, each.type, each.title, label) for each in posts[:most])
    elif KINDS[kind].has_slug:
        for each in list_entries(session, kind, None, wanted, Window(most)).entries:
            yield EntryMatch(kind, each.id, each.type, each.title or each.slug, label)
    elif wanted.text:
        for key, collection in load_content_schema(session).collections.items():
            items = list_items(session, collection, wanted, locale, Window(most)).entries
            yield from (EntryMatch(kind, each.id, key, each.title, collection.name or key) for each in items)
