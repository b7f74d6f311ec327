"""Reader of Contentful exports: entries, assets and terms become records, rich text HTML."""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import UTC, tzinfo
from typing import Any

import orjson
from msgspec.structs import replace

from sitecms.content.author import Author, split_name
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import read_time
from sitecms.importing.reader import ReaderOptions, RecordLookup, guarded
from sitecms.importing.readers.contentful.content_types import ContentType, Usage, declare, field_slug, read_type
from sitecms.importing.readers.contentful.rich_text import RichText
from sitecms.importing.records import (
    AuthorRecord,
    BodyFormat,
    EntryRecord,
    Html,
    Kind,
    Media,
    MediaValue,
    Note,
    NoteKind,
    Place,
    Record,
    Reference,
    Site,
    TermRecord,
)
from sitecms.importing.source import Source, SourceFile

Data = Mapping[str, Any]
MAX_EXPORT_BYTES = 1024 * 1024 * 1024
_MAX_ITEM_ID = 2**31


def detect(source: Source) -> bool:
    """Return whether the source holds an export of Contentful."""
    return next(_exports(source), None) is not None


def _exports(source: Source) -> Iterator[SourceFile]:
    for file in source.with_suffix(".json"):
        beginning = file.beginning()
        if b'"contentTypes"' in beginning or (b'"sys"' in beginning and b'"contentType"' in beginning):
            yield file


class ContentfulReader:
    """Reader of Contentful exports (see the package). They contain no addresses: a space has no site."""

    def __init__(self) -> None:
        self._space: _Space | None = None

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield declarations, entries in all locales, terms, authors and assets."""
        file = next(_exports(source), None)
        if file is None:
            raise InvalidRequest(f"{source} has no export of Contentful: a JSON file with contentTypes.")
        try:
            data = orjson.loads(file.read(MAX_EXPORT_BYTES))
        except ValueError as error:
            raise InvalidRequest(f"{file.name} is not valid JSON: {error}. Export the space again.") from error
        if not isinstance(data, dict) or not isinstance(data.get("contentTypes"), list):
            raise InvalidRequest(f"{file.name} has no contentTypes; export the space with its content model.")
        self._space = _Space(file, data, source, options.zone())
        yield from self._space.records()

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:
        """Return the entry with its rich texts in HTML."""
        if self._space is None:
            return entry
        writer = self._space.rich_text(entry, lookup)
        fields = {name: _finished(value, writer) for name, value in entry.fields.items()}
        document = entry.data.get("document")
        if document is not None:
            return replace(entry, body=writer.html(document), format=BodyFormat.HTML, fields=fields)
        return replace(entry, fields=fields)


reader = ContentfulReader


def _finished(value: Any, writer: RichText) -> Any:
    return Html(writer.html(value)) if isinstance(value, dict) and value.get("nodeType") == "document" else value


class _Space:
    """One export: its types, entries and assets."""

    def __init__(self, file: SourceFile, data: Data, source: Source, zone: tzinfo) -> None:
        self._file = file
        self._zone = zone
        self._types = {name: read_type(each) for name, each in _by_id(data.get("contentTypes")).items()}
        self._entries, self._assets = _by_id(data.get("entries")), _by_id(data.get("assets"))
        listed = data.get("locales")
        locales = [each for each in listed if _is_locale(each)] if isinstance(listed, list) else []
        self._locales = tuple(dict.fromkeys(each["code"] for each in locales)) or ("en",)
        self._default = next((each["code"] for each in locales if each.get("default")), self._locales[0])
        self._files = {each.name: each for each in source.files}
        self._term_types = self._find_term_types()

    def records(self) -> Iterator[Record]:
        """Yield all records."""
        others = tuple(code for code in self._locales if code != self._default)
        yield Site(locale=self._default, locales=others)
        targets = {}
        for kind in self._types.values():
            if not kind.is_post and kind.id not in self._term_types:
                targets[kind.id] = f"page:{kind.group}" if kind.is_page else kind.group
        for kind in self._types.values():
            if kind.id in targets:
                yield declare(kind, targets, self._usage(kind))
        for asset_id, asset in self._assets.items():
            yield from guarded(self._asset(asset_id, asset), Place(f"{self._file.name}: asset {asset_id}"))
        for entry_id, entry in self._entries.items():
            type_ = self._types.get(_type_of(entry))
            place = Place(f"{self._file.name}: entry {entry_id}")
            if type_ is None:
                yield Note(NoteKind.SKIPPED, f"entries of the unknown type {_type_of(entry)}", place)
            elif type_.id in self._term_types:
                name = self._name(entry)
                yield TermRecord(self._term_types[type_.id], name, str(self._value(entry, type_.slug_field) or ""))
            else:
                yield from guarded(self._entry(entry_id, entry, type_, place), place)

    def rich_text(self, entry: EntryRecord, lookup: RecordLookup) -> RichText:
        """Return a writer of rich text with the entries and assets of the export."""

        def link(kind: str, target: str) -> tuple[str, str] | None:
            if kind == "Asset" and target in self._assets:
                return f"media:{_key(target)}", self._asset_alt(self._assets[target])
            entry = self._entries.get(target)
            if entry is None:
                return None
            has_page = lookup.has_entry(_key(target)) and not self._is_item(entry)
            return f"entry:{_key(target)}" if has_page else "", self._name(entry)

        return RichText(link, lambda what: lookup.note(Note(NoteKind.UNKNOWN_BLOCK, what, entry.place)))

    def _is_item(self, entry: Data) -> bool:
        kind = self._types.get(_type_of(entry))
        return kind is None or not (kind.is_page or kind.is_post)

    def _find_term_types(self) -> dict[str, TermKind]:
        """Return the types that posts link to as categories and tags, and that have a name and a slug alone."""
        kinds: dict[str, TermKind] = {}
        for entry in self._entries.values():
            kind = self._types.get(_type_of(entry))
            for part, term_kind in (("tags", TermKind.TAG), ("categories", TermKind.CATEGORY)):
                for linked in _links(self._value(entry, kind.post_parts.get(part, ""))) if kind else ():
                    target = self._types.get(_type_of(self._entries.get(linked, {})))
                    if target and target.is_term:
                        kinds.setdefault(target.id, term_kind)
        return kinds

    def _usage(self, kind: ContentType) -> dict[str, Usage]:
        """Return how the entries of a type use each of its fields."""
        entries = [each for each in self._entries.values() if _type_of(each) == kind.id]
        published = [each for each in entries if each["sys"].get("publishedVersion")]
        found = {}
        for name in (field["id"] for field in kind.fields):
            held = (_fields(each).get(name) for each in entries)
            values = [value for each in held if isinstance(each, dict) for value in each.values()]
            types = {_type_of(self._entries.get(linked, {})) for value in values for linked in _links(value)}
            texts = tuple(value for value in values if isinstance(value, str) and value)
            is_always = all(self._value(each, name) not in (None, "") for each in published)
            found[name] = Usage(is_always, texts, frozenset(types))
        return found

    def _value(self, entry: Data, name: str, locale: str = "") -> Any:
        """Return a field's value in a locale, else in the default one."""
        values = _fields(entry).get(name)
        return values.get(locale, values.get(self._default)) if isinstance(values, dict) else None

    def _name(self, entry: Data, locale: str = "") -> str:
        kind = self._types.get(_type_of(entry))
        return str((self._value(entry, kind.label, locale) if kind else "") or "")

    def _asset(self, asset_id: str, asset: Data) -> Iterator[Record]:
        file = self._value(asset, "file")
        if not isinstance(file, dict) or not file.get("url"):
            yield Note(NoteKind.MEDIA, "an asset without a file", Place(f"{self._file.name}: asset {asset_id}"))
            return
        address = str(file["url"])
        local = address.removeprefix("//").removeprefix("https://")
        found = next((name for name in self._files if name.endswith(local)), "")
        path = str(file.get("fileName") or local.rsplit("/", 1)[-1])
        url = f"https:{address}" if address.startswith("//") else address
        yield Media(_key(asset_id), url, found, path, self._asset_alt(asset))

    def _asset_alt(self, asset: Data) -> str:
        return str(self._value(asset, "description") or self._value(asset, "title") or "")

    def _entry(self, entry_id: str, entry: Data, kind: ContentType, place: Place) -> Iterator[Record]:
        facts = entry["sys"]
        version, published = facts.get("version") or 0, facts.get("publishedVersion")
        status = Status.PUBLISHED if published and not facts.get("archivedVersion") else Status.DRAFT
        if status is Status.PUBLISHED and version > published + 1:
            status = Status.DRAFT
            remedy = "the export has only the newest version; publish it here, or there before the export"
            yield Note(NoteKind.DRAFT, "changed after its publication", place, remedy)
        main = EntryRecord(
            key=_key(entry_id),
            kind=Kind.POST if kind.is_post else Kind.PAGE if kind.is_page else Kind.ITEM,
            title=self._name(entry),
            place=place,
            group="" if kind.is_post else kind.group,
            slug=str(self._value(entry, kind.slug_field) or "") if kind.slug_field else "",
            status=status,
            published_at=read_time(str(facts.get("firstPublishedAt") or facts.get("publishedAt") or ""), UTC),
            created_at=read_time(str(facts.get("createdAt") or ""), UTC),
            updated_at=read_time(str(facts.get("updatedAt") or ""), UTC),
            item_id=_item_id(entry_id) if self._is_item(entry) else None,
        )
        for locale in self._locales:
            used = any(locale in values for values in _fields(entry).values() if isinstance(values, dict))
            if locale != self._default and not used:
                continue
            variant = replace(main, locale=locale, title=self._name(entry, locale))
            if locale != self._default:
                variant = replace(variant, key=f"{main.key}:{locale}", translation_of=main.key)
            if kind.is_post:
                yield from self._post(variant, entry, kind, locale)
            else:
                yield replace(variant, fields=self._fields(entry, kind, locale))

    def _post(self, variant: EntryRecord, entry: Data, kind: ContentType, locale: str) -> Iterator[Record]:
        """Yield a post and its authors."""

        def part(name: str) -> Any:
            return self._value(entry, kind.post_parts.get(name, ""), locale)

        def text(name: str) -> str:
            return str(part(name) or "")

        authors = []
        for linked in _links(part("authors")):
            name = self._name(self._entries.get(linked, {}))
            authors.append(_key(linked))
            yield AuthorRecord(_key(linked), Author("", *split_name(name)))
        body = part("body")
        image = next(iter(_links(part("featured_image"))), "")
        alt = self._asset_alt(self._assets[image]) if image in self._assets else ""
        yield replace(
            variant,
            slug=text("slug"),
            published_at=read_time(text("published_at"), self._zone) or variant.published_at,
            authors=tuple(authors),
            tags=self._names(part("tags"), locale),
            categories=self._names(part("categories"), locale),
            summary=text("summary"),
            meta_description=text("meta_description"),
            seo_title=text("seo_title"),
            featured_image=f"media:{_key(image)}" if image else "",
            featured_image_alt=alt,
            body=body if isinstance(body, str) else "",
            format=BodyFormat.MARKDOWN if isinstance(body, str) else BodyFormat.OWN,
            data={} if isinstance(body, str) else {"document": body},
        )

    def _names(self, value: Any, locale: str) -> tuple[str, ...]:
        """Return the names of terms, given as texts or as linked entries."""
        texts = [value] if isinstance(value, str) else [each for each in value or () if isinstance(each, str)]
        linked = [self._name(self._entries[each], locale) for each in _links(value) if each in self._entries]
        return tuple(filter(None, (*texts, *linked)))

    def _fields(self, entry: Data, kind: ContentType, locale: str) -> dict[str, Any]:
        left_out = {kind.slug_field, "title"} if kind.is_page else set()
        found = {}
        for field in kind.fields:
            name = field["id"]
            own = _fields(entry).get(name) or {}
            is_inherited = field.get("localized") and locale != self._default and locale not in own
            value = None if is_inherited else self._value(entry, name, locale)
            if name not in left_out and value is not None:
                found[field_slug(name)] = self._field(value, str(field.get("type")))
        return found

    def _field(self, value: Any, kind: str) -> Any:
        """Return a value in the form of files; rich text is converted when the entry is finished."""
        match value, kind:
            case {"sys": {"linkType": "Asset", "id": target}}, _:
                alt = self._asset_alt(self._assets[target]) if target in self._assets else ""
                return MediaValue(f"media:{_key(target)}", alt) if target in self._assets else None
            case {"sys": {"id": target}}, _:
                return Reference(_key(target)) if target in self._entries else None
            case list(), "Link":
                return self._field(value[0], kind) if value else None
            case _, "Array" if not isinstance(value, list):
                return self._field([value], kind)
            case list(), _:
                values = [self._field(each, "") for each in value]
                if any(isinstance(each, Reference) for each in values):
                    return [each for each in values if each is not None]
                name = "file" if any(isinstance(each, MediaValue) for each in values) else "value"
                return [{name: each} for each in values if each is not None]
            case {"lat": lat, "lon": lon}, "Location":
                return f"{lat}, {lon}"
            case bool(), "Boolean":
                return value
            case int() | float(), "Integer" | "Number" if not isinstance(value, bool):
                return value
            case dict(), "RichText":
                return value if value.get("nodeType") == "document" else {"nodeType": "document", "content": [value]}
            case _, "Boolean" | "Integer" | "Number" | "RichText" | "Link":
                return None
            case str(), "Date":
                return value if read_time(value, self._zone) else None
        return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _key(entry_id: str) -> str:
    return f"contentful:{entry_id}"


def _item_id(entry_id: str) -> int:
    """Return a number for `meta.id` that stays the same over runs."""
    return int.from_bytes(hashlib.sha256(entry_id.encode()).digest()[:8]) % (_MAX_ITEM_ID - 1) + 1


def _by_id(rows: Any) -> dict[str, Data]:
    """Return the rows of a list by their ids; one without an id can be neither linked nor found again."""
    return {each_id: row for row in rows if (each_id := _id_of(row))} if isinstance(rows, list) else {}


def _id_of(row: Any) -> str:
    """Return the id in `sys` of a row or link; "" for anything else."""
    facts = row.get("sys") if isinstance(row, dict) else None
    value = facts.get("id") if isinstance(facts, dict) else None
    return value if isinstance(value, str) else ""


def _is_locale(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("code"), str)


def _fields(entry: Data) -> Data:
    fields = entry.get("fields")
    return fields if isinstance(fields, dict) else {}


def _type_of(entry: Data) -> str:
    facts = entry.get("sys")
    return _id_of(facts.get("contentType")) if isinstance(facts, dict) else ""


def _links(value: Any) -> tuple[str, ...]:
    """Return the ids of the entries or assets that a value links to."""
    links = value if isinstance(value, list) else [value]
    return tuple(filter(None, map(_id_of, links)))
