"""Slugs that differ only in case or Unicode form, which some file systems and readers confuse."""

import unicodedata
from collections.abc import Hashable, Iterator

from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.documents import Step
from sitecms.findings import Finding
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding

_REMEDY = "give one another slug: file systems that know no case cannot tell them apart, and people cannot either"


def slug_findings(entries: Entries) -> Iterator[Finding]:
    """Return each slug that resembles an earlier one of its kind."""
    first: dict[Hashable, str] = {}
    told: set[Hashable] = set()
    for group, slug, file, steps in _slugs(entries):
        key = (group, plain(slug))
        earlier = first.setdefault(key, slug)
        if earlier != slug and (key, slug) not in told:
            told.add((key, slug))
            what = f'has the slug "{slug}", which differs from "{earlier}" by letter case or Unicode form only'
            yield check_finding(
                CheckKind.SLUG_TWIN, what, _REMEDY, file, entries.sources.line(file, *steps), f"{group} {slug}"
            )


def plain(slug: str) -> str:
    """Return the slug without case and Unicode form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", slug).casefold())


def _slugs(entries: Entries) -> Iterator[tuple[str, str, str, tuple[Step, ...]]]:
    """Yield group, slug, file and place of every slug, oldest first."""
    showable: tuple[Post | Page, ...] = (*entries.posts, *entries.pages)
    for entry in showable:
        group = f"post ({entry.locale})" if isinstance(entry, Post) else f"page {entry.page_type or '*'}"
        yield group, entry.slug, entries.file_of(entry), ("slug",)
    for term in entries.terms:
        yield term.kind.value, term.slug, "", ()
    for author in entries.authors:
        yield "author", author.slug, "", ()
