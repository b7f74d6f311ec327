"""Published content, read again once the store has changed; the same with one entry over it, and the page of that."""

import threading
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from sitecms.actions.garbage_collection import without_collector
from sitecms.content.entry import Entry
from sitecms.content.kinds import KINDS
from sitecms.content.term import Term, TermKind
from sitecms.settings.site import SiteSettings
from sitecms.site.images.image_plan import ImagePlan
from sitecms.site.plan.plan import PageJob, SharedValues, locale_plans
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.site.theme.theme import Theme
from sitecms.store.database import Database
from sitecms.store.entries.bodies import bodies_of


class PublishedContent:
    """The content that readers see, for any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._kept: tuple[int, Snapshot] | None = None

    def now(self) -> tuple[int, Snapshot]:
        """Return the number of changes of the store, and its published content."""
        with self._lock, self._database.reading() as session:
            number = session.change_number()
            if self._kept is None or self._kept[0] != number:
                self._kept = None  # both at once would take twice the memory
                with without_collector():
                    self._kept = number, take_snapshot(session)
            return self._kept

    def bodies(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of posts, by id."""
        return self._database.read(bodies_of, ids)


def with_entry(snapshot: Snapshot, entry: Entry) -> Snapshot:
    """Return the content with this entry in the place of the published one, or as the newest of its kind."""
    kind, there = KINDS[entry.kind], snapshot.by_kind.get(entry.kind, ())
    if kind.is_dated:
        entries = _with_dated(there, replace(entry, body=""))  # as all posts of a snapshot
    else:
        entries = _with_version(there, entry) or ((entry, *there) if kind.has_slug else (*there, entry))
    own = snapshot.terms_of(entry)
    return replace(
        snapshot,
        by_kind={**snapshot.by_kind, entry.kind: entries},
        categories=_with_terms(snapshot.categories, (each for each in own if each.kind is TermKind.CATEGORY)),
        tags=_with_terms(snapshot.tags, (each for each in own if each.kind is TermKind.TAG)),
    )


def body_of(entry: Entry) -> Bodies:
    """Return the body that the page of an entry shows, as a page job takes it."""
    return {entry.id: entry.body} if KINDS[entry.kind].has_body else {}


def _with_dated(posts: tuple[Entry, ...], post: Entry) -> tuple[Entry, ...]:
    """Return the posts with this one, newest first."""
    there = next((number for number, each in enumerate(posts) if each.id == post.id), None)
    if there is not None and posts[there].published_at == post.published_at:
        return (*posts[:there], post, *posts[there + 1 :])
    others = [each for each in posts if each.id != post.id]
    at = post.published_at or post.created_at
    place = next((number for number, each in enumerate(others) if (each.published_at or each.created_at) < at), None)
    return (*others, post) if place is None else (*others[:place], post, *others[place:])


def _with_version(entries: tuple[Entry, ...], entry: Entry) -> tuple[Entry, ...]:
    """Return the entries with this one in the place of its published version; () if it has none."""
    places = [(each.id, each.locale) for each in entries]
    key = entry.id, entry.locale
    return tuple(entry if place == key else each for place, each in zip(places, entries, strict=True)) * (key in places)


def _with_terms(terms: tuple[Term, ...], additional: Iterable[Term]) -> tuple[Term, ...]:
    new = [term for term in additional if term not in terms]
    return (*terms, *new) if new else terms


def plan_entry(
    snapshot: Snapshot,
    settings: SiteSettings,
    theme: Theme,
    entry: Entry,
    asset_urls: dict[str, str],
    images: ImagePlan,
    *,
    searchable: bool,
) -> PageJob | None:
    """Plan the page of an entry of the snapshot; None if it has none. `asset_urls` are those of `plan_assets`."""
    plans = locale_plans(snapshot, Routes(settings), theme, asset_urls, images, searchable=searchable)
    local = next((each for each in plans if each.locale == entry.locale), None)
    planned = local.page_of(entry) if local else None
    return SharedValues(local, settings, theme).job(planned) if local and planned else None
