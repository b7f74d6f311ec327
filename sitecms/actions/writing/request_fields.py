"""Fields of pages and items as requests send them: cleaned and merged into the stored versions.

Acceptance does this to report errors, application to store the result.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.references import ItemsByValues, find_reference, page_types_of
from sitecms.actions.writing.request_media import MediaSource
from sitecms.content.change import Times, VersionChange, change_of_version
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields, FieldValue
from sitecms.content.fields import Lookup, RawReference
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.references import ItemTarget, PageTarget, Target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.text.removed_markup import Dropped, ReportDropped
from sitecms.content.validation import clean_fields
from sitecms.store.database import Session
from sitecms.store.writes import reservations, writes

VersionKey: TypeAlias = tuple[str, Version]
ReadHtml: TypeAlias = Callable[[str, ReportDropped], str]
"""Returns HTML as it is kept: sanitised at acceptance, with its media addresses resolved when it is applied."""


class RequestLookup:
    """Look-ups of a request: references among the stored and the accepted entries, media in a `MediaSource`."""

    def __init__(self, session: Session, media: MediaSource, html: ReadHtml, zone: tzinfo) -> None:
        self.zone = zone
        self._session = session
        self._media = media
        self._html = html

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """Return the entry that is meant, stored or accepted."""
        stored = find_reference(self._session, targets, raw, ItemsByValues())
        return stored or self._accepted(targets, raw)

    def media(self, url: str, report: Callable[[str], None]) -> str | None:
        """Return the address to store; report why there is none."""
        address = self._media.address(url)
        if address is None:
            report(self._media.problem(url))
        return address

    def html(self, text: str, report: ReportDropped) -> str:
        """Return the HTML as it is kept."""
        return self._html(text, report)

    def markdown(self, text: str, report: Callable[[str], None]) -> str:  # noqa: ARG002
        """Return the Markdown unchanged: a request has no media folder."""
        return text

    def _accepted(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        match raw:
            case int() | ItemTarget():
                item_id = raw if isinstance(raw, int) else raw.id
                creation = writes.find_creation(self._session, EntryKind.ITEM, item_id)
                collection = creation.type if creation else None
                return ItemTarget(collection, item_id) if collection and collection in targets else None
            case str():
                named = (PageTarget(page_type, raw) for page_type in page_types_of(targets))
                return next((target for target in named if self._is_reserved(target)), None)
            case PageTarget():
                return raw if self._is_reserved(raw) else None
        return None

    def _is_reserved(self, target: PageTarget) -> bool:
        name = reservations.page_name(target.page_type, target.slug)
        return reservations.find_reserved(self._session, EntryKind.PAGE, name) is not None


class SentFields(Struct, frozen=True):
    """Fields and status that a request sends for one entry of a kind.

    `by_locale` holds raw fields. A `status` of None leaves it as it is. With `replaces` (PUT of an item) the fields
    replace all stored ones. With `unpublishes` the live version ends. A `status` of scheduled has the time
    `scheduled_at`.
    """

    kind: EntryKind
    by_locale: Mapping[str, Mapping[str, object]]
    status: Status | None
    replaces: bool = False
    scheduled_at: datetime | None = None
    unpublishes: bool = False


class Merged(Struct, frozen=True):
    """All versions of the entry as they are to be stored, and the errors by place (API reference, Writes).

    `saved` are the locales that the request wrote, each with the status it has there now. `sent` are the raw fields
    that the request sent, by locale, with clean HTML. `warnings` name markup that was removed, by place.
    """

    versions: tuple[VersionChange, ...]
    saved: tuple[tuple[str, Status], ...]
    errors: Mapping[str, list[str]]
    sent: Mapping[str, Mapping[str, object]]
    warnings: tuple[tuple[str, Dropped], ...] = ()


def merge_fields(
    current: Sequence[Entry] | None,
    sent: SentFields,
    specs: Sequence[FieldSpec],
    schema: ContentSchema,
    lookup: Lookup,
    *,
    is_settled: bool = True,
) -> Merged:
    """Merge the sent fields into the stored versions.

    With `current` None the versions are not known yet, and only the sent fields are checked. `is_settled` is False
    while writes wait that may change the versions. A draft over a published version keeps the published one;
    publishing replaces both (API reference, Locales and drafts). Untranslatable fields get one value in all versions
    once it is published.
    """
    versions = {(entry.locale, entry.version): _unchanged(entry) for entry in current or ()}
    created = {(entry.locale, entry.version): entry.created_at for entry in current or ()}
    saved: list[tuple[str, Status]] = []
    errors: dict[str, list[str]] = {}
    warnings: list[tuple[str, Dropped]] = []
    sent_fields: dict[str, Mapping[str, object]] = {}
    shared = _shared(sent.by_locale, specs)
    for locale, raw in sent.by_locale.items():
        base = versions.get((locale, Version.DRAFT)) or versions.get((locale, Version.LIVE))
        written = {**raw, **shared}
        if base is None and current is not None:
            written = {**_untranslatable(versions.values(), specs), **written}
        is_partial = not sent.replaces and (current is None or base is not None)
        known = base.fields if base else {} if is_partial else None
        result = clean_fields(written, specs, schema, lookup, partial=is_partial, current=known, is_settled=is_settled)
        sent_fields[locale] = result.with_clean_html({**raw, **shared})
        several = f"{locale}." if len(sent.by_locale) > 1 else ""
        errors |= {several + place: texts for place, texts in result.by_place().items()}
        warnings += [(several + warning.place, warning.dropped) for warning in result.warnings]
        status = sent.status or (base.status if base else Status.DRAFT)
        change = _placed(sent, locale, status, result.fields, base)
        if change.version is Version.LIVE or sent.unpublishes:
            versions.pop((locale, Version.DRAFT if change.version is Version.LIVE else Version.LIVE), None)
        if (locale, change.version) not in created and base is not None:
            change = replace(change, times=replace(change.times, created_at=created[locale, base.version]))
        versions[locale, change.version] = change
        saved.append((locale, change.status))
        _spread(versions, change, specs)
    return Merged(tuple(versions.values()), tuple(saved), errors, sent_fields, tuple(warnings))


def share_untranslatable(
    entries: Sequence[Entry], locale: str, specs: Sequence[FieldSpec]
) -> tuple[VersionChange, ...]:
    """Return the versions as they are, but give those in the locale the untranslatable fields of the others."""
    changes = tuple(map(_unchanged, entries))
    values = _untranslatable((change for change in changes if change.locale != locale), specs)
    return tuple(
        replace(change, fields={**change.fields, **values}) if change.locale == locale else change for change in changes
    )


def _unchanged(entry: Entry) -> VersionChange:
    """Return the change that keeps a version as it is; the store keeps its times."""
    return replace(change_of_version(entry), times=Times(scheduled_at=entry.scheduled_at))


def _placed(sent: SentFields, locale: str, status: Status, fields: Fields, base: VersionChange | None) -> VersionChange:
    version = KINDS[sent.kind].version(status)
    before = base or VersionChange(locale, version, status)
    at = (sent.scheduled_at or before.times.scheduled_at) if status is Status.SCHEDULED else None
    return replace(before, version=version, status=status, fields=fields, times=Times(scheduled_at=at))


def _shared(by_locale: Mapping[str, Mapping[str, object]], specs: Sequence[FieldSpec]) -> dict[str, object]:
    """Return the first value of each untranslatable field, if several locales were sent."""
    values: dict[str, object] = {}
    for raw in by_locale.values() if len(by_locale) > 1 else ():
        for spec in specs:
            if not spec.translatable and spec.slug in raw:
                values.setdefault(spec.slug, raw[spec.slug])
    return values


def _untranslatable(versions: Iterable[VersionChange], specs: Sequence[FieldSpec]) -> dict[str, FieldValue]:
    """Return the untranslatable values that a new locale gets, live ones if possible."""
    ordered = sorted(versions, key=lambda version: version.version is not Version.LIVE)
    fields = ordered[0].fields if ordered else {}
    return {spec.slug: fields[spec.slug] for spec in specs if not spec.translatable and spec.slug in fields}


def _spread(versions: dict[VersionKey, VersionChange], change: VersionChange, specs: Sequence[FieldSpec]) -> None:
    """Copy untranslatable values of a published version to all versions, of a draft to the other drafts only."""
    values = _untranslatable((change,), specs)
    for place, other in versions.items():
        if values and (change.version is Version.LIVE or other.version is Version.DRAFT):
            versions[place] = replace(other, fields={**other.fields, **values})
