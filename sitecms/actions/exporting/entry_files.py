"""Files of an export: posts as Markdown, pages and items as YAML, authors, terms, the content schema, the trash.

Posts have front matter, and as body the Markdown that they were loaded from, else the stored HTML.
Former addresses of entries become aliases.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, TypeAlias

from msgspec.structs import asdict, replace

from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.actions.permalinks import EntryPaths
from sitecms.actions.post_like_keys import at_top, post_like_keys
from sitecms.clock import format_timestamp
from sitecms.content.addresses import ANY_LOCALE, OwnAddresses, alias_path, paths_to_file
from sitecms.content.author import AUTHORS_FILE, Author
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.field_value import Fields
from sitecms.content.fields.group import group_to_file, is_empty, without_unset
from sitecms.content.fields.hidden_values import HiddenReason, HiddenValue, hidden_values
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.locale import Locales
from sitecms.content.media import DETAILS_FILE, FOCUS_PARTS, MIDDLE, NO_DETAILS, MediaDetails, MediaFile
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Version
from sitecms.content.term import TERM_FILES, Term
from sitecms.content.trash import TrashedEntry
from sitecms.documents import dump_yaml
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.entry_state import find_former_addresses
from sitecms.store.entries.trash import find_trash
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state import documents

FindMarkdown: TypeAlias = Callable[[int], str | None]
"""The Markdown of a post by its id, None for a post whose body came as HTML."""
OwnFields: TypeAlias = Callable[[Entry], dict[str, Any]]
"""The fields of a post as a file writes them."""
FENCE = "---\n"
_MAX_NAME_BYTES = 200
_TIMES = ("published", "created", "updated", "scheduled")
_SCHEMA_FOLDERS = {"page_types": "slug", "collections": "key", "components": "slug", "single_pages": "slug"}
TRASH = "trash/"


def post_files(
    posts: Iterable[Entry],
    originals: Mapping[int, Entry],
    media: MediaPaths,
    default_locale: str,
    markdown: FindMarkdown,
    fields: OwnFields,
) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each post; `originals` are the posts, by group, that the others are translations of."""
    for post in posts:
        original = originals[post.group_id]
        folder = "" if post.locale == default_locale else f"{post.locale}/"
        translation_of = "" if original.id == post.id else original.slug
        facts = {"id": post.id, **post_facts(post, translation_of, media, fields(post))}
        text = post_text(facts, post, markdown(post.id), media)
        yield f"content/posts/{folder}{file_name(post.slug)}.md", text.encode()


def post_text(facts: Mapping[str, Any], post: Entry, markdown: str | None, media: MediaPaths) -> str:
    """Return the file of a post with this front matter; its text is the Markdown, else the stored HTML."""
    text_format, body = ("html", media.html(post.body)) if markdown is None else ("markdown", markdown)
    own = {key: value for key, value in facts.items() if key == FIELDS}
    front = {key: value for key, value in facts.items() if key != FIELDS} | {"format": text_format} | own
    return f"{FENCE}{dump_yaml(front)}{FENCE}{body}"


def post_facts(post: Entry, translation_of: str, media: MediaPaths, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the front matter without empty values, `fields` as a file writes them; `post_text` adds the format.

    It has no id: a post is known by its slug, and another clone may have given the next id to a post of its own.
    """
    facts: dict[str, Any] = {
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
    }
    own = {FIELDS: dict(fields)} if fields else {}
    return {key: value for key, value in facts.items() if value not in ("", [], None)} | own


def times_of(
    created_at: datetime, updated_at: datetime, published_at: datetime | None, scheduled_at: datetime | None
) -> dict[str, str]:
    """Return the times that are set, as files write them."""
    times = {"published": published_at, "created": created_at, "updated": updated_at, "scheduled": scheduled_at}
    return {key: format_timestamp(moment) for key, moment in times.items() if moment is not None}


def originals_of(posts: Sequence[Entry], default_locale: str) -> dict[int, Entry]:
    """Return for each group its first post or, if that is gone, the one in the default locale, else the oldest."""
    found: dict[int, Entry] = {}
    for post in sorted(posts, key=lambda each: (each.id != each.group_id, each.locale != default_locale, each.id)):
        found.setdefault(post.group_id, post)
    return found


def file_name(slug: str) -> str:
    """Return a file name for the slug; a long one is cut, and ends with its digest."""
    if len(slug.encode()) <= _MAX_NAME_BYTES and not slug.startswith((".", "~")):
        return slug
    start = slug.encode()[: _MAX_NAME_BYTES - 40].decode(errors="ignore").lstrip(".~")
    return f"{start}-{digest(slug.encode())[:8]}"


class EntryWriter:
    """Writer of entries as files have them; what the files cannot express is added to `notes`.

    `omits_unset`: fields that are unset are left out.
    """

    def __init__(
        self, schema: ContentSchema, locales: Locales, media: MediaPaths, notes: list[str], *, omits_unset: bool = False
    ) -> None:
        self._schema = schema
        self._locales = locales
        self._media = media
        self._notes = notes
        self._omits_unset = omits_unset

    def post_fields(self, post: Entry) -> dict[str, Any]:
        """Return the fields of a post as its file writes them, without those that are unset."""
        specs = self._schema.post_fields
        self._note_hidden(f"post {post.slug}", hidden_values(post.fields, specs, self._schema))
        known = {spec.slug: spec for spec in specs}
        written = self.fields(post.fields, specs, is_over=False)
        return {
            slug: value for slug, value in written.items() if not is_empty(value) or known[slug].default is not None
        }

    def page_files(self, pages: Iterable[Entry]) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of each page with all its versions."""
        for _id, group in groupby(pages, key=lambda page: page.id):
            versions = tuple(group)
            first = versions[0]
            label = f"page {first.type or '_single'}/{first.slug}"
            if first.type and first.type not in self._schema.page_types:
                self._notes.append(f"{label}: is of a page type that the schema does not have, so it is not written")
                continue
            facts = self.page_facts(versions, label)
            if facts is not None:
                path = f"content/pages/{first.type or '_single'}/{file_name(first.slug)}.yaml"
                yield path, dump_yaml({"id": first.id, **facts}).encode()

    def page_facts(self, versions: Sequence[Entry], label: str, *, with_drafts: bool = True) -> dict[str, Any] | None:
        """Return the file of a page of a type that the schema has; None if no locale of the site is left of it.

        It has no id, as `post_facts`.
        """
        first = versions[0]
        specs = self._schema.page_fields(first.type, first.slug)
        facts = self._entry(versions, specs, label, with_drafts=with_drafts)
        named = {"title": self._title(versions), "slug": first.slug, **self.addresses(first)}
        return facts and {**named, **facts}

    def item_facts(self, versions: Sequence[Entry], label: str, *, with_drafts: bool = True) -> dict[str, Any] | None:
        """Return the entry of an item in the file of its collection; None as of a page."""
        first = versions[0]
        facts = self._entry(versions, self._schema.collection(first.type).fields, label, with_drafts=with_drafts)
        return facts and {"id": first.id, **self.addresses(first), **facts}

    def _title(self, versions: Sequence[Entry]) -> Any:
        """Return the title of a page as a file writes it, once or by locale."""
        titles = {page.locale: page.title for page in versions}
        known = {code: titles[code] for code in self._locales.codes if code in titles}
        return _together(known) if known else versions[0].title

    def item_files(self, items: Iterable[Entry]) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of each collection that has items, in its order."""
        by_collection: dict[str, list[dict[str, Any]]] = {}
        for item_id, group in groupby(items, key=lambda item: item.id):
            versions = tuple(group)
            key = versions[0].type
            label = f"item {item_id} of {key}"
            if key not in self._schema.collections:
                self._notes.append(f"{label}: is of a collection that the schema does not have, so it is not written")
                continue
            facts = self.item_facts(versions, label)
            if facts is not None:
                by_collection.setdefault(key, []).append(facts)
        for key, entries in sorted(by_collection.items()):
            yield f"content/collections/{key}.yaml", dump_yaml(entries).encode()

    def addresses(self, entry: Entry) -> dict[str, Any]:
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

    def _entry(
        self, versions: Sequence[Entry], specs: Sequence[FieldSpec], label: str, *, with_drafts: bool
    ) -> dict[str, Any] | None:
        """Return what a page file and an item have in common; None if no locale of the site is left of it."""
        known = [version for version in versions if version.locale in self._locales.codes]
        for locale in sorted({version.locale for version in versions} - set(self._locales.codes)):
            self._notes.append(f"{label}: is written in {locale} too, which is not a locale of the site: not written")
        hidden = (each for version in known for each in hidden_values(version.fields, specs, self._schema))
        self._note_hidden(label, hidden)
        live = {version.locale: version for version in known if version.version is Version.LIVE}
        drafts = {version.locale: version for version in known if version.version is Version.DRAFT}
        main = {**drafts, **live}
        if not main:
            return None
        main = {code: main[code] for code in self._locales.codes if code in main}
        over = {code: drafts[code] for code in main if code in drafts and code in live}
        facts = self._versions(main, specs, is_over=False)
        if over and with_drafts:
            facts["draft"] = self._versions(over, specs, is_over=True, among=main)
        return at_top(facts, post_like_keys(specs), self._locales.codes)

    def _note_hidden(self, label: str, hidden: Iterable[HiddenValue]) -> None:
        for place, reason, _list_place in dict.fromkeys(hidden):
            is_gone = reason is HiddenReason.GONE
            why = "which the schema does not have" if is_gone else "whose value does not fit its type"
            self._notes.append(f"{label}: has a field {place}, {why}: not written")

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
        fields = {code: self.fields(each.fields, specs, is_over=is_over) for code, each in versions.items()}
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

    def fields(self, fields: Fields, specs: Sequence[FieldSpec], *, is_over: bool) -> dict[str, Any]:
        """Return the values of declared fields as a file writes them; `is_over`: of a draft over a live version."""
        known: Fields = {spec.slug: fields[spec.slug] for spec in specs if spec.slug in fields}
        known = without_unset(known, specs, self._schema) if self._omits_unset else known
        return group_to_file(known, specs, self._schema, self._media, is_draft=is_over)


def _together(by_locale: Mapping[str, str | None]) -> str | dict[str, str | None] | None:
    """Return one value if it is the same in every locale, else one for each."""
    values = set(by_locale.values())
    return values.pop() if len(values) == 1 else dict(by_locale)


def author_file(authors: Sequence[Author], media: MediaPaths) -> Iterator[tuple[str, bytes]]:
    """Return content/authors.yaml, in order of creation, if there are authors."""
    if authors:
        yield AUTHORS_FILE, dump_yaml([author_facts(author, media) for author in authors]).encode()


def author_facts(author: Author, media: MediaPaths) -> dict[str, Any]:
    """Return the entry of an author in the file, without empty values."""
    own = {"profile_image": media.address(author.profile_image), "aliases": list(author.aliases)}
    return {key: value for key, value in {**asdict(author), **own}.items() if value}


def media_file(known: Mapping[str, MediaFile], media: MediaPaths) -> Iterator[tuple[str, bytes]]:
    """Return content/media.yaml, by path, if people say anything of a media file."""
    described = {media.address(file.url): file.details for file in known.values() if file.details != NO_DETAILS}
    if described:
        entries = [media_facts(address, described[address]) for address in sorted(described)]
        yield DETAILS_FILE, dump_yaml(entries).encode()


def media_facts(address: str, details: MediaDetails) -> dict[str, Any]:
    """Return the entry of a media file in content/media.yaml."""
    facts: dict[str, Any] = {"file": address}
    if details.alt:
        facts["alt"] = details.alt
    if details.is_decorative:
        facts["decorative"] = True
    if (details.focus_x, details.focus_y) != (MIDDLE, MIDDLE):
        facts["focus"] = {"x": details.focus_x / FOCUS_PARTS, "y": details.focus_y / FOCUS_PARTS}
    if details.tags:
        facts["tags"] = list(details.tags)
    return facts


def term_files(terms: Sequence[Term]) -> Iterator[tuple[str, bytes]]:
    """Return content/categories.yaml and content/tags.yaml, in order of creation, if there are terms."""
    for kind, path in TERM_FILES.items():
        if entries := [term_facts(term) for term in terms if term.kind is kind]:
            yield path, dump_yaml(entries).encode()


def term_facts(term: Term) -> dict[str, Any]:
    """Return the entry of a category or tag in its file."""
    aliases = {"aliases": list(term.aliases)} if term.aliases else {}
    return {"slug": term.slug, "name": term.name, **aliases}


def schema_files(schema: ContentSchema) -> Iterator[tuple[str, bytes]]:
    """Yield a file for each page type, collection and component, and one for the fields of posts."""
    declared: dict[str, Any] = schema.as_json()
    for folder, key in _SCHEMA_FOLDERS.items():
        for entry in declared.get(folder, ()):
            yield f"schema/{folder}/{entry[key]}.yaml", dump_yaml(entry).encode()
    if schema.post_fields:
        yield "schema/post.yaml", dump_yaml({FIELDS: declared["post_fields"]}).encode()


def trash_files(session: Session, settings: SiteSettings, media: MediaPaths, notes: list[str]) -> dict[str, bytes]:
    """Return the files of entries in the trash, with their ids in their names, since names may be used again."""
    writer = EntryWriter(
        documents.load_content_schema(session), Locales(settings.locales, settings.default_locale), media, notes
    )
    files: dict[str, bytes] = {}
    for each in sorted(find_trash(session), key=lambda trashed: [*EntryKind].index(trashed.kind)):
        files |= {_in_trash(path, each.id): data for path, data in _files_of(session, each, media, writer)}
    return files


def _files_of(
    session: Session, trashed: TrashedEntry, media: MediaPaths, writer: EntryWriter
) -> Iterator[tuple[str, bytes]]:
    """Return the files of an entry in the trash; a post there is no translation."""
    kind = KINDS[trashed.kind]
    if kind.has_versions:
        versions = VERSIONS[trashed.kind].of(session, (trashed.id,), in_trash=True)
        return writer.page_files(versions) if kind.has_slug else writer.item_files(versions)
    post, text = VERSIONS[EntryKind.POST].get(session, trashed.id, in_trash=True), find_markdown(session, trashed.id)
    return post_files((post,), {post.group_id: post}, media, post.locale, lambda _id: text, writer.post_fields)


def _in_trash(path: str, entry_id: int) -> str:
    """Return `trash/posts/calm-7.md` for `content/posts/calm.md`."""
    name, _, ending = path.removeprefix("content/").rpartition(".")
    return f"{TRASH}{name}-{entry_id}.{ending}"


class FormerPaths:
    """Former addresses that lead to entries by the present permalinks, without those that an entry has now."""

    def __init__(
        self, session: Session, settings: SiteSettings, posts: Sequence[Entry], pages: Sequence[Entry]
    ) -> None:
        self._settings, self._paths = settings, EntryPaths(settings)
        entries: tuple[Entry, ...] = (*posts, *pages)
        present = {self._paths.own(entry) for entry in entries}
        present |= {alias_path(alias) for post in posts for alias in post.aliases}
        self._former: dict[tuple[EntryKind, int], dict[str, list[str]]] = defaultdict(dict)
        for address in find_former_addresses(session):
            if (path := self._paths.former(address)) not in present:
                present.add(path)
                self._former[address.kind, address.entry_id].setdefault(address.locale, []).append(path)

    def post(self, post: Entry) -> Entry:
        """Return the post with its former addresses as aliases."""
        by_locale = self._former.get((post.kind, post.id), {})
        former = sorted(path for paths in by_locale.values() for path in paths)
        return replace(post, addresses=post.addresses.with_aliases(post.locale, former)) if former else post

    def entries(self, versions: Iterable[Entry]) -> Iterator[Entry]:
        """Yield versions of pages or items with their former addresses as aliases."""
        for entry in versions:
            by_locale = self._former.get((entry.kind, entry.id), {})
            former = {code: sorted(by_locale[code]) for code in self._settings.locales if code in by_locale}
            yield replace(entry, addresses=self._with(entry.addresses, former)) if former else entry

    def _with(self, own: OwnAddresses, former: dict[str, list[str]]) -> OwnAddresses:
        """Return the addresses with further ones; those of no certain locale stand beside the default one's."""
        merged = {locale or self._settings.default_locale: paths for locale, paths in own.aliases.items()}
        for locale, paths in former.items():
            merged[locale] = tuple(dict.fromkeys((*merged.get(locale, ()), *paths)))
        if merged.keys() == {self._settings.default_locale}:
            merged = {ANY_LOCALE: merged[self._settings.default_locale]}
        return OwnAddresses(own.paths, merged)
