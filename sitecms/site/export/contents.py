"""Content of an export for another system: entries with their addresses, terms, authors, redirects."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.entry_paths import item_paths, item_slug, title_of
from sitecms.actions.references import specs_of, target_of
from sitecms.content.addresses import ANY_LOCALE
from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.references import Target
from sitecms.content.schema import FEATURED_IMAGE, ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.term import Term
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.redirect_rules import Rule, media_targets, read_rules, with_media
from sitecms.site.plan.redirect_sources import linkable_entries
from sitecms.site.plan.redirects import find_redirects
from sitecms.site.routes import Routes
from sitecms.site.snapshot import take_snapshot
from sitecms.store.database import Session
from sitecms.store.entries.versions import VERSIONS


class ExportedEntry(Struct, frozen=True):
    """A post, or a page or item in one locale; `path` is its address, "" for an item without a page.

    `former` are old addresses that redirect to it, `terms` its categories, then its tags.
    """

    version: Entry
    slug: str
    title: str
    path: str
    former: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()

    @property
    def kind(self) -> EntryKind:
        """The kind of the entry."""
        return self.version.kind

    @property
    def id(self) -> int:
        """The id of the entry."""
        return self.version.id

    @property
    def group(self) -> str:
        """The page type or collection, "" for posts and Single Pages."""
        return self.version.type

    @property
    def translations(self) -> str:
        """A name that is equal for the variants of one entry."""
        return f"{self.kind}-{self.version.group_id}"

    @property
    def locale(self) -> str:
        """The locale of the version."""
        return self.version.locale

    @property
    def at(self) -> datetime | None:
        """The time of publication, or the time for which it is scheduled."""
        is_scheduled = self.version.status is Status.SCHEDULED
        return self.version.scheduled_at if is_scheduled else self.version.published_at

    @property
    def picture(self) -> tuple[str, str]:
        """The address of its featured picture, "" without one, and the description of that."""
        if "featured_image" in KINDS[self.kind].names:
            return self.version.featured_image, self.version.featured_image_alt
        found = self.version.fields.get(FEATURED_IMAGE)
        stored = found if isinstance(found, dict) else {}
        return str(stored.get("url") or ""), str(stored.get("alt") or "")


class Contents(Struct, frozen=True):
    """One snapshot of a site. `notes` name content that is left out."""

    settings: SiteSettings
    schema: ContentSchema
    routes: Routes
    entries: tuple[ExportedEntry, ...]
    authors: tuple[Author, ...]
    terms: tuple[Term, ...]
    media_names: tuple[str, ...]
    rules: tuple[Rule, ...]
    notes: tuple[str, ...]
    by_target: Mapping[tuple[str, Target], ExportedEntry]
    """Pages and items by locale and the target of references to them."""

    def specs(self, entry: ExportedEntry) -> Sequence[FieldSpec]:
        """Return the declared fields of a post, page or item."""
        return specs_of(entry.version, self.schema)

    def entry_of(self, target: Target, locale: str) -> ExportedEntry | None:
        """Return the target of a reference in a locale; None if it is not exported."""
        return self.by_target.get((locale, target))


def read_contents(session: Session, settings: SiteSettings) -> Contents:
    """Return everything outside the trash, drafts included, in the locales of the site."""
    written = read_rules(settings.folder)
    snapshot = take_snapshot(session, media=media_targets(written))
    rules, _errors = with_media(written, snapshot.media_places)
    routes = Routes(settings)
    shown_items = item_paths(snapshot.items, snapshot.schema, settings)
    redirects = find_redirects(linkable_entries(snapshot, routes), snapshot.former_addresses, routes, lambda _path: "")
    former: dict[str, list[str]] = {}
    for redirect in redirects.found:
        former.setdefault(redirect.target, []).append(redirect.path)
    versions, drafts = _one_version_each(stored.all(session, with_body=True) for stored in VERSIONS.values())
    notes = [f"{drafts} drafts over live pages and items: the live version is exported"] if drafts else []
    entries = [
        replace(_exported(version, snapshot.schema, routes, shown_items, former), terms=snapshot.terms_of(version))
        for version in versions
        if KINDS[version.kind].has_slug or version.type in snapshot.schema.collections
    ]
    entries_in_locales = tuple(entry for entry in entries if entry.locale in settings.locales)
    if len(entries_in_locales) < len(entries):
        notes.append(f"{len(entries) - len(entries_in_locales)} entries in locales that the site does not have")
    return Contents(
        settings,
        snapshot.schema,
        routes,
        entries_in_locales,
        snapshot.authors,
        (*snapshot.categories, *snapshot.tags),
        tuple(snapshot.media),
        rules,
        tuple(notes),
        {
            (entry.locale, target_of(entry.version)): entry
            for entry in reversed(entries_in_locales)
            if KINDS[entry.kind].is_target
        },
    )


def _one_version_each(kinds: Iterable[Iterable[Entry]]) -> tuple[list[Entry], int]:
    """Return one version of each entry in a locale: the live one, else the draft; and the number of others."""
    shown: list[Entry] = []
    count = 0
    for versions in kinds:
        by_entry: dict[tuple[int, str], Entry] = {}
        for version in sorted(versions, key=lambda each: each.version is not Version.LIVE):
            by_entry.setdefault((version.id, version.locale), version)
            count += 1
        shown += by_entry.values()
    return shown, count - len(shown)


def _exported(
    version: Entry,
    schema: ContentSchema,
    routes: Routes,
    items: Mapping[tuple[int, str], str],
    former: Mapping[str, list[str]],
) -> ExportedEntry:
    path, aliases = routes.find(version, items), version.addresses.aliases
    addresses = (*former.get(path, ()), *aliases.get(version.locale, ()), *aliases.get(ANY_LOCALE, ()))
    old = tuple(dict.fromkeys(addresses)) if path else ()
    slug = version.slug if KINDS[version.kind].has_slug else item_slug(version, schema.collections[version.type])
    return ExportedEntry(version, slug, title_of(version, schema), path, old)
