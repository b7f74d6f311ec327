"""Changes of posts and pages: row, terms, versions and search index, in the caller's transaction.

Only published entries are found by search.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache

from sitecms.actions.references import specs_of
from sitecms.content.change import Applied, Origin, PageChange, PostChange
from sitecms.content.field_value import Fields
from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_NAME
from sitecms.content.permalink import BLOG, entry_path, locale_root
from sitecms.content.post import Post
from sitecms.content.revision import UNKNOWN_CAUSE, ChangeCause
from sitecms.content.schema import ContentSchema
from sitecms.content.search_text import searched_text
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.html import plain_text, reading_minutes
from sitecms.errors import InvalidFields, NotFound
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import authors, pages, posts, terms, version_changes
from sitecms.store.entries.authors import find_author_slug, find_authors, find_only_author
from sitecms.store.entries.entry_state import find_renamed_original
from sitecms.store.entries.post_history import keep_post, read_state
from sitecms.store.entries.post_rows import NO_FIELDS
from sitecms.store.entries.term_names import settle_new_terms
from sitecms.store.entries.version_changes import replaced_fields
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema

_MOST_LISTED = 20
_SHORTENED = 60
_SEARCHED = {"title", "body", "status", "fields"}
_COPIED = (
    "locale", "slug", "title", "featured_image", "featured_image_alt", "body", "summary", "seo_title",
    "meta_description", "path", "guid",
)  # fmt: skip


def searched_text_of_post(body: str, fields: Fields, schema: ContentSchema) -> str:
    """Return the text by which search finds a post: its body, which is HTML, and its searchable fields."""
    text = plain_text(body)
    found = searched_text(fields, schema.post_fields, schema) if fields else ""
    return f"{text}\n{found}" if found else text


def index_post(
    transaction: Transaction, post_id: int, title: str, body: str, status: Status, fields: Fields = NO_FIELDS
) -> None:
    """Update the index after a post was saved; `body` is its HTML."""
    if status is Status.PUBLISHED:
        schema = load_content_schema(transaction) if fields else ContentSchema()
        index.index_post(transaction, post_id, title, searched_text_of_post(body, fields, schema))
    else:
        index.unindex_post(transaction, post_id)


def index_page(transaction: Transaction, page_id: int, before: Iterable[int], schema: ContentSchema) -> None:
    """Update the index after a page was saved; `before` are the ids of the versions that it had until then."""
    index.unindex_page_versions(transaction, before)
    index_published_versions(transaction, page_id, schema)


def index_published_versions(transaction: Transaction, page_id: int, schema: ContentSchema) -> bool:
    """Index title and searchable fields of each published version; return whether there is one."""
    versions = pages.published_versions(transaction, page_id)
    for version_id, page in versions.items():
        body = searched_text(page.fields, specs_of(page, schema), schema)
        index.index_page_version(transaction, version_id, page.title, body)
    return bool(versions)


def default_author(session: Session, owner: str) -> str:
    """Return the slug of the author of posts that name none: the site's owner, else the only author.

    `owner` is what site.toml names, by slug or email. Raises InvalidFields under `author` where there is none.
    """
    if owner and (slug := find_author_slug(session, owner)):
        return slug
    if not owner and (slug := find_only_author(session)):
        return slug
    problem = f"No author is named, and site.toml names {_named_owner(owner)}."
    raise InvalidFields({"author": [f"{problem} {known_authors(session)}"]})


def known_authors(session: Session) -> str:
    """Return a sentence that lists the authors."""
    slugs = [author.slug for author in find_authors(session)]
    listed = ", ".join(slugs[:_MOST_LISTED]) + (f" and {len(slugs) - _MOST_LISTED} more" * (len(slugs) > _MOST_LISTED))
    return f"Authors there are: {listed or 'none'} (content/authors.yaml)."


def _named_owner(owner: str) -> str:
    return f'the owner "{owner}", who is not an author' if owner else "no owner"


def entry_at(settings: SiteSettings, page_type: str | None, slug: str, own_path: str = "") -> str:
    """Return what the built site shows at the address of a page; "" if the address is free."""
    if settings.build.home == (f"{page_type}/{slug}" if page_type else slug):
        return ""  # it stands at the root instead
    pattern = settings.permalinks.single_page if page_type is None else settings.permalinks.page
    default = settings.default_locale
    path = own_path or entry_path(pattern, default, default, slug=slug, page_type=page_type or "")
    if path == BLOG:
        return "the list of all posts"
    homes = {f"{locale_root(locale, default)}/": locale for locale in settings.locales}
    return f"the home page in {homes[path]}" if path in homes else ""


def save_page(
    transaction: Transaction,
    change: PageChange,
    schema: ContentSchema,
    *,
    origin: Origin,
    at: datetime,
    cause: ChangeCause = UNKNOWN_CAUSE,
) -> dict[str, str]:
    """Store the page with all its versions; return the replaced values, shortened. An equal page is left as it is."""
    before = pages.version_ids(transaction, change.id)
    replaced = version_changes.save_entry(transaction, change, origin, at, cause)
    if replaced:
        index_page(transaction, change.id, before, schema)
    return replaced


def save_post(
    transaction: Transaction,
    change: PostChange,
    *,
    owner: str,
    origin: Origin,
    at: datetime,
    new_id: int | None = None,
    cause: ChangeCause = UNKNOWN_CAUSE,
    ends_markdown: bool = False,
) -> Applied:
    """Create or change the post; an equal post is left as it is. What a change replaces is kept in the history.

    `owner` is what site.toml names (`default_author`), `new_id` an id given out before for a post that is created.
    A body that stays the same keeps the Markdown of the post unless the change `ends_markdown`.
    Raises InvalidFields when the author or the original of a translation does not exist, or the slug or the place in
    the locale group is taken.
    """
    current = posts.get_post_by_id(transaction, change.id) if change.id is not None else None
    values = {
        **columns_of(change, current, at),
        "group_id": group_of(transaction, change, current, origin),
        "author_id": author_id_of(transaction, change.author, owner),
    }
    spelt = terms.ensure_terms(transaction, TermKind.CATEGORY, change.categories)
    spelt |= terms.ensure_terms(transaction, TermKind.TAG, change.tags)
    if current is None:
        given = {**derived_columns(change.body), **({} if new_id is None else {"id": new_id})}
        post_id = posts.insert_post(transaction, {**values, **given, "origin": origin.value, "deleted_at": None})
        replaced: dict[str, str] = {}
        if change.markdown is not None:
            posts.set_markdown(transaction, post_id, change.markdown)
    else:
        post_id, before = current.id, read_state(transaction, current)
        replaced = _replaced(transaction, current, values, spelt)
        is_other_text = ends_markdown or change.markdown is not None
        if origin is Origin.API and is_other_text and change.markdown != before.markdown:
            replaced.setdefault("markdown", "")  # also a text that renders to the same body
        if replaced:
            keep_post(transaction, before, cause, change.status, at)
        if origin is Origin.FILE or replaced.keys() & {"body", "markdown"}:  # another change leaves the text
            posts.set_markdown(transaction, post_id, change.markdown)
        if not replaced:
            return Applied(post_id, created=False)
        values["updated_at"] = _updated_at(change, at)
        if "body" in replaced:
            values |= derived_columns(change.body)
        posts.update_post(transaction, post_id, {**values, "origin": origin.value})
    if current is None or "terms" in replaced:
        terms.set_terms(transaction, post_id, spelt)
        if origin is Origin.API:
            settle_new_terms(transaction)
    if current is None or not _SEARCHED.isdisjoint(name.partition(".")[0] for name in replaced):
        index_post(transaction, post_id, change.title, change.body, change.status, change.fields)
    return Applied(post_id, created=current is None, replaced=replaced)


def columns_of(change: PostChange, current: Post | None, at: datetime) -> dict[str, object]:
    """Return the columns of a post's row that need no look at the store; `current` is the post as it is stored."""
    times = change.times
    published_at = times.published_at or (current.published_at if current else None)
    if change.status is Status.PUBLISHED and (published_at is None or _is_early(current, published_at, at)):
        published_at = at
    return {
        **{name: getattr(change, name) for name in _COPIED},
        "status": change.status.value,
        "aliases": list(change.aliases),
        "fields": dict(change.fields),
        "created_at": times.created_at or (current.created_at if current else times.published_at or at),
        "updated_at": times.updated_at or (current.updated_at if current else times.published_at or at),
        "published_at": published_at,
        "scheduled_at": times.scheduled_at if change.status is Status.SCHEDULED else None,
    }


def _is_early(current: Post | None, published_at: datetime, at: datetime) -> bool:
    """Return whether a draft is published before the time that was meant for it."""
    return current is not None and current.status is not Status.PUBLISHED and published_at > at


@lru_cache(4)  # asked for before the transaction that saves a post, and again within it
def derived_columns(body: str) -> Mapping[str, object]:
    """Return the columns that are derived from a body, for lists and builds that do not read it."""
    return {
        "reading_minutes": reading_minutes(plain_text(body)),
        "body_digest": digest(body.encode()),
        "body_media": " ".join(dict.fromkeys(MEDIA_NAME.findall(body))),
    }


def _updated_at(change: PostChange, at: datetime) -> datetime:
    """Return the time of the update. A file with a date of publication was not updated by the load."""
    return change.times.updated_at or change.times.published_at or at


def author_id_of(transaction: Transaction, named: str, owner: str) -> int:
    """Return the id of the author of that slug or email, or of the default author. Raises InvalidFields."""
    slug = named or default_author(transaction, owner)
    author_id = authors.find_author_id(transaction, slug=slug) or authors.find_author_id(transaction, email=slug)
    if author_id is None:
        raise InvalidFields({"author": [f"There is no author {named!r}. {known_authors(transaction)}"]})
    return author_id


def group_of(transaction: Transaction, change: PostChange, current: Post | None, origin: Origin) -> int:
    """Return the id of the locale group, 0 for that of a new post of its own. Raises InvalidFields.

    A file without `translation_of` puts its post into a group of its own.
    """
    holder = posts.find_post_id(transaction, change.slug)
    if holder is not None and holder != change.id:
        raise InvalidFields({"slug": [f"The slug {change.slug!r} belongs to another post; choose another one."]})
    group_id = current.group_id if current else 0
    if change.translation_of:
        original = find_original(transaction, change.translation_of, change.locale)
        if original is None:
            raise InvalidFields({"translation_of": [f"There is no post with the slug {change.translation_of!r}."]})
        group_id = posts.get_post_by_id(transaction, original).group_id
    elif current and origin is Origin.FILE:
        group_id = current.id
    _check_variant(transaction, change, group_id)
    return group_id


def find_original(session: Session, slug: str, locale: str) -> int | None:
    """Return the id of the post of that slug, else of a post in another locale that had it before a rename."""
    return posts.find_post_id(session, slug) or find_renamed_original(session, slug, locale)


def _check_variant(transaction: Transaction, change: PostChange, group_id: int) -> None:
    try:
        sibling = posts.get_sibling(transaction, group_id, change.locale) if group_id else None
    except NotFound:
        return
    if sibling is not None and sibling.id != change.id:
        message = f"The post {sibling.slug!r} is its variant in {change.locale!r} already."
        raise InvalidFields({"locale": [message]})


def _replaced(
    transaction: Transaction, current: Post, values: dict[str, object], spelt: dict[int, str]
) -> dict[str, str]:
    before: dict[str, object] = {name: getattr(current, name) for name in values if name != "author_id"}
    before["aliases"] = list(current.aliases)
    before["author_id"] = authors.find_author_id(transaction, slug=current.author.slug)
    differing = [name for name in values if before[name] != values[name]]
    replaced = {name: str(before[name])[:_SHORTENED] for name in differing if name != "fields"}
    if "fields" in differing:
        replaced |= replaced_fields(current.fields, values["fields"])  # type: ignore[arg-type]
    if [*terms.terms_of_post(transaction, current.id).items()] != [*spelt.items()]:
        names = (term.name for term in (*current.categories, *current.tags))
        replaced["terms"] = ", ".join(names)[:_SHORTENED]
    return replaced
