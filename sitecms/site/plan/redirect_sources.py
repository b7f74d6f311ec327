"""Sources of redirects: aliases, former slugs and addresses of entries, and the home page's own address."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.entry_paths import item_paths, title_of
from sitecms.actions.permalinks import pattern_name
from sitecms.content.addresses import alias_path
from sitecms.content.entry import Entry
from sitecms.content.former_addresses import AddressSettings, FormerAddress, FormerArchive
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.permalink import day_of, locale_root
from sitecms.content.term import Term
from sitecms.settings.site import Permalinks
from sitecms.site.plan.conflicts import name_of
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot


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


class LinkableEntry(Struct, frozen=True):
    """A published entry that has a page, with its path and title."""

    entry: Entry
    path: str
    title: str

    @property
    def key(self) -> tuple[EntryKind, int]:
        """Kind and id."""
        return self.entry.kind, self.entry.id


class LinkableEntries(Struct, frozen=True, dict=True):
    """Published entries that redirects can lead to: posts, then pages, then items.

    `moved` are the redirects from the addresses that entries and archives had by former settings.
    """

    entries: tuple[LinkableEntry, ...]
    archives: tuple[RenamedArchive, ...] = ()
    former_archives: tuple[FormerArchive, ...] = ()
    moved: tuple[Redirect, ...] = ()

    @cached_property
    def versions(self) -> Mapping[tuple[EntryKind, int], Sequence[LinkableEntry]]:
        """Return the versions of each entry, one for each locale, by kind and id."""
        versions: dict[tuple[EntryKind, int], list[LinkableEntry]] = {}
        for each in self.entries:
            versions.setdefault(each.key, []).append(each)
        return versions


def linkable_entries(snapshot: Snapshot, routes: Routes) -> LinkableEntries:
    """Return the entries of a snapshot in the locales of the site."""
    locales, former = routes.settings.locales, snapshot.former_archives
    posts = tuple(post for post in snapshot.posts if post.locale in locales)
    linkable = tuple(each for each in _linkable(snapshot, routes) if each.entry.locale in locales)
    entries = LinkableEntries(linkable, tuple(_archives(snapshot, linkable, routes)), former)
    if not snapshot.former_settings:
        return entries
    return replace(entries, moved=tuple(_moved(snapshot, entries, posts, routes)))


def _linkable(snapshot: Snapshot, routes: Routes) -> Iterator[LinkableEntry]:
    items = item_paths(snapshot.items, snapshot.schema, routes.settings)
    for entry in snapshot.all_entries:
        if path := routes.find(entry, items):
            yield LinkableEntry(entry, path, title_of(entry, snapshot.schema))


def _moved(snapshot: Snapshot, entries: LinkableEntries, posts: Sequence[Entry], routes: Routes) -> Iterator[Redirect]:
    """Yield the redirects from the addresses that everything on the site had by former settings."""
    for former in snapshot.former_settings:
        settings = replace(routes.settings, permalinks=Permalinks(**former.permalinks))
        settings = replace(settings, timezone=former.timezone, default_locale=former.default_locale)
        old = Routes(replace(settings, build=replace(settings.build, home="")))  # the home page's own address
        items = _former_item_paths(snapshot, former, old)
        for each in entries.entries:
            if path := old.find(each.entry, items):
                yield replace(_to_entry(path, each), pattern=pattern_name(each.key[0], each.entry.type))
        for archive in _archives(snapshot, entries.entries, routes, all_=True):
            kind, slug = archive.owner
            for locale, path in archive.paths.items():
                yield replace(_to_archive(old.archive(kind, slug, locale), path, locale, archive), pattern=kind)
        for locale, year in sorted({(post.locale, _year_of(post, routes)) for post in posts}):
            path = routes.year(locale, year)
            yield Redirect(old.year(locale, year), path, locale, year, f"redirect to {path}", ("year", year), "year")
        yield from former_redirects(entries, snapshot.former_addresses, routes, old)
        yield from archive_redirects(entries, routes, old)


def _year_of(post: Entry, routes: Routes) -> str:
    return str(day_of(post.published_at or post.created_at, routes.settings.timezone).year)


def _former_item_paths(snapshot: Snapshot, former: AddressSettings, old: Routes) -> Mapping[tuple[int, str], str]:
    """Return the paths of items by former routes of their collections."""
    collections = {
        key: replace(collection, route=former.routes.get(key, ""))
        for key, collection in snapshot.schema.collections.items()
    }
    return item_paths(snapshot.items, replace(snapshot.schema, collections=collections), old.settings)


def _archives(
    snapshot: Snapshot, linkable: Sequence[LinkableEntry], routes: Routes, *, all_: bool = False
) -> Iterator[RenamedArchive]:
    """Yield the archives with former addresses, or all; one without entries is not built, so nothing leads to it."""
    ordered = _by_default_locale(routes)
    renamed = {f"{former.kind} {former.present_slug}" for former in snapshot.former_archives}
    for author in (each for each in snapshot.authors if all_ or each.aliases or f"author {each.slug}" in renamed):
        locales = {each.entry.locale for each in linkable if each.entry.author.slug == author.slug}
        if paths := {code: routes.author(author.slug, code) for code in ordered if code in locales}:
            yield RenamedArchive(("author", author.slug), author.aliases, paths, author.name)
    all_terms = (*snapshot.categories, *snapshot.tags)
    moved = [each for each in all_terms if all_ or each.aliases or f"{each.kind} {each.slug}" in renamed]
    locales_of: dict[Term, set[str]] = {}
    for each in linkable if moved else ():
        for term in snapshot.terms_of(each.entry):
            locales_of.setdefault(term, set()).add(each.entry.locale)
    for term in moved:
        if paths := {code: routes.term(term, code) for code in ordered if code in locales_of.get(term, ())}:
            yield RenamedArchive((term.kind.value, term.slug), term.aliases, paths, term.name)


def _by_default_locale(routes: Routes) -> list[str]:
    """Return the locales of the site, the default one first."""
    return sorted(routes.settings.locales, key=lambda code: code != routes.settings.default_locale)


def alias_redirects(entries: LinkableEntries, routes: Routes) -> Iterator[Redirect]:
    """Yield the redirects from aliases, which people wrote into entries."""
    ordered = _by_default_locale(routes)
    for versions in entries.versions.values():
        by_locale = {version.entry.locale: version for version in versions}
        first = next(by_locale[code] for code in ordered if code in by_locale)  # for those of no certain locale
        for locale, aliases in first.entry.addresses.aliases.items():
            for alias in dict.fromkeys(map(alias_path, aliases)):
                yield _to_entry(alias, by_locale.get(locale, first))
    for archive in entries.archives:
        for alias in dict.fromkeys(map(alias_path, archive.aliases)):
            locale = archive.locale_of(alias, routes.settings.default_locale)
            yield _to_archive(alias, archive.paths[locale], locale, archive)


def former_redirects(
    entries: LinkableEntries, former: Iterable[FormerAddress], routes: Routes, old: Routes | None = None
) -> Iterator[Redirect]:
    """Yield the redirects from former addresses that the store has kept, in their order.

    `old` has the settings by which they were addresses, by default the present ones.
    """
    versions = entries.versions
    for address in former:
        with suppress(OverflowError):
            path = (old or routes).entries.former(address)
            for each in versions.get((address.kind, address.entry_id), ()):
                if each.entry.locale == address.locale or not KINDS[address.kind].has_locales:
                    yield _to_entry(path, each)


def archive_redirects(entries: LinkableEntries, routes: Routes, old: Routes | None = None) -> Iterator[Redirect]:
    """Yield the redirects from the archives that authors and terms had by their former slugs; `old` as below."""
    archives = {archive.name: archive for archive in entries.archives}
    for each in entries.former_archives:
        if archive := archives.get(f"{each.kind} {each.present_slug}"):
            for locale, path in archive.paths.items():
                yield _to_archive((old or routes).archive(each.kind, each.slug, locale), path, locale, archive)


def home_redirects(entries: LinkableEntries, routes: Routes) -> Iterator[Redirect]:
    """Yield a redirect from the home page's own address to the root, so that links to it work."""
    for each in entries.entries:
        page = each.entry
        if routes.is_home(page):
            shows = f"redirect from the page {page.slug} to the home page ({page.locale})"
            yield Redirect(routes.entries.own(page), each.path, page.locale, each.title, shows)


def _to_entry(path: str, to: LinkableEntry) -> Redirect:
    kind, entry_id = to.key
    shows = f"redirect from {path} to the {name_of(to.entry)}"
    return Redirect(path, to.path, to.entry.locale, to.title, shows, (kind.value, entry_id))


def _to_archive(path: str, target: str, locale: str, archive: RenamedArchive) -> Redirect:
    shows = f"redirect from {path} to the {archive.name}"
    return Redirect(path, target, locale, archive.title, shows, archive.owner)
