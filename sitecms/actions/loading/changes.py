"""Steps that bring the changed files of a site folder to the store."""

from collections.abc import Callable, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.loading.reading.files import ContentFile, FileKind, FoundFiles
from sitecms.actions.loading.reading.media_import import take_named
from sitecms.actions.loading.reading.post_stream import POSTS_WORTH_PROCESSES, PostStream, read_post_files
from sitecms.actions.loading.reading.prepared import Prepared, Reading, prepare
from sitecms.actions.loading.report import LoadReport
from sitecms.actions.loading.storing.archives import settle_archives, terms_before
from sitecms.actions.loading.storing.changed_entries import ChangedEntries, hears_of_events, record_load_events
from sitecms.actions.loading.storing.context import LoadContext
from sitecms.actions.loading.storing.moved_entries import MovedEntries
from sitecms.actions.loading.storing.storing import Storing
from sitecms.actions.permalinks import address_settings
from sitecms.actions.writing.entry_terms import has_terms, save_all_terms
from sitecms.actions.writing.review_ends import end_published_reviews
from sitecms.content.change import AS_IN_FILE
from sitecms.content.kinds import EntryKind
from sitecms.content.references import Target
from sitecms.content.schema import ContentSchema
from sitecms.errors import FileError
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries import entry_state, references
from sitecms.store.entries.references import PostId
from sitecms.store.site_state import documents, loaded_files
from sitecms.store.site_state.loaded_files import LoadedFile
from sitecms.store.site_state.site_builds import count_site_change


class Changes(Struct, frozen=True):
    """Files in the folder, the changed ones among them, and the records of the last load.

    `mark` is the store's change mark when the records were read; `same_shape`: the content schema, the locales and the
    settings of addresses are those of the last load.
    """

    found: FoundFiles
    changed: Sequence[ContentFile]
    known: Mapping[str, LoadedFile]
    mark: str
    same_shape: bool

    @property
    def is_anything_gone(self) -> bool:
        """Return whether a file is no longer there, or no longer lists an item."""
        return bool(self.known.keys() - self.present) or any(file.absent for file in self.known.values())

    @property
    def present(self) -> frozenset[str]:
        """Paths of existing files, read or not."""
        return self.found.present

    @property
    def files(self) -> Sequence[ContentFile]:
        """Content files, in loading order."""
        return self.found.files


class Options(Struct, frozen=True):
    """The options of a load: `prune` deletes entries of files that are gone, `adopt` takes over any entry."""

    prune: bool
    adopt: bool


class _Read(Struct, frozen=True):
    """The changed files as they were read: those without errors, errors of others, and posts read by processes."""

    prepared: Sequence[Prepared]
    errors: Sequence[FileError]
    stream: PostStream | None


def load_changes(
    database: Database, reading: Reading, changes: Changes, options: Options, tick: Callable[[], None]
) -> LoadReport:
    """Read the changed files, calling `tick` after each, and store those without errors."""
    posts = [file for file in changes.changed if file.kind is FileKind.POST]
    apart = posts if len(posts) >= POSTS_WORTH_PROCESSES else []
    paths = {file.path for file in apart}
    others = [file for file in changes.changed if file.path not in paths]
    prepared, errors = prepare(others, reading, tick)
    with read_post_files(apart, reading, tick) as stream:
        return _store_read(database, reading, changes, options, _Read(prepared, errors, stream))


def _store_read(database: Database, reading: Reading, changes: Changes, options: Options, read: _Read) -> LoadReport:
    """Store what was read, in one transaction."""
    report = LoadReport(0, unchanged=len(changes.files) - len(changes.changed))
    settings, schema, source = reading.settings, reading.schema, reading.source
    take_named(changes.changed, source, in_posts=bool(schema.post_fields))
    source.upload()
    if read.prepared or read.stream or changes.is_anything_gone or not changes.same_shape:
        with database.writing() as transaction:
            context = LoadContext(transaction, reading, changes.present, options.prune, options.adopt)
            former = documents.load_content_schema(transaction)
            is_first = former == ContentSchema()
            if has_new_schema := documents.save_content_schema(transaction, schema):
                from sitecms.actions.operations.reindex import reindex_kind

                reindex_kind(transaction, EntryKind.PAGE, schema)  # the searched fields may have changed
                if has_terms(schema) or has_terms(former):
                    save_all_terms(transaction, schema)
                if former.post_fields:
                    reindex_kind(transaction, EntryKind.POST, schema)
            changed = ChangedEntries(is_shown=has_new_schema)
            report = _store(context, changes, read, changed)
            changed.is_shown |= documents.save_address_settings(transaction, address_settings(settings, schema))
            _announce(context, changed)
            notes = _hidden(context, by_schema=has_new_schema and not is_first)
            report = replace(report, notes=(*report.notes, *notes))
            source.upload()  # files named in a way that `take_named` does not find
        source.make_sure()
    order = {file.path: number for number, file in enumerate(changes.files)}
    errors = [*read.errors, *changes.found.errors, *report.errors]
    errors.sort(key=lambda error: (order.get(error.file, 0), error.line or 0))
    return replace(report, errors=tuple(errors))


def _store(context: LoadContext, changes: Changes, read: _Read, changed: ChangedEntries) -> LoadReport:
    """Store the files, and again those that refer to entries that came or went; note changes in `changed`."""
    transaction, settings = context.transaction, context.settings
    is_as_known = transaction.change_mark() == changes.mark
    by_now = changes.known if is_as_known else loaded_files.all_loaded_files(transaction)
    before, terms = references.all_targets(transaction), terms_before(transaction)
    storing = Storing(context, by_now)
    done = {file.path for file in changes.changed if _was_just_loaded(file, changes.known, by_now)}
    prepared = [each for each in read.prepared if each.file.path not in done]
    stream = read.stream and read.stream.without(done)
    storing.follow_renames(prepared, stream)
    changing = {file.path: storing.known[file.path].entries for file in changes.changed if file.path in storing.known}
    moved = MovedEntries(transaction, settings, {pair for pairs in changing.values() for pair in pairs})
    storing.files(prepared, stream)
    storing.media(context.reading.source)  # includes media of fields, which are read while they are stored
    unfit = {error.file for error in (*read.errors, *storing.errors)}
    gone = storing.gone()
    vanished, pruned = gone.files()
    lost = gone.items(unfit)
    changed.add(storing.entries.changed)
    sound = [file for file in changes.files if file.path not in unfit]
    again, losers = files_to_read_again(transaction, sound, before)
    second = _store_again(context, again, losers, changed)
    archives = settle_archives(transaction, settings, terms, pruned)
    changed.is_shown |= archives.is_changed
    report = _merged_report(storing, second, {file.path for file in sound})
    removed = tuple(each for each in lost if context.prune and each.path not in unfit)
    left = tuple(each for each in lost if each not in removed)
    report = replace(report, vanished=vanished, pruned=pruned, vanished_items=left, pruned_items=removed)
    notes = (*report.notes, *gone.notes, *moved.notes(changing), *archives.notes)
    return replace(report, pruned_edits=tuple(gone.edits), notes=notes)


def _hidden(context: LoadContext, *, by_schema: bool) -> Sequence[str]:
    """Report stored values that are no longer shown, if the schema (`by_schema`) or the locales changed."""
    transaction, locales = context.transaction, context.settings.locales
    had_locales = bool(documents.load_locales(transaction))
    by_locales = documents.save_locales(transaction, locales) and had_locales
    if not by_schema and not by_locales:
        return ()
    from sitecms.actions.loading.storing.hidden_value_notes import hidden_by_locales, hidden_by_schema

    notes = hidden_by_schema(transaction, context.schema) if by_schema else ()
    return (*notes, *(hidden_by_locales(transaction, locales) if by_locales else ()))


def _announce(context: LoadContext, changed: ChangedEntries) -> None:
    """Note that the site has to be built again, end reviews, and record the events where somebody hears of them."""
    transaction = context.transaction
    if changed:
        count_site_change(transaction)
        end_published_reviews(transaction, context.reading.source.at)
    if changed and hears_of_events(transaction):
        record_load_events(transaction, changed, context.reading.source.at, context.settings.default_locale)


def _merged_report(first: Storing, second: LoadReport, sound: Set[str]) -> LoadReport:
    """Return one report of both passes; files with errors in the second pass do not count as loaded."""
    unfit = {error.file for error in second.errors}
    loaded = dict.fromkeys(path for path in (*first.loaded, *second.loaded) if path not in unfit)
    return LoadReport(
        seconds=0,
        loaded=tuple(loaded),
        unchanged=len(sound - unfit - loaded.keys()),
        replaced=first.replaced,
        errors=(*first.errors, *second.errors),
        notes=tuple(first.notes),
        former=first.former,
        conflicts=tuple(first.entries.conflicts),
    )


def _store_again(
    context: LoadContext, files: Sequence[ContentFile], lost: Set[str], changed: ChangedEntries
) -> LoadReport:
    """Load the files again whose references led nowhere; errors count for those that `lost` theirs in this load."""
    if not files:
        return LoadReport(0)
    transaction = context.transaction
    prepared, errors = prepare(files, context.reading, lambda: None)
    storing = Storing(replace(context, prune=False, adopt=False), loaded_files.all_loaded_files(transaction))
    storing.files(prepared)
    storing.media(context.reading.source)
    changed.add(storing.entries.changed)
    reported = tuple(error for error in (*errors, *storing.errors) if error.file in lost)
    read_next_time(transaction, {error.file for error in reported})
    return LoadReport(0, loaded=tuple(storing.loaded), errors=reported)


def _was_just_loaded(file: ContentFile, before: Mapping[str, LoadedFile], by_now: Mapping[str, LoadedFile]) -> bool:
    """Return whether a concurrent load has stored the file since this load looked."""
    found = by_now.get(file.path)
    if found is None or found == before.get(file.path):
        return False
    return (found.digest, found.context) == (file.digest, file.context)


Targets = Set[Target | PostId]


def files_to_read_again(
    session: Session, files: Sequence[ContentFile], before: Targets
) -> tuple[list[ContentFile], frozenset[str]]:
    """Return the files whose entries refer to missing entries, and the paths of those that lost one in this load.

    `before` are the entries before the load. Entries that were edited through the API stay unchanged.
    """
    after = references.all_targets(session)
    lost, is_any_new = before - after, bool(after - before)
    if not lost and not is_any_new:
        return [], frozenset()
    dangling: dict[tuple[str, int], set[Target | PostId]] = {}
    for kind, entry_id, named in references.all_named(session):
        if gone := named - after:
            dangling.setdefault((kind, entry_id), set()).update(gone)
    known = loaded_files.all_loaded_files(session) if dangling else {}
    again, losers = [], set()
    for file in files:
        pairs = known[file.path].entries if file.path in known else ()
        missing = {target for pair in pairs for target in dangling.get(pair, ())}
        is_hit = missing & lost or (missing and is_any_new)
        if is_hit and all(entry_state.origin_of(session, *pair) in AS_IN_FILE for pair in pairs):
            again.append(file)
            if missing & lost:
                losers.add(file.path)
    return again, frozenset(losers)


def read_next_time(transaction: Transaction, paths: Set[str]) -> None:
    """Mark the files as changed: they have an error, which every load reports until it is fixed."""
    known = loaded_files.all_loaded_files(transaction)
    for path in known.keys() & paths:
        loaded_files.save_loaded_file(transaction, known[path]._replace(digest="", stamp=""))
