"""Files of an export: posts as Markdown, pages and items as YAML, authors, terms, the content schema, the trash.

Posts have front matter, and as body the Markdown that they were loaded from, else the stored HTML.
Former addresses of entries become aliases.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias

from msgspec.structs import asdict, replace

from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.actions.permalinks import EntryPaths
from sitecms.actions.post_like_keys import at_top, post_like_keys
from sitecms.clock import format_timestamp
from sitecms.content.addresses import ANY_LOCALE, alias_path, paths_to_file
from sitecms.content.author import AUTHORS_FILE, Author
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.field_value import Fields
from sitecms.content.fields.group import group_to_file, is_empty, without_unset
from sitecms.content.fields.hidden_values import HiddenReason, hidden_values
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import BODY, FORMAT, HTML, KINDS, MARKDOWN, SLUG, EntryKind, declared_fields
from sitecms.content.locale import Locales
from sitecms.content.media import DETAILS_FILE, FOCUS_PARTS, MIDDLE, NO_DETAILS, MediaDetails, MediaFile
from sitecms.content.schema import FEATURED_IMAGE, ContentSchema, FieldSpec
from sitecms.content.status import Version
from sitecms.content.term import TERM_FILES, Term
from sitecms.documents import dump_yaml
from sitecms.errors import NotFound
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.entry_state import find_former_addresses
from sitecms.store.entries.trash import find_trash
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state import documents

FENCE = "---\n"
TITLE, STATUS, ALIASES, DRAFT = "title", "status", "aliases", "draft"
TIMES = ("published", "created", "updated", "scheduled")
ORDER = (
    "id", TITLE, SLUG, "locale", "translation_of", STATUS, "author", "categories", "tags", "featured_image",
    "featured_image_alt", "summary", "seo_title", "meta_description", *TIMES, "path", ALIASES, "guid", FORMAT,
    FIELDS, DRAFT,
)  # fmt: skip
"""The keys of an entry in the order of the documentation."""
Values: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Values of an entry as files write them, by key and locale: of one version in each locale, without a text."""
_MAX_NAME_BYTES = 200
_SCHEMA_FOLDERS = {"page_types": "slug", "collections": "key", "components": "slug", "single_pages": "slug"}
TRASH = "trash/"


def written_locales(kind: EntryKind, codes: Sequence[str]) -> tuple[str, ...]:
    """Return the locales of the site by which a file may write the values of an entry, () if it has one locale."""
    return tuple(codes) if KINDS[kind].has_locales else ()


def main_versions(versions: Iterable[Entry], codes: Sequence[str]) -> dict[str, Entry]:
    """Return for each of the locales, by default for all, the live version, without one the draft."""
    by_version: dict[Version, dict[str, Entry]] = {Version.DRAFT: {}, Version.LIVE: {}}
    for each in versions:
        by_version[each.version][each.locale] = each
    found = {**by_version[Version.DRAFT], **by_version[Version.LIVE]}
    return {code: found[code] for code in codes or found if code in found}


def drafts_over(versions: Sequence[Entry], codes: Sequence[str]) -> dict[str, Entry]:
    """Return for each of the locales the draft over a live version."""
    main = main_versions(versions, codes)
    drafts = {each.locale: each for each in versions if each.locale in main and each is not main[each.locale]}
    return {code: drafts[code] for code in main if code in drafts}


def path_of(entry: Entry, default_locale: str, name: str = "") -> str:
    """Return the path of the file of an entry; its name is made of the slug, unless it is given."""
    name = name or file_name(entry.slug)
    match entry.kind:
        case EntryKind.POST:
            return f"content/posts/{'' if entry.locale == default_locale else f'{entry.locale}/'}{name}.md"
        case EntryKind.PAGE:
            return f"content/pages/{entry.type or '_single'}/{name}.yaml"
        case EntryKind.ITEM:
            return f"content/collections/{entry.type}.yaml"


def file_name(slug: str) -> str:
    """Return a file name for the slug; a long one is cut, and ends with its digest."""
    if len(slug.encode()) <= _MAX_NAME_BYTES and not slug.startswith((".", "~")):
        return slug
    start = slug.encode()[: _MAX_NAME_BYTES - 40].decode(errors="ignore").lstrip(".~")
    return f"{start}-{digest(slug.encode())[:8]}"


def originals_of(posts: Sequence[Entry], default_locale: str) -> dict[int, Entry]:
    """Return for each group its first post or, if that is gone, the one in the default locale, else the oldest."""
    found: dict[int, Entry] = {}
    for post in sorted(posts, key=lambda each: (each.id != each.group_id, each.locale != default_locale, each.id)):
        found.setdefault(post.group_id, post)
    return found


def with_markdown(session: Session, entry: Entry) -> Entry:
    """Return a version with the Markdown of its body, which the store keeps apart."""
    return replace(entry, markdown=find_markdown(session, entry.id)) if KINDS[entry.kind].has_body else entry


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

    def files(
        self,
        entries: Iterable[Entry],
        path_of: Callable[[Entry], str],
        originals: Mapping[int, Entry] | None = None,
    ) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of the files of entries with all their versions, which follow one another.

        `originals` are the entries, by group, that others are translations of.
        """
        lists: dict[str, list[dict[str, Any]]] = {}
        for _id, group in groupby(entries, key=lambda entry: entry.id):
            versions = tuple(group)
            first, path = versions[0], path_of(versions[0])
            original = (originals or {}).get(first.group_id, first)
            facts = self.facts(versions, "" if original.id == first.id else original.slug)
            if facts is None:
                continue
            data = {"id": first.id, **facts}
            if not KINDS[first.kind].has_slug:
                lists.setdefault(path, []).append(data)
            elif KINDS[first.kind].has_body:
                yield path, self._text_file(data, first)
            else:
                yield path, dump_yaml(data).encode()
        yield from ((path, dump_yaml(lists[path]).encode()) for path in sorted(lists))

    def _text_file(self, data: Mapping[str, Any], entry: Entry) -> bytes:
        """Return a file with front matter; its text is the Markdown, else the stored HTML."""
        text = entry.markdown
        text_format, body = (HTML, self._media.html(entry.body)) if text is None else (MARKDOWN, text)
        data = {**data, FORMAT: text_format}
        last = {key: data[key] for key in (ALIASES, FORMAT, FIELDS) if key in data}
        front = {key: value for key, value in data.items() if key not in last} | last
        return f"{FENCE}{dump_yaml(front)}{FENCE}{body}".encode()

    def facts(
        self, versions: Sequence[Entry], original: str = "", *, with_drafts: bool = True
    ) -> dict[str, Any] | None:
        """Return an entry as its file has it, without empty values; `original` is what it is a translation of.

        None if its type is not declared, or no locale of the site is left of it. It has no id: what has a slug is known
        by that, and another clone may have given the next id to an entry of its own.
        """
        first, codes = versions[0], self._codes(versions[0])
        label = _label(first)
        try:
            specs = declared_fields(self._schema, first.kind, first.type, first.slug)
        except NotFound:
            owner = KINDS[first.kind].type_label
            self._notes.append(f"{label}: is of a {owner} that the schema does not have, so it is not written")
            return None
        self._note_left_out(label, versions, specs)
        main, over = main_versions(versions, codes), drafts_over(versions, codes)
        if not main:
            return None
        values = self._together(self.values(main, specs), main)
        title = {TITLE: values[TITLE]} if TITLE in values else {}
        facts = {**title, **self.names(first, original=original), **values}
        if over and with_drafts:
            facts[DRAFT] = self._together(self.values(over, specs, is_over=True), main, is_over=True)
        return at_top(facts, post_like_keys(specs), codes)

    def _codes(self, entry: Entry) -> tuple[str, ...]:
        return written_locales(entry.kind, self._locales.codes)

    def _together(self, values: Values, main: Mapping[str, Entry], *, is_over: bool = False) -> dict[str, Any]:
        """Return values once where all locales have the same, and the fields of the default locale alone plain.

        Empty values are left out, but of a draft: what it does not say is taken from the live version.
        """
        codes = self._codes(next(iter(main.values())))
        facts = {
            key: _together(each) for key, each in values.items() if key != FIELDS and (is_over or any(each.values()))
        }
        fields = values[FIELDS]
        only = next(iter(fields.values()))
        is_plain = not codes or (main.keys() == {self._locales.default} and not (only and only.keys() <= set(codes)))
        return {**facts, FIELDS: only if is_plain else fields} if codes or only else facts

    def names(self, entry: Entry, locale: str = "", original: str = "") -> dict[str, Any]:
        """Return slug and addresses of an entry as a file writes them, in one locale if it has a file of its own.

        `original` is the slug of the entry that this one is a translation of.
        """
        own, codes, variant = entry.addresses, self._locales.codes, dict[str, str]()
        if not self._codes(entry):
            locale, variant = entry.locale, {"locale": entry.locale, "translation_of": original}
        paths: Any = own.path(locale) if locale else paths_to_file(own.paths, codes, self._locales.default)
        aliases: Any = {code: list(own.aliases[code]) for code in codes if code in own.aliases}
        if locale or own.aliases.keys() == {ANY_LOCALE}:
            aliases = list(own.aliases.get(locale) or own.aliases.get(ANY_LOCALE, ()))
        names = {SLUG: entry.slug, "path": paths, "guid": own.guid, ALIASES: aliases, **variant}
        return {key: value for key, value in names.items() if value}

    def values(
        self, versions: Mapping[str, Entry], specs: Sequence[FieldSpec], *, is_over: bool = False
    ) -> dict[str, dict[str, Any]]:
        """Return the values of one version in each locale; `is_over`: of a draft over the live one."""
        own = {name for each in versions.values() for name in KINDS[each.kind].names} - {SLUG, BODY}
        written = {*own, STATUS, *TIMES} - ({TITLE} if is_over else set())
        values = {
            key: {code: self._value(each, key) for code, each in versions.items()} for key in ORDER if key in written
        }
        return {**values, FIELDS: {code: self._fields(each, specs, is_over=is_over) for code, each in versions.items()}}

    def _value(self, entry: Entry, key: str) -> Any:
        """Return a built-in value, status or time of a version."""
        if key in TIMES:
            moment = getattr(entry, f"{key}_at")
            return moment and format_timestamp(moment)
        value = getattr(entry, key)
        if isinstance(value, tuple):
            return [term.name for term in value]
        if key == FEATURED_IMAGE:
            return self._media.address(value)
        return value.slug if isinstance(value, Author) else str(value)

    def _fields(self, entry: Entry, specs: Sequence[FieldSpec], *, is_over: bool) -> dict[str, Any]:
        """Return the values of declared fields; front matter above a body has those alone that are set."""
        known: Fields = {spec.slug: entry.fields[spec.slug] for spec in specs if spec.slug in entry.fields}
        known = without_unset(known, specs, self._schema) if self._omits_unset else known
        written = group_to_file(known, specs, self._schema, self._media, is_draft=is_over)
        if not KINDS[entry.kind].has_body:
            return written
        kept = {spec.slug for spec in specs if spec.default is not None}
        return {slug: value for slug, value in written.items() if slug in kept or not is_empty(value)}

    def _note_left_out(self, label: str, versions: Sequence[Entry], specs: Sequence[FieldSpec]) -> None:
        codes = self._codes(versions[0])
        for locale in sorted({version.locale for version in versions} - set(codes)) if codes else ():
            self._notes.append(f"{label}: is written in {locale} too, which is not a locale of the site: not written")
        known = [version for version in versions if not codes or version.locale in codes]
        hidden = (each for version in known for each in hidden_values(version.fields, specs, self._schema))
        for place, reason, _list_place in dict.fromkeys(hidden):
            is_gone = reason is HiddenReason.GONE
            why = "which the schema does not have" if is_gone else "whose value does not fit its type"
            self._notes.append(f"{label}: has a field {place}, {why}: not written")


def _label(entry: Entry) -> str:
    """Return how notes call an entry."""
    if not KINDS[entry.kind].has_slug:
        return f"{entry.kind} {entry.id} of {entry.type}"
    return (
        f"{entry.kind} {entry.type or '_single'}/{entry.slug}"
        if KINDS[entry.kind].type_key
        else f"{entry.kind} {entry.slug}"
    )


def _together(by_locale: Mapping[str, Any]) -> Any:
    """Return one value if it is the same in every locale, else one for each."""
    first, *others = by_locale.values()
    return first if all(value == first for value in others) else dict(by_locale)


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
    """Return the files of entries in the trash, with their ids in their names, since names may be used again.

    A post there is no translation.
    """
    locales = Locales(settings.locales, settings.default_locale)
    writer = EntryWriter(documents.load_content_schema(session), locales, media, notes)
    files: dict[str, bytes] = {}
    for each in sorted(find_trash(session), key=lambda trashed: [*EntryKind].index(trashed.kind)):
        versions = VERSIONS[each.kind].of(session, (each.id,), with_body=True, in_trash=True)
        files |= dict(writer.files((with_markdown(session, version) for version in versions), _path_in_trash))
    return files


def _path_in_trash(entry: Entry) -> str:
    """Return `trash/posts/calm-7.md` for `content/posts/calm.md`."""
    name, _, ending = path_of(entry, entry.locale).removeprefix("content/").rpartition(".")
    return f"{TRASH}{name}-{entry.id}.{ending}"


class FormerPaths:
    """Former addresses that lead to entries by the present permalinks, without those that an entry has now."""

    def __init__(self, session: Session, settings: SiteSettings, entries: Iterable[Entry]) -> None:
        self._settings, paths = settings, EntryPaths(settings)
        present = set[str]()
        for entry in entries:
            aliases = () if written_locales(entry.kind, settings.locales) else entry.aliases
            present |= {paths.own(entry), *map(alias_path, aliases)}
        self._former: dict[tuple[EntryKind, int], dict[str, list[str]]] = defaultdict(dict)
        for address in find_former_addresses(session):
            if (path := paths.former(address)) not in present:
                present.add(path)
                self._former[address.kind, address.entry_id].setdefault(address.locale, []).append(path)

    def of(self, entry: Entry, is_free: Callable[[str], bool] | None = None) -> Entry:
        """Return the version with the former addresses of its entry as aliases, those that are free.

        Those of no certain locale stand beside the ones of the default locale.
        """
        former, default = self._former.get((entry.kind, entry.id), {}), self._settings.default_locale
        codes = written_locales(entry.kind, self._settings.locales)
        if not codes:
            former, codes = {entry.locale: [path for paths in former.values() for path in paths]}, (entry.locale,)
        added = {code: sorted(filter(is_free, former.get(code, ()))) for code in codes}
        if not any(added.values()):
            return entry
        aliases = {locale or default: paths for locale, paths in entry.addresses.aliases.items()}
        for locale, paths in ((locale, paths) for locale, paths in added.items() if paths):
            aliases[locale] = tuple(dict.fromkeys((*aliases.get(locale, ()), *paths)))
        if aliases.keys() == {default}:
            aliases = {ANY_LOCALE: aliases[default]}
        return replace(entry, addresses=replace(entry.addresses, aliases=aliases))
