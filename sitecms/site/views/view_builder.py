"""Builder of the views of posts, pages, items, authors and fields that templates see, while pages are rendered.

For posts there is also a digest of everything that a view is built from: the plan uses the digest, so that the views of
pages that are not rendered are never built. A value that becomes part of a view must become part of its digest.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from itertools import count
from typing import Any
from urllib.parse import quote

import orjson
from markupsafe import Markup
from msgspec.structs import asdict, replace

from sitecms.actions.entry_paths import item_paths, title_of
from sitecms.actions.references import expand_references, specs_of, target_of, targets_of
from sitecms.content.author import Author
from sitecms.content.entry import Entry
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import KINDS
from sitecms.content.media import MEDIA_PREFIX, MediaFile
from sitecms.content.permalink import url_path
from sitecms.content.references import ItemTarget, Target
from sitecms.content.schema import is_post_like
from sitecms.content.term import Term, TermKind
from sitecms.plugins.values import FeedItem
from sitecms.site.images.image_plan import ImagePlan, plain_image_plan
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.template_values import (
    AuthorView,
    EntryCard,
    EntryView,
    ImageView,
    Link,
    PageView,
    PictureLink,
    PostCard,
    PostView,
)
from sitecms.site.theme.addresses import link_address, resolved
from sitecms.site.theme.assets import plain_json
from sitecms.site.theme.html import rewrite
from sitecms.site.theme.plugin_names import FEED_ITEM
from sitecms.site.views.field_values import FieldValues, declared
from sitecms.site.views.page_metadata import described
from sitecms.site.views.profiles import profile_link
from sitecms.translations import Words

REFERENCE_LEVELS = 3
MAX_CACHED_CARDS = 5_000
MAX_CACHED_FEED_POSTS = 2_000
_MEDIA_IN_JSON = MEDIA_PREFIX.encode()
_PROFILES = (
    ("LinkedIn", "linkedin_url"),
    ("Facebook", "facebook_url"),
    ("Pinterest", "pinterest_url"),
    ("Instagram", "instagram_url"),
)


class ViewBuilder:
    """Builds the views of one snapshot in one locale. Without an image plan every image is shown as it is."""

    def __init__(
        self, snapshot: Snapshot, routes: Routes, locale: str, images: ImagePlan | None = None, text: Words = str
    ) -> None:
        self._snapshot = snapshot
        self.images = images or plain_image_plan(snapshot.media, routes.settings.base_path)
        self._routes = routes
        self.locale = locale
        self.posts = tuple(post for post in snapshot.posts if post.locale == locale)
        self.pages = tuple(page for page in snapshot.pages if page.locale == locale)
        self.items = tuple(item for item in snapshot.items if item.locale == locale)
        self._base_path = routes.settings.base_path
        self._zone = routes.settings.zone
        self._cards: dict[int, PostCard] = {}
        self._feed_posts: dict[int, PostView] = {}
        self._card_digests: dict[int, str] = {}
        self._post_inputs: dict[int, tuple[str, tuple[str, ...]]] = {}
        self._inputs_of_fields: dict[int, tuple[object, tuple[str, ...]]] = {}
        self._authors: dict[str, AuthorView] = {}
        self._terms: dict[Term, Link] = {}
        self.text = text

    def image(self, address: str, alt: str = "") -> ImageView | None:
        """Return the image at a stored media address, with its size and variants; None for ""."""
        return self.images.variants.view(address, alt)

    def facts(self, address: str) -> tuple[object, ...] | None:
        """Return all that `image` adds to an address."""
        return self.images.variants.facts(address)

    def term(self, term: Term) -> Link:
        """Return a link to the archive of a category or tag."""
        link = self._terms.get(term)
        if link is None:
            url = self._routes.url(self._routes.term(term, self.locale))
            link = self._terms[term] = Link(self.text(term.name), url)
        return link

    def term_named(self, kind: TermKind, name: str) -> Link:
        """Return a link to the archive of the term of that name."""
        return self.term(self._snapshot.term(kind, name))

    def terms_of(self, entry: Entry) -> tuple[Term, ...]:
        """Return the categories, then the tags of an entry of any kind."""
        return self._snapshot.terms_of(entry)

    def entry_card(self, entry: Entry) -> EntryCard:
        """Return a page or item as lists show it."""
        view = self.page(entry)
        image = view.featured_image or self.images.of_fields(entry.fields)
        return EntryCard(view.title, view.url, described(view), image)

    @cached_property
    def entries_by_term(self) -> Mapping[tuple[TermKind, str], tuple[Entry, ...]]:
        """The pages and items with a page of their own that have each term, by its kind and slug, in their order."""
        found: dict[tuple[TermKind, str], list[Entry]] = {}
        items = (item for item in self.items if (item.id, item.locale) in self.item_paths)
        for entry in (*self.pages, *items):
            for term in self.terms_of(entry):
                found.setdefault((term.kind, term.slug), []).append(entry)
        return {key: tuple(entries) for key, entries in found.items()}

    def card_digest(self, post: Entry) -> str:
        """Return a digest of everything that `card` is built from."""
        cached = self._card_digests.get(post.id)
        if cached is None:
            author, image = post.author, post.featured_image
            when = published_at(post)
            address = (post.slug, post.path, post.guid, when)
            inputs = (*address, post.title, post.summary, author.slug, author.name, post.categories)
            image_facts = (image, post.featured_image_alt, self.facts(image)) if image else ()
            data = orjson.dumps(
                (*inputs, post.reading_minutes, *image_facts, *self._field_inputs(post)), default=asdict
            )
            cached = self._card_digests[post.id] = digest(data)
        return cached

    def card(self, post: Entry) -> PostCard:
        """Return the post as lists show it."""
        card = self._cards.get(post.id)
        if card is None:
            if len(self._cards) >= MAX_CACHED_CARDS:
                self._cards.clear()
            path = self._routes.path(post)
            card = self._cards[post.id] = PostCard(
                title=post.title,
                url=self._routes.url(path),
                absolute_url=self._routes.absolute(path),
                feed_id=post.guid,
                is_permalink=self._routes.is_on_site(post.guid) if post.guid else True,
                summary=post.summary,
                published_at=published_at(post),
                author=Link(post.author.name, self._routes.url(self._routes.author(post.author.slug, self.locale))),
                categories=tuple(map(self.term, post.categories)),
                image=self.image(post.featured_image, post.featured_image_alt),
                reading_minutes=post.reading_minutes,
                fields=self._fields_of_post(post),
            )
        return card

    def _fields_of_post(self, post: Entry, numbers: Iterator[int] | None = None) -> Mapping[str, object]:
        """Return the fields that schema/post.yaml declares; `numbers` as of `FieldValues`."""
        specs = self._snapshot.schema.post_fields
        if not specs:
            return {}
        page_url = "" if numbers else url_path(self._routes.path(post))  # lists show them on other pages
        return replace(self._values([post], numbers), page_url=page_url).fields(post.fields, specs, REFERENCE_LEVELS)

    def _field_inputs(self, post: Entry) -> tuple[object, tuple[str, ...]]:
        """Return `inputs_of` the fields of a post, () and no media on a site whose posts have none."""
        if not self._snapshot.schema.post_fields:
            return (), ()
        cached = self._inputs_of_fields.get(post.id)
        if cached is None:
            cached = self._inputs_of_fields[post.id] = self.inputs_of(self._fields_of_post(post))
        return cached

    def post_inputs(self, post: Entry) -> tuple[str, tuple[str, ...]]:
        """Return a digest of everything that `post` is built from but its neighbours, and the media files it shows.

        Of the body it has the stored digest.
        """
        cached = self._post_inputs.get(post.id)
        if cached is None:
            addresses = [post.featured_image, post.author.profile_image, *(MEDIA_PREFIX + it for it in post.body_media)]
            shared, (fields, in_fields) = self.images.of_post(post), self._field_inputs(post)
            data = orjson.dumps(
                (post, shared and shared.src, *map(self.facts, addresses), fields, in_fields), default=asdict
            )
            media_names = self._media_in(data)
            media = (*post.body_media, *(file.name for file in media_names), *in_fields)
            cached = self._post_inputs[post.id] = digest(data), media
        return cached

    def _media_in(self, data: bytes) -> tuple[MediaFile, ...]:
        """Return the media files that these values show."""
        return self.images.variants.named_in(data) if _MEDIA_IN_JSON in data else ()

    def inputs_of(self, view: object) -> tuple[object, tuple[str, ...]]:
        """Return a digest of a view with the facts of the images that its Markdown may name, and its media files."""
        data = plain_json(view)
        media = self._media_in(data)
        facts = [(file.name, self.facts(file.url)) for file in media]
        return (digest(data), facts), tuple(file.name for file in media)

    def forget_digests(self) -> None:
        """Drop the cached digests, which only a plan needs."""
        self._card_digests.clear()
        self._post_inputs.clear()
        self._inputs_of_fields.clear()

    def html(self, stored: str, number: int = 1, page_url: str = "") -> Markup:
        """Return stored HTML as pages show it; `number` is that of the text on its page.

        `page_url` is the address of its own page, below the path of the site, where another page shows the text.
        """
        if page_url:
            stored = resolved(stored, page_url)
        tag = self.images.variants.tag_in_text
        return Markup(rewrite(stored, image=tag, prefix=self._base_path, number=number))  # noqa: S704  # sanitised

    def post(self, post: Entry, body: Markup, newer: Entry | None, older: Entry | None) -> PostView:
        """Return the post as its own page and its feeds show it."""
        days = [moment.astimezone(self._zone).date() for moment in (post.updated_at, published_at(post))]
        updated = post.updated_at if days[0] > days[1] else None
        return PostView(
            card=self.card(post),
            body=body,
            tags=tuple(map(self.term, post.tags)),
            author=self.author(post.author),
            updated_at=updated,
            changed_at=post.updated_at,
            newer=self._link(newer),
            older=self._link(older),
            fields=self._fields_of_post(post, count(2)),
        )

    def feed_post(self, post: Entry, stored: str) -> PostView:
        """Return the post as all feeds show it, given its stored body: with plain images and without neighbours.

        The addresses in its body are absolute; on a site without `url` they start at the root of the host.
        """
        view = self._feed_posts.get(post.id)
        if view is None:
            if len(self._feed_posts) >= MAX_CACHED_FEED_POSTS:
                self._feed_posts.clear()
            url = self.card(post).absolute_url
            html = self._routes.settings.plugins.changed(
                FEED_ITEM,
                resolved(stored, url, self._base_path),
                lambda text: {"item": FeedItem(post.title, url, self.locale, text)},
            )
            body = Markup(html)  # noqa: S704  # sanitised, and changed by code of the owner
            view = self._feed_posts[post.id] = self.post(post, body, None, None)
        return view

    def _link(self, post: Entry | None) -> PictureLink | None:
        image = self.image(post.featured_image, post.featured_image_alt) if post else None
        return PictureLink(post.title, self._routes.url(self._routes.path(post)), image) if post else None

    def author(self, author: Author) -> AuthorView:
        """Return the author as pages show it."""
        view = self._authors.get(author.slug)
        if view is None:
            profiles = ((label, self.address(getattr(author, name))) for label, name in _PROFILES)
            links = [profile_link(url, label) for label, url in profiles if url]
            if handle := author.twitter_handle.removeprefix("@"):
                links.append(profile_link(f"https://twitter.com/{handle}", f"@{handle}"))
            links += map(profile_link, self._routes.settings.theme.author_links.get(author.slug, ()))
            view = self._authors[author.slug] = AuthorView(
                name=author.name,
                url=self._routes.url(self._routes.author(author.slug, self.locale)),
                title=self.text(author.title),
                bio=self.text(author.bio),
                image=self.image(author.profile_image),
                links=tuple(links),
            )
        return view

    @cached_property
    def entries(self) -> Mapping[Target, Entry]:
        """Every page and item of the locale that references can show."""
        return {target_of(entry): entry for entry in (*self.pages, *self.items)}

    def address(self, url: str) -> str:
        """Return an address that people wrote, with the path of the site's `url`; "" if links may not have it."""
        return link_address(url, self._base_path)

    def children_of(self, collection: str) -> Mapping[int, tuple[int, ...]]:
        """Return the items that each item of a collection refers to in any field, by id."""
        items = (item for item in self.items if item.type == collection)
        return {
            item.id: tuple(
                target.id
                for target in targets_of(item, self._snapshot.schema)
                if isinstance(target, ItemTarget) and target.collection == collection
            )
            for item in items
        }

    def page(self, entry: Entry) -> PageView:
        """Return a page or item as its own page shows it, with the references in all its fields resolved."""
        specs, values = specs_of(entry, self._snapshot.schema), self._values([entry], numbers=count(1))
        fields = values.fields(entry.fields, specs, REFERENCE_LEVELS)
        if not KINDS[entry.kind].has_slug:
            title, url, page_type = title_of(entry, self._snapshot.schema), self._item_url(entry), ""
        else:
            title, url, page_type = self.text(entry.title), self._routes.url(self._routes.path(entry)), entry.type
        shown = declared(spec for spec in specs if not is_post_like(spec))
        post_like: dict[str, Any] = {spec.slug: fields[spec.slug] for spec in specs if is_post_like(spec)}
        changed_at, texts = self.changed_at(entry), values.html_texts()
        return PageView(title, url, page_type, fields, shown, changed_at, texts, **post_like)

    def edit_url(self, entry: Entry) -> str:
        """Return the address where the file of an entry can be changed; "" without `edit_url`, or a file."""
        path = self._snapshot.files.get((entry.kind.value, entry.id), "")
        return self._routes.settings.theme.edit_url.replace("{path}", quote(path)) if path else ""

    def changed_at(self, entry: Entry) -> datetime | None:
        """Return the time of the last change; None for an entry without a date, which only the store knows."""
        is_undated = (entry.kind.value, entry.id) in self._snapshot.undated
        return None if is_undated else entry.updated_at

    def collection(self, key: str) -> tuple[EntryView, ...]:
        """Return the published items of a collection, in its order."""
        items = [item for item in self.items if item.type == key]
        values = self._values(items)
        return tuple(values.entry_view(item, REFERENCE_LEVELS) for item in items)

    @cached_property
    def item_paths(self) -> Mapping[tuple[int, str], str]:
        """The paths of the items of the locale that have pages, by id and locale."""
        return item_paths(self.items, self._snapshot.schema, self._routes.settings)

    def url_within_site(self, entry: Entry) -> str:
        """Return the address of the entry's page, without the path of the site; "" for an item without a page."""
        if KINDS[entry.kind].has_slug:
            return url_path(self._routes.path(entry))
        return url_path(self.item_paths.get((entry.id, entry.locale), ""))

    def _item_url(self, item: Entry) -> str:
        path = self.item_paths.get((item.id, item.locale))
        return self._routes.url(path) if path else ""

    def _label(self, item: Entry) -> str:
        return str(item.fields.get(self._snapshot.schema.collections[item.type].label) or "")

    def _targets(self, entries: Iterable[Entry]) -> dict[Target, Entry]:
        """Return the entries that these refer to, directly or through others."""
        return expand_references(
            entries,
            self._snapshot.schema,
            levels=REFERENCE_LEVELS,
            find=lambda targets: {target: self.entries[target] for target in targets if target in self.entries},
        )

    def _values(self, entries: Iterable[Entry], numbers: Iterator[int] | None = None) -> FieldValues:
        return FieldValues(self, self._snapshot.schema, self._targets(entries), numbers)

    def entry_with_fields(self, entry: Entry, fields: Mapping[str, object]) -> EntryView:
        """Return an entry that another one refers to, with these fields."""
        if KINDS[entry.kind].has_slug:
            return EntryView(entry.type, self.text(entry.title), self._routes.url(self._routes.path(entry)), fields)
        return EntryView(entry.type, self._label(entry), self._item_url(entry), fields)


def published_at(post: Entry) -> datetime:
    """Return the time of publication that is shown."""
    return post.published_at or post.created_at
