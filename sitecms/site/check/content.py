"""Rules about entries, independent of templates: dates, references, alternative texts, similar slugs, unused media."""

import re
import unicodedata
from collections.abc import Hashable, Iterator, Sequence
from datetime import datetime

from sitecms.actions.references import specs_of, target_of, targets_of
from sitecms.clock import format_timestamp
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import type_of
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.references import Target
from sitecms.content.schema import FieldSpec
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.alt_texts import MARKDOWN_WITHOUT_ALT, pictures_without_alt
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.documents import Step, place_of
from sitecms.documents.folders import is_fit_name
from sitecms.findings import Finding
from sitecms.media.library import open_library
from sitecms.settings.site import SiteSettings
from sitecms.site.check.entries import Entries, Showable
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.store.database import Session
from sitecms.store.entries.draft_queries import bodies_with_pictures
from sitecms.store.maintenance.media_usage import used_media

_SHOWN = 3


def media_findings(entries: Entries, session: Session, settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Return findings about unused media; `settings` are those of the real site."""
    named = {path for file in entries.sources.loaded.values() for path in file.media}
    folder = settings.folder / MEDIA_FOLDER
    files = [path.relative_to(settings.folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    paths = [path.as_posix() for path in files if not any(part.startswith(".") for part in path.parts)]
    paths = [path for path in paths if is_fit_name(path)]  # the load of a check names the others
    left = [path for path in paths if path not in named]
    elsewhere = entries.sources.naming(left)  # in a template or stylesheet, or in a file with an error
    for path in left:
        if path not in elsewhere:
            yield check_finding(CheckKind.MEDIA_UNUSED, "no entry names this file", "remove it, or name it", path)
    yield from library_findings(session, settings, at)


def library_findings(session: Session, settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Yield one finding if the library has files that nothing in the store names."""
    unused = sorted(set(open_library(settings).old_names(at)) - used_media(session).keys())
    if unused:
        names = ", ".join(unused[:_SHOWN]) + (f" and {len(unused) - _SHOWN} more" if len(unused) > _SHOWN else "")
        what = f"the media library holds what nothing names: {names}"
        remedy = f"the worker removes it {settings.housekeeping.keep_media_days} days after it was last added"
        yield check_finding(CheckKind.LIBRARY_UNUSED, what, remedy, place="media library")


_REMEDY = "give one another slug: some file systems ignore case, and people confuse them"


def slug_findings(entries: Entries) -> Iterator[Finding]:
    """Return each slug that resembles an earlier one of its kind."""
    first: dict[Hashable, str] = {}
    reported: set[Hashable] = set()
    for group, slug, file, steps in _slugs(entries):
        key = (group, plain(slug))
        earlier = first.setdefault(key, slug)
        if earlier != slug and (key, slug) not in reported:
            reported.add((key, slug))
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


_DESCRIBE = "say what the picture shows, for those who do not see it"
_TERM_FILES = {TermKind.CATEGORY: "content/categories.yaml", TermKind.TAG: "content/tags.yaml"}


def content_findings(entries: Entries, session: Session, at: datetime) -> Iterator[Finding]:
    """Return the findings of these rules; `session` is of the store that the entries were read from."""
    yield from _dates(entries, at)
    yield from _unused(entries)
    yield from _hidden_references(entries)
    yield from _featured_pictures(entries)
    yield from _body_pictures(entries, session)
    for entry in entries.live:
        yield from _field_pictures(entries, entry)


def _dates(entries: Entries, at: datetime) -> Iterator[Finding]:
    published: list[Showable] = [post for post in entries.posts if post.status is Status.PUBLISHED]
    for entry in (*published, *entries.live):
        if entry.published_at and entry.published_at > at:
            file = entries.file_of(entry)
            item = entries.sources.item_place(file, entry.id) if isinstance(entry, Item) else ()
            what = f"is published already, with the time {format_timestamp(entry.published_at)}, which lies ahead"
            remedy = "correct the time; a clock was wrong when it was published"
            line = entries.sources.line(file, *item, "published")
            yield check_finding(CheckKind.DATE_AHEAD, what, remedy, file, line, entries.words(entry))


def _unused(entries: Entries) -> Iterator[Finding]:
    used = {(term.kind, term.slug) for post in entries.posts for term in (*post.categories, *post.tags)}
    for term in entries.terms:
        if (term.kind, term.slug) not in used:
            file, line = _listed(entries, _TERM_FILES[term.kind], term.slug)
            what = f'no post has the {term.kind} "{term.name}"'
            yield check_finding(CheckKind.TERM_UNUSED, what, "give it to a post, or remove it", file, line, term.slug)
    writers = {post.author.slug for post in entries.posts} | {entries.settings.owner}
    for author in entries.authors if len(entries.authors) > 1 else ():  # the only author owns posts to come
        if author.slug not in writers:
            file, line = _listed(entries, "content/authors.yaml", author.slug)
            what = f"no post is by {author.name or author.slug}"
            yield check_finding(
                CheckKind.AUTHOR_UNUSED, what, "remove the author, or leave it", file, line, author.slug
            )


def _listed(entries: Entries, file: str, slug: str) -> tuple[str, int | None]:
    """Return the list file and the line that names the slug; ("", None) for entries without a file."""
    if file not in entries.sources.loaded:
        return "", None
    line = entries.sources.first_line(file, rf"(?m)^.*slug: *[\"']?{re.escape(slug)}[\"']?\s*(?:[,}}#]|$)")
    return file, line


def _hidden_references(entries: Entries) -> Iterator[Finding]:
    """Return references from published entries to unpublished ones."""
    shown = {target_of(entry) for entry in entries.live}
    there = {target_of(entry): entry for entry in entries.versions}
    reported: set[tuple[Target, Target]] = set()
    for entry in entries.live:
        for target in targets_of(entry, entries.schema):
            if target in there and target not in shown and (target_of(entry), target) not in reported:
                reported.add((target_of(entry), target))
                file = entries.file_of(entry)
                item = entries.sources.item_place(file, entry.id) if isinstance(entry, Item) else ()
                what = f"refers to the {entries.words(there[target])}, which is not published and so left out"
                line = entries.sources.line(file, *item, "fields")
                remedy = "publish it, or take the reference out"
                yield check_finding(CheckKind.REFERENCE_TO_DRAFT, what, remedy, file, line, entries.words(entry))


def _featured_pictures(entries: Entries) -> Iterator[Finding]:
    for post in entries.posts:
        if post.featured_image and not post.featured_image_alt.strip():
            file = entries.file_of(post)
            line = entries.sources.line(file, "featured_image")
            what, remedy = "has a featured image without alt text", f"{_DESCRIBE}: featured_image_alt"
            yield check_finding(CheckKind.ALT_MISSING, what, remedy, file, line, entries.words(post))


def _body_pictures(entries: Entries, session: Session) -> Iterator[Finding]:
    by_id = {post.id: post for post in entries.posts}
    for post_id, body in bodies_with_pictures(session):
        count = pictures_without_alt(body)
        if count:
            post = by_id[post_id]
            file = entries.file_of(post)
            line = entries.sources.first_line(file, MARKDOWN_WITHOUT_ALT)
            yield check_finding(CheckKind.ALT_MISSING, _pictures(count), _DESCRIBE, file, line, entries.words(post))


def _pictures(count: int) -> str:
    return "has a picture without alt text" if count == 1 else f"has {count} pictures without alt text"


def _field_pictures(entries: Entries, entry: Page | Item) -> Iterator[Finding]:
    file = entries.file_of(entry)
    table: tuple[Step, ...] = ("fields",)
    if isinstance(entry, Item):
        table = (*entries.sources.item_place(file, entry.id), *table)
    for place, value, spec in _values(entries, entry.fields, specs_of(entry, entries.schema), ()):
        if not type_of(spec).lacks_alt_text(value):
            continue
        in_locale = entries.sources.line(file, *table, entry.locale)
        top = entries.sources.line(file, *table)
        steps = (*table, *place) if in_locale == top else (*table, entry.locale, *place)
        what = f"{place_of(place)} shows a picture without alt text"
        line = entries.sources.line(file, *steps)
        yield check_finding(CheckKind.ALT_MISSING, what, _DESCRIBE, file, line, entries.words(entry))


def _values(
    entries: Entries, fields: Fields, specs: Sequence[FieldSpec], place: tuple[Step, ...]
) -> Iterator[tuple[tuple[Step, ...], FieldValue, FieldSpec]]:
    """Yield every field with its place, those within components and repeaters included."""
    for spec in specs:
        value, here = fields.get(spec.slug), (*place, spec.slug)
        yield here, value, spec
        for part in type_of(spec).parts(value, spec, entries.schema):
            yield from _values(entries, part.fields, part.specs, (*here, *part.steps))
