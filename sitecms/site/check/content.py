"""Rules about entries, independent of templates: dates, references, alternative texts, similar slugs, unused media."""

import re
import unicodedata
from collections.abc import Hashable, Iterator, Sequence
from datetime import datetime

from sitecms.actions.references import specs_of, target_of, targets_of
from sitecms.clock import format_local_time
from sitecms.content.author import AUTHORS_FILE
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import type_of
from sitecms.content.fields.terms import names_in
from sitecms.content.kinds import KINDS
from sitecms.content.media import DETAILS_FILE, MEDIA_PREFIX
from sitecms.content.references import PAGE_TARGET_PREFIX, Target
from sitecms.content.schema import TERMS, FieldSpec
from sitecms.content.term import TERM_FIELDS, TERM_FILES, Term, name_key
from sitecms.content.text.alt_texts import MARKDOWN_WITHOUT_ALT, pictures_without_alt
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.documents import Step, place_of
from sitecms.documents.folders import Listing
from sitecms.findings import Finding
from sitecms.media.library import open_library
from sitecms.plurals import listed
from sitecms.settings.site import SiteSettings
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.store.database import Session
from sitecms.store.entries.bodies import bodies_with_pictures
from sitecms.store.entries.media_files import kept_media
from sitecms.store.maintenance.media_usage import used_media

_SHOWN = 3
_PATH = re.compile(r"/(?!/|media/)\S*")
_REMEDY = "give one another slug: some file systems ignore case, and people confuse them"
_DESCRIBE = "say what the picture shows, for those who do not see it"


def media_findings(entries: Entries, session: Session, settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Return findings about unused media; `settings` are those of the real site."""
    loaded = entries.sources.loaded.items()
    media_paths = {path for name, file in loaded if name != DETAILS_FILE for path in file.media}
    paths = Listing(f"{settings.folder}/").files(MEDIA_FOLDER.rstrip("/"))  # the load of a check names the others
    left = [path for path in paths if path not in media_paths]
    elsewhere = entries.sources.naming(left)  # in a template or stylesheet, or in a file with an error
    for path in left:
        if all(file == DETAILS_FILE for file, _line in elsewhere.get(path, ())):
            yield check_finding(CheckKind.MEDIA_UNUSED, "no entry names this file", "remove it, or name it", path)
    yield from library_findings(session, settings, at)


def library_findings(session: Session, settings: SiteSettings, at: datetime) -> Iterator[Finding]:
    """Yield one finding if the library has files that nothing in the store names."""
    unused = sorted(set(open_library(settings).old_names(at)) - used_media(session).keys() - kept_media(session))
    if unused:
        what = f"the media library contains files that nothing uses: {listed(unused, _SHOWN)}"
        remedy = f"the worker removes it {settings.housekeeping.keep_media_days} days after it was last added"
        yield check_finding(CheckKind.LIBRARY_UNUSED, what, remedy, place="media library")


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
    for entry in entries.with_slugs:
        kind = entry.kind
        group = f"{kind} {entry.type or '*'}" if KINDS[kind].has_locales else f"{kind} ({entry.locale})"
        yield group, entry.slug, entries.sources.of(entry), ("slug",)
    for term in entries.terms:
        yield term.kind.value, term.slug, "", ()
    for author in entries.authors:
        yield "author", author.slug, "", ()


def content_findings(entries: Entries, session: Session, at: datetime) -> Iterator[Finding]:
    """Return the findings of these rules; `session` is of the store that the entries were read from."""
    yield from _dates(entries, at)
    yield from _unused(entries)
    for post in entries.posts:
        yield from _featured_picture(entries, post)
    by_id = {post.id: post for post in entries.posts}
    for post_id, body in bodies_with_pictures(session):
        yield from _body_pictures(entries, by_id[post_id], body)
    for entry in entries.published:
        yield from _hidden_references(entries, entry)
        yield from _field_pictures(entries, entry)


def entry_findings(entries: Entries, entry: Entry) -> Iterator[Finding]:
    """Return the findings about pictures and references of one entry."""
    yield from _featured_picture(entries, entry)
    yield from _body_pictures(entries, entry, entry.body)
    yield from _hidden_references(entries, entry)
    yield from _field_pictures(entries, entry)


def addresses_in_fields(entries: Entries, entry: Entry) -> Iterator[str]:
    """Yield the plain texts in fields of an entry that are paths of the site, as a menu has them."""
    for _place, value, spec in _values(entries, entry.fields, specs_of(entry, entries.schema), ()):
        if spec.type == "short_text" and isinstance(value, str) and _PATH.fullmatch(value):
            yield value


def unlisted_findings(entries: Entries, collection: str) -> Iterator[Finding]:
    """Yield the published pages that a table of contents, which is a collection, leaves out.

    They are of the page types that its items may refer to. The home page needs no place in it.
    """
    if collection not in entries.schema.collections:
        return
    targets = {target for spec in entries.schema.collections[collection].fields for target in spec.targets}
    items = (item for item in entries.items if item.is_live and item.type == collection)
    listed: set[Target] = {target for item in items for target in targets_of(item, entries.schema)}
    for page in entries.pages:
        target = target_of(page)
        if not page.is_live or f"{PAGE_TARGET_PREFIX}{page.type}" not in targets or target in listed:
            continue
        listed.add(target)
        if f"{page.type}/{page.slug}" != entries.settings.build.home:
            what = f"is not in the table of contents, the collection {collection}"
            remedy = f"add it to content/collections/{collection}.yaml"
            yield check_finding(
                CheckKind.PAGE_UNLISTED, what, remedy, entries.sources.of(page), place=entries.words(page)
            )


def _dates(entries: Entries, at: datetime) -> Iterator[Finding]:
    for entry in entries.published:
        if entry.published_at and entry.published_at > at:
            file, line = entries.sources.of(entry), entries.sources.line_of(entry, "published")
            moment = format_local_time(entry.published_at, entries.settings.zone)
            what = f"is published already, with the time {moment}, which lies ahead"
            remedy = "correct the time; a clock was wrong when it was published"
            yield check_finding(CheckKind.DATE_AHEAD, what, remedy, file, line, entries.words(entry))


def _terms_of(entry: Entry, entries: Entries) -> Iterator[Term]:
    """Yield the terms of an entry of any kind; those of pages and items without slugs."""
    yield from (*entry.categories, *entry.tags)
    for spec in specs_of(entry, entries.schema):
        if spec.type == TERMS:
            yield from (Term(TERM_FIELDS[spec.slug], "", name) for name in names_in(entry.fields, spec))


def _unused(entries: Entries) -> Iterator[Finding]:
    used = {(term.kind, name_key(term.name)) for each in entries.all_entries for term in _terms_of(each, entries)}
    for term in entries.terms:
        if (term.kind, name_key(term.name)) not in used:
            file, line = _listed(entries, TERM_FILES[term.kind], term.slug)
            what = f'nothing has the {term.kind} "{term.name}"'
            yield check_finding(CheckKind.TERM_UNUSED, what, "give it to an entry, or remove it", file, line, term.slug)
    writers = {post.author.slug for post in entries.posts} | {entries.settings.owner}
    for author in entries.authors if len(entries.authors) > 1 else ():  # the only author owns posts to come
        if author.slug not in writers:
            file, line = _listed(entries, AUTHORS_FILE, author.slug)
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


def _hidden_references(entries: Entries, entry: Entry) -> Iterator[Finding]:
    """Return references from a published entry to unpublished ones."""
    for target in dict.fromkeys(targets_of(entry, entries.schema)):
        if target in entries.by_target and target not in entries.live_targets:
            file, line = entries.sources.of(entry), entries.sources.line_of(entry, "fields")
            what = f"refers to the {entries.words(entries.by_target[target])}, which is not published and so left out"
            remedy = "publish it, or take the reference out"
            yield check_finding(CheckKind.REFERENCE_TO_DRAFT, what, remedy, file, line, entries.words(entry))


def _featured_picture(entries: Entries, post: Entry) -> Iterator[Finding]:
    if post.featured_image and not post.featured_image_alt.strip() and post.featured_image not in entries.described:
        file = entries.sources.of(post)
        line = entries.sources.line(file, "featured_image")
        what, remedy = "has a featured image without alt text", f"{_DESCRIBE}: featured_image_alt"
        yield check_finding(CheckKind.ALT_MISSING, what, remedy, file, line, entries.words(post))


def _body_pictures(entries: Entries, post: Entry, body: str) -> Iterator[Finding]:
    if pictures := pictures_without_alt(body, entries.decorative):
        file = entries.sources.of(post)
        names = [_written(entries, file, address) for address in pictures]
        line = entries.sources.first_line(file, MARKDOWN_WITHOUT_ALT) or entries.sources.first_line(
            file, re.escape(names[0])
        )
        what = "a picture" if len(names) == 1 else f"{len(names)} pictures"
        what = f"has {what} without alt text: {listed(names, _SHOWN)}"
        yield check_finding(CheckKind.ALT_MISSING, what, _DESCRIBE, file, line, entries.words(post))


def _written(entries: Entries, file: str, address: str) -> str:
    """Return the address of a picture as the file has it, else the name under which it was stored."""
    name = address.removeprefix(MEDIA_PREFIX)
    loaded = entries.sources.loaded.get(file)
    places = (place for place, stamp in (loaded.media.items() if loaded else ()) if stamp.name == name)
    stored = entries.media[name].original_name if name in entries.media else ""
    return next(places, stored or address)


def _field_pictures(entries: Entries, entry: Entry) -> Iterator[Finding]:
    file, line_of = entries.sources.of(entry), entries.sources.line_of
    for place, value, spec in _values(entries, entry.fields, specs_of(entry, entries.schema), ()):
        if not type_of(spec).lacks_alt_text(value) or _is_described(entries, value):
            continue
        is_by_locale = line_of(entry, "fields", entry.locale) != line_of(entry, "fields")
        steps = ("fields", entry.locale, *place) if is_by_locale else ("fields", *place)
        what = f"{place_of(place)} shows a picture without alt text"
        line = line_of(entry, *steps)
        yield check_finding(CheckKind.ALT_MISSING, what, _DESCRIBE, file, line, entries.words(entry))


def _is_described(entries: Entries, value: FieldValue) -> bool:
    """Return whether the media file of a field has an alt text, or all pictures of a text are decorative."""
    if isinstance(value, dict):
        return value.get("url") in entries.described
    text = str(value or "")
    return "<img" in text and not pictures_without_alt(text, entries.decorative)


def _values(
    entries: Entries, fields: Fields, specs: Sequence[FieldSpec], place: tuple[Step, ...]
) -> Iterator[tuple[tuple[Step, ...], FieldValue, FieldSpec]]:
    """Yield every field with its place, those within components and repeaters included."""
    for spec in specs:
        value, here = fields.get(spec.slug), (*place, spec.slug)
        yield here, value, spec
        for part in type_of(spec).parts(value, spec, entries.schema):
            yield from _values(entries, part.fields, part.specs, (*here, *part.steps))
