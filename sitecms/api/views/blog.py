"""Posts, authors, categories and tags, search and feeds (API reference, Read shapes, Search, Feeds).

Keys of JSON objects have the documented order.

Post: {"url", "created", "updated", "published", "author": {...}, "categories": [{"name", "slug"}], "tags": [...],
"featured_image", "featured_image_alt", "slug", "title", "body", "summary", "seo_title", "meta_description", "status"}.
`featured_image` is null without an image; other texts are "" if unset. `published` of a post that never was published
is its `created` time, since typed clients need a text. Where schema/post.yaml declares fields, a post has them under
the last key, `fields`, as pages have theirs.

Author: {"slug", "first_name", "last_name", "email", "bio", "title", "linkedin_url", "facebook_url", "pinterest_url",
"instagram_url", "twitter_handle", "profile_image"}, texts that are "" if unset. The author inside a post has neither
`pinterest_url` nor `instagram_url`.
"""

from collections.abc import Sequence

import orjson

from sitecms.api.addresses import Addresses
from sitecms.api.endpoint import Call, Endpoint, EntryPayload, list_response, page_of_list, single_response
from sitecms.api.openapi.schemas import text
from sitecms.api.params import PAGINATION
from sitecms.api.responses import json_bytes, paginated
from sitecms.api.views.entries import content_schema, fields_of_posts, serialize_entries
from sitecms.cache import ENTRY_BYTES
from sitecms.content.author import Author
from sitecms.content.entry import Entry, PostLink
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import record, ref
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntrySearch, PostQuery
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.store.entries import authors, posts, terms
from sitecms.store.entries.posts import get_post_in_order, get_sibling_in_order
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.search.queries import search
from sitecms.store.site_state.documents import load_content_schema

_NOT_EMBEDDED = ("pinterest_url", "instagram_url")
_FILTERS = ("author_slug", "category_slug", "tag_slug")
_FIELDS = ("levels", "alt_media_text")
_PARAMETERS = ("include", "locale")
_TAG = "Categories and tags"
_POSTS = ("query", *PAGINATION, "locale", "exclude_body", *_FIELDS)
_PAGES = ("query", "page_type", *PAGINATION, "locale", "levels", "alt_media_text")


def post_json(
    post: Entry, addresses: Addresses, fields: JsonObject | None = None, *, with_body: bool = True
) -> JsonObject:
    """Return a post as JSON, optionally without its body; `json_bytes` writes its times."""
    result: JsonObject = {
        "url": addresses.post(post),
        "created": post.created_at,
        "updated": post.updated_at,
        "published": post.published_at or post.created_at,
        "author": _embedded_author_json(post.author, addresses),
        "categories": [term_json(term) for term in post.categories],
        "tags": [term_json(term) for term in post.tags],
        "featured_image": addresses.image(post.featured_image),
        "featured_image_alt": post.featured_image_alt,
        "slug": post.slug,
        "title": post.title,
    }
    if with_body:
        result["body"] = addresses.body(post.body) if post.body_media else post.body
    result |= {
        "summary": post.summary,
        "seo_title": post.seo_title,
        "meta_description": post.meta_description,
        "status": post.status.value,
    }
    return result if fields is None else {**result, "fields": fields}


def post_link_json(link: PostLink | None, addresses: Addresses) -> JsonObject | None:
    """Return the next or previous post as {"slug", "title", "featured_image"}, or None if there is none."""
    if link is None:
        return None
    return {"slug": link.slug, "title": link.title, "featured_image": addresses.image(link.featured_image)}


def author_json(author: Author, addresses: Addresses) -> JsonObject:
    """Return an author as JSON; views add `recent_posts` on request."""
    return {
        "slug": author.slug,
        "first_name": author.first_name,
        "last_name": author.last_name,
        "email": author.email,
        "bio": author.bio,
        "title": author.title,
        "linkedin_url": author.linkedin_url,
        "facebook_url": author.facebook_url,
        "pinterest_url": author.pinterest_url,
        "instagram_url": author.instagram_url,
        "twitter_handle": author.twitter_handle,
        "profile_image": addresses.media(author.profile_image),
    }


def _embedded_author_json(author: Author, addresses: Addresses) -> JsonObject:
    result = author_json(author, addresses)
    for name in _NOT_EMBEDDED:
        del result[name]
    return result


def term_json(term: Term) -> JsonObject:
    """Return a category or tag as {"name", "slug"}; views add `recent_posts` on request."""
    return {"name": term.name, "slug": term.slug}


def list_posts(call: Call) -> JsonObject:
    """Return {"meta": pagination, "data": [post]}, newest published first."""
    params = call.params
    query = PostQuery(
        locale=call.locale,
        author_slug=params.author_slug,
        category_slug=params.category_slug,
        tag_slug=params.tag_slug,
        preview=params.preview,
        with_body=not params.exclude_body,
    )
    results = posts.find_post_versions(call.session, query, params.window)
    data = [orjson.Fragment(each + b"}") for each in _posts_json(call, results.entries, with_body=query.with_body)]
    return paginated(params, results.count, data)


def _posts_json(call: Call, version_ids: Sequence[int], *, with_body: bool) -> list[bytes]:
    """Return the JSON of these versions of posts without its last brace, in their order.

    It is cached until the store changes, since many lists hold the same post, and as a copy: the output of orjson
    keeps the memory of a larger buffer.
    """
    number, schema, params = call.session.change_number(), content_schema(call), call.params
    variant = (with_body, params.levels, params.alt_media_text, params.preview) if schema.post_fields else (with_body,)
    texts = {each: call.post_json.get((each, *variant), number) for each in version_ids}
    missing = [version_id for version_id, text in texts.items() if text is None]
    read = VERSIONS[EntryKind.POST].of_versions(call.session, missing, with_body=with_body)
    fields = fields_of_posts(call, tuple(read.values()), schema)
    for version_id, post in read.items():
        post_text = json_bytes(post_json(post, call.addresses, fields.get(post.id), with_body=with_body))[:-1]
        texts[version_id] = post_text
        call.post_json.put((version_id, *variant), post_text, len(post_text) + ENTRY_BYTES, number)
    return [text for text in texts.values() if text is not None]


def _whole_posts_json(call: Call, whole_posts: Sequence[Entry]) -> list[JsonObject]:
    """Return posts as JSON, with their bodies and fields."""
    fields = fields_of_posts(call, whole_posts, content_schema(call))
    return [post_json(post, call.addresses, fields.get(post.id)) for post in whole_posts]


def retrieve_post(call: Call, slug: str) -> EntryPayload:
    """Return {"meta": {"next_post", "previous_post"}, "data": post}; the next post is the newer one.

    With `locale` it is the variant of the post in that locale, whose slug may differ, else the post that has the slug.
    A post of a locale that is no longer configured is not found.
    """
    params = call.params
    ordered_post = get_post_in_order(call.session, slug, preview=params.preview)
    if ordered_post.post.locale not in call.locales.codes:
        raise NotFound("Not found.")
    if params.locale not in ("", ordered_post.post.locale):
        group_id = ordered_post.post.group_id
        ordered_post = get_sibling_in_order(call.session, group_id, params.locale, preview=params.preview)
    meta = {
        "next_post": post_link_json(ordered_post.newer, call.addresses),
        "previous_post": post_link_json(ordered_post.older, call.addresses),
    }
    return EntryPayload({"meta": meta, "data": _whole_posts_json(call, [ordered_post.post])[0]}, ordered_post.post)


POST_ENDPOINTS = (
    Endpoint(
        "/v2/posts/",
        list_posts,
        (*PAGINATION, "preview", "locale", "exclude_body", *_FILTERS, *_FIELDS),
        lenient=("levels",),
        tag="Posts",
        summary="List posts",
        response=page_of_list("Post"),
    ),
    Endpoint(
        "/v2/posts/<slug>/",
        retrieve_post,
        ("locale", "preview", *_FIELDS),
        lenient=("levels",),
        tag="Posts",
        summary="Retrieve a post",
        response=record({"meta": ref("PostMeta"), "data": ref("Post")}),
        errors=(404,),
        examples={"slug": "counting-meteors-honestly"},
    ),
)


def list_authors(call: Call) -> JsonObject:
    """Return {"data": [author]}, in order of creation."""
    return {"data": _authors_json(call, authors.find_authors(call.session))}


def retrieve_author(call: Call, slug: str) -> JsonObject:
    """Return {"data": author}."""
    return {"data": _authors_json(call, (authors.get_author(call.session, slug),))[0]}


def _authors_json(call: Call, authors_of_posts: Sequence[Author]) -> list[JsonObject]:
    result = [author_json(author, call.addresses) for author in authors_of_posts]
    if call.params.with_recent_posts:
        recent = posts.recent_by_author(call.session, call.locale, [author.slug for author in authors_of_posts])
        for author in result:
            newest = recent.get(str(author["slug"]), ())
            author["recent_posts"] = _whole_posts_json(call, newest)
    return result


AUTHOR_ENDPOINTS = (
    Endpoint("/v2/authors/", list_authors, _PARAMETERS, "Authors", "List authors", list_response("Author")),
    Endpoint(
        "/v2/authors/<slug>/",
        retrieve_author,
        _PARAMETERS,
        tag="Authors",
        summary="Retrieve an author",
        response=single_response("Author"),
        errors=(404,),
        examples={"slug": "mira-okafor"},
    ),
)


def list_categories(call: Call) -> JsonObject:
    """Return {"data": [category]}, in order of creation, without categories that only drafts have."""
    return {"data": _terms_json(call, terms.visible_terms(call.session, TermKind.CATEGORY))}


def retrieve_category(call: Call, slug: str) -> JsonObject:
    """Return {"data": category}."""
    return {"data": _terms_json(call, [terms.get_visible_term(call.session, TermKind.CATEGORY, slug)])[0]}


def list_tags(call: Call) -> JsonObject:
    """Return {"data": [tag]}, in order of creation, without tags that only drafts have."""
    return {"data": _terms_json(call, terms.visible_terms(call.session, TermKind.TAG))}


def retrieve_tag(call: Call, slug: str) -> JsonObject:
    """Return {"data": tag}."""
    return {"data": _terms_json(call, [terms.get_visible_term(call.session, TermKind.TAG, slug)])[0]}


def _terms_json(call: Call, terms: Sequence[Term]) -> list[JsonObject]:
    result = [term_json(term) for term in terms]
    if call.params.with_recent_posts:
        recent = posts.recent_by_term(call.session, call.locale, terms)
        for term, each in zip(terms, result, strict=True):
            each["recent_posts"] = _whole_posts_json(call, recent[term])
    return result


TERM_ENDPOINTS = (
    Endpoint("/v2/categories/", list_categories, _PARAMETERS, _TAG, "List categories", list_response("Category")),
    Endpoint(
        "/v2/categories/<slug>/",
        retrieve_category,
        _PARAMETERS,
        tag=_TAG,
        summary="Retrieve a category",
        response=single_response("Category"),
        errors=(404,),
        examples={"slug": "weather"},
    ),
    Endpoint("/v2/tags/", list_tags, _PARAMETERS, _TAG, "List tags", list_response("Tag")),
    Endpoint(
        "/v2/tags/<slug>/",
        retrieve_tag,
        _PARAMETERS,
        tag=_TAG,
        summary="Retrieve a tag",
        response=single_response("Tag"),
        errors=(404,),
        examples={"slug": "moon"},
    ),
)


def search_posts(call: Call) -> JsonObject:
    """Return {"meta": pagination, "data": [post with "rank"]}, best first; a greater rank is better."""
    params = call.params
    results = search(call.session, EntrySearch(EntryKind.POST, call.locale, params.query), params.window)
    texts = _posts_json(call, [match.entry for match in results.entries], with_body=not params.exclude_body)
    ranks = [b',"rank":%b}' % orjson.dumps(match.rank) for match in results.entries]
    data = [orjson.Fragment(text + rank) for text, rank in zip(texts, ranks, strict=True)]
    return paginated(params, results.count, data)


def search_pages(call: Call, page_type: str = "") -> JsonObject:
    """Return {"meta": pagination, "data": [page]}, best first; `page_type` is the part of the path, if there is one."""
    params = call.params
    asked = page_type or params.page_type
    wanted = EntrySearch(
        EntryKind.PAGE, call.locale, params.query, ("" if asked == SINGLE_PAGES else asked) if asked else None
    )
    results = search(call.session, wanted, params.window)
    pages = VERSIONS[EntryKind.PAGE].of_versions(call.session, [match.entry for match in results.entries])
    schema = load_content_schema(call.session)
    return paginated(params, results.count, serialize_entries(call, schema, tuple(pages.values())))


SEARCH_ENDPOINTS = (
    Endpoint("/v2/search/", search_posts, _POSTS, "Posts", "Search posts (an older path)", page_of_list("FoundPost")),
    Endpoint("/v2/posts/search/", search_posts, _POSTS, "Posts", "Search posts", page_of_list("FoundPost")),
    Endpoint("/v2/pages/search/", search_pages, _PAGES, "Pages", "Search pages", page_of_list("Page")),
    Endpoint(
        "/v2/pages/search/<page_type>/",
        search_pages,
        tuple(name for name in _PAGES if name != "page_type"),
        tag="Pages",
        summary="Search pages of a type",
        response=page_of_list("Page"),
        examples={"page_type": "guide"},
    ),
)


def retrieve_feed(call: Call, name: str) -> JsonObject:
    """Return {"data": "<?xml ..."} of `rss`, `atom` or `sitemap`."""
    params = call.params
    query = PostQuery(call.locale, category_slug=params.category_slug, tag_slug=params.tag_slug)
    return {"data": call.feed_texts.text(call.session, name, query)}


FEED_ENDPOINTS = (
    Endpoint(
        "/v2/feeds/<name>/",
        retrieve_feed,
        ("category_slug", "tag_slug", "locale"),
        tag="Feeds",
        summary="Retrieve a feed or the sitemap",
        response=record({"data": text("The XML, from its declaration on.", '<?xml version="1.0" encoding="UTF-8"?>')}),
        errors=(404,),
        examples={"name": "rss"},
    ),
)

ENDPOINTS = (*POST_ENDPOINTS, *AUTHOR_ENDPOINTS, *TERM_ENDPOINTS, *SEARCH_ENDPOINTS, *FEED_ENDPOINTS)
