"""Posts, authors, categories and tags, search and feeds (API reference, Read shapes, Search, Feeds)."""

from collections.abc import Sequence

from sitecms.api.endpoint import Call, Endpoint, EntryPayload, every, one, page_of_list
from sitecms.api.openapi.schemas import text
from sitecms.api.params import PAGINATION
from sitecms.api.post_serializer import author_json, post_json, post_link_json, term_json
from sitecms.api.responses import paginated
from sitecms.api.views.entries import serialize_entries
from sitecms.content.author import Author
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import record, ref
from sitecms.content.query import PageSearch, PostQuery, PostSearch
from sitecms.content.term import Term, TermKind
from sitecms.errors import NotFound
from sitecms.store.entries import authors, posts, terms
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema


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
    found = posts.find_posts(call.session, query, params.window)
    data = [post_json(post, call.addresses, with_body=query.with_body) for post in found.entries]
    return paginated(params, found.count, data)


def retrieve_post(call: Call, slug: str) -> EntryPayload:
    """Return {"meta": {"next_post", "previous_post"}, "data": post}; the next post is the newer one.

    With `locale` it is the variant of the post in that locale, whose slug may differ, else the post that has the slug.
    A post of a locale that is no longer configured is not found.
    """
    params = call.params
    post = posts.get_post(call.session, slug, preview=params.preview)
    if post.locale not in call.locales.codes:
        raise NotFound("Not found.")
    if params.locale not in ("", post.locale):
        post = posts.get_sibling(call.session, post.group_id, params.locale, preview=params.preview)
    newer, older = posts.neighbours(call.session, post)
    meta = {
        "next_post": post_link_json(newer, call.addresses),
        "previous_post": post_link_json(older, call.addresses),
    }
    return EntryPayload({"meta": meta, "data": post_json(post, call.addresses)}, post)


_FILTERS = ("author_slug", "category_slug", "tag_slug")
POST_ENDPOINTS = (
    Endpoint(
        "/v2/posts/",
        list_posts,
        (*PAGINATION, "preview", "locale", "exclude_body", *_FILTERS),
        tag="Posts",
        summary="List posts",
        response=page_of_list("Post"),
    ),
    Endpoint(
        "/v2/posts/<slug>/",
        retrieve_post,
        ("locale", "preview"),
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


def _authors_json(call: Call, found: Sequence[Author]) -> list[JsonObject]:
    result = [author_json(author, call.addresses) for author in found]
    if call.params.with_recent_posts:
        recent = posts.recent_by_author(call.session, call.locale, [author.slug for author in found])
        for author in result:
            newest = recent.get(str(author["slug"]), ())
            author["recent_posts"] = [post_json(post, call.addresses) for post in newest]
    return result


_PARAMETERS = ("include", "locale")
AUTHOR_ENDPOINTS = (
    Endpoint("/v2/authors/", list_authors, _PARAMETERS, "Authors", "List authors", every("Author")),
    Endpoint(
        "/v2/authors/<slug>/",
        retrieve_author,
        _PARAMETERS,
        tag="Authors",
        summary="Retrieve an author",
        response=one("Author"),
        errors=(404,),
        examples={"slug": "mira-okafor"},
    ),
)


def list_categories(call: Call) -> JsonObject:
    """Return {"data": [category]}, in order of creation, without categories that only drafts have."""
    return {"data": _terms_json(call, terms.shown_terms(call.session, TermKind.CATEGORY))}


def retrieve_category(call: Call, slug: str) -> JsonObject:
    """Return {"data": category}."""
    return {"data": _terms_json(call, [terms.get_shown_term(call.session, TermKind.CATEGORY, slug)])[0]}


def list_tags(call: Call) -> JsonObject:
    """Return {"data": [tag]}, in order of creation, without tags that only drafts have."""
    return {"data": _terms_json(call, terms.shown_terms(call.session, TermKind.TAG))}


def retrieve_tag(call: Call, slug: str) -> JsonObject:
    """Return {"data": tag}."""
    return {"data": _terms_json(call, [terms.get_shown_term(call.session, TermKind.TAG, slug)])[0]}


def _terms_json(call: Call, terms: Sequence[Term]) -> list[JsonObject]:
    result = [term_json(term) for term in terms]
    if call.params.with_recent_posts:
        recent = posts.recent_by_term(call.session, call.locale, terms)
        for term, each in zip(terms, result, strict=True):
            each["recent_posts"] = [post_json(post, call.addresses) for post in recent[term]]
    return result


_TAG = "Categories and tags"
TERM_ENDPOINTS = (
    Endpoint("/v2/categories/", list_categories, _PARAMETERS, _TAG, "List categories", every("Category")),
    Endpoint(
        "/v2/categories/<slug>/",
        retrieve_category,
        _PARAMETERS,
        tag=_TAG,
        summary="Retrieve a category",
        response=one("Category"),
        errors=(404,),
        examples={"slug": "weather"},
    ),
    Endpoint("/v2/tags/", list_tags, _PARAMETERS, _TAG, "List tags", every("Tag")),
    Endpoint(
        "/v2/tags/<slug>/",
        retrieve_tag,
        _PARAMETERS,
        tag=_TAG,
        summary="Retrieve a tag",
        response=one("Tag"),
        errors=(404,),
        examples={"slug": "moon"},
    ),
)


def search_posts(call: Call) -> JsonObject:
    """Return {"meta": pagination, "data": [post with "rank"]}, best first; a greater rank is better."""
    params = call.params
    wanted = PostSearch(call.locale, params.query, with_body=not params.exclude_body)
    found = index.search_posts(call.session, wanted, params.window)
    data = [
        post_json(ranked.entry, call.addresses, with_body=wanted.with_body) | {"rank": ranked.rank}
        for ranked in found.entries
    ]
    return paginated(params, found.count, data)


def search_pages(call: Call) -> JsonObject:
    """Return {"meta": pagination, "data": [page]}, best first."""
    params = call.params
    found = index.search_pages(call.session, PageSearch(call.locale, params.query, params.page_type), params.window)
    return paginated(params, found.count, serialize_entries(call, load_content_schema(call.session), found.entries))


_POSTS = ("query", *PAGINATION, "locale", "exclude_body")
_PAGES = ("query", "page_type", *PAGINATION, "locale", "levels", "alt_media_text")
SEARCH_ENDPOINTS = (
    Endpoint("/v2/search/", search_posts, _POSTS, "Posts", "Search posts (an older path)", page_of_list("FoundPost")),
    Endpoint("/v2/posts/search/", search_posts, _POSTS, "Posts", "Search posts", page_of_list("FoundPost")),
    Endpoint("/v2/pages/search/", search_pages, _PAGES, "Pages", "Search pages", page_of_list("Page")),
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
