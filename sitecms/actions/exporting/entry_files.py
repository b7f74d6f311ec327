"""Files of an export: posts as Markdown, pages and items as YAML, authors, terms and the content schema.

Posts have front matter, and as body the Markdown that they were loaded from, else the stored HTML.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from typing import Any, TypeAlias

from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.clock import format_timestamp
from sitecms.content.addresses import ANY_LOCALE, paths_to_file
from sitecms.content.author import Author
from sitecms.content.field_value import Fields
from sitecms.content.fields.group import group_to_file
from sitecms.content.fields.hidden_values import HiddenReason, hidden_values
from sitecms.content.fingerprint import digest
from sitecms.content.item import Entry, Item
from sitecms.content.locale import Locales
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Version
from sitecms.content.term import Term, TermKind
from sitecms.documents import dump_yaml

Markdown: TypeAlias = Callable[[int], str | None]
"""The Markdown of a post by its id, None for a post whose body came as HTML."""
FENCE = "---\n"
_MAX_NAME_BYTES = 200


def post_files(
    posts: Iterable[Post], originals: Mapping[int, Post], media: MediaPaths, default_locale: str, markdown: Markdown
) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each post; `originals` are the posts, by group, that the others are translations of."""
    for post in posts:
        original = originals[post.group_id]
        folder = "" if post.locale == default_locale else f"{post.locale}/"
        facts = _facts(post, "" if original.id == post.id else original.slug, media)
        written = markdown(post.id)
        if written is None:
            body = media.html(post.body)
        else:
            facts["format"], body = "markdown", written
        text = f"{FENCE}{dump_yaml(facts)}{FENCE}{body}"
        yield f"content/posts/{folder}{file_name(post.slug)}.md", text.encode()


def _facts(post: Post, translation_of: str, media: MediaPaths) -> dict[str, Any]:
    """Return the front matter without empty values."""
    facts: dict[str, Any] = {
        "id": post.id,
        "title": post.title,
        "slug": post.slug,
        "path": post.path,
        "guid": post.guid,
        "locale": post.locale,
        "translation_of": translation_of,
        "status": post.status.value,
        "author": post.author.slug,
        "categories": [term.name for term in post.categories],
        "tags": [term.name for term in post.tags],
        "featured_image": media.address(post.featured_image),
        "featured_image_alt": post.featured_image_alt,
        "summary": post.summary,
        "seo_title": post.seo_title,
        "meta_description": post.meta_description,
        **times_of(post.created_at, post.updated_at, post.published_at, post.scheduled_at),
        "aliases": list(post.aliases),
        "format": "html",
    }
    return {key: value for key, value in facts.items() if value not in ("", [], None)}


def times_of(
    created_at: datetime, updated_at: datetime, published_at: datetime | None, scheduled_at: datetime | None
) -> dict[str, str]:
    """Return the times that are set, as files write them."""
    times = {"published": published_at, "created": created_at, "updated": updated_at, "scheduled": scheduled_at}
    return {key: format_timestamp(moment) for key, moment in times.items() if moment is not None}


def originals_of(posts: Sequence[Post], default_locale: str) -> dict[int, Post]:
    """Return for each group its first post or, if that is gone, the one in the default locale, else the oldest."""
    found: dict[int, Post] = {}
    for post in sorted(posts, key=lambda each: (each.id != each.group_id, each.locale != default_locale, each.id)):
        found.setdefault(post.group_id, post)
    return found


def file_name(slug: str) -> str:
    """Return a file name for the slug; a long one is cut, and ends with its digest."""
    if len(slug.encode()) <= _MAX_NAME_BYTES and not slug.startswith((".", "~")):
        return slug
    start = slug.encode()[: _MAX_NAME_BYTES - 40].decode(errors="ignore").lstrip(".~")
    return f"{start}-{digest(slug.encode())[:8]}"


_TIMES = ("published", "created", "updated", "scheduled")


class EntryWriter:
    """Entries of one export; what the files cannot say is added to `notes`."""

    def __init__(self, schema: ContentSchema, locales: Locales, media: MediaPaths, notes: list[str]) -> None:
        self._schema = schema
        self._locales = locales
        self._media = media
        self._notes = notes

    def page_files(self, pages: Iterable[Page]) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of each page with all its versions."""
        for _id, group in groupby(pages, key=lambda page: page.id):
            versions = tuple(group)
            first = versions[0]
            label = f"page {first.page_type or '_single'}/{first.slug}"
            if first.page_type is not None and first.page_type not in self._schema.page_types:
                self._notes.append(f"{label}: is of a page type that the schema does not have, so it is not written")
                continue
            facts = self._entry(versions, self._schema.page_fields(first.page_type, first.slug), label)
            if facts is not None:
                path = f"content/pages/{first.page_type or '_single'}/{file_name(first.slug)}.yaml"
                named = {"id": first.id, "title": first.title, "slug": first.slug, **self._addresses(first)}
                yield path, dump_yaml({**named, **facts}).encode()

    def item_files(self, items: Iterable[Item]) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of each collection that has items, in its order."""
        by_collection: dict[str, list[dict[str, Any]]] = {}
        for item_id, group in groupby(items, key=lambda item: item.id):
            versions = tuple(group)
            key = versions[0].collection
            label = f"item {item_id} of {key}"
            if key not in self._schema.collections:
                self._notes.append(f"{label}: is of a collection that the schema does not have, so it is not written")
                continue
            facts = self._entry(versions, self._schema.collection(key).fields, label)
            if facts is not None:
                by_collection.setdefault(key, []).append({"id": item_id, **self._addresses(versions[0]), **facts})
        for key, entries in sorted(by_collection.items()):
            yield f"content/collections/{key}.yaml", dump_yaml(entries).encode()

    def _addresses(self, entry: Entry) -> dict[str, Any]:
        """Return own paths and former addresses as a file writes them."""
        codes, aliases = self._locales.codes, entry.addresses.aliases
        facts: dict[str, Any] = {}
        if paths := paths_to_file(entry.addresses.paths, codes, self._locales.default):
            facts["path"] = paths
        if aliases.keys() == {ANY_LOCALE}:
            facts["aliases"] = list(aliases[ANY_LOCALE])
        elif listed := {code: list(aliases[code]) for code in codes if code in aliases}:
            facts["aliases"] = listed
        return facts

    def _entry(self, versions: Sequence[Entry], specs: Sequence[FieldSpec], label: str) -> dict[str, Any] | None:
        """Return what a page file and an item have in common; None if no locale of the site is left of it."""
        known = [version for version in versions if version.locale in self._locales.codes]
        for locale in sorted({version.locale for version in versions} - set(self._locales.codes)):
            self._notes.append(f"{label}: is written in {locale} too, which is no locale of the site: not written")
        hidden = (each for version in known for each in hidden_values(version.fields, specs, self._schema))
        for place, reason, _list_place in dict.fromkeys(hidden):
            why = (
                "which the schema does not have" if reason is HiddenReason.GONE else "whose value does not fit its type"
            )
            self._notes.append(f"{label}: has a field {place}, {why}: not written")
        live = {version.locale: version for version in known if version.version is Version.LIVE}
        drafts = {version.locale: version for version in known if version.version is Version.DRAFT}
        main = {**drafts, **live}
        if not main:
            return None
        main = {code: main[code] for code in self._locales.codes if code in main}
        over = {code: drafts[code] for code in main if code in drafts and code in live}
        facts = self._versions(main, specs, is_over=False)
        if over:
            facts["draft"] = self._versions(over, specs, is_over=True, among=main)
        return facts

    def _versions(
        self,
        versions: Mapping[str, Entry],
        specs: Sequence[FieldSpec],
        *,
        is_over: bool,
        among: Mapping[str, Entry] | None = None,
    ) -> dict[str, Any]:
        """Return status, times and fields of one version by locale, or plain if it has the default locale alone."""
        times = {
            code: times_of(each.created_at, each.updated_at, each.published_at, each.scheduled_at)
            for code, each in versions.items()
        }
        fields = {code: self._fields(each.fields, specs, is_over=is_over) for code, each in versions.items()}
        facts: dict[str, Any] = {"status": _together({code: each.status.value for code, each in versions.items()})}
        for name in _TIMES:
            found = {code: each.get(name) for code, each in times.items()}
            if is_over or any(found.values()):  # what a draft does not say is taken from the live version
                facts[name] = _together(found)
        is_plain = set(among or versions) == {self._locales.default}
        only = fields.get(self._locales.default, {})
        if is_plain and not (only and only.keys() <= set(self._locales.codes)):
            return {**facts, "fields": only}
        return {**facts, "fields": fields}

    def _fields(self, fields: Fields, specs: Sequence[FieldSpec], *, is_over: bool) -> dict[str, Any]:
        known = {spec.slug: fields[spec.slug] for spec in specs if spec.slug in fields}
        return group_to_file(known, specs, self._schema, self._media, is_draft=is_over)


def _together(by_locale: Mapping[str, str | None]) -> str | dict[str, str | None] | None:
    """Return one value if it is the same in every locale, else one for each."""
    values = set(by_locale.values())
    return values.pop() if len(values) == 1 else dict(by_locale)


_TERM_FILES = {TermKind.CATEGORY: "categories", TermKind.TAG: "tags"}
_SCHEMA_FOLDERS = {"page_types": "slug", "collections": "key", "components": "slug", "single_pages": "slug"}


def author_file(authors: Sequence[Author], media: MediaPaths) -> Iterator[tuple[str, bytes]]:
    """Return content/authors.yaml, in order of creation, if there are authors."""
    if authors:
        entries = []
        for author in authors:
            own = {"profile_image": media.address(author.profile_image), "aliases": list(author.aliases)}
            facts = {**asdict(author), **own}
            entries.append({key: value for key, value in facts.items() if value})
        yield "content/authors.yaml", dump_yaml(entries).encode()


def term_files(terms: Sequence[Term]) -> Iterator[tuple[str, bytes]]:
    """Return content/categories.yaml and content/tags.yaml, in order of creation, if there are terms."""
    for kind, name in _TERM_FILES.items():
        if entries := [_term_facts(term) for term in terms if term.kind is kind]:
            yield f"content/{name}.yaml", dump_yaml(entries).encode()


def _term_facts(term: Term) -> dict[str, Any]:
    aliases = {"aliases": list(term.aliases)} if term.aliases else {}
    return {"slug": term.slug, "name": term.name, **aliases}


def schema_files(schema: ContentSchema) -> Iterator[tuple[str, bytes]]:
    """Yield a file for each page type, collection and component."""
    declared: dict[str, Any] = schema.as_json()
    for folder, key in _SCHEMA_FOLDERS.items():
        for entry in declared.get(folder, ()):
            yield f"schema/{folder}/{entry[key]}.yaml", dump_yaml(entry).encode()
