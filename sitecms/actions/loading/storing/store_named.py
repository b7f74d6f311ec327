"""Storage of pages and items of a load, and validation of the fields of posts.

Pages and items are inserted by name alone first, so that files may refer to each other. Then fields are cleaned by the
schema and references looked up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from msgspec.structs import replace

from sitecms.actions.item_order import is_set_in_studio, with_items_of_file
from sitecms.actions.loading.reading.file_checks import RemovedMarkup, removed_notes
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia, MediaProblem
from sitecms.actions.loading.reading.prepare_posts import at_load
from sitecms.actions.loading.reading.prepared import Prepared
from sitecms.actions.loading.reading.raw import RawItems, RawPage, RawVersion
from sitecms.actions.loading.storing.changed_entries import WHOLE, ChangedEntries
from sitecms.actions.loading.storing.claim_named import claim_items, claim_page, release_items
from sitecms.actions.loading.storing.claims import Claims, Pair
from sitecms.actions.references import ItemsByValues, find_reference
from sitecms.actions.writing.save import SaveContext, save_entry
from sitecms.content.change import EntryKind, ItemChange, Origin, PageChange, PostChange, VersionChange
from sitecms.content.field_value import Fields
from sitecms.content.fields import RawReference
from sitecms.content.media import NO_SUCH_FILE
from sitecms.content.post import FIELDS
from sitecms.content.references import Target
from sitecms.content.revision import ChangeCause, ChangeSource
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.media_links import MEDIA_FOLDER, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.content.text.trusted_html import sanitize_trusted
from sitecms.content.validation import CleanResult, clean_fields
from sitecms.documents import Locate, Step, locator, place_of, read_front_matter
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import items, pages


class StoreLookup:
    """Lookup of references in the open transaction, which has every entry of the load at least by name."""

    def __init__(self, session: Session, media: FileMedia, wheres: ItemsByValues, settings: SiteSettings) -> None:
        self.zone = settings.zone
        self._session = session
        self._clean = sanitize_trusted if settings.trust_html else sanitize
        self._media = media
        self._wheres = wheres

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """Return the referenced entry; the first target that has one wins."""
        return find_reference(self._session, targets, raw, self._wheres)

    def media(self, url: str, report: Callable[[str], None]) -> str | None:
        """Return the address of local media, or report that it does not exist; remote addresses stay unchanged."""
        if not url.removeprefix("/").startswith(MEDIA_FOLDER):
            return url
        problems = len(self._media.problems)
        found = self._media.resolve(url)
        del self._media.problems[problems:]  # the field reports it with its place
        if found is None:
            report(NO_SUCH_FILE.format(url=url))
        return found.src if found else None

    def html(self, text: str, report: ReportDropped) -> str:
        """Return sanitised HTML with local media resolved; missing media are collected for `take_problems`."""
        return resolve_media(self._clean(text, report), self._media.resolve)

    def markdown(self, text: str, report: Callable[[str], None]) -> str:
        """Return Markdown with local media resolved."""

        def address(written: str) -> str | None:
            problems = len(self._media.problems)
            found = self._media.resolve(written)
            for problem in self._media.problems[problems:]:
                report(f"{problem.message}; {problem.remedy}.")
            del self._media.problems[problems:]  # the field reports it with its place
            return found.src if found else None

        return replace_media(text, address)

    def take_problems(self) -> list[MediaProblem]:
        """Return the problems with media in HTML since the last call."""
        taken, self._media.problems[:] = [*self._media.problems], []
        return taken


class FieldCleaner:
    """Cleaner of the versions in one file; collects errors and removed markup."""

    def __init__(
        self, file: ContentFile, schema: ContentSchema, lookup: StoreLookup, locate: Locate, at: datetime
    ) -> None:
        self._path = file.path
        self._dates = file.dates
        self._at = at
        self._schema = schema
        self._lookup = lookup
        self._locate = locate
        self.errors: list[FileError] = []
        self.removed: list[RemovedMarkup] = []

    def versions(self, raw: Sequence[RawVersion], specs: Sequence[FieldSpec]) -> tuple[VersionChange, ...]:
        """Return the cleaned versions of one entry."""
        return tuple(change for version in raw for change in self._version_in_file(version, specs))

    def _version_in_file(self, raw: RawVersion, specs: Sequence[FieldSpec]) -> Iterator[VersionChange]:
        """Yield the changes of a version; its errors name the file that it is written in."""
        whole = self._path, self._locate
        if raw.origin:
            self._path, self._locate = raw.origin.path, raw.origin.locate
        try:
            yield from self._version(raw, specs)
        finally:
            self._path, self._locate = whole

    def fields(self, raw: Mapping[str, object], specs: Sequence[FieldSpec], place: tuple[Step, ...]) -> Fields:
        """Return the cleaned fields at one place of the file."""
        return self._clean(raw, specs, place)

    def raise_errors(self) -> None:
        """Raise InvalidFiles if errors were collected."""
        if self.errors:
            raise InvalidFiles(self.errors)

    def _version(self, raw: RawVersion, specs: Sequence[FieldSpec]) -> Iterator[VersionChange]:
        live = self._clean(raw.fields, specs, raw.place)
        status, times = at_load(self._at, raw.status, raw.times, self._dates)
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
            self.errors.append(_media_error(self._path, place, problem, self._locate))
        return result.fields


def _is_undated(version: VersionChange) -> bool:
    return version.status is Status.PUBLISHED and version.times.published_at is None


def _media_error(path: str, place: tuple[Step, ...], problem: MediaProblem, locate: Locate) -> FileError:
    return FileError(path, place_of(place), problem.message, problem.remedy, locate(place))


def clean_page(
    page_id: int, page_type: str | None, raw: RawPage, cleaner: FieldCleaner, schema: ContentSchema
) -> PageChange:
    """Return the change of a page. Raises InvalidFiles."""
    versions = cleaner.versions(raw.versions, schema.page_fields(page_type, raw.slug))
    cleaner.raise_errors()
    return PageChange(page_id, page_type, raw.slug, raw.title, versions, raw.addresses, raw.titles)


def clean_items(
    ids: Sequence[int], collection: str, raw: RawItems, cleaner: FieldCleaner, schema: ContentSchema
) -> tuple[ItemChange, ...]:
    """Return the changes of items. Raises InvalidFiles."""
    specs = schema.collection(collection).fields
    changes = tuple(
        ItemChange(item_id, collection, cleaner.versions(item.versions, specs), item.addresses)
        for item_id, item in zip(ids, raw.items, strict=True)
    )
    cleaner.raise_errors()
    return changes


def line_of_field(file: ContentFile, steps: Sequence[Step]) -> int | None:
    """Return the line of a field under `fields`, or at the top of the front matter."""
    under = read_front_matter(file.file, file.path).data.get(FIELDS) or {}
    return locator(file.file)(steps if steps[1] in under else steps[1:])


class NamedEntries:
    """Steps `release`, `claim`, `clean` and `store`, each of which is done for all files before the next.

    Posts are cleaned after all claims, since their fields may refer to any page or item.

    `notes` are about removed markup, by path of the file.
    """

    def __init__(
        self,
        transaction: Transaction,
        settings: SiteSettings,
        schema: ContentSchema,
        claims: Claims,
        at: datetime,
        changed: ChangedEntries,
    ) -> None:
        self._transaction = transaction
        self._schema = schema
        self._limit = settings.limits.collection_items
        self._settings = settings
        self._claims = claims
        self._at = at
        self._changed = changed
        self._wheres = ItemsByValues()
        self._ids: dict[str, list[int]] = {}
        self.notes: dict[str, tuple[str, ...]] = {}
        self._clean: dict[str, PageChange | tuple[ItemChange, ...]] = {}

    def release(self, prepared: Prepared) -> None:
        """Release the items that another file of the load names."""
        if isinstance(prepared.content, RawItems):
            collection = self._schema.collection(prepared.file.group)
            release_items(self._transaction, prepared.file.path, collection, prepared.content, self._claims)

    def claim(self, prepared: Prepared) -> tuple[Pair, ...]:
        """Find or make the entries that the file means, by name alone."""
        file, content = prepared.file, prepared.content
        if isinstance(content, RawPage):
            page_id = claim_page(self._transaction, file.path, file.group or None, content, self._claims, self._at)
            self._ids[file.path] = [page_id]
            return ((EntryKind.PAGE.value, page_id),)
        if not isinstance(content, RawItems):
            return ()
        collection = self._schema.collection(file.group)
        ids = claim_items(self._transaction, file.path, collection, content, self._claims, self._at, self._limit)
        self._ids[file.path] = ids
        for item_id, item in zip(ids, content.items, strict=True):
            for version in item.versions:
                self._wheres.add(file.group, item_id, dict(version.fields))
        return tuple((EntryKind.ITEM.value, item_id) for item_id in ids)

    def clean(self, prepared: Prepared) -> None:
        """Validate the fields of the file's entries."""
        file, content = prepared.file, prepared.content
        ids = self._ids[file.path]
        lookup = StoreLookup(self._transaction, prepared.media, self._wheres, self._settings)
        if not isinstance(content, RawPage | RawItems):
            return
        cleaner = FieldCleaner(file, self._schema, lookup, content.locate, self._at)
        if isinstance(content, RawPage):
            self._clean[file.path] = clean_page(ids[0], file.group or None, content, cleaner, self._schema)
        else:
            self._clean[file.path] = clean_items(ids, file.group, content, cleaner, self._schema)
        self.notes[file.path] = tuple(removed_notes(file, cleaner.removed))

    def clean_post(self, prepared: Prepared, change: PostChange) -> PostChange:
        """Return the post with validated fields. Raises InvalidFiles."""
        file = prepared.file
        prepared.media.locale = change.locale
        lookup = StoreLookup(self._transaction, prepared.media, self._wheres, self._settings)
        cleaner = FieldCleaner(file, self._schema, lookup, partial(line_of_field, file), self._at)
        fields = cleaner.fields(change.fields, self._schema.post_fields, (FIELDS,))
        cleaner.raise_errors()
        self.notes[file.path] = tuple(removed_notes(file, cleaner.removed))
        return replace(change, fields=fields)

    def undated(self, path: str) -> tuple[Pair, ...]:
        """Return the published entries of a file whose time of publication the file does not say."""
        change = self._clean.get(path, ())
        entries = (change,) if isinstance(change, PageChange) else change
        kind = EntryKind.PAGE if isinstance(change, PageChange) else EntryKind.ITEM
        return tuple((kind.value, each.id) for each in entries if any(map(_is_undated, each.versions)))

    def store(self, prepared: Prepared) -> Iterator[tuple[Pair, Mapping[str, str]]]:
        """Store the file's entries; yield each with its replaced values."""
        change = self._clean[prepared.file.path]
        if isinstance(change, PageChange):
            yield (EntryKind.PAGE.value, change.id), self._store_page(prepared.file.path, change)
            return
        if self._changed.keeps_live:
            self._changed.remember(EntryKind.ITEM, items.item_versions(self._transaction, [each.id for each in change]))
        for each in change:
            pair = (EntryKind.ITEM.value, each.id)
            found = save_entry(self._context_of(prepared.file.path), each).replaced
            self._changed.save(pair, found)
            yield pair, {f"{each.id}.{name}": value for name, value in found.items()}
        self._place(prepared.file, [each.id for each in change])

    def _place(self, file: ContentFile, ids: Sequence[int]) -> None:
        """Keep the order of the file; items that changed places among those it had before count as changed.

        Items that it no longer lists come last, like those of requests, unless another file has them. An order that was
        set in the studio stays, unless the file has another one than when it was last loaded.
        """
        before = self._claims.earlier(file.path, EntryKind.ITEM)
        listed = [each for each in before if not self._claims.is_absent(file.path, each)]
        here, there, former = set(ids), set(before), set(listed)
        elsewhere = partial(self._claims.is_elsewhere, file.path, EntryKind.ITEM)
        places = items.places_of(self._transaction, file.group)
        others = [each for each in places if each not in here | former and not elsewhere(each)]
        last = [each for each in listed if each not in here and not elsewhere(each)]
        order = ids
        if is_set_in_studio(places, listed, others):
            stayed = [each for each in ids if each in former]
            if stayed in ([each for each in some if each in here & former] for some in (listed, places)):
                order = with_items_of_file(list(places), former, ids)
            else:
                last += others
                shown = ", ".join(map(str, places))
                note = f"{file.path}: its order of items replaces the one set in the studio ({shown})"
                self.notes[file.path] = (*self.notes[file.path], note)
        if items.place_items(self._transaction, order):
            self._changed.is_shown = True
        items.place_last(self._transaction, last)
        for old, new in zip(
            (each for each in before if each in here), (each for each in ids if each in there), strict=True
        ):
            if old != new:
                self._changed.save((EntryKind.ITEM.value, new), {WHOLE: ""})

    def _store_page(self, path: str, change: PageChange) -> Mapping[str, str]:
        pair = (EntryKind.PAGE.value, change.id)
        if self._changed.keeps_live:
            self._changed.remember(EntryKind.PAGE, pages.page_versions(self._transaction, change.id))
        found = save_entry(self._context_of(path), change).replaced
        self._changed.save(pair, found)
        if change.id in self._claims.renamed_pages:
            self._changed.save(pair, {WHOLE: change.slug})
        return found

    def _context_of(self, path: str) -> SaveContext:
        cause = ChangeCause(ChangeSource.FILE, path)
        return SaveContext(self._transaction, Origin.FILE, self._at, cause, schema=self._schema)
