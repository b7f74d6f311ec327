"""Index pages: all categories, tags and authors that have posts, the pages of a type, and the items of a collection.

An index stands where the addresses of its entries begin: `/tags/` for `/tags/{slug}/`. It is left out where that is
the root, the list of posts, or the address of an entry.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec import Struct

from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.permalink import fill, is_dated
from sitecms.content.term import Term
from sitecms.site.plan.lists import list_view, numbered_title
from sitecms.site.plan.planned_page import Bodies, PlannedPage, UniquePage
from sitecms.site.routes import Routes, numbered_path
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import CountedLink, EntryCard, TermGroup
from sitecms.site.views.natural_order import by_initial, natural_key
from sitecms.site.views.page_metadata import PageMetadata
from sitecms.site.views.view_builder import ViewBuilder

_SLUG = "{slug}"
_MANY = 40
"""Number of terms in one list; more are grouped by their initial letters."""


class _Index(Struct, frozen=True):
    """One index: `of` names its subject, such as ("page_type", "guide")."""

    of: tuple[str, str]
    path: str
    heading: str


class IndexPages:
    """Plans the index pages of one locale."""

    def __init__(
        self, snapshot: Snapshot, views: ViewBuilder, routes: Routes, metadata: PageMetadata, text: Callable[[str], str]
    ) -> None:
        self._snapshot = snapshot
        self._views = views
        self._routes = routes
        self._metadata = metadata
        self._text = text
        self._size = routes.settings.build.page_size

    def pages(self) -> Iterator[PlannedPage]:
        """Yield the indexes of terms and authors, of page types, and of collections."""
        indexes = [*self._of_lists(), *self._of_entries()]
        paths = self._taken({index.path.rstrip("/").rpartition("/")[2] for index in indexes})
        for index in indexes:
            if index.path in paths:
                continue
            paths.add(index.path)
            if index.of[0] in ("page_type", "collection"):
                yield from self._entry_pages(index)
            elif links := self._links(index.of[0]):
                yield self._list_page(index, links)

    def _of_lists(self) -> Iterator[_Index]:
        links = self._routes.settings.permalinks
        yield from self._index(("category", ""), links.category, self._text("Categories"))
        yield from self._index(("tag", ""), links.tag, self._text("Tags"))
        yield from self._index(("author", ""), links.author, self._text("Authors"))

    def _of_entries(self) -> Iterator[_Index]:
        schema, pattern = self._snapshot.schema, self._routes.settings.permalinks.page
        for slug, page_type in schema.page_types.items():
            yield from self._index(("page_type", slug), fill(pattern, slug=_SLUG, page_type=slug), page_type.name)
        for key, collection in schema.collections.items():
            if collection.route:
                yield from self._index(("collection", key), collection.route, collection.name)

    def _index(self, of: tuple[str, str], pattern: str, heading: str) -> Iterator[_Index]:
        """Yield the index of entries with these addresses, unless it has no address of its own."""
        folder = pattern.partition(_SLUG)[0]
        if folder.endswith("/") and folder != "/" and not is_dated(folder):
            yield _Index(of, self._routes.root(self._views.locale).rstrip("/") + folder, heading)

    def _taken(self, names: set[str]) -> set[str]:
        """Return the paths of other pages, of entries only those that can be the path of an index."""
        routes, views = self._routes, self._views
        paths = {routes.root(views.locale), routes.blog(views.locale), routes.search(views.locale)}
        entries: tuple[Entry, ...] = (*views.posts, *views.pages)
        paths |= {routes.path(entry) for entry in entries if entry.path or entry.slug in names}
        return paths | {path for path in views.item_paths.values() if path.rstrip("/").rpartition("/")[2] in names}

    def _links(self, kind: str) -> tuple[CountedLink, ...]:
        """Return links to the archives of a kind that are in use, by name."""
        counts: dict[Term | Author, int] = {}
        for post in self._views.posts:
            listed = (post.author,) if kind == "author" else post.categories if kind == "category" else post.tags
            for each in listed:
                counts[each] = counts.get(each, 0) + 1
        for term in (*self._snapshot.categories, *self._snapshot.tags):
            entries = self._views.entries_by_term.get((term.kind, term.slug), ())
            if term.kind == kind and entries:
                counts[term] = counts.get(term, 0) + len(entries)
        text = self._views.text
        links = [
            (CountedLink(text(each.name), self._routes.url(self._archive(each)), counts[each]), each.slug)
            for each in counts
        ]
        by_count = self._routes.settings.theme.terms == "count"
        links.sort(key=lambda pair: (-pair[0].count * by_count, natural_key(pair[0].label), pair[1]))
        return tuple(link for link, _slug in links)

    def _archive(self, listed: Term | Author) -> str:
        locale = self._views.locale
        return (
            self._routes.term(listed, locale) if isinstance(listed, Term) else self._routes.author(listed.slug, locale)
        )

    def _list_page(self, index: _Index, links: tuple[CountedLink, ...]) -> PlannedPage:
        pages = UniquePage(f"index {index.path}", partial(self._list_context, index, links))
        return PlannedPage(index.path, "terms.html", (index.heading, links), pages)

    def _list_context(self, index: _Index, links: tuple[CountedLink, ...], _bodies: Bodies) -> dict[str, object]:
        head = self._metadata.head(index.heading, "", index.path, "list")
        is_grouped = self._routes.settings.theme.terms == "name" and len(links) > _MANY
        groups = by_initial(links) if is_grouped else ()
        groups = groups if len(groups) > 1 else (TermGroup("", links),)
        url = self._routes.url(index.path)
        return {"head": head, "heading": index.heading, "url": url, "terms": links, "groups": groups}

    def _entry_pages(self, index: _Index) -> Iterator[PlannedPage]:
        """Yield the pages of the index of a page type or collection."""
        cards = self._cards(index)
        count = -(-len(cards) // self._size)
        for number in range(1, count + 1):
            cards_of_page = cards[(number - 1) * self._size : number * self._size]
            yield PlannedPage(
                path=numbered_path(index.path, number),
                template="entries.html",
                inputs=(index.heading, len(cards), self._size, cards_of_page),
                pages=UniquePage(
                    f"index {index.path}, page {number}",
                    partial(self._entries_context, index, cards_of_page, (number, count, len(cards))),
                ),
            )

    def _cards(self, index: _Index) -> Sequence[EntryCard]:
        """Return a card of each page of a type, or of each item of a collection."""
        views = self._views
        pages = (page for page in views.pages if not self._routes.is_home(page))
        items = (item for item in self._snapshot.items if item.locale == views.locale)
        entries: Iterable[Entry] = pages if index.of[0] == "page_type" else items
        return [views.entry_card(entry) for entry in entries if entry.type == index.of[1]]

    def _entries_context(
        self, index: _Index, cards: Sequence[EntryCard], place: tuple[int, int, int], _bodies: Bodies
    ) -> dict[str, object]:
        number, count, total = place

        def url(page: int) -> str:
            return self._routes.url(numbered_path(index.path, page))

        title = numbered_title(index.heading, number, self._text)
        listed = list_view(index.heading, (), total, number, count, url)
        head = self._metadata.head(title, "", numbered_path(index.path, number), "list")
        return {"head": head, "list": listed, "entries": tuple(cards)}
