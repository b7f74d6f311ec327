"""Raw pages and items into the store: their fields cleaned by the schema, references looked up."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from sitecms.actions.load_site.lookup import StoreLookup
from sitecms.actions.load_site.prepare_entries import RawItems, RawPage, RawVersion
from sitecms.content.fieldvalue import Fields
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.validation import CleanResult, clean_fields
from sitecms.content.write import ItemChange, Origin, PageChange, VersionChange
from sitecms.documents import Locate, Step, place_of
from sitecms.errors import Fault, InvalidFiles
from sitecms.store import items, pages
from sitecms.store.database import Transaction


class FieldCleaner:
    """Cleans the versions of the entries of one file, and gathers what is wrong with them."""

    def __init__(self, path: str, schema: ContentSchema, lookup: StoreLookup, locate: Locate) -> None:
        self._path = path
        self._schema = schema
        self._lookup = lookup
        self._locate = locate
        self.faults: list[Fault] = []

    def versions(self, raw: Sequence[RawVersion], specs: Sequence[FieldSpec]) -> tuple[VersionChange, ...]:
        """Every version of one entry, clean."""
        return tuple(change for version in raw for change in self._version(version, specs))

    def raise_faults(self) -> None:
        """Raises InvalidFiles if anything was wrong."""
        if self.faults:
            raise InvalidFiles(self.faults)

    def _version(self, raw: RawVersion, specs: Sequence[FieldSpec]) -> Iterator[VersionChange]:
        live = self._clean(raw.fields, specs, raw.place)
        version = Version.LIVE if raw.status is Status.PUBLISHED else Version.DRAFT
        yield VersionChange(raw.locale, version, raw.status, live, raw.times)
        if raw.draft is not None and version is Version.LIVE:
            draft = self._clean(raw.draft, specs, ("draft", "fields"), live)
            yield VersionChange(raw.locale, Version.DRAFT, Status.DRAFT, draft, raw.times)

    def _clean(
        self,
        raw: Mapping[str, object],
        specs: Sequence[FieldSpec],
        place: tuple[Step, ...],
        current: Fields | None = None,
    ) -> Fields:
        result: CleanResult = clean_fields(
            raw, specs, self._schema, self._lookup, partial=current is not None, current=current
        )
        for message in result.messages:
            path = (*place, *message.path)
            self.faults.append(Fault(self._path, place_of(path), message.text, line=self._locate(path)))
        return result.fields


def store_page(
    transaction: Transaction,
    page_id: int,
    page_type: str | None,
    raw: RawPage,
    cleaner: FieldCleaner,
    specs: Sequence[FieldSpec],
    at: datetime,
) -> dict[str, str]:
    """Save the page; what it replaced. Raises InvalidFiles."""
    versions = cleaner.versions(raw.versions, specs)
    cleaner.raise_faults()
    return pages.save_page(transaction, PageChange(page_id, page_type, raw.slug, raw.title, versions), Origin.FILE, at)


def store_items(
    transaction: Transaction,
    ids: Sequence[int],
    collection: str,
    raw: RawItems,
    cleaner: FieldCleaner,
    specs: Sequence[FieldSpec],
    at: datetime,
) -> dict[str, str]:
    """Save the items; what they replaced, by id and field. Raises InvalidFiles."""
    changes = [
        ItemChange(item_id, collection, cleaner.versions(item.versions, specs))
        for item_id, item in zip(ids, raw.items, strict=True)
    ]
    cleaner.raise_faults()
    replaced: dict[str, str] = {}
    for change in changes:
        found = items.save_item(transaction, change, Origin.FILE, at)
        replaced |= {f"{change.id}.{name}": value for name, value in found.items()}
    return replaced
