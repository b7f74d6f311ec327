"""Sources of redirects: aliases, former slugs and addresses of entries, and the home page's own address."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.entry_paths import item_paths, item_title
from sitecms.content.addresses import NO_ADDRESSES, alias_path
from sitecms.content.change import EntryKind
from sitecms.content.former_addresses import AddressSettings, FormerAddress, FormerArchive, FormerName
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.permalink import day_of, is_dated, locale_root
from sitecms.content.post import Post
from sitecms.settings.site import Permalinks
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot

T = TypeVar("T", Page, Item)


class Redirect(Struct, frozen=True):
    """A redirect from `path` to `target`, both paths of the site; `title` is that of the target.

    `owner` is the kind and the id of the entry that it leads to, or the kind and the slug of the archive. `pattern`
    names the permalink by which the path was an address before the settings changed, "route" that of a collection.
    """

    path: str
    target: str
    locale: str
    title: str
    shows: str
    owner: tuple[str, int | str] = ("", "")
    pattern: str = ""


class RenamedArchive(Struct, frozen=True):
    """The archive of an author or term that has former addresses; `owner` is its kind and slug.

    `paths` are its paths by locale, in the locales that have posts of it, the default one first.
    """

    owner: tuple[str, str]
    aliases: tuple[str, ...]
    paths: Mapping[str, str]
    title: str

    @property
    def name(self) -> str:
        """Kind and slug."""
        return " ".join(self.owner)

    def locale_of(self, alias: str, default_locale: str) -> str:
        """Return the locale in whose part of the site a former address is, else the first one."""
        roots = {code: locale_root(code, default_locale) for code in self.paths}
        locales = (code for code, root in roots.items() if root and alias.startswith(f"{root}/"))
        return next(locales, next(iter(self.paths)))


class LinkableEntries(Struct, frozen=True):
    """Published entries that redirects can lead to; `items` are items with pages, their paths and their titles.

    `moved` are the redirects from the addresses that entries and archives had by former settings.
    """

    posts: tuple[Post, ...]
    pages: tuple[Page, ...]
    items: tuple[tuple[Item, str, str], ...] = ()
    archives: tuple[RenamedArchive, ...] = ()
    former_archives: tuple[FormerArchive, ...] = ()
    moved: tuple[Redirect, ...] = ()


def linkable_entries(snapshot: Snapshot, routes: Routes) -> LinkableEntries:
    """Return the entries of a snapshot in the locales of the site."""
    locales = routes.settings.locales
    posts = tuple(post for post in snapshot.posts if post.locale in locales)
    pages = tuple(page for page in snapshot.pages if page.locale in locales)
    items, former = _items_with_pages(snapshot, routes), snapshot.former_archives
    entries = LinkableEntries(posts, pages, items, tuple(_archives(snapshot, posts, routes)), former)
    if not snapshot.former_settings:
        return entries
    return replace(entries, moved=tuple(_moved(snapshot, entries, routes)))


def _moved(snapshot: Snapshot, entries: LinkableEntries, routes: Routes) -> Iterator[Redirect]:
    """Yield the redirects from the addresses that everything on the site had by former settings."""
    for former in snapshot.former_settings:
        settings = replace(routes.settings, permalinks=Permalinks(**former.permalinks))
        old = Routes(replace(settings, timezone=former.timezone, default_locale=former.default_locale))
        for post in entries.posts:
            with suppress(OverflowError):  # a day that the former time zone does not have
                yield replace(_to_post(old.post(post), post, routes), pattern="post")
        for page in entries.pages:
            pattern = "page" if page.page_type else "single_page"
            yield replace(_to_page(old.own_path(page), page, routes), pattern=pattern)
        yield from (replace(each, pattern="route") for each in _moved_items(snapshot, entries, former, old))
        for archive in _archives(snapshot, entries.posts, routes, all_=True):
            kind, slug = archive.owner
            for locale, path in archive.paths.items():
                yield replace(_to_archive(old.archive(kind, slug, locale), path, locale, archive), pattern=kind)
        for locale, year in sorted({(post.locale, _year_of(post, routes)) for post in entries.posts}):
            path = routes.year(locale, year)
            yield Redirect(old.year(locale, year), path, locale, year, f"redirect to {path}", ("year", year), "year")
        yield from former_redirects(entries, snapshot.former_names, snapshot.former_addresses, routes, old)
        yield from archive_redirects(entries, routes, old)


def _year_of(post: Post, routes: Routes) -> str:
    return str(day_of(post.published_at or post.created_at, routes.settings.timezone).year)


def _moved_items(
    snapshot: Snapshot, entries: LinkableEntries, former: AddressSettings, old: Routes
) -> Iterator[Redirect]:
    collections = {
        key: replace(collection, route=former.routes.get(key, ""))
        for key, collection in snapshot.schema.collections.items()
    }
    paths = item_paths(snapshot.items, replace(snapshot.schema, collections=collections), old.settings)
    for item, path, title in entries.items:
        if (item.id, item.locale) in paths:
            yield _to_item(paths[item.id, item.locale], item, path, title)


def _items_with_pages(snapshot: Snapshot, routes: Routes) -> tuple[tuple[Item, str, str], ...]:
    paths = item_paths(snapshot.items, snapshot.schema, routes.settings)
    items = (item for item in snapshot.items if item.locale in routes.settings.locales)
    return tuple(
        (item, paths[item.id, item.locale], item_title(item, snapshot.schema))
        for item in items
        if (item.id, item.locale) in paths
    )


def _archives(
    snapshot: Snapshot, posts: Sequence[Post], routes: Routes, *, all_: bool = False
) -> Iterator[RenamedArchive]:
    """Yield the archives with former addresses, or all; one without posts is not built, so nothing leads to it."""
    ordered = _by_default_locale(routes)
    renamed = {f"{former.kind} {former.present_slug}" for former in snapshot.former_archives}
    for author in (each for each in snapshot.authors if all_ or each.aliases or f"author {each.slug}" in renamed):
        locales = {post.locale for post in posts if post.author.slug == author.slug}
        if paths := {code: routes.author(author.slug, code) for code in ordered if code in locales}:
            yield RenamedArchive(("author", author.slug), author.aliases, paths, author.name)
    all_terms = (*snapshot.categories, *snapshot.tags)
    for term in (each for each in all_terms if all_ or each.aliases or f"{each.kind} {each.slug}" in renamed):
        locales = {post.locale for post in posts if term in (*post.categories, *post.tags)}
        if paths := {code: routes.term(term, code) for code in ordered if code in locales}:
            yield RenamedArchive((term.kind.value, term.slug), term.aliases, paths, term.name)


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
            locale = archive.locale_of(alias, routes.settings.default_locale)
            yield _to_archive(alias, archive.paths[locale], locale, archive)


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
    entries: LinkableEntries,
    former_names: Iterable[FormerName],
    former: Iterable[FormerAddress],
    routes: Routes,
    old: Routes | None = None,
) -> Iterator[Redirect]:
    """Yield the redirects from former slugs and addresses that the store has kept.

    `old` has the settings by which they were addresses, by default the present ones.
    """
    old, former = old or routes, tuple(former)
    addressed = {(each.kind, each.entry_id, each.slug) for each in former}
    names = (name for name in former_names if not _has_dated_address(name, addressed, old))
    yield from _of_names(entries, names, routes, old)
    yield from _of_addresses(entries, former, routes, old)


def archive_redirects(entries: LinkableEntries, routes: Routes, old: Routes | None = None) -> Iterator[Redirect]:
    """Yield the redirects from the archives that authors and terms had by their former slugs; `old` as below."""
    archives = {archive.name: archive for archive in entries.archives}
    for each in entries.former_archives:
        if archive := archives.get(f"{each.kind} {each.present_slug}"):
            for locale, path in archive.paths.items():
                yield _to_archive((old or routes).archive(each.kind, each.slug, locale), path, locale, archive)


def home_redirects(pages: tuple[Page, ...], routes: Routes) -> Iterator[Redirect]:
    """Yield a redirect from the home page's own address to the root, so that links to it work."""
    for page in pages:
        if routes.is_home(page):
            shows = f"redirect from the page {page.slug} to the home page ({page.locale})"
            yield Redirect(routes.own_path(page), routes.root(page.locale), page.locale, page.title, shows)


def _has_dated_address(name: FormerName, addressed: Set[tuple[EntryKind, int, str]], routes: Routes) -> bool:
    """Return whether a former address of the entry contains the former slug and its day of publication."""
    links = routes.settings.permalinks
    page_pattern = links.page if name.place else links.single_page
    pattern = links.post if name.kind is EntryKind.POST else page_pattern
    return is_dated(pattern) and (name.kind, name.entry_id, name.slug) in addressed


def _of_names(
    entries: LinkableEntries, former_names: Iterable[FormerName], routes: Routes, old: Routes
) -> Iterator[Redirect]:
    by_id = {post.id: post for post in entries.posts}
    versions = _versions_of(entries.pages)
    for name in former_names:
        if name.kind is EntryKind.POST:
            if post := by_id.get(name.entry_id):
                former = replace(post, locale=name.place, slug=name.slug, path="")
                yield _to_post(old.post(former), post, routes)
            continue
        for page in versions.get(name.entry_id, ()):
            former_page = replace(page, page_type=name.place or None, slug=name.slug, addresses=NO_ADDRESSES)
            yield _to_page(old.own_path(former_page), page, routes)


def _of_addresses(
    entries: LinkableEntries, former: Iterable[FormerAddress], routes: Routes, old: Routes
) -> Iterator[Redirect]:
    posts = {post.id: post for post in entries.posts}
    pages = _versions_of(entries.pages)
    items = {(item.id, item.locale): (item, path, title) for item, path, title in entries.items}
    for each in former:
        try:
            path = old.former(each)
        except OverflowError:  # a day that the time zone does not have: there never was such an address
            continue
        if each.kind is EntryKind.POST and (post := posts.get(each.entry_id)):
            yield _to_post(path, post, routes)
        elif each.kind is EntryKind.PAGE:
            same = (page for page in pages.get(each.entry_id, ()) if page.locale == each.locale)
            yield from (_to_page(path, page, routes) for page in same)
        elif each.kind is EntryKind.ITEM and (target_item := items.get((each.entry_id, each.locale))):
            yield _to_item(path, *target_item)


def _versions_of(pages: Iterable[Page]) -> dict[int, list[Page]]:
    versions: dict[int, list[Page]] = {}
    for page in pages:
        versions.setdefault(page.id, []).append(page)
    return versions


def _to_post(path: str, post: Post, routes: Routes) -> Redirect:
    shows = f"redirect from {path} to the post {post.slug}"
    return Redirect(path, routes.post(post), post.locale, post.title, shows, ("post", post.id))


def _to_page(path: str, page: Page, routes: Routes) -> Redirect:
    shows = f"redirect from {path} to the page {page.slug} ({page.locale})"
    return Redirect(path, routes.page(page), page.locale, page.title, shows, ("page", page.id))


def _to_archive(path: str, target: str, locale: str, archive: RenamedArchive) -> Redirect:
    shows = f"redirect from {path} to the {archive.name}"
    return Redirect(path, target, locale, archive.title, shows, archive.owner)


def _to_item(path: str, item: Item, target: str, title: str) -> Redirect:
    shows = f"redirect from {path} to the item {item.collection}/{item.id} ({item.locale})"
    return Redirect(path, target, item.locale, title, shows, ("item", item.id))
