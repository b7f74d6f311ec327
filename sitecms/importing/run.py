"""Steps of an import: read all records, plan the site, convert texts, fetch media, write files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sitecms.content.term import TermKind
from sitecms.documents import dump_yaml
from sitecms.errors import InvalidRequest
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.entries import EntryPlan, Planned, foreign_slugs
from sitecms.importing.plan.files import DraftFile, FileMaker
from sitecms.importing.plan.new_site import planned_site
from sitecms.importing.plan.old_site import OldSite
from sitecms.importing.plan.redirects import FILE as REDIRECTS_FILE
from sitecms.importing.plan.redirects import plan_redirects
from sitecms.importing.plan.target import Target, open_target
from sitecms.importing.plan.terms import AUTHORS_FILE, FILES, TermPlan
from sitecms.importing.plan.texts import BodyChoice, TextNotes, Texts
from sitecms.importing.reader import Reader, ReaderOptions
from sitecms.importing.readers import detect, open_reader
from sitecms.importing.records import Kind, NoteKind, Place, Site
from sitecms.importing.report import Report
from sitecms.importing.source import Source
from sitecms.importing.write.site_files import declaration_text, write_list, write_settings
from sitecms.importing.write.state import NAME, EntryState, ImportState, load_state, state_path
from sitecms.importing.write.writer import Writer
from sitecms.progress import Progress


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of one import. `name` is that of the state file ("": the kind of the source)."""

    kind: str = ""
    name: str = ""
    is_dry: bool = False
    body: BodyChoice = BodyChoice.AUTO
    prune: bool = False
    reader: ReaderOptions = field(default_factory=ReaderOptions)


def import_site(folder: Path, given: Sequence[str], options: ImportOptions, progress: Progress | None = None) -> Report:
    """Import sources into a site folder, which is made if it is missing, and return the report.

    Raises InvalidRequest for a source that cannot be read, ConfigurationError for an invalid site.
    """
    source = Source(given)
    kind = options.kind or detect(source)
    target = open_target(folder)
    name = options.name or kind
    if not NAME.fullmatch(name):
        raise InvalidRequest(f"{name!r} is no name of an import: use lower-case letters, digits and hyphens.")
    state = load_state(state_path(folder, name))
    report, reader = Report(), open_reader(kind)
    with Catalogue() as catalogue:
        catalogue.collect(_told(reader.read(source, options.reader), progress), report)
        catalogue.collect([_overrides(options.reader)], report)
        _Import(folder, name, kind, catalogue, target, state, reader, options, report).run(progress)
    return report


def _overrides(options: ReaderOptions) -> Site:
    return Site(url=options.old_url, timezone=options.timezone, locale=options.locale)


def _told(records: Iterator[Any], progress: Progress | None) -> Iterator[Any]:
    """Yield the records, and report progress now and then; how many there will be is not known."""
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
        target: Target,
        state: ImportState,
        reader: Reader,
        options: ImportOptions,
        report: Report,
    ) -> None:
        self._folder, self._name, self._catalogue, self._options = folder, name, catalogue, options
        self._state, self._reader, self._report = state, reader, report
        self._old = OldSite.of(options.reader.old_url or catalogue.site.url)
        self._check_same_source(kind)
        target = planned_site(target, catalogue, self._old, report)
        self._terms = TermPlan(catalogue, target, self._old, report)
        self._target = replace(target, owner=target.owner or self._terms.main_author)
        kept = {key: (each.file, each.slug) for key, each in state.entries.items() if key in catalogue.entries}
        own = frozenset(each.file for each in state.entries.values())
        foreign = {} if target.is_new and not (folder / "content").is_dir() else foreign_slugs(folder, own)
        self._plan = EntryPlan(catalogue, self._target, self._old, report, kept, foreign)
        texts = Texts(catalogue, self._plan, self._terms, self._old, self._target, options.body)
        self._maker = FileMaker(reader, texts, self._plan, self._terms, self._target)
        self._writer = Writer(folder, name, state, report, is_dry=options.is_dry)

    def run(self, progress: Progress | None) -> None:
        """Write everything."""
        self._reserve()
        write_settings(self._writer, self._target)
        for declaration in self._catalogue.declarations:
            path = f"schema/{declaration.folder}/{declaration.name}.yaml"
            self._report.count("schema", self._writer.write_shared(path, declaration_text(declaration).encode()))
        self._write_lists()
        total = len(self._plan.by_key)
        for done, planned in enumerate(self._plan.by_key.values(), 1):
            if planned.known.kind is not Kind.ITEM:
                self._write_entry(planned)
            if progress:
                progress("Writing", done, total)
        self._write_items()
        self._note_gone()
        self._save()

    def _check_same_source(self, kind: str) -> None:
        site = self._catalogue.site.url
        if self._state.kind and (self._state.kind, self._state.site) != (kind, site):
            before = f"{self._state.kind} {self._state.site}".strip()
            raise InvalidRequest(
                f"imports/{self._name}.json is the state of another import ({before}). Name this one with --name."
            )
        self._state.kind, self._state.site = kind, site

    def _reserve(self) -> None:
        """Record the files to be written, so that an interrupted run knows them as its own."""
        for key, planned in self._plan.by_key.items():
            self._state.entries.setdefault(key, EntryState(planned.file, planned.slug))
        self._save()

    def _save(self) -> None:
        if not self._options.is_dry:
            self._state.save(state_path(self._folder, self._name))

    def _write_entry(self, planned: Planned) -> None:
        known, before = planned.known, self._state.entries[planned.known.key]
        self._count(planned, "read")
        if before.source == known.digest and not before.is_waiting:
            self._count(planned, "unchanged")
            return
        entry = self._catalogue.spool[known.number]
        draft, found = self._maker.make(planned, entry, tuple(self._catalogue.variants(known)))
        self._take(found)
        text = draft.text(self._places(draft)).encode()
        self._count(planned, self._writer.write_entry(known.key, text, known.digest, is_waiting=False).value)

    def _write_items(self) -> None:
        """Write one file for each collection, its items in the order of the source."""
        by_file: dict[str, list[Planned]] = {}
        for planned in self._plan.by_key.values():
            if planned.known.kind is Kind.ITEM:
                by_file.setdefault(planned.file, []).append(planned)
        for path, items in by_file.items():
            entries = []
            for planned in items:
                self._count(planned, "read")
                entry = self._catalogue.spool[planned.known.number]
                facts, found = self._maker.make_item(planned, entry, tuple(self._catalogue.variants(planned.known)))
                self._take(found)
                entries.append(facts.filled(self._places(facts)))
                self._state.entries[planned.known.key] = EntryState(path, planned.slug, planned.known.digest)
            self._report.count("collections", self._writer.write_shared(path, dump_yaml(entries).encode()))

    def _take(self, found: TextNotes) -> None:
        for note in found.notes:
            self._report.note(note)
        for name, number in found.counts.items():
            self._report.count("texts", name, number)

    def _places(self, draft: DraftFile) -> dict[str, str]:
        """Return the addresses of a file's media."""
        return {token: wanted.addresses[-1] for token, wanted in draft.media.items()}

    def _count(self, planned: Planned, what: str) -> None:
        name = {Kind.POST: "posts", Kind.PAGE: "pages", Kind.ITEM: "items"}[planned.known.kind]
        self._report.count(name, what)

    def _write_lists(self) -> None:
        lists = [(AUTHORS_FILE, self._terms.author_entries(), "slug")]
        lists += [(FILES[kind], self._terms.term_entries(kind), "name") for kind in TermKind]
        rules = plan_redirects(self._catalogue, self._plan, self._terms, self._old, self._target, self._report)
        for path, entries, name in (*lists, (REDIRECTS_FILE, rules, "from")):
            self._report.count(Path(path).stem, "read", len(entries))
            if entries:
                write_list(self._writer, self._folder, path, entries, name, self._report)

    def _note_gone(self) -> None:
        """Report entries of earlier runs that the source does not have any more; remove them with `prune`."""
        for key in sorted(self._state.entries.keys() - self._catalogue.entries.keys()):
            record = self._state.entries[key]
            if self._options.prune and self._writer.remove(record):
                self._report.count("files", "removed")
                if not self._options.is_dry:
                    del self._state.entries[key]
            else:
                remedy = "remove it with --prune, if it is not edited"
                self._report.add(NoteKind.FILE, "no longer in the source", Place(record.file), remedy)
