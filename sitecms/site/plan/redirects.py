"""Redirects from old addresses: aliases, former slugs of entries, and the home page's own address.

Every redirect leads to the present address of an entry, so there are no chains. No redirect replaces a page.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from sitecms.content.addresses import NO_ADDRESSES, site_path
from sitecms.content.change import EntryKind
from sitecms.content.fingerprint import digest
from sitecms.content.former_addresses import FormerAddress, FormerName
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.permalink import is_dated
from sitecms.content.post import Post
from sitecms.site.output.manifest import is_inside
from sitecms.site.plan.planned_page import Bodies, PlannedPage, UniquePage
from sitecms.site.routes import Routes, output_path
from sitecms.site.theme.assets import FileJob
from sitecms.site.views.page_metadata import PageMetadata

HOSTED = "_redirects"
NGINX = "nginx-redirects.map"
_LONGEST_PLAIN = 40
"""Most bytes of an address in nginx's hash table with its default size, on 64-bit processors."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect from `path` to `target`, both paths of the site; `title` is that of the target."""

    path: str
    target: str
    locale: str
    title: str
    shows: str


@dataclass(frozen=True, slots=True)
class Redirects:
    """All redirects in a fixed order; `notes` name aliases that are left out."""

    found: tuple[Redirect, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Addressed:
    """Published entries that addresses can lead to; `items` are those that have pages, with their paths and titles."""

    posts: tuple[Post, ...]
    pages: tuple[Page, ...]
    items: tuple[tuple[Item, str, str], ...] = ()


def find_redirects(
    entries: Addressed,
    former_names: Iterable[FormerName],
    former_addresses: Iterable[FormerAddress],
    routes: Routes,
    live: Callable[[str], str],
) -> Redirects:
    """Return the redirects to these published entries. `live` returns the name of the page at an output path, or "".

    Of several redirects from one address an alias comes before a former slug, and then the newest entry.
    """
    found: dict[str, Redirect] = {}
    notes = []
    for redirect in (*_of_aliases(entries.posts, routes), *_of_home(entries.pages, routes)):
        taken = live(output_path(redirect.path)) or (found[redirect.path].shows if redirect.path in found else "")
        if not is_inside(output_path(redirect.path)):
            notes.append(f"the {redirect.shows} is left out: {redirect.path} is not a path inside the site")
        elif taken:
            notes.append(f"the {redirect.shows} is left out: {redirect.path} is the {taken}")
        else:
            found[redirect.path] = redirect
    former_addresses = tuple(former_addresses)
    known = {(each.kind, each.entry_id, each.slug) for each in former_addresses}
    names = (name for name in former_names if not _is_known_better(name, known, routes))
    for redirect in (*_of_names(entries, names, routes), *_of_addresses(entries, former_addresses, routes)):
        if is_inside(output_path(redirect.path)) and not live(output_path(redirect.path)):
            found.setdefault(redirect.path, redirect)
    return Redirects(tuple(found.values()), tuple(notes))


def _of_aliases(posts: tuple[Post, ...], routes: Routes) -> Iterator[Redirect]:
    for post in posts:
        for alias in dict.fromkeys(map(site_path, post.aliases)):
            yield _to_post(alias, post, routes)


def _of_home(pages: tuple[Page, ...], routes: Routes) -> Iterator[Redirect]:
    """Yield a redirect from the home page's own address to the root, so that links to it work."""
    for page in pages:
        if routes.is_home(page):
            shows = f"redirect from the page {page.slug} to the home page ({page.locale})"
            yield Redirect(routes.own_path(page), routes.root(page.locale), page.locale, page.title, shows)


def _is_known_better(name: FormerName, known: Set[tuple[EntryKind, int, str]], routes: Routes) -> bool:
    """Return whether a former address has the former slug with the day that stood in its address."""
    links = routes.settings.permalinks
    page_pattern = links.page if name.place else links.single_page
    pattern = links.post if name.kind is EntryKind.POST else page_pattern
    return is_dated(pattern) and (name.kind, name.entry_id, name.slug) in known


def _of_names(entries: Addressed, former_names: Iterable[FormerName], routes: Routes) -> Iterator[Redirect]:
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


def _of_addresses(entries: Addressed, former: Iterable[FormerAddress], routes: Routes) -> Iterator[Redirect]:
    posts = {post.id: post for post in entries.posts}
    pages = _versions_of(entries.pages)
    items = {(item.id, item.locale): (item, path, title) for item, path, title in entries.items}
    for each in former:
        path = routes.former(each)
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


def redirect_page(redirect: Redirect, metadata: PageMetadata, routes: Routes) -> PlannedPage:
    """Return the page at the old address, for hosts without redirects."""
    pages = UniquePage(redirect.shows, partial(_context, redirect, metadata, routes))
    return PlannedPage(redirect.path, "redirect.html", (redirect.target, redirect.title), pages, listed=False)


def _context(redirect: Redirect, metadata: PageMetadata, routes: Routes, _bodies: Bodies) -> dict[str, object]:
    head = replace(metadata.head(redirect.title, "", redirect.target, "page"), noindex=True)
    return {"head": head, "target_url": routes.url(redirect.target)}


def plan_redirect_files(redirects: tuple[Redirect, ...], routes: Routes) -> tuple[FileJob, ...]:
    """Return the redirects in the formats of web servers; no file without redirects."""
    if not redirects:
        return ()
    texts = {HOSTED: _hosted(redirects, routes), NGINX: _nginx(redirects, routes)}
    return tuple(_file(path, "".join(f"{line}\n" for line in lines).encode()) for path, lines in texts.items())


def _file(path: str, data: bytes) -> FileJob:
    return FileJob(path, digest(data), lambda: data)


def _hosted(redirects: tuple[Redirect, ...], routes: Routes) -> Iterator[str]:
    yield "# Read by Netlify, Cloudflare Pages and others. Written by sitecms."
    for each in redirects:
        yield f"{_plain(routes.url(each.path))} {_plain(routes.url(each.target))} 301"


def _nginx(redirects: tuple[Redirect, ...], routes: Routes) -> Iterator[str]:
    """Yield the lines of an nginx map of `$uri`, which is decoded text.

    nginx compares plain entries without case in a hash table, and expressions with case, one after another. So an
    expression is used only if case matters, or if the address is too long for the hash table.
    """
    yield "# Written by sitecms. In http { } of nginx, and then in the server { } of the site:"
    yield f"#   map $uri $sitecms_moved {{ include /path/to/{NGINX}; }}"
    yield "#   if ($sitecms_moved) { return 301 $sitecms_moved; }"
    for each in redirects:
        source = routes.base_path + each.path
        if source.isprintable():
            is_plain = source == source.lower() != each.target.lower() and len(source.encode()) <= _LONGEST_PLAIN
            key = source if is_plain else f"~^{re.escape(source)}$"
            yield f'"{_quoted(key)}" "{_plain(routes.url(each.target))}";'


def _quoted(text: str) -> str:
    """Return the text as it is written between nginx's quotation marks."""
    return text.replace("\\", r"\\").replace('"', r"\"")


def _plain(url: str) -> str:
    """Return the URL without characters that have a meaning in these files."""
    return quote(url, safe="/%~@!&'()+,;=-._")
