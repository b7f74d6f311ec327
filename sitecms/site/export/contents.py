"""Content of an export for another system: entries with their addresses, terms, authors, redirects."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from sitecms.actions.entry_paths import item_paths, item_slug, item_title
from sitecms.content.addresses import ANY_LOCALE
from sitecms.content.author import Author
from sitecms.content.change import EntryKind
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.references import PageTarget, Target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.term import Term
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.redirect_rules import Rule, media_targets, read_rules, with_media
from sitecms.site.plan.redirect_sources import linkable_entries
from sitecms.site.plan.redirects import find_redirects
from sitecms.site.routes import Routes
from sitecms.site.snapshot import take_snapshot
from sitecms.store.database import Session
from sitecms.store.entries import draft_queries


class ExportedEntry(Struct, frozen=True):
    """A post, page or item in one locale. `group` is the page type or collection, "" for posts and Single Pages.

    `path` is its address, "" for an item without a page; `former` are old addresses that redirect to it. `translations`
    is equal for the variants of one entry. `at` is the time of publication, or the time for which it is scheduled.
    """

    kind: EntryKind
    id: int
    group: str
    translations: str
    locale: str
    slug: str
    title: str
    path: str
    status: Status
    at: datetime | None
    created_at: datetime
    updated_at: datetime
    former: tuple[str, ...] = ()
    post: Post | None = None
    page: Page | None = None
    item: Item | None = None

    @property
    def is_live(self) -> bool:
        """Return whether the entry is published."""
        return self.status is Status.PUBLISHED


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
    by_target: Mapping[tuple[str, str, str | int], ExportedEntry]
    """Pages and items by locale, type or collection, and slug or id."""

    def specs(self, entry: ExportedEntry) -> Sequence[FieldSpec]:
        """Return the declared fields of a post, page or item."""
        if entry.post:
            return self.schema.post_fields
        if entry.item:
            return self.schema.collections[entry.item.collection].fields
        return self.schema.page_fields(entry.page.page_type, entry.page.slug) if entry.page else ()


def entry_of(contents: Contents, target: Target, locale: str) -> ExportedEntry | None:
    """Return the target of a reference in a locale; None if it is not exported."""
    if isinstance(target, PageTarget):
        return contents.by_target.get((locale, target.page_type or "", target.slug))
    return contents.by_target.get((locale, target.collection, target.id))


def read_contents(session: Session, settings: SiteSettings) -> Contents:
    """Return everything outside the trash, drafts included, in the locales of the site."""
    written = read_rules(settings.folder)
    snapshot = take_snapshot(session, media=media_targets(written))
    rules, _errors = with_media(written, snapshot.media_places)
    routes = Routes(settings)
    shown_items = item_paths(snapshot.items, snapshot.schema, settings)
    redirects = find_redirects(
        linkable_entries(snapshot, routes),
        snapshot.former_names,
        snapshot.former_addresses,
        routes,
        lambda _path: "",
    )
    former: dict[str, list[str]] = {}
    for redirect in redirects.found:
        former.setdefault(redirect.target, []).append(redirect.path)
    notes: list[str] = []
    entries = [
        *(_post(post, routes, former) for post in draft_queries.all_whole_posts(session)),
        *_pages(_one_version_each(draft_queries.all_pages(session), notes), routes, former),
        *_items(_one_version_each(draft_queries.all_items(session), notes), snapshot.schema, shown_items, former),
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
        {_target_of(entry): entry for entry in reversed(entries_in_locales) if entry.page or entry.item},
    )


def _target_of(entry: ExportedEntry) -> tuple[str, str, str | int]:
    return entry.locale, entry.group, entry.id if entry.item else entry.slug


def _post(post: Post, routes: Routes, former: Mapping[str, list[str]]) -> ExportedEntry:
    path = routes.path(post)
    return ExportedEntry(
        EntryKind.POST,
        post.id,
        "",
        f"post-{post.group_id}",
        post.locale,
        post.slug,
        post.title,
        path,
        post.status,
        post.published_at if post.status is not Status.SCHEDULED else post.scheduled_at,
        post.created_at,
        post.updated_at,
        tuple(dict.fromkeys((*former.get(path, ()), *post.aliases))),
        post=post,
    )


def _one_version_each(versions: Iterable[Page | Item], notes: list[str]) -> list[Page | Item]:
    """Return one version of each page and item in a locale: the live one, else the draft."""
    live: dict[tuple[type, int, str], Page | Item] = {}
    hidden = 0
    for version in sorted(versions, key=lambda each: each.version is not Version.LIVE):
        key = (type(version), version.id, version.locale)
        hidden += key in live
        live.setdefault(key, version)
    if hidden:
        notes.append(f"{hidden} drafts over live pages and items: the live version is exported")
    return list(live.values())


def _pages(pages: Iterable[Page | Item], routes: Routes, former: Mapping[str, list[str]]) -> Iterable[ExportedEntry]:
    for page in pages:
        if isinstance(page, Page):
            path = routes.path(page)
            yield ExportedEntry(
                EntryKind.PAGE,
                page.id,
                page.page_type or "",
                f"page-{page.id}",
                page.locale,
                page.slug,
                page.title,
                path,
                page.status,
                page.published_at if page.status is not Status.SCHEDULED else page.scheduled_at,
                page.created_at,
                page.updated_at,
                tuple(dict.fromkeys((*former.get(path, ()), *_aliases(page, page.locale)))),
                page=page,
            )


def _items(
    items: Iterable[Page | Item],
    schema: ContentSchema,
    paths: Mapping[tuple[int, str], str],
    former: Mapping[str, list[str]],
) -> Iterable[ExportedEntry]:
    for item in items:
        if isinstance(item, Item) and item.collection in schema.collections:
            path = paths.get((item.id, item.locale), "")
            yield ExportedEntry(
                EntryKind.ITEM,
                item.id,
                item.collection,
                f"item-{item.id}",
                item.locale,
                item_slug(item, schema.collections[item.collection]),
                item_title(item, schema),
                path,
                item.status,
                item.published_at if item.status is not Status.SCHEDULED else item.scheduled_at,
                item.created_at,
                item.updated_at,
                tuple(dict.fromkeys((*former.get(path, ()), *_aliases(item, item.locale)))) if path else (),
                item=item,
            )


def _aliases(entry: Page | Item, locale: str) -> tuple[str, ...]:
    aliases = entry.addresses.aliases
    return (*aliases.get(locale, ()), *aliases.get(ANY_LOCALE, ()))
