"""From content to what templates see: one view of each post, page and author, made once and shared by all pages."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import TypeGuard

from markupsafe import Markup

from sitecms.actions.expand_references import Entry, expand_references, specs_of, target_of, targets_of
from sitecms.content.author import Author
from sitecms.content.fieldvalue import FieldValue
from sitecms.content.html import plain_text, reading_minutes
from sitecms.content.item import Item
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.content.references import ItemTarget, Target, parse_target
from sitecms.content.schema import FieldSpec, FieldType
from sitecms.content.term import Term
from sitecms.site.environment import link_address, rooted
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.views import (
    AuthorView,
    ComponentView,
    EntryView,
    FieldInfo,
    ImageView,
    Link,
    PageView,
    PostCard,
    PostView,
)

REFERENCE_LEVELS = 3
_PROFILES = (
    ("LinkedIn", "linkedin_url"),
    ("Facebook", "facebook_url"),
    ("Pinterest", "pinterest_url"),
    ("Instagram", "instagram_url"),
)


class Composer:
    """The views of one snapshot in one locale."""

    def __init__(self, snapshot: Snapshot, routes: Routes, locale: str) -> None:
        self._snapshot = snapshot
        self._routes = routes
        self.locale = locale
        self.posts = tuple(post for post in snapshot.posts if post.locale == locale)
        self.pages = tuple(page for page in snapshot.pages if page.locale == locale)
        self._cards: dict[int, PostCard] = {}
        self._authors: dict[str, AuthorView] = {}

    def image(self, address: str, alt: str = "") -> ImageView | None:
        """The image at a stored media address, with its size if the library knows it; None for ""."""
        if not address:
            return None
        media = self._snapshot.media.get(address.removeprefix(MEDIA_PREFIX))
        src = self._routes.settings.base_path + address if media else address
        return ImageView(src, alt, media.width if media else None, media.height if media else None)

    def term(self, term: Term) -> Link:
        """A link to the archive of a category or tag."""
        return Link(term.name, self._routes.url(self._routes.term(term, self.locale)))

    def card(self, post: Post) -> PostCard:
        """The post as lists show it."""
        card = self._cards.get(post.id)
        if card is None:
            path = self._routes.post(post)
            card = self._cards[post.id] = PostCard(
                title=post.title,
                url=self._routes.url(path),
                absolute_url=self._routes.absolute(path),
                summary=post.summary,
                published_at=_published(post),
                author=Link(post.author.name, self._routes.url(self._routes.author(post.author.slug, self.locale))),
                categories=tuple(map(self.term, post.categories)),
                image=self.image(post.featured_image, post.featured_image_alt),
                reading_minutes=reading_minutes(plain_text(post.body)),
            )
        return card

    def post(self, post: Post, newer: Post | None, older: Post | None) -> PostView:
        """The post as its own page and its feeds show it."""
        updated = post.updated_at if post.updated_at.date() > _published(post).date() else None
        return PostView(
            card=self.card(post),
            body=Markup(rooted(post.body, self._routes.settings.base_path)),  # noqa: S704  # sanitised when stored
            tags=tuple(map(self.term, post.tags)),
            author=self.author(post.author),
            updated_at=updated,
            changed_at=post.updated_at,
            newer=self._link(newer),
            older=self._link(older),
        )

    def _link(self, post: Post | None) -> Link | None:
        return Link(post.title, self._routes.url(self._routes.post(post))) if post else None

    def author(self, author: Author) -> AuthorView:
        """The author as pages show one."""
        view = self._authors.get(author.slug)
        if view is None:
            links = [Link(label, url) for label, name in _PROFILES if (url := self.address(getattr(author, name)))]
            if handle := author.twitter_handle.removeprefix("@"):
                links.append(Link(f"@{handle}", f"https://twitter.com/{handle}"))
            view = self._authors[author.slug] = AuthorView(
                name=author.name,
                url=self._routes.url(self._routes.author(author.slug, self.locale)),
                title=author.title,
                bio=author.bio,
                image=self.image(author.profile_image),
                links=tuple(links),
                post_count=self._post_counts.get(author.slug, 0),
            )
        return view

    @cached_property
    def _post_counts(self) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        for post in self.posts:
            counts[post.author.slug] = counts.get(post.author.slug, 0) + 1
        return counts

    @cached_property
    def entries(self) -> Mapping[Target, Entry]:
        """Every page and item of the locale that references can show."""
        items = (item for item in self._snapshot.items if item.locale == self.locale)
        entries: list[Entry] = [*self.pages, *items]
        return {target_of(entry): entry for entry in entries}

    def address(self, url: str) -> str:
        """An address people wrote, "" if it may be no link: a path gets that of the site's `url` in front."""
        return link_address(url, self._routes.settings.base_path)

    def children_of(self, collection: str) -> Mapping[int, tuple[int, ...]]:
        """Which items of a collection refer to which others of it, by id, through any of their fields."""
        mine = (entry for entry in self.entries.values() if isinstance(entry, Item) and entry.collection == collection)
        return {
            item.id: tuple(
                target.id
                for target in targets_of(item, self._snapshot.schema)
                if isinstance(target, ItemTarget) and target.collection == collection
            )
            for item in mine
        }

    def page(self, page: Page) -> PageView:
        """The page with its references resolved, components and repeaters included."""
        schema = self._snapshot.schema
        found = expand_references(
            [page],
            schema,
            levels=REFERENCE_LEVELS,
            find=lambda targets: {target: self.entries[target] for target in targets if target in self.entries},
        )
        specs = specs_of(page, schema)
        return PageView(
            title=page.title,
            url=self._routes.url(self._routes.page(page)),
            page_type=page.page_type or "",
            fields=self._fields(page.fields, specs, found, REFERENCE_LEVELS),
            declared=_declared(specs),
            updated_at=page.updated_at,
        )

    def _fields(
        self,
        fields: Mapping[str, FieldValue],
        specs: Iterable[FieldSpec],
        found: Mapping[Target, Entry],
        levels: int,
    ) -> dict[str, object]:
        return {spec.slug: self._value(fields.get(spec.slug), spec, found, levels) for spec in specs}

    def _value(self, value: FieldValue, spec: FieldSpec, found: Mapping[Target, Entry], levels: int) -> object:
        match spec.type:
            case FieldType.WYSIWYG | FieldType.HTML:
                return Markup(rooted(str(value or ""), self._routes.settings.base_path))  # noqa: S704  # sanitised
            case FieldType.DATE:
                return datetime.fromisoformat(value) if isinstance(value, str) and value else None
            case FieldType.MEDIA:
                return self.image(str(value.get("url", "")), str(value.get("alt", ""))) if _is(value) else None
            case FieldType.REFERENCE:
                shown = [self._entry(uri, found, levels) for uri in (value if isinstance(value, list) else [value])]
                entries = tuple(entry for entry in shown if entry)
                return entries if spec.many else next(iter(entries), None)
            case FieldType.COMPONENT:
                return self._component(spec.component, value, found, levels)
            case FieldType.COMPONENT_PICKER:
                picked = [entry for entry in value if _is(entry)] if isinstance(value, list) else []
                made = [self._component(str(each.get("type")), each.get("fields"), found, levels) for each in picked]
                return tuple(component for component in made if component)
            case FieldType.REPEATER:
                rows = [entry for entry in value if _is(entry)] if isinstance(value, list) else []
                return tuple(self._fields(row, spec.fields, found, levels) for row in rows)
            case _:
                return value

    def _component(
        self, slug: str, fields: FieldValue, found: Mapping[Target, Entry], levels: int
    ) -> ComponentView | None:
        component = self._snapshot.schema.components.get(slug)
        if component is None or not isinstance(fields, dict):
            return None
        values = self._fields(fields, component.fields, found, levels)
        return ComponentView(slug, component.name, values, _declared(component.fields))

    def _entry(self, uri: FieldValue, found: Mapping[Target, Entry], levels: int) -> EntryView | None:
        target = parse_target(uri) if isinstance(uri, str) else None
        entry = found.get(target) if target else None
        if entry is None:
            return None
        specs = specs_of(entry, self._snapshot.schema) if levels > 1 else ()
        fields = self._fields(entry.fields, specs, found, levels - 1)
        if isinstance(entry, Page):
            kind = entry.page_type or ""
            return EntryView(kind, entry.title, self._routes.url(self._routes.page(entry)), fields)
        label = self._snapshot.schema.collections[entry.collection].label
        return EntryView(entry.collection, str(entry.fields.get(label) or ""), "", fields)


def _is(value: FieldValue) -> TypeGuard[dict[str, FieldValue]]:
    return isinstance(value, dict)


def _declared(specs: Iterable[FieldSpec]) -> tuple[FieldInfo, ...]:
    return tuple(
        FieldInfo(
            spec.slug,
            spec.name,
            spec.type.value,
            {option.value: option.label for option in spec.options},
            _declared(spec.fields),
        )
        for spec in specs
    )


def _published(post: Post) -> datetime:
    return post.published_at or post.created_at
