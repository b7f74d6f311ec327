"""Full-text search in published posts and pages (API reference, Search)."""

from sitecms.api.endpoint import Call, Endpoint
from sitecms.api.envelope_schemas import page_of_list
from sitecms.api.params import PAGINATION
from sitecms.api.post_serializer import post_json
from sitecms.api.responses import paginated
from sitecms.api.views.entries import serialize_entries
from sitecms.content.field_value import JsonObject
from sitecms.content.query import PageSearch, PostSearch
from sitecms.store.search import index
from sitecms.store.site_state.documents import load_content_schema


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
ENDPOINTS = (
    Endpoint("/v2/search/", search_posts, _POSTS, "Posts", "Search posts (an older path)", page_of_list("FoundPost")),
    Endpoint("/v2/posts/search/", search_posts, _POSTS, "Posts", "Search posts", page_of_list("FoundPost")),
    Endpoint("/v2/pages/search/", search_pages, _PAGES, "Pages", "Search pages", page_of_list("Page")),
)
