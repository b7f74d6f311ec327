"""Conversion of raw pages and items to changes: fields are cleaned by the schema, references looked up."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from sitecms.actions.loading.reading.file_checks import RemovedMarkup
from sitecms.actions.loading.reading.media_import import MEDIA_REMEDY, FileMedia
from sitecms.actions.loading.reading.prepare_posts import as_of
from sitecms.actions.loading.reading.raw import RawItems, RawPage, RawVersion
from sitecms.actions.references import ItemsByValues, find_reference
from sitecms.content.change import ItemChange, PageChange, VersionChange
from sitecms.content.field_value import Fields
from sitecms.content.fields import RawReference
from sitecms.content.references import Target
from sitecms.content.schema.types import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.media_links import MEDIA_FOLDER, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.content.validation import CleanResult, clean_fields
from sitecms.documents import Locate, Step, place_of
from sitecms.errors import FileError, InvalidFiles
from sitecms.store.database import Session


class StoreLookup:
    """Lookup of references in the open transaction, which has every entry of the load at least by name."""

    def __init__(self, session: Session, media: FileMedia, wheres: ItemsByValues) -> None:
        self._session = session
        self._media = media
        self._wheres = wheres

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """Return the referenced entry; the first target that has one wins."""
        return find_reference(self._session, targets, raw, self._wheres)

    def media(self, url: str) -> str | None:
        """Return the address of local media, None if it does not exist; remote addresses are returned unchanged."""
        if not url.removeprefix("/").startswith(MEDIA_FOLDER):
            return url
        problems = len(self._media.problems)
        found = self._media.resolve(url)
        del self._media.problems[problems:]  # the field reports it with its place
        return found.src if found else None

    def html(self, text: str, report: ReportDropped) -> str:
        """Return sanitised HTML with local media resolved; missing media are collected for `take_problems`."""
        return resolve_media(sanitize(text, report), self._media.resolve)

    def markdown(self, text: str, report: Callable[[str], None]) -> str:
        """Return Markdown with local media resolved."""

        def address(written: str) -> str | None:
            problems = len(self._media.problems)
            found = self._media.resolve(written)
            for problem in self._media.problems[problems:]:
                report(f"{problem}; {MEDIA_REMEDY}.")
            del self._media.problems[problems:]  # the field reports it with its place
            return found.src if found else None

        return replace_media(text, address)

    def take_problems(self) -> list[str]:
        """Return the problems with media in HTML since the last call."""
        taken, self._media.problems[:] = [*self._media.problems], []
        return taken


class FieldCleaner:
    """Cleaner of the versions in one file; collects errors and removed markup."""

    def __init__(self, path: str, schema: ContentSchema, lookup: StoreLookup, locate: Locate, at: datetime) -> None:
        self._path = path
        self._at = at
        self._schema = schema
        self._lookup = lookup
        self._locate = locate
        self.errors: list[FileError] = []
        self.removed: list[RemovedMarkup] = []

    def versions(self, raw: Sequence[RawVersion], specs: Sequence[FieldSpec]) -> tuple[VersionChange, ...]:
        """Return the cleaned versions of one entry."""
        return tuple(change for version in raw for change in self._version(version, specs))

    def raise_errors(self) -> None:
        """Raise InvalidFiles if errors were collected."""
        if self.errors:
            raise InvalidFiles(self.errors)

    def _version(self, raw: RawVersion, specs: Sequence[FieldSpec]) -> Iterator[VersionChange]:
        live = self._clean(raw.fields, specs, raw.place)
        status, times = as_of(self._at, raw.status, raw.times)
        version = Version.LIVE if status is Status.PUBLISHED else Version.DRAFT
        yield VersionChange(raw.locale, version, status, live, times)
        if raw.draft is not None and version is Version.DRAFT:
            self._refuse_draft(raw, status)
        elif raw.draft is not None:
            draft = self._clean(raw.draft, specs, raw.draft_place, live)
            yield VersionChange(raw.locale, Version.DRAFT, raw.draft_status, draft, raw.draft_times)

    def _refuse_draft(self, raw: RawVersion, status: Status) -> None:
        problem = f"is given, but in {raw.locale} the entry itself is {status.value}: nothing for it to lie over"
        remedy = "write status: published, or put these fields under fields"
        self.errors.append(
            FileError(self._path, place_of(raw.draft_place), problem, remedy, self._locate(raw.draft_place))
        )

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
            self.errors.append(FileError(self._path, place_of(path), message.text, line=self._locate(path)))
        for warning in result.warnings:
            path = (*place, *warning.path)
            self.removed.append(RemovedMarkup(place_of(path), warning.dropped, self._locate(path)))
        for problem in self._lookup.take_problems():
            self.errors.append(FileError(self._path, place_of(place), problem, MEDIA_REMEDY, self._locate(place)))
        return result.fields


def clean_page(
    page_id: int, page_type: str | None, raw: RawPage, cleaner: FieldCleaner, schema: ContentSchema
) -> PageChange:
    """Return the change of a page. Raises InvalidFiles."""
    versions = cleaner.versions(raw.versions, schema.page_fields(page_type))
    cleaner.raise_errors()
    return PageChange(page_id, page_type, raw.slug, raw.title, versions)


def clean_items(
    ids: Sequence[int], collection: str, raw: RawItems, cleaner: FieldCleaner, schema: ContentSchema
) -> tuple[ItemChange, ...]:
    """Return the changes of items. Raises InvalidFiles."""
    specs = schema.collection(collection).fields
    changes = tuple(
        ItemChange(item_id, collection, cleaner.versions(item.versions, specs))
        for item_id, item in zip(ids, raw.items, strict=True)
    )
    cleaner.raise_errors()
    return changes
