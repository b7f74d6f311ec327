"""Posts (API reference, Read shapes)."""

from sitecms.api.endpoint import Call, Endpoint, EntryPayload
from sitecms.api.envelope_schemas import page_of_list
from sitecms.api.params import PAGINATION
from sitecms.api.post_serializer import post_json, post_link_json
from sitecms.api.responses import paginated
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import record, ref
from sitecms.content.query import PostQuery
from sitecms.errors import NotFound
from sitecms.store.entries import posts


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
ENDPOINTS = (
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
