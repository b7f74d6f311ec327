"""Addresses of a WordPress site that no item states: of its lists and feeds, and of posts exported as `/?p=12`."""

import re
from collections.abc import Iterator
from datetime import datetime

from sitecms.content.term import TermKind
from sitecms.importing.plan.old_site import OldSite, most_frequent, pattern_of
from sitecms.importing.records import RedirectRecord, TermRecord

_HREF = re.compile(r"href\s*=\s*[\"']?(https?://[^\s\"'<>?#]+)", re.I)
_MAX_LINKS = 20_000
_LEAST_LINKS = 2
_FEEDS = {"": "rss", "rss": "rss", "rss2": "rss", "rdf": "rss", "atom": "atom"}


class SiteAddresses:
    """Collector of what the published posts say about the addresses of the site.

    WordPress exports every link as `/?p=12` where pretty permalinks are off. Links between the posts then show which
    permalinks the site had before.
    """

    def __init__(self) -> None:
        self._days: set[str] = set()
        self._terms: dict[tuple[TermKind, str], tuple[TermRecord, str]] = {}
        self._links: set[str] = set()
        self._times: dict[str, datetime] = {}
        self._is_plain = True

    def add_post(self, link: str, slug: str, local: datetime | None, body: str, site: OldSite) -> None:
        """Note a published post: its day, and the links of its body as long as all posts have plain addresses."""
        if local:
            self._days.add(f"{local:%Y/%m/%d}")
        self._is_plain = self._is_plain and (not link or "?" in link)
        if not self._is_plain:
            self._links.clear()
            self._times.clear()
            return
        if slug and local:
            self._times[slug] = local
        for url in _HREF.findall(body) if len(self._links) < _MAX_LINKS else ():
            if path := site.path_of(url):
                self._links.add(path)

    def add_term(self, term: TermRecord, number: str = "") -> None:
        """Note a term, and its number in the database."""
        self._terms[term.kind, term.name] = (term, number)

    def permalink(self) -> str:
        """Return the pattern of the former addresses of posts that are exported as `/?p=12`; "" if none is known."""
        if not self._is_plain:
            return ""
        ends = ((path, path.rsplit("/", 1)[-1].removesuffix(".html")) for path in self._links)
        patterns = [pattern_of(path, slug, self._times[slug]) for path, slug in ends if slug in self._times]
        return most_frequent(patterns) if len(patterns) >= _LEAST_LINKS else ""

    def redirects(self, site: OldSite) -> Iterator[RedirectRecord]:
        """Yield redirects for feeds, days, months and years, and for further pages of the list of posts."""
        yield RedirectRecord("/index.php", "/")
        for name, kind in _FEEDS.items():
            yield RedirectRecord(f"/feed/{name}/".replace("//", "/"), f"feed:{kind}")
            if name:
                yield RedirectRecord(f"/?feed={name}", f"feed:{kind}")
        yield RedirectRecord("/page/", "list:", is_prefix=True)
        lists = {day[:length] for day in self._days for length in (4, 7, 10)}
        for path in sorted(lists):
            yield RedirectRecord(f"/{path}/", f"year:{path[:4]}")
            if self._is_plain:
                yield RedirectRecord(f"/?m={path.replace('/', '')}", f"year:{path[:4]}")
        for term, number in self._terms.values():
            yield from _of_term(term, number, site)


def _of_term(term: TermRecord, number: str, site: OldSite) -> Iterator[RedirectRecord]:
    """Yield redirects for the feed of a term and for its plain address."""
    target = f"{term.kind}:{term.name}"
    yield RedirectRecord(f"{site.path_of(term.old_url)}/feed/", f"feed:{target}")
    if term.kind is TermKind.TAG:
        yield RedirectRecord(f"/?tag={term.slug}", target)
    elif number:
        yield RedirectRecord(f"/?cat={number}", target)
