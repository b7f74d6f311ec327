"""Addresses of the site that a menu or a redirect can lead to: of entries, archives and lists, found by their name."""

from collections.abc import Iterator

from msgspec import Struct

from sitecms.content.kinds import KINDS
from sitecms.content.search_text import text_filter
from sitecms.content.term import TermKind
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.redirect_sources import LinkableEntry, linkable_entries
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.studio.texts import _
from sitecms.studio.words import word


class Target(Struct, frozen=True):
    """An address with the name of what is there and its kind, for people."""

    label: str
    url: str
    kind: str


def all_targets(snapshot: Snapshot, settings: SiteSettings, locale: str) -> Iterator[Target]:
    """Yield what readers can open in a locale: lists, pages and items first, then archives, then posts."""
    routes = Routes(settings)
    entries = [each for each in linkable_entries(snapshot, routes).entries if each.entry.locale == locale]
    yield Target(_("Home page"), routes.root(locale), _("List"))
    yield Target(_("All posts"), routes.blog(locale), _("List"))
    posts = [each for each in entries if KINDS[each.entry.kind].is_dated]
    for each in entries:
        if not KINDS[each.entry.kind].is_dated and each.path != routes.root(locale):
            yield _target(each)
    used = {term for each in entries for term in snapshot.terms_of(each.entry)}
    for term in (*snapshot.categories, *snapshot.tags):
        if term in used:
            yield Target(
                term.name, routes.term(term, locale), _("Category") if term.kind is TermKind.CATEGORY else _("Tag")
            )
    writers = {each.entry.author.slug for each in posts}
    for author in snapshot.authors:
        if author.slug in writers:
            yield Target(author.name, routes.author(author.slug, locale), _("Author"))
    yield from map(_target, posts)


def _target(linkable: LinkableEntry) -> Target:
    return Target(linkable.title, linkable.path, word(KINDS[linkable.entry.kind].label))


def find_targets(snapshot: Snapshot, settings: SiteSettings, locale: str, text: str, most: int) -> list[Target]:
    """Return the targets whose name or address has the words of a text."""
    has_words = text_filter(text)
    matches = []
    for target in all_targets(snapshot, settings, locale):
        if has_words(target.label) or (text and text in target.url):
            matches.append(target)
            if len(matches) == most:
                break
    return matches
