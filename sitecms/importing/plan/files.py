"""Content files of planned entries: front matter and body, with placeholders for media."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import FENCE
from sitecms.actions.loading.reading.file_checks import file_errors
from sitecms.clock import format_timestamp
from sitecms.content.status import Status
from sitecms.content.term import MAX_TERMS, TermKind
from sitecms.content.text.html import plain_text
from sitecms.documents import dump_yaml, nowhere
from sitecms.importing.media.needed_media import TOKEN, NeededMedia
from sitecms.importing.menus import is_menu_entry
from sitecms.importing.plan.entries import EntryPlan, Planned
from sitecms.importing.plan.extra_fields import ExtraFields
from sitecms.importing.plan.target import TargetSite
from sitecms.importing.plan.terms import TermPlan
from sitecms.importing.plan.texts import MAX_ALT_LENGTH, TextNotes, Texts, unconverted
from sitecms.importing.reader import UNFORESEEN, Reader
from sitecms.importing.records import BodyFormat, EntryRecord, Kind, Note, NoteKind
from sitecms.importing.unfit_text import fit

LIMITS = {"title": 200, "featured_image_alt": MAX_ALT_LENGTH, "seo_title": 100, "summary": 2000, "guid": 1000}
_UNTITLED_WORDS = 60
_SPACES = re.compile(r"\s+")
_KEY = re.compile(r"[^.\[]+")


class DraftFile(Struct):
    """A content file before its media are known. A file without a body (None) is YAML alone."""

    key: str
    path: str
    facts: dict[str, Any]
    body: str | None
    media: dict[str, NeededMedia] = field(default_factory=dict)

    def filled(self, places: Mapping[str, str]) -> dict[str, Any]:
        """Return the facts with the addresses of media; fields hold none that is no address on the web."""
        usable = {token: "" if places[token].startswith("/") else places[token] for token in self.media}
        return {
            name: _filled(each, usable if name in ("fields", "draft") else places) for name, each in self.facts.items()
        }

    def text(self, places: Mapping[str, str]) -> str:
        """Return the text of the file; `places` are the addresses of media by placeholder."""
        facts = self.filled(places)
        if self.body is None:
            return dump_yaml(facts)
        body = TOKEN.sub(lambda match: places.get(match[0], match[0]), self.body)
        return f"{FENCE}{dump_yaml(facts)}{FENCE}{body.strip(chr(10))}\n"


def _filled(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return TOKEN.sub(lambda match: places.get(match[0], match[0]), value) if "sitecms-pending" in value else value
    if isinstance(value, dict):
        return {name: _filled(item, places) for name, item in value.items()}
    return [_filled(item, places) for item in value] if isinstance(value, list) else value


class FileMaker:
    """Maker of content files from records."""

    def __init__(
        self, reader: Reader, texts: Texts, plan: EntryPlan, terms: TermPlan, target: TargetSite, extras: ExtraFields
    ) -> None:
        self._reader, self._texts, self._plan, self._terms, self._target = reader, texts, plan, terms, target
        self._extras = extras

    def make(
        self, planned: Planned, entry: EntryRecord, variants: Sequence[EntryRecord]
    ) -> tuple[DraftFile, TextNotes]:
        """Return the file of an entry with its variants, and the notes."""
        notes = self._texts.begin()
        entry = self._finished(entry)
        body: str | None
        if planned.known.kind is Kind.POST:
            facts, body = self._post(planned, entry)
        else:
            finished = [self._finished(each) for each in variants]
            facts, body = self._page(planned, entry, finished)
        facts = self._loadable(fit(facts), planned.known.kind.value, entry)
        return DraftFile(planned.known.key, planned.file, facts, fit(body), notes.media), notes

    def make_item(
        self, planned: Planned, entry: EntryRecord, variants: Sequence[EntryRecord]
    ) -> tuple[DraftFile, TextNotes]:
        """Return an item in the form of its collection's file, and the notes."""
        notes = self._texts.begin()
        finished = [self._finished(each) for each in (entry, *variants)]
        facts = self.versions(planned, finished[0], finished[1:])
        facts = {"fields": {}, **_without_empty({"id": entry.item_id, **self._addresses(planned), **facts})}
        facts = self._loadable(fit(facts), "items", entry)
        return DraftFile(planned.known.key, planned.file, facts, None, notes.media), notes

    def _finished(self, entry: EntryRecord) -> EntryRecord:
        """Return the entry as its reader finishes it; the text of one for which that fails stays as it is."""
        if is_menu_entry(entry):  # made of a menu, not of a text of the source
            return entry
        try:
            return self._reader.finish(entry, self._texts)
        except UNFORESEEN as error:
            self._texts.note(unconverted(entry, error))
            format_ = BodyFormat.HTML if entry.format is BodyFormat.OWN else entry.format
            return replace(entry, format=format_)

    def _post(self, planned: Planned, entry: EntryRecord) -> tuple[dict[str, Any], str]:
        body, format_ = self._texts.body(entry)
        original = self._plan.by_key.get(entry.translation_of)
        locale = planned.locale if planned.locale != self._target.default_locale else ""
        facts = {
            "title": self._title(entry, body, format_),
            "slug": planned.slug,
            "locale": locale,
            "translation_of": original.slug if original and original.locale != planned.locale else "",
            **self._state(entry),
            "author": self._terms.author(entry.authors) or self._terms.main_author,
            "categories": self._term_names(TermKind.CATEGORY, entry.categories, entry),
            "tags": self._term_names(TermKind.TAG, entry.tags, entry),
            "featured_image": self._texts.picture(entry, entry.featured_image),
            "featured_image_alt": self._limited("featured_image_alt", entry.featured_image_alt, entry),
            "summary": self._limited("summary", entry.summary, entry),
            "seo_title": self._limited("seo_title", entry.seo_title, entry),
            "meta_description": entry.meta_description,
            **self._addresses(planned),
            "guid": self._limited("guid", entry.guid, entry),
            "fields": _without_empty({**self._extras.values(entry.extras), **self._texts.fields(entry)}),
            "format": "html" if format_ is BodyFormat.HTML else "",
        }
        return _without_empty(facts), body

    def _page(
        self, planned: Planned, entry: EntryRecord, variants: Sequence[EntryRecord]
    ) -> tuple[dict[str, Any], str | None]:
        """Return a page: Markdown file if it has a body and one version, else YAML."""
        body, format_ = self._texts.body(entry) if entry.body else ("", BodyFormat.MARKDOWN)
        title = self._title(entry, body, format_)
        if planned.file.endswith(".md"):
            fields = {**self._page_extras(entry), **self._texts.fields(entry)}
            locale = planned.locale if planned.locale != self._target.default_locale else ""
            state = self._state(entry)
            named = {} if planned.main else {"slug": planned.slug, "locale": locale}
            facts = {"title": title, **named, **state, **self._addresses(planned)}
            format_name = "html" if format_ is BodyFormat.HTML else ""
            return _without_empty({**facts, "fields": _without_empty(fields), "format": format_name}), body
        facts = {"title": title, "slug": planned.slug, **self._addresses(planned)}
        return _without_empty({**facts, **self.versions(planned, entry, variants)}), None

    def versions(self, planned: Planned, entry: EntryRecord, variants: Sequence[EntryRecord]) -> dict[str, Any]:
        """Return status, times, fields and draft of a page or item in all its locales."""
        live = {planned.locale: entry}
        drafts: dict[str, EntryRecord] = {}
        for each in variants:
            locale = self._target.locale_of(each.locale or self._target.default_locale)
            (drafts if each.draft_of else live).setdefault(locale, each)
        facts = _by_locale({locale: self._state(each) for locale, each in live.items()})
        facts["fields"] = self._fields_by_locale(live)
        if drafts:
            facts["draft"] = {"fields": self._fields_by_locale(drafts, is_plain=set(live) == {planned.locale})}
        return facts

    def _fields_by_locale(self, entries: Mapping[str, EntryRecord], *, is_plain: bool = True) -> dict[str, Any]:
        values = {locale: {**self._page_extras(each), **self._fields(each)} for locale, each in entries.items()}
        is_default = set(values) == {self._target.default_locale}
        return values[self._target.default_locale] if is_default and is_plain else values

    def _fields(self, entry: EntryRecord) -> dict[str, Any]:
        fields = self._texts.fields(entry)
        if entry.body and "body" not in fields:
            from sitecms.content.text import markdown

            body, format_ = self._texts.body(entry)
            fields["body"] = markdown.render(body) if format_ is BodyFormat.MARKDOWN else body
        return fields

    def _page_extras(self, entry: EntryRecord) -> dict[str, Any]:
        """Return what a page without fields of its own has besides its body."""
        if entry.kind is not Kind.PAGE or entry.fields or not entry.body:
            return {}
        description = entry.meta_description or entry.summary
        image = self._texts.picture(entry, entry.featured_image)
        alt = self._limited("featured_image_alt", entry.featured_image_alt, entry)
        named = {"url": image, "alt": alt} if image and alt else image
        return _without_empty({"description": description, "image": named})

    def _state(self, entry: EntryRecord) -> dict[str, Any]:
        """Return status and times as files write them."""
        published, status = entry.published_at, entry.status
        if status is Status.PUBLISHED and published is None:
            published = entry.created_at or entry.updated_at
            if entry.kind is not Kind.ITEM:
                self._texts.note(Note(NoteKind.DATE, "time of publication", entry.place, "set published: in the file"))
        if entry.hidden_as or (status is Status.SCHEDULED and published is None):
            status = Status.DRAFT
        times = {"published": published, "created": entry.created_at, "updated": entry.updated_at}
        if status is Status.SCHEDULED:
            times = {"scheduled": published, "created": entry.created_at, "updated": entry.updated_at}
        return {"status": status.value, **{name: format_timestamp(at) for name, at in times.items() if at}}

    def _addresses(self, planned: Planned) -> dict[str, Any]:
        """Return `path` and `aliases`; one text as the path of a page is its address in the default locale.

        In a file of one locale, it is the address in that locale.
        """
        known, path = planned.known, planned.own_path
        if not path or planned.main or known.kind is not Kind.PAGE or planned.locale == self._target.default_locale:
            return {"path": path, "aliases": list(planned.aliases)}
        others = {self._target.locale_of(locale): self._plan.variant_keys[key] for key, locale, _ in known.variant_urls}
        return {"path": {**others, planned.locale: path}, "aliases": list(planned.aliases)}

    def _title(self, entry: EntryRecord, body: str, format_: BodyFormat) -> str:
        title = _SPACES.sub(" ", entry.title).strip()
        if not title:
            text = plain_text(body) if format_ is BodyFormat.HTML else _SPACES.sub(" ", body)
            words = text[:_UNTITLED_WORDS].rsplit(" ", 1)[0] if len(text) > _UNTITLED_WORDS else text
            title = words.strip() or "Untitled"
            self._texts.note(Note(NoteKind.OTHER, "titles made of the first words", entry.place))
        return self._limited("title", title, entry)

    def _term_names(self, kind: TermKind, names: Iterable[str], entry: EntryRecord) -> list[str]:
        terms = self._terms.names(kind, names)
        if len(terms) > MAX_TERMS:
            self._texts.note(Note(NoteKind.TRUNCATED, f"{kind} terms of an entry ({MAX_TERMS} at most)", entry.place))
        return terms[:MAX_TERMS]

    def _limited(self, name: str, text: str, entry: EntryRecord) -> str:
        """Return the text within its limit; a longer one is shortened at a word, with a note."""
        plain, limit = text.strip(), LIMITS[name]
        if len(plain) <= limit:
            return plain
        self._texts.note(Note(NoteKind.TRUNCATED, f"{name} ({limit} characters at most)", entry.place))
        cut = plain[: limit - 1]
        return (cut.rsplit(None, 1)[0] if len(cut.split()) > 1 else cut) + "…"

    def _loadable(self, facts: dict[str, Any], schema: str, entry: EntryRecord) -> dict[str, Any]:
        """Return the facts without those that a load would refuse, each of which gets a line."""
        is_listed = schema == "items"
        refused = dict[str, str]()
        for error in file_errors([facts] if is_listed else facts, schema, "", nowhere):
            key = _KEY.match(error.place.removeprefix("[0]."))
            refused[key[0] if key else ""] = error.problem
        for name, problem in refused.items():
            subject = f'the key "{name}" is left out: it {problem}'
            self._texts.note(Note(NoteKind.OTHER, subject, entry.place, "add it to the file in a valid form"))
        kept = {name: value for name, value in facts.items() if name not in refused}
        return {"title": "Untitled", **kept} if "title" in refused else kept


def _by_locale(found: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return each value once if it is the same in all locales, else by locale."""
    names = dict.fromkeys(name for each in found.values() for name in each)
    facts: dict[str, Any] = {}
    for name in names:
        values = {locale: each[name] for locale, each in found.items() if name in each}
        is_same = len(values) == len(found) and len(set(values.values())) == 1
        facts[name] = next(iter(values.values())) if is_same else values
    return facts


def _without_empty(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value not in ("", [], None, {})}
