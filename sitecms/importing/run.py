"""Steps of an import: read all records, plan the site, convert texts, collect media, write files."""

import time
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.authoring.new_site import refuse_folder
from sitecms.content.author import AUTHORS_FILE
from sitecms.content.fingerprint import digest
from sitecms.content.term import TERM_FILES, TermKind
from sitecms.documents import dump_yaml
from sitecms.documents.folders import STATIC_FOLDER
from sitecms.errors import InvalidRequest
from sitecms.importing.conversion import Conversion
from sitecms.importing.media.collector import LocalMedia, MediaChoice, MediaCollector, MediaOptions
from sitecms.importing.media.needed_media import (
    SOURCE_SCHEME,
    NeededMedia,
    is_document_path,
    is_media_path,
    needed_media,
    upload_kind,
)
from sitecms.importing.menus import MENU, without_menu
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.entries import EntryPlan, Planned, foreign_slugs
from sitecms.importing.plan.extra_fields import FILE as EXTRAS_FILE
from sitecms.importing.plan.extra_fields import ExtraFields, plan_extra_fields
from sitecms.importing.plan.files import FileMaker
from sitecms.importing.plan.old_site import OldSite
from sitecms.importing.plan.redirects import attachment_pages, list_paths, live_paths, plan_redirects
from sitecms.importing.plan.target import open_target, planned_site
from sitecms.importing.plan.terms import TermPlan
from sitecms.importing.plan.texts import BodyChoice, Texts
from sitecms.importing.reader import Reader, ReaderOptions
from sitecms.importing.readers import detect, open_reader
from sitecms.importing.records import Kind, Media, NoteKind, Place, Site
from sitecms.importing.report import ImportReport
from sitecms.importing.selection import Selection
from sitecms.importing.shortcodes import read_table
from sitecms.importing.source import Source
from sitecms.importing.state import FOLDER as STATE_FOLDER
from sitecms.importing.state import NAME, EntryState, ImportState, Journal, exclusive, load_state, state_path
from sitecms.importing.static_files import copy_static, plan_static
from sitecms.importing.write import Writer, declaration_text, write_comments, write_list, write_settings
from sitecms.plugins.site_plugins import IMPORTERS, SitePlugins
from sitecms.progress import Progress
from sitecms.settings.site import REDIRECTS_FILE, SETTINGS_FILE
from sitecms.web_address import split_address

_SAVE_EVERY_SECONDS = 20.0


class ImportOptions(Struct, frozen=True):
    """Options of one import.

    `name` is that of the state file ("": the kind of the source), `authors` are slugs of authors by their names in
    the source, `comments` is a file for readers' comments, `selection` says which entries are wanted.
    """

    kind: str = ""
    name: str = ""
    is_dry: bool = False
    body: BodyChoice = BodyChoice.AUTO
    prune: bool = False
    reader: ReaderOptions = field(default_factory=ReaderOptions)
    media: MediaOptions = field(default_factory=MediaOptions)
    authors: Mapping[str, str] = field(default_factory=dict)
    comments: Path | None = None
    selection: Selection = field(default_factory=Selection)
    plugins: SitePlugins = SitePlugins()


def import_site(
    folder: Path, given: Sequence[str], options: ImportOptions, progress: Progress | None = None
) -> ImportReport:
    """Import sources into a site folder, which is created if it is missing, and return the report.

    Raises InvalidRequest for a source that cannot be read, ConfigurationError for an invalid site.
    """
    source = Source(given)
    kind = options.kind or detect(source, options.plugins)
    name = options.name or kind
    if not NAME.fullmatch(name):
        raise InvalidRequest(f"{name!r} is not a valid name of an import: use lower-case letters, digits and hyphens.")
    if not (folder / SETTINGS_FILE).is_file() and not (folder / STATE_FOLDER).is_dir():  # nor one that was interrupted
        refuse_folder(folder)
    with nullcontext() if options.is_dry else exclusive(folder), options.plugins.blaming(IMPORTERS, kind):
        return _import(folder, name, kind, source, options, progress)


def _import(
    folder: Path, name: str, kind: str, source: Source, options: ImportOptions, progress: Progress | None
) -> ImportReport:
    state = load_state(state_path(folder, name))
    state.media.update(Journal(folder, name).read())
    report, reader = ImportReport(), open_reader(kind, options.plugins)
    with Catalogue() as catalogue:
        shortcodes = read_table(folder).over(options.reader.shortcodes)
        reader_options = replace(options.reader, site_timezone=open_target(folder).timezone, shortcodes=shortcodes)
        records = options.selection.wanted(reader.read(source, reader_options))
        records = without_menu(records, folder, state.files.keys())
        catalogue.collect(_with_progress(records, progress), report)
        given = options.reader
        catalogue.collect([Site(url=given.old_url, timezone=given.timezone, locale=given.locale)], report)
        catalogue.note_linked_headings()
        catalogue.depend_on(shortcodes.signature)
        report.count_texts((file.name for file in source.files), catalogue.files)
        for link in source.links:
            report.add(NoteKind.SKIPPED, "a symbolic link, which is not followed", Place(link))
        _Import(folder, name, kind, catalogue, state, source, reader, options, report).run(progress)
    return report


def _picture(author: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, str]:
    """Return the profile image of an author as files write it; "" for one that is not at hand."""
    address = author.get("profile_image", "")
    address_in_file = places.get(address, address)
    return {"profile_image": "" if address_in_file.startswith("/") else address_in_file} if address else {}


def _published(file: str) -> str:
    """Return the target of a rule that leads to a file in media/ or static/."""
    return file if not file.startswith(f"{STATIC_FOLDER}/") else "/" + quote(file.removeprefix(f"{STATIC_FOLDER}/"))


def _with_progress(records: Iterator[Any], progress: Progress | None) -> Iterator[Any]:
    """Yield the records, and report progress for every 200; the total is unknown."""
    number = 0
    for number, record in enumerate(records, 1):
        if progress and number % 200 == 0:
            progress("Reading", number, number)
        yield record
    if progress and number:
        progress("Reading", number, number)


class _Import:
    """One run over a catalogue."""

    def __init__(
        self,
        folder: Path,
        name: str,
        kind: str,
        catalogue: Catalogue,
        state: ImportState,
        source: Source,
        reader: Reader,
        options: ImportOptions,
        report: ImportReport,
    ) -> None:
        self._folder, self._name, self._catalogue, self._options = folder, name, catalogue, options
        self._state, self._report = state, report
        self._old = OldSite.of(options.reader.old_url or catalogue.site.url)
        self._check_same_source(kind)
        target = planned_site(open_target(folder), catalogue, self._old, report)
        self._terms = TermPlan(catalogue, target, self._old, report, options.authors)
        self._target = replace(target, owner=target.owner or self._terms.main_author)
        kept = {key: (each.file, each.slug) for key, each in state.entries.items() if key in catalogue.entries}
        own = frozenset(each.file for each in state.entries.values())
        foreign = foreign_slugs(folder, own) if (folder / "content").is_dir() else {}
        lists = list_paths(catalogue, self._terms, self._target)
        self._plan = EntryPlan(catalogue, self._target, self._old, report, kept, foreign, lists)
        self._target = replace(self._target, home=self._plan.home)
        texts = Texts(catalogue, self._plan, self._terms, self._old, self._target, options.body)
        maker = FileMaker(reader, texts, self._plan, self._terms, self._target, self._extra_fields())
        self._texts = texts
        self._conversion = Conversion(catalogue, maker, report)
        self._writer = Writer(folder, name, state, report, is_dry=options.is_dry)
        local = LocalMedia(source, options.media.given)
        media = (folder, name, state, local, options.media, report)
        files = (each for each in catalogue.media.values() if each.file and each.address)
        self._served = {f"{SOURCE_SCHEME}{each.file}": each.address for each in files}
        self._media = MediaCollector(*media, is_dry=options.is_dry, served=self._served)

    def run(self, progress: Progress | None) -> None:
        """Convert what has changed, collect its media, write everything."""
        self._reserve()
        changed = [planned for planned in self._plan.by_key.values() if self._must_convert(planned)]
        with self._conversion:
            self._conversion.convert(changed, progress)
            self._collect_author_pictures()
            self._plan.by_old_path.clear()  # only texts need it; of a large site, it is much memory
            places = self._media.collect(self._conversion.media, self._unnamed_media(), progress)
            self._remember_old_media()
            self._conversion.media.clear()
            self._save()
            write_settings(self._writer, self._target)
            self._write_schema()
            self._write_lists(places)
            self._write_entries(places, progress)
        self._write_comments()
        self._note_gone()
        self._count_source()
        self._save()

    def _extra_fields(self) -> ExtraFields:
        """Return the fields of posts made of unknown keys; none if the source declares fields of posts itself.

        Posts with such keys are made again when the fields have changed.
        """
        catalogue = self._catalogue
        if not catalogue.extras.keys or any(not each.folder for each in catalogue.declarations):
            return ExtraFields({})
        extras = plan_extra_fields(catalogue.extras, self._folder, self._state.files.get(EXTRAS_FILE, ""))
        extras.note(catalogue.extras, self._report)
        if declaration := extras.declaration():
            catalogue.declarations.append(declaration)
        for known in catalogue.entries.values():
            if known.has_extras:
                known.digest = digest((known.digest + extras.signature).encode())
        return extras

    def _check_same_source(self, kind: str) -> None:
        """Take the state of the last run. Raises InvalidRequest if it is that of another source.

        If the address of the old site was not known before, all entries are made again.
        """
        site, state = self._catalogue.site.url, self._state
        if state.kind == kind and site and not state.site:
            for each in state.entries.values():
                each.source = ""
            state.media = {url: each for url, each in state.media.items() if not url.startswith("/")}
        elif state.kind and (state.kind, state.site) != (kind, site):
            before = f"{state.kind} {state.site}".strip()
            raise InvalidRequest(
                f"imports/{self._name}.json is the state of another import ({before}). Name this one with --name."
            )
        state.kind, state.site = kind, site

    def _reserve(self) -> None:
        """Record the files to be written, so that the run after an interrupted one may overwrite them."""
        for key, planned in self._plan.by_key.items():
            self._state.entries.setdefault(key, EntryState(planned.file, planned.slug))
        self._save()

    def _save(self) -> None:
        if not self._options.is_dry:
            self._state.save(state_path(self._folder, self._name))
            Journal(self._folder, self._name).clear()

    def _must_convert(self, planned: Planned) -> bool:
        """Count an entry; return whether its text must be converted, as that of each item, since items share a file."""
        self._count(planned, "read")
        before = self._state.entries[planned.known.key]
        is_same = before.source == planned.known.digest and not (before.is_waiting and self._may_have_media())
        if planned.known.kind is Kind.ITEM:
            return True
        if is_same:
            self._count(planned, "unchanged")
        return not is_same

    def _may_have_media(self) -> bool:
        """Return whether this run may get media that an earlier one did not."""
        media = self._options.media
        return media.is_retry or bool(media.given) or media.choice is MediaChoice.DOWNLOAD

    def _write_entries(self, places: Mapping[str, str], progress: Progress | None) -> None:
        items: dict[str, list[tuple[Planned, dict[str, Any]]]] = {}
        total, saved_at = len(self._conversion.done), time.monotonic()
        for number, (planned, draft) in enumerate(self._conversion.drafts(), 1):
            is_waiting = not self._media.missing.isdisjoint(draft.media)
            if planned.known.kind is Kind.ITEM:
                items.setdefault(planned.file, []).append((planned, draft.filled(places)))
            else:
                key, text = planned.known.key, draft.text(places).encode()
                outcome = self._writer.write_entry(key, text, planned.known.digest, is_waiting=is_waiting)
                self._count(planned, outcome.value)
            if progress:
                progress("Writing", number, total)
            if time.monotonic() - saved_at > _SAVE_EVERY_SECONDS:
                self._save()
                saved_at = time.monotonic()
        for path, held in items.items():
            outcome = self._writer.write_shared(path, dump_yaml([facts for _planned, facts in held]).encode())
            for planned, _facts in held:
                self._count(planned, outcome.value)
                self._state.entries[planned.known.key] = EntryState(path, planned.slug, planned.known.digest)

    def _count(self, planned: Planned, what: str) -> None:
        name = {Kind.POST: "posts", Kind.PAGE: "pages", Kind.ITEM: "items"}[planned.known.kind]
        self._report.count(name, what)

    def _write_schema(self) -> None:
        for declaration in self._catalogue.declarations:
            folder = f"schema/{declaration.folder}" if declaration.folder else "schema"
            path = f"{folder}/{declaration.name}.yaml"
            self._report.count("schema", self._writer.write_shared(path, declaration_text(declaration).encode()))

    def _collect_author_pictures(self) -> None:
        """Add the profile images of authors to the media of texts."""
        notes = self._texts.begin()
        for key, facts in self._terms.authors.items():
            if facts.profile_image:
                self._terms.authors[key] = replace(facts, profile_image=self._texts.author_picture(facts.profile_image))
        self._conversion.media |= notes.media
        self._conversion.public.update(notes.media)

    def _unnamed_media(self) -> dict[str, NeededMedia]:
        """Return the files of the source that no text names, if they are wanted, or else note how many there are."""
        named = {url for each in self._conversion.media.values() for url in each.addresses} | self._state.media.keys()
        served = {f"{SOURCE_SCHEME}{file.name}" for file in self._catalogue.static.values()}
        others: dict[str, NeededMedia] = {}
        for each in self._catalogue.media.values():
            address = f"{SOURCE_SCHEME}{each.file}" if each.file else each.address
            if not address or address in named or address in served:
                continue
            if self._options.media.takes_all and not is_document_path(self._served.get(address, address)):
                remedy = "copy it to static/ if you need it"
                self._report.add(NoteKind.LEFT_OUT, "uploads that are no documents", Place(address), remedy)
            elif self._options.media.takes_all:
                needed = needed_media(address, each.path, is_exact=True)
                others[needed.token] = needed
            elif is_media_path(split_address(address).path):
                remedy = "publish them at their old addresses with --all-media"
                self._report.add(NoteKind.LEFT_OUT, "uploads that no text names", Place(address), remedy)
        return others

    def _remember_old_media(self) -> None:
        """Remember the old addresses of media that published entries name, in the order of the texts."""
        for token, needed in self._conversion.media.items():
            known = self._state.media.get(needed.addresses[0])
            if known is None or not known.file or token not in self._conversion.public:
                continue
            urls = (self._served.get(url, url) for url in needed.addresses)
            paths = (self._old.path_of(url) for url in urls if url and not url.startswith(SOURCE_SCHEME))
            names = (path.partition("?")[0] for path in paths if path)
            known.old = tuple(dict.fromkeys((*known.old, *names)))

    def _write_lists(self, places: Mapping[str, str]) -> None:
        authors = [{**each, **_picture(each, places)} for each in self._terms.author_entries()]
        lists: list[tuple[str, Sequence[Mapping[str, Any]], str]] = [(AUTHORS_FILE, authors, "slug")]
        lists += [(TERM_FILES[kind], self._terms.term_entries(kind), "name") for kind in TermKind]
        held = sorted(self._state.media.items())  # in one order, whatever that of the runs before
        media = ((path, _published(each.file)) for _url, each in held if each.file for path in each.old)
        pages = ((media, self._file_of(media)) for media in self._catalogue.media.values())
        files = (*media, *attachment_pages(pages, self._plan, self._old))
        rules = plan_redirects(self._catalogue, self._plan, self._terms, self._old, self._target, self._report, files)
        self._copy_static({rule["from"] for rule in rules})
        for path, entries, name in (*lists, (REDIRECTS_FILE, rules, "from")):
            self._report.count(Path(path).stem, "read", len(entries))
            if entries:
                write_list(self._writer, self._folder, path, entries, name, self._report)

    def _file_of(self, media: Media) -> str:
        """Return the target of a rule that leads to a published media file; "" for one that is not on the site."""
        known = self._state.media.get(f"{SOURCE_SCHEME}{media.file}" if media.file else media.address)
        is_published = known and known.file and (known.old or known.file.startswith(f"{STATIC_FOLDER}/"))
        return _published(known.file) if known and is_published else ""

    def _copy_static(self, redirected: Set[str]) -> None:
        """Copy the files that the old site published as they are; remove copies of those that are in `media/` now."""
        static = self._catalogue.static
        if static and self._options.selection.is_partial:
            remedy = "import without --since and --only"
            self._report.add(NoteKind.LEFT_OUT, "files that go to static/", remedy=remedy, count=len(static))
            return
        live = live_paths(self._catalogue, self._plan, self._terms, self._target)
        plan = plan_static(static, self._state.media, live | redirected)
        copy_static(plan, self._writer, self._report)
        copies = {f"{STATIC_FOLDER}/{path}" for path in plan.files}
        for path in sorted(each for each in self._state.files if each.startswith(f"{STATIC_FOLDER}/")):
            is_moved = path.removeprefix(f"{STATIC_FOLDER}/") in static
            if path not in copies and (is_moved or self._options.prune):
                if self._writer.remove(path, self._state.files[path]):
                    self._report.count("static files", "removed")
                    del self._state.files[path]
            elif path not in copies:
                remedy = "remove it with --prune, if it is not edited"
                self._report.add(NoteKind.FILE, "no longer in the source", Place(path), remedy)

    def _write_comments(self) -> None:
        """Write the comments of readers, one in a line, or note how many there are."""
        if not len(self._catalogue.comments):
            return
        self._report.count("comments", "read", len(self._catalogue.comments))
        if self._options.comments is None:
            remedy = "keep them in a file with --comments FILE"
            self._report.add(NoteKind.LEFT_OUT, "comments", remedy=remedy, count=len(self._catalogue.comments))
        elif not self._options.is_dry:
            write_comments(self._options.comments, self._catalogue, self._plan)

    def _count_source(self) -> None:
        """Count entries by language and menu entries, and uploads by kind with those that arrived."""
        for entry in self._catalogue.entries.values():
            if entry.group == MENU:
                self._report.count("menu", "entries in the source")
            elif len(self._target.locales) > 1:
                self._report.count(f"language {self._target.locale_of(entry.locale)}", "entries in the source")
        for each in self._catalogue.media.values():
            if not is_document_path(each.file or each.address):
                continue
            kind = upload_kind(each.file or each.address)
            self._report.count(kind, "uploads in the source")
            known = self._state.media.get(f"{SOURCE_SCHEME}{each.file}" if each.file else each.address)
            if known and known.file:
                self._report.count(kind, "arrived")

    def _note_gone(self) -> None:
        """Report entries of earlier runs that the source does not have any more; remove them with `prune`."""
        known = self._catalogue.entries.keys() | self._options.selection.left_out
        for key in sorted(self._state.entries.keys() - known):
            record = self._state.entries[key]
            if self._options.prune and self._writer.remove(record.file, record.written):
                self._report.count("files", "removed")
                del self._state.entries[key]
            else:
                remedy = "remove it with --prune, if it is not edited"
                self._report.add(NoteKind.FILE, "no longer in the source", Place(record.file), remedy)
