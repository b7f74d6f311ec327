"""Sources of redirects: aliases, former slugs and addresses of entries, and the home page's own address."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from sitecms.actions.entry_paths import item_paths, item_title
from sitecms.content.addresses import NO_ADDRESSES, alias_path
from sitecms.content.change import EntryKind
from sitecms.content.former_addresses import FormerAddress, FormerName
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.permalink import is_dated, locale_root
from sitecms.content.post import Post
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.values import dataclass

T = TypeVar("T", Page, Item)


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect from `path` to `target`, both paths of the site; `title` is that of the target."""

    path: str
    target: str
    locale: str
    title: str
    shows: str


@dataclass(frozen=True, slots=True)
class RenamedArchive:
    """The archive of an author or term that has former addresses.

    `paths` are its paths by locale, in the locales that have posts of it, the default one first.
    """

    name: str
    aliases: tuple[str, ...]
    paths: Mapping[str, str]
    title: str

    def locale_of(self, alias: str, default_locale: str) -> str:
        """Return the locale in whose part of the site a former address is, else the first one."""
        roots = {code: locale_root(code, default_locale) for code in self.paths}
        named = (code for code, root in roots.items() if root and alias.startswith(f"{root}/"))
        return next(named, next(iter(self.paths)))


@dataclass(frozen=True, slots=True)
class LinkableEntries:
    """Published entries that redirects can lead to; `items` are items with pages, their paths and their titles."""

    posts: tuple[Post, ...]
    pages: tuple[Page, ...]
    items: tuple[tuple[Item, str, str], ...] = ()
    archives: tuple[RenamedArchive, ...] = ()


def linkable_entries(snapshot: Snapshot, routes: Routes) -> LinkableEntries:
    """Return the entries of a snapshot in the locales of the site."""
    locales = routes.settings.locales
    posts = tuple(post for post in snapshot.posts if post.locale in locales)
    pages = tuple(page for page in snapshot.pages if page.locale in locales)
    return LinkableEntries(posts, pages, _items_with_pages(snapshot, routes), tuple(_archives(snapshot, posts, routes)))


def _items_with_pages(snapshot: Snapshot, routes: Routes) -> tuple[tuple[Item, str, str], ...]:
    paths = item_paths(snapshot.items, snapshot.schema, routes.settings)
    shown = (item for item in snapshot.items if item.locale in routes.settings.locales)
    return tuple(
        (item, paths[item.id, item.locale], item_title(item, snapshot.schema))
        for item in shown
        if (item.id, item.locale) in paths
    )


def _archives(snapshot: Snapshot, posts: Sequence[Post], routes: Routes) -> Iterator[RenamedArchive]:
    """Yield the archives with former addresses; one without posts is not built, so nothing leads to it."""
    ordered = _by_default_locale(routes)
    for author in (each for each in snapshot.authors if each.aliases):
        held = {post.locale for post in posts if post.author.slug == author.slug}
        if paths := {code: routes.author(author.slug, code) for code in ordered if code in held}:
            yield RenamedArchive(f"author {author.slug}", author.aliases, paths, author.name)
    for term in (each for each in (*snapshot.categories, *snapshot.tags) if each.aliases):
        held = {post.locale for post in posts if term in (*post.categories, *post.tags)}
        if paths := {code: routes.term(term, code) for code in ordered if code in held}:
            yield RenamedArchive(f"{term.kind} {term.slug}", term.aliases, paths, term.name)


def _by_default_locale(routes: Routes) -> list[str]:
    """Return the locales of the site, the default one first."""
    return sorted(routes.settings.locales, key=lambda code: code != routes.settings.default_locale)


def alias_redirects(entries: LinkableEntries, routes: Routes) -> Iterator[Redirect]:
    """Yield the redirects from aliases, which people wrote into entries."""
    for post in entries.posts:
        for alias in dict.fromkeys(map(alias_path, post.aliases)):
            yield _to_post(alias, post, routes)
    for page, alias in _aliases_of(entries.pages, routes):
        yield _to_page(alias, page, routes)
    places = {(item.id, item.locale): (path, title) for item, path, title in entries.items}
    for item, alias in _aliases_of([item for item, _path, _title in entries.items], routes):
        yield _to_item(alias, item, *places[item.id, item.locale])
    for archive in entries.archives:
        for alias in dict.fromkeys(map(alias_path, archive.aliases)):
            shows = f"redirect from {alias} to the {archive.name}"
            locale = archive.locale_of(alias, routes.settings.default_locale)
            yield Redirect(alias, archive.paths[locale], locale, archive.title, shows)


def _aliases_of(versions: Iterable[T], routes: Routes) -> Iterator[tuple[T, str]]:
    """Yield each former address with the version that it leads to: that of its locale, else the first one."""
    ordered = _by_default_locale(routes)
    by_entry: dict[int, dict[str, T]] = {}
    for version in versions:
        if version.addresses.aliases:
            by_entry.setdefault(version.id, {})[version.locale] = version
    for by_locale in by_entry.values():
        first = next(by_locale[code] for code in ordered if code in by_locale)
        for locale, aliases in first.addresses.aliases.items():
            for alias in dict.fromkeys(map(alias_path, aliases)):
                yield by_locale.get(locale, first), alias


def former_redirects(
    entries: LinkableEntries, former_names: Iterable[FormerName], former: Iterable[FormerAddress], routes: Routes
) -> Iterator[Redirect]:
    """Yield the redirects from former slugs and addresses that the store has kept."""
    former = tuple(former)
    known = {(each.kind, each.entry_id, each.slug) for each in former}
    names = (name for name in former_names if not _has_dated_address(name, known, routes))
    yield from _of_names(entries, names, routes)
    yield from _of_addresses(entries, former, routes)


def home_redirects(pages: tuple[Page, ...], routes: Routes) -> Iterator[Redirect]:
    """Yield a redirect from the home page's own address to the root, so that links to it work."""
    for page in pages:
        if routes.is_home(page):
            shows = f"redirect from the page {page.slug} to the home page ({page.locale})"
            yield Redirect(routes.own_path(page), routes.root(page.locale), page.locale, page.title, shows)


def _has_dated_address(name: FormerName, known: Set[tuple[EntryKind, int, str]], routes: Routes) -> bool:
    """Return whether a former address of the entry contains the former slug and its day of publication."""
    links = routes.settings.permalinks
    page_pattern = links.page if name.place else links.single_page
    pattern = links.post if name.kind is EntryKind.POST else page_pattern
    return is_dated(pattern) and (name.kind, name.entry_id, name.slug) in known


def _of_names(entries: LinkableEntries, former_names: Iterable[FormerName], routes: Routes) -> Iterator[Redirect]:
    by_id = {post.id: post for post in entries.posts}
    versions = _versions_of(entries.pages)
    for name in former_names:
        if name.kind is EntryKind.POST:
            if post := by_id.get(name.entry_id):
                former = replace(post, locale=name.place, slug=name.slug, path="")
                yield _to_post(routes.post(former), post, routes)
            continue
        for page in versions.get(name.entry_id, ()):
            former_page = replace(page, page_type=name.place or None, slug=name.slug, addresses=NO_ADDRESSES)
            yield _to_page(routes.own_path(former_page), page, routes)


def _of_addresses(entries: LinkableEntries, former: Iterable[FormerAddress], routes: Routes) -> Iterator[Redirect]:
    posts = {post.id: post for post in entries.posts}
    pages = _versions_of(entries.pages)
    items = {(item.id, item.locale): (item, path, title) for item, path, title in entries.items}
    for each in former:
        try:
            path = routes.former(each)
        except OverflowError:  # a day that the time zone does not have: there never was such an address
            continue
        if each.kind is EntryKind.POST and (post := posts.get(each.entry_id)):
            yield _to_post(path, post, routes)
        elif each.kind is EntryKind.PAGE:
            same = (page for page in pages.get(each.entry_id, ()) if page.locale == each.locale)
            yield from (_to_page(path, page, routes) for page in same)
        elif found := items.get((each.entry_id, each.locale)):
            yield _to_item(path, *found)


def _versions_of(pages: Iterable[Page]) -> dict[int, list[Page]]:
    versions: dict[int, list[Page]] = {}
    for page in pages:
        versions.setdefault(page.id, []).append(page)
    return versions


def _to_post(path: str, post: Post, routes: Routes) -> Redirect:
    return Redirect(path, routes.post(post), post.locale, post.title, f"redirect from {path} to the post {post.slug}")


def _to_page(path: str, page: Page, routes: Routes) -> Redirect:
    shows = f"redirect from {path} to the page {page.slug} ({page.locale})"
    return Redirect(path, routes.page(page), page.locale, page.title, shows)


def _to_item(path: str, item: Item, target: str, title: str) -> Redirect:
    shows = f"redirect from {path} to the item {item.collection}/{item.id} ({item.locale})"
    return Redirect(path, target, item.locale, title, shows)
