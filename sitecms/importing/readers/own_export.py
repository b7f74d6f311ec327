"""Entries of exports that sitecms made for another system: what that cannot hold comes back from facts beside them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any

import yaml
from msgspec.structs import asdict, replace

from sitecms.content.exchange import CarriedEntry, items_file, read_carried, text_mark
from sitecms.content.fields import shown_type
from sitecms.content.kinds import KINDS, EntryKind, declared_fields
from sitecms.content.references import ItemTarget, PageTarget, parse_target
from sitecms.content.schema import SINGLE_PAGE_FIELDS, ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.term import name_key
from sitecms.content.text.slug import slugify
from sitecms.errors import NotFound
from sitecms.importing.formats.times import read_time
from sitecms.importing.readers.hosted.inference import Declarations, Evidence, as_record, see_all
from sitecms.importing.records import (
    AuthorRecord,
    BodyFormat,
    Declaration,
    EntryRecord,
    Html,
    Kind,
    Markdown,
    MediaValue,
    Note,
    NoteKind,
    Place,
    Record,
    Site,
    TermRecord,
)
from sitecms.importing.source import SourceFile

_FOLDERS = ("page_types", "collections", "components", "single_pages")
_NAMES = ("slug", "first_name", "last_name", "profile_image")
_PLAIN_PAGE = frozenset(spec.slug for spec in SINGLE_PAGE_FIELDS)


class OwnExport:
    """Facts of one export: the schema, and what fields of entries show of it where the export has none."""

    def __init__(self) -> None:
        self._schema: ContentSchema | None = None
        self._declared: dict[tuple[str, str], Declaration] = {}
        self._locales: tuple[str, ...] = ()
        self._terms: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._authors: dict[str, Mapping[str, Any]] = {}
        self._evidence: dict[tuple[EntryKind, str], dict[str, Evidence]] = {}

    def add_site(self, data: object) -> None:
        """Take the facts of the site."""
        facts = data if isinstance(data, Mapping) else {}
        self._locales = self._locales or tuple(map(str, facts.get("locales") or ()))
        for each in _tables(facts.get("declarations")):
            folder, name = each.get("folder", ""), str(each.get("name", ""))
            if (folder in _FOLDERS or (folder, name) == ("", "post")) and slugify(name) and "/" not in name:
                self._declared.setdefault((folder, name), Declaration(folder, name, each.get("data") or {}))
        self._schema = None
        for each in _tables(facts.get("terms")):
            self._terms[str(each.get("kind")), name_key(str(each.get("name")))] = each
        for each in _tables(facts.get("authors")):
            self._authors[str(each.get("slug"))] = each

    def term(self, term: TermRecord) -> TermRecord:
        """Return a term with its slug and address on the exported site."""
        facts = self._terms.get((term.kind.value, name_key(term.name)))
        if facts is None:
            return term
        return replace(term, slug=str(facts.get("slug") or term.slug), old_url=str(facts.get("path") or term.old_url))

    def author(self, author: AuthorRecord) -> AuthorRecord:
        """Return an author with the profile that the other system does not hold, or has cut."""
        held = self._authors.get(author.facts.slug) or self._authors.get(author.key)
        if held is None:
            return author
        added: dict[str, Any] = {}
        for name, value in asdict(author.facts).items():
            known = str(held.get(name) or "")
            if name in _NAMES or (name != "aliases" and known.startswith(value)):
                added[name] = known
        path = str(held.get("path") or author.old_url)
        return replace(author, facts=replace(author.facts, **added), old_url=path)

    def restored(self, entry: EntryRecord, facts: CarriedEntry) -> tuple[EntryRecord, tuple[Note, ...]]:
        """Return the entry with the facts it carried, and notes; `finished` converts its fields."""
        key, created = f"own:{facts.translations}", read_time(facts.created, UTC) or entry.created_at
        never = entry.status is Status.DRAFT and entry.published_at == created  # systems that want a date have this one
        entry = replace(
            entry,
            key=key if facts.is_original else f"{key}:{facts.locale}",
            kind=Kind(facts.kind),
            group=facts.group,
            slug=facts.slug,
            locale=facts.locale,
            translation_of="" if facts.is_original else key,
            former_urls=(*facts.aliases, *entry.former_urls),
            former_slugs=(),
            created_at=created,
            published_at=None if never else entry.published_at,
            guid=facts.guid,
            featured_image_alt=facts.featured_image_alt,
            item_id=facts.id or None,
            data={**entry.data, "own": True},
        )
        is_exact = text_mark(entry.body) == facts.mark
        if KINDS[facts.kind].has_body:
            self._see(facts)
            return replace(entry, fields=dict(facts.fields), is_exact=is_exact), ()
        notes = []
        if not is_exact:
            what = "texts of pages that the other system changed: the fields are those of the export"
            notes.append(Note(NoteKind.SKIPPED, what, entry.place, "change the fields as the text was changed"))
        entry = replace(entry, body="", authors=(), categories=(), tags=(), summary="", meta_description="")
        if facts.group or set(facts.fields) - _PLAIN_PAGE or ("single_pages", facts.slug) in self._declared:
            self._see(facts)
            return replace(entry, fields=dict(facts.fields)), tuple(notes)
        return self._plain_page(entry, facts), tuple(notes)

    def items(self, files: Mapping[str, SourceFile]) -> Iterator[EntryRecord]:
        """Yield the items without pages of their own, from the data files of Hugo."""
        for folder, name in self._declared:
            file = files.get(items_file(name)) if folder == "collections" else None
            rows = yaml.safe_load(file.text()) if file else ()
            for row in rows if isinstance(rows, list) else ():
                facts = read_carried(row)
                if file and facts and not facts.path and not KINDS[facts.kind].has_slug:
                    status, at = str(row.get("status", "")), read_time(str(row.get("at") or ""), UTC)
                    updated = read_time(str(row.get("updated") or ""), UTC)
                    entry = EntryRecord(
                        "",
                        Kind.ITEM,
                        "",
                        Place(file.name),
                        status=Status(status) if status in tuple(Status) else Status.DRAFT,
                        published_at=at,
                        updated_at=updated,
                    )
                    yield self.restored(entry, facts)[0]

    def finished(self, entry: EntryRecord) -> EntryRecord:
        """Return the entry with its fields as records have them."""
        if not entry.data.get("own") or not entry.fields:
            return entry
        specs = self._specs(entry)
        values = {name: self._value(value, specs.get(name)) for name, value in entry.fields.items()}
        return replace(entry, fields={name: value for name, value in values.items() if value is not None})

    def records(self) -> Iterator[Record]:
        """Yield locales and declarations, when all entries are read."""
        if self._locales:
            yield Site(locale=self._locales[0], locales=self._locales[1:])
        yield from self._declared.values()
        if not self._declared and self._evidence:
            yield from self._inferred()

    def _see(self, facts: CarriedEntry) -> None:
        group = facts.group or (f"*{facts.slug}" if KINDS[facts.kind].type_key else "")
        if facts.fields:
            see_all(self._evidence.setdefault((facts.kind, group), {}), facts.fields)

    def _inferred(self) -> Iterator[Declaration]:
        """Yield declarations inferred from values, for an export without them."""
        named = [(kind, group) for kind, group in self._evidence if group and not group.startswith("*")]
        declarations = Declarations(f"page:{group}" if KINDS[kind].has_slug else group for kind, group in named)
        for (kind, group), evidence in self._evidence.items():
            if not KINDS[kind].type_key:
                yield declarations.post(evidence)
            elif not KINDS[kind].has_slug:
                yield declarations.collection(group, evidence)
            else:
                yield declarations.page_type(group.removeprefix("*"), evidence, is_single=group.startswith("*"))
        yield from declarations.components()

    @staticmethod
    def _plain_page(entry: EntryRecord, facts: CarriedEntry) -> EntryRecord:
        """Return a Single Page without fields of its own: its body becomes Markdown where nothing is lost."""
        image = facts.fields.get("image")
        named = image if isinstance(image, Mapping) else {}
        return replace(
            entry,
            body=str(facts.fields.get("body") or ""),
            is_exact=True,
            format=BodyFormat.HTML,
            meta_description=str(facts.fields.get("description") or ""),
            featured_image=str(named.get("url") or ""),
            featured_image_alt=str(named.get("alt") or ""),
        )

    def _specs(self, entry: EntryRecord) -> Mapping[str, FieldSpec]:
        schema = self._schema_of_declarations()
        try:
            specs = declared_fields(schema, EntryKind(entry.kind), entry.group, entry.slug)
        except NotFound:
            specs = ()
        return {spec.slug: spec for spec in specs}

    def _schema_of_declarations(self) -> ContentSchema:
        if self._schema is None:
            data: dict[str, Any] = {name: [] for name in _FOLDERS}
            for (folder, _name), declared in self._declared.items():
                if folder:
                    data[folder].append(declared.data)
                else:
                    data["post_fields"] = declared.data.get("fields") or ()
            try:
                self._schema = ContentSchema.from_json(data)
            except (KeyError, TypeError, AttributeError):  # changed by hand; `sitecms load` says what is wrong
                self._schema = ContentSchema()
        return self._schema

    def _value(self, value: Any, spec: FieldSpec | None) -> Any:
        """Return a stored value as records have it; without a declaration, by its looks."""
        if spec is None:
            return as_record(value)
        schema = self._schema_of_declarations()
        component = schema.components.get(spec.component)
        match value:
            case {"url": str(url), **rest} if set(rest) <= {"alt"}:
                return MediaValue(url, str(rest.get("alt") or "")) if url else None
            case Mapping():
                return self._group(value, component.fields if component else ())
            case list():
                return [self._entry_of_list(each, spec) for each in value]
            case str() if spec.type == "checkbox":
                return value.lower() == "true"
            case str() if spec.type == "number":
                return _number(value)
            case str() if target := parse_target(value):
                return _reference(target, value, spec)
            case str():
                wrap = {"wysiwyg": Html, "html": Html, "long_text": Markdown}.get(shown_type(spec))
                return wrap(value) if wrap and value else value
        return value

    def _entry_of_list(self, value: Any, spec: FieldSpec) -> Any:
        match value:
            case {"type": str(kind), "fields": Mapping() as values}:
                component = self._schema_of_declarations().components.get(kind)
                return {"type": kind, "fields": self._group(values, component.fields if component else ())}
            case Mapping() if spec.fields:
                return self._group(value, spec.fields)
        return self._value(value, spec)

    def _group(self, values: Mapping[str, Any], specs: Sequence[FieldSpec]) -> dict[str, Any]:
        by_slug = {spec.slug: spec for spec in specs}
        return {name: self._value(value, by_slug.get(name)) for name, value in values.items()}


def _tables(value: object) -> Iterator[Mapping[str, Any]]:
    return (each for each in value if isinstance(each, Mapping)) if isinstance(value, list) else iter(())


def _number(text: str) -> int | float | None:
    """Return a number of front matter, which is read as text; None for anything else."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _reference(target: ItemTarget | PageTarget, uri: str, spec: FieldSpec) -> Any:
    """Return a reference as files write it: an id or slug if the field has one target, else the URI."""
    if len(spec.targets) != 1:
        return uri
    return target.id if isinstance(target, ItemTarget) else target.slug
