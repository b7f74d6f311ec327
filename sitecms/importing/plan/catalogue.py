"""Catalogue of all records of a source: bodies in a temporary file, values for planning in memory."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.fingerprint import digest
from sitecms.content.status import Status
from sitecms.content.term import TermKind, name_key
from sitecms.importing.plan.extra_fields import ExtraValues
from sitecms.importing.plan.old_anchors import linked_anchors, possible_anchors, without_number
from sitecms.importing.records import (
    AuthorRecord,
    Comment,
    Declaration,
    EntryRecord,
    Kind,
    Media,
    Note,
    NoteKind,
    Place,
    Record,
    RedirectRecord,
    Site,
    StaticFile,
    TermRecord,
)
from sitecms.importing.report import ImportReport
from sitecms.importing.source import SourceFile
from sitecms.importing.unfit_text import fit_record
from sitecms.spool import Spool


class CatalogueEntry(Struct):
    """The part of an entry that stays in memory: `number` is its place in the spool, `digest` that of its record.

    `title` is kept only of entries without a slug, which is made of it.
    """

    number: int
    key: str
    kind: Kind
    group: str
    title: str
    slug: str
    old_url: str
    former_urls: tuple[str, ...]
    former_slugs: tuple[str, ...]
    status: Status
    published_at: datetime | None
    locale: str
    digest: str
    has_body: bool
    is_empty: bool = False
    has_fields: bool = False
    has_extras: bool = False
    translation_of: str = ""
    """The key of the page whose text in another locale this is, in a file of its own."""
    headings: frozenset[str] = frozenset()
    """Anchors that headings of the body may have had."""
    variants: tuple[int, ...] = ()
    variant_urls: tuple[tuple[str, str, str], ...] = ()
    """Key, locale and old address of each variant in another locale."""


class Catalogue(Struct):
    """Everything that one source holds. Variants and drafts are found through their entry."""

    spool: Spool[EntryRecord] = field(default_factory=Spool)
    site: Site = field(default_factory=Site)
    entries: dict[str, CatalogueEntry] = field(default_factory=dict)
    authors: dict[str, AuthorRecord] = field(default_factory=dict)
    terms: dict[tuple[TermKind, str], list[TermRecord]] = field(default_factory=dict)
    media: dict[str, Media] = field(default_factory=dict)
    media_of: dict[str, list[str]] = field(default_factory=dict)
    static: dict[str, SourceFile] = field(default_factory=dict)
    redirects: list[RedirectRecord] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    comments: Spool[Comment] = field(default_factory=Spool)
    extras: ExtraValues = field(default_factory=ExtraValues)
    used_authors: Counter[str] = field(default_factory=Counter)
    shown_authors: set[str] = field(default_factory=set)
    shown_terms: set[tuple[TermKind, str]] = field(default_factory=set)
    shown_locales: set[str] = field(default_factory=set)
    """Authors by key, and terms by kind and name key, of published posts: the others have no list."""
    files: set[str] = field(default_factory=set)
    """Files of the source that entries, or notes about skipped ones, come from."""
    anchors: set[str] = field(default_factory=set)
    """Anchors that any text links to, on whichever page."""

    def __enter__(self) -> "Catalogue":
        """Return the catalogue."""
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the temporary files."""
        self.spool.__exit__(*error)
        self.comments.__exit__(*error)

    def collect(self, records: Iterable[Record], report: ImportReport) -> None:
        """Add all records; count them, and report duplicates."""
        following: list[tuple[str, int]] = []
        for raw in records:
            record = fit_record(raw)
            if record is not raw:
                report.add(NoteKind.REPAIRED, "control characters removed", getattr(record, "place", None))
            match record:
                case EntryRecord():
                    self._add_entry(record, following, report)
                case AuthorRecord():
                    self.authors.setdefault(record.key, record)
                case TermRecord():
                    self._add_term(record)
                case Media():
                    self.media.setdefault(record.key, record)
                    if record.parent:
                        self.media_of.setdefault(record.parent, []).append(record.key)
                case StaticFile():
                    self.static.setdefault(record.path, record.file)
                case RedirectRecord():
                    self.redirects.append(record)
                case Declaration():
                    self.declarations.append(record)
                case Comment():
                    self.comments.append(record)
                case Note():
                    report.note(record)
                    if record.kind in (NoteKind.SKIPPED, NoteKind.LEFT_OUT):
                        self.files.add(record.place.file)
                case Site():
                    self._add_site(record)
        self.spool.flush()
        for main, number in following:
            variant = self.spool[number]
            if (known := self.entries.get(main)) and _has_own_file(known, variant):
                self.entries[variant.key] = _catalogue_entry(variant, number)
                self.entries[variant.key].translation_of = main
            elif known:
                known.variants += (number,)
                known.digest = digest((known.digest + record_digest(variant)).encode())
                if not variant.draft_of:
                    known.variant_urls += ((variant.key, variant.locale, variant.old_url),)
            else:
                self.entries[variant.key] = _catalogue_entry(variant, number)
        self.comments.flush()

    def note_linked_headings(self) -> None:
        """Make the digest of an entry depend on the links to its headings, whose anchors it may have to keep.

        Called once, when all records are known.
        """
        linked: dict[str, set[str]] = {}
        for anchor in self.anchors:
            for base in {anchor, without_number(anchor)}:
                linked.setdefault(base, set()).add(anchor)
        for known in self.entries.values():
            own = sorted({anchor for each in known.headings for anchor in linked.get(each, ())})
            if own:
                known.digest = digest("\n".join((known.digest, *own)).encode())

    def depend_on(self, signature: str) -> None:
        """Make the digest of every entry depend on a text; "" changes none."""
        for known in self.entries.values() if signature else ():
            known.digest = digest(f"{known.digest}\n{signature}".encode())

    def entry(self, key: str) -> EntryRecord | None:
        """Return the entry with that key, as it was read."""
        return self.spool[self.entries[key].number] if key in self.entries else None

    def variants(self, known: CatalogueEntry) -> Iterator[EntryRecord]:
        """Yield the other locales and drafts of an entry."""
        return (self.spool[number] for number in known.variants)

    def _add_entry(self, entry: EntryRecord, following: list[tuple[str, int]], report: ImportReport) -> None:
        if entry.key in self.entries:
            report.add(NoteKind.SKIPPED, f"duplicate entry with the key {entry.key}", entry.place)
            return
        self.files.add(entry.place.file)
        self.anchors.update(linked_anchors(entry.body))
        if entry.kind is Kind.POST:
            self.extras.see(entry)
        is_shown = entry.kind is Kind.POST and entry.status is Status.PUBLISHED and not entry.draft_of
        for author in entry.authors:
            self.used_authors[author] += 1
        if is_shown:
            self.shown_authors.update(entry.authors[:1])
            if entry.categories or entry.tags:
                self.shown_locales.add(entry.locale)
        for kind, names in ((TermKind.CATEGORY, entry.categories), (TermKind.TAG, entry.tags)):
            for name in names:
                self.terms.setdefault((kind, term_key(name)), [TermRecord(kind, name)])
                if is_shown:
                    self.shown_terms.add((kind, term_key(name)))
        number = self.spool.append(entry)
        main = entry.draft_of or (entry.translation_of if entry.kind is not Kind.POST else "")
        if main:
            following.append((main, number))
        else:
            self.entries[entry.key] = _catalogue_entry(entry, number)

    def _add_term(self, term: TermRecord) -> None:
        key = (term.kind, term_key(term.name))
        known = self.terms.setdefault(key, [])
        if known and not known[0].slug and not known[0].old_url:  # from an entry that only named it
            known.clear()
        if term not in known:
            known.append(term)

    def _add_site(self, site: Site) -> None:
        given = {name: value for name in Site.__struct_fields__ if (value := getattr(site, name))}
        if "media_hosts" in given:
            given["media_hosts"] = (*self.site.media_hosts, *site.media_hosts)
        self.site = replace(self.site, **given)


def term_name(text: str) -> str:
    """Return the name of a term: each run of white space as one space."""
    return " ".join(text.split())


def term_key(text: str) -> str:
    """Return the text by which the names of a source are compared: names that differ in case or spaces are one term."""
    return name_key(term_name(text))


def _has_own_file(known: CatalogueEntry, variant: EntryRecord) -> bool:
    """Return whether a variant is written in a Markdown file of its own: a page with a body and no other fields."""
    is_text = known.kind is Kind.PAGE and known.has_body and not known.has_fields
    return is_text and not variant.fields and not variant.draft_of


def _catalogue_entry(entry: EntryRecord, number: int) -> CatalogueEntry:
    return CatalogueEntry(
        number,
        entry.key,
        entry.kind,
        entry.group,
        "" if entry.slug else entry.title,
        entry.slug,
        entry.old_url,
        entry.former_urls,
        entry.former_slugs,
        entry.status,
        entry.published_at,
        entry.locale,
        record_digest(entry),
        bool(entry.body.strip()) or not (entry.fields or entry.group),
        not (entry.body.strip() or entry.fields or entry.data or entry.featured_image),
        bool(entry.fields),
        bool(entry.extras),
        headings=possible_anchors(entry.body),
    )


def record_digest(entry: EntryRecord) -> str:
    """Return a digest of all values of an entry except its place in the source."""
    return digest(repr(replace(entry, place=Place())).encode())
