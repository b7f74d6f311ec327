"""Rules about entries, independent of templates."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from sitecms.actions.references import specs_of, target_of, targets_of
from sitecms.clock import format_timestamp
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import type_of
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.references import Target
from sitecms.content.schema.types import FieldSpec
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.alt_texts import MARKDOWN_WITHOUT_ALT, pictures_without_alt
from sitecms.documents import Step, place_of
from sitecms.findings import Finding
from sitecms.site.check.entries import Entries, Showable
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.store.database import Session
from sitecms.store.entries.draft_queries import bodies_with_pictures

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
    told: set[tuple[Target, Target]] = set()
    for entry in entries.live:
        for target in targets_of(entry, entries.schema):
            if target in there and target not in shown and (target_of(entry), target) not in told:
                told.add((target_of(entry), target))
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
