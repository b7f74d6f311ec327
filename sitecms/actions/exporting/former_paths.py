"""Former addresses of entries as aliases in files."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from sitecms.content.addresses import ANY_LOCALE, OwnAddresses, site_path
from sitecms.content.change import EntryKind
from sitecms.content.item import Item
from sitecms.content.page import Page
from sitecms.content.permalink import day_of, entry_path, is_dated
from sitecms.content.post import Post
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.entry_state import find_former_addresses, find_former_names

T = TypeVar("T", Page, Item)


class FormerPaths:
    """Former addresses that lead to entries by the present permalinks, without those that an entry has now."""

    def __init__(self, session: Session, settings: SiteSettings, posts: Sequence[Post], pages: Sequence[Page]) -> None:
        self._settings = settings
        present = {self._post_path(post) for post in posts} | {self._page_path(page) for page in pages}
        present |= {site_path(alias) for post in posts for alias in post.aliases}
        found: dict[tuple[EntryKind, int, str], dict[str, None]] = defaultdict(dict)
        for kind, entry_id, locale, path in self._all(session, posts, pages):
            if path not in present:
                present.add(path)
                found[kind, entry_id, locale][path] = None
        self._found = {key: tuple(paths) for key, paths in found.items()}

    def post(self, post: Post) -> Post:
        """Return the post with its former addresses as aliases."""
        former = [path for (kind, entry_id, _), paths in self._of(EntryKind.POST, post.id) for path in paths]
        return replace(post, aliases=(*post.aliases, *former)) if former else post

    def entries(self, kind: EntryKind, versions: Iterable[T]) -> Iterator[T]:
        """Yield versions of pages or items with their former addresses as aliases."""
        for entry in versions:
            former = {locale: paths for (_, _, locale), paths in self._of(kind, entry.id)}
            yield replace(entry, addresses=self._with(entry.addresses, former)) if former else entry

    def _of(self, kind: EntryKind, entry_id: int) -> list[tuple[tuple[EntryKind, int, str], tuple[str, ...]]]:
        locales = (*self._settings.locales, "")
        keys = ((kind, entry_id, locale) for locale in locales)
        return [(key, self._found[key]) for key in keys if key in self._found]

    def _with(self, own: OwnAddresses, former: dict[str, tuple[str, ...]]) -> OwnAddresses:
        """Return the addresses with further ones; those of no certain locale stand beside the default one's."""
        merged = {locale or self._settings.default_locale: paths for locale, paths in own.aliases.items()}
        for locale, paths in former.items():
            merged[locale] = tuple(dict.fromkeys((*merged.get(locale, ()), *paths)))
        if merged.keys() == {self._settings.default_locale}:
            merged = {ANY_LOCALE: merged[self._settings.default_locale]}
        return OwnAddresses(own.paths, merged)

    def _all(
        self, session: Session, posts: Sequence[Post], pages: Sequence[Page]
    ) -> Iterator[tuple[EntryKind, int, str, str]]:
        """Yield kind, id, locale and former address of each entry of the site."""
        by_id = {post.id: post for post in posts}
        locales: dict[int, dict[str, Page]] = defaultdict(dict)
        for page in pages:
            locales[page.id][page.locale] = page
        addresses = find_former_addresses(session)
        known = {(each.kind, each.entry_id, each.slug) for each in addresses}
        for name in find_former_names(session):
            if (name.kind, name.entry_id, name.slug) in known:
                continue
            if name.kind is EntryKind.POST and (post := by_id.get(name.entry_id)):
                former = replace(post, slug=name.slug, locale=name.place, path="")
                yield name.kind, name.entry_id, post.locale, self._post_path(former)
            for locale, page in locales[name.entry_id].items() if name.kind is EntryKind.PAGE else ():
                path = self._path(name.place or None, name.slug, locale, page.published_at or page.created_at)
                yield name.kind, name.entry_id, locale, path
        for each in addresses:
            if each.kind is EntryKind.POST:
                path = each.path or self._dated("post", each.slug, each.locale, each.published_at)
            else:
                path = each.path or self._path(each.place or None, each.slug, each.locale, each.published_at)
            yield each.kind, each.entry_id, each.locale, path

    def _post_path(self, post: Post) -> str:
        moment = post.published_at or post.scheduled_at or post.created_at
        return post.path or self._dated("post", post.slug, post.locale, moment)

    def _page_path(self, page: Page) -> str:
        moment = page.published_at or page.scheduled_at or page.created_at
        return page.addresses.path(page.locale) or self._path(page.page_type, page.slug, page.locale, moment)

    def _path(self, page_type: str | None, slug: str, locale: str, moment: datetime) -> str:
        kind = "single_page" if page_type is None else "page"
        return self._dated(kind, slug, locale, moment, page_type or "")

    def _dated(self, kind: str, slug: str, locale: str, moment: datetime, page_type: str = "") -> str:
        pattern = str(getattr(self._settings.permalinks, kind))
        day = day_of(moment, self._settings.timezone) if is_dated(pattern) else None
        default = self._settings.default_locale
        return entry_path(pattern, locale, default, slug=slug, page_type=page_type, day=day)
