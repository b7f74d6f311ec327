"""Validation of the fields of entries, with references and media looked up."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from sitecms.actions.loading.reading.file_checks import RemovedMarkup
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia, MediaProblem
from sitecms.actions.loading.reading.raw import RawEntry, RawVersion
from sitecms.actions.references import ItemsByValues, find_reference
from sitecms.content.change import VersionChange
from sitecms.content.field_value import Fields
from sitecms.content.fields import ItemMatch, RawReference
from sitecms.content.kinds import declared_fields
from sitecms.content.media import NO_SUCH_FILE
from sitecms.content.references import Target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Version
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.media_links import MEDIA_FOLDER, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.content.text.trusted_html import sanitize_trusted
from sitecms.content.validation import CleanResult, clean_fields
from sitecms.documents import Locate, Step, place_of
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session


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
        if isinstance(raw, ItemMatch):
            self._media.depend_on_collection(raw.collection)
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
    """Cleaner of the entries in one file; collects errors and removed markup."""

    def __init__(self, file: ContentFile, schema: ContentSchema, lookup: StoreLookup, locate: Locate) -> None:
        self._path = file.path
        self._schema = schema
        self._lookup = lookup
        self._locate = locate
        self.errors: list[FileError] = []
        self.removed: list[RemovedMarkup] = []

    def versions(self, entry: RawEntry) -> tuple[VersionChange, ...]:
        """Return the cleaned versions of one entry."""
        specs = declared_fields(self._schema, entry.kind, entry.group, entry.slug)
        return tuple(change for version in entry.versions for change in self._version_in_file(version, specs))

    def _version_in_file(self, raw: RawVersion, specs: Sequence[FieldSpec]) -> Iterator[VersionChange]:
        """Yield the changes of a version; its errors name the file that it is written in."""
        whole = self._path, self._locate
        if raw.origin:
            self._path, self._locate = raw.origin.path, raw.origin.locate
        try:
            yield from self._version(raw, specs)
        finally:
            self._path, self._locate = whole

    def raise_errors(self) -> None:
        """Raise InvalidFiles if errors were collected."""
        if self.errors:
            raise InvalidFiles(self.errors)

    def _version(self, raw: RawVersion, specs: Sequence[FieldSpec]) -> Iterator[VersionChange]:
        live = self._clean(raw.change.fields, specs, raw.place)
        yield replace(raw.change, fields=live)
        if raw.draft is not None and raw.change.version is Version.DRAFT:
            self._refuse_draft(raw)
        elif raw.draft is not None:
            yield replace(raw.draft, fields=self._clean(raw.draft.fields, specs, raw.draft_place, live))

    def _refuse_draft(self, raw: RawVersion) -> None:
        own = f"in {raw.change.locale} the entry itself is {raw.change.status.value}"
        problem = f"is given, but {own}: nothing for it to lie over"
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


def _media_error(path: str, place: tuple[Step, ...], problem: MediaProblem, locate: Locate) -> FileError:
    return FileError(path, place_of(place), problem.message, problem.remedy, locate(place))
