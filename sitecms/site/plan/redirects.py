"""Old addresses of the site and where each leads: aliases, names that entries gave up, the home page's own address.

Every redirect leads straight to an entry as it stands now, so there are no chains. None covers a page that is there.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from sitecms.content.change import EntryKind
from sitecms.content.fingerprint import digest
from sitecms.content.former_name import FormerName
from sitecms.content.page import Page
from sitecms.content.permalink import entry_path
from sitecms.content.post import Post
from sitecms.site.output.manifest import is_inside
from sitecms.site.plan.page_job import Bodies, OnePage, Planned
from sitecms.site.routes import Routes, alias_path, output_path
from sitecms.site.theme.assets import FileJob
from sitecms.site.views.page_metadata import Heads

HOSTED = "_redirects"
NGINX = "nginx-redirects.map"
_LONGEST_PLAIN = 40
"""Bytes of an address that nginx takes into a table of its own size, on 64-bit processors."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """`path` leads to `target`, both paths of the site; `title` is that of what stands there."""

    path: str
    target: str
    locale: str
    title: str
    shows: str


@dataclass(frozen=True, slots=True)
class Redirects:
    """All of them in a fixed order; `notes` tell of aliases that could not be."""

    found: tuple[Redirect, ...]
    notes: tuple[str, ...] = ()


def find_redirects(
    posts: Iterable[Post],
    pages: Iterable[Page],
    former_names: Iterable[FormerName],
    routes: Routes,
    live: Callable[[str], str],
) -> Redirects:
    """The redirects to these published entries. `live` says what the output of a path shows, "" where there is none.

    Where several would have one address an alias comes before a former name, and then the newest entry.
    """
    posts, pages = tuple(posts), tuple(pages)
    found: dict[str, Redirect] = {}
    notes = []
    for redirect in (*_of_aliases(posts, routes), *_of_home(pages, routes)):
        taken = live(output_path(redirect.path)) or (found[redirect.path].shows if redirect.path in found else "")
        if not is_inside(output_path(redirect.path)):
            notes.append(f"the {redirect.shows} is left out: {redirect.path} is no path inside the site")
        elif taken:
            notes.append(f"the {redirect.shows} is left out: {redirect.path} is the {taken}")
        else:
            found[redirect.path] = redirect
    for redirect in _of_names(posts, pages, former_names, routes):
        if not live(output_path(redirect.path)):
            found.setdefault(redirect.path, redirect)
    return Redirects(tuple(found.values()), tuple(notes))


def _of_aliases(posts: tuple[Post, ...], routes: Routes) -> Iterator[Redirect]:
    for post in posts:
        for alias in dict.fromkeys(map(alias_path, post.aliases)):
            yield _to_post(alias, post, routes)


def _of_home(pages: tuple[Page, ...], routes: Routes) -> Iterator[Redirect]:
    """The home page's own address leads to the root, so that links to it hold."""
    for page in pages:
        if routes.is_home(page):
            shows = f"redirect from the page {page.slug} to the home page ({page.locale})"
            yield Redirect(routes.own_path(page), routes.root(page.locale), page.locale, page.title, shows)


def _of_names(
    posts: tuple[Post, ...], pages: tuple[Page, ...], former_names: Iterable[FormerName], routes: Routes
) -> Iterator[Redirect]:
    by_id = {post.id: post for post in posts}
    versions: dict[int, list[Page]] = {}
    for page in pages:
        versions.setdefault(page.id, []).append(page)
    for name in former_names:
        if name.kind is EntryKind.POST:
            if post := by_id.get(name.entry_id):
                yield _to_post(_path(name, name.place, routes), post, routes)
            continue
        for page in versions.get(name.entry_id, ()):
            path = _path(name, page.locale, routes)
            shows = f"redirect from {path} to the page {page.slug} ({page.locale})"
            yield Redirect(path, routes.page(page), page.locale, page.title, shows)


def _path(name: FormerName, locale: str, routes: Routes) -> str:
    """Where the entry of that name stood, by the permalinks of today."""
    links, default = routes.settings.permalinks, routes.settings.default_locale
    if name.kind is EntryKind.POST:
        return entry_path(links.post, locale, default, slug=name.slug)
    pattern = links.page if name.place else links.single_page
    return entry_path(pattern, locale, default, slug=name.slug, page_type=name.place)


def _to_post(path: str, post: Post, routes: Routes) -> Redirect:
    return Redirect(path, routes.post(post), post.locale, post.title, f"redirect from {path} to the post {post.slug}")


def redirect_page(redirect: Redirect, heads: Heads, routes: Routes) -> Planned:
    """The page at the old address, for hosts that know no redirects."""
    pages = OnePage(redirect.shows, partial(_context, redirect, heads, routes))
    return Planned(redirect.path, "redirect.html", (redirect.target, redirect.title), pages, listed=False)


def _context(redirect: Redirect, heads: Heads, routes: Routes, _bodies: Bodies) -> dict[str, object]:
    head = replace(heads.head(redirect.title, "", redirect.target, "page"), noindex=True)
    return {"head": head, "target_url": routes.url(redirect.target)}


def plan_redirect_files(redirects: tuple[Redirect, ...], routes: Routes) -> tuple[FileJob, ...]:
    """The redirects as web servers are told of them; no file where there are none."""
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
    """nginx compares `$uri`, which is decoded text: a plain entry whatever the case, an expression to the letter.

    Plain entries are found at once, expressions one after another, so they are for what needs them: where case tells,
    or the address is longer than what nginx takes into its table without being told to.
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
    """As it stands between nginx's quotation marks."""
    return text.replace("\\", r"\\").replace('"', r"\"")


def _plain(url: str) -> str:
    """The URL without the signs that stand for something else in these files."""
    return quote(url, safe="/%~@!&'()+,;=-._")
