"""Feeds and sitemap, equal to those of the built site (API reference, Feeds)."""

from sitecms.api.endpoint import Call, Endpoint
from sitecms.api.openapi.schemas import text
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import record
from sitecms.content.query import PostQuery


def retrieve_feed(call: Call, name: str) -> JsonObject:
    """Return {"data": "<?xml ..."} of `rss`, `atom` or `sitemap`."""
    params = call.params
    query = PostQuery(call.locale, category_slug=params.category_slug, tag_slug=params.tag_slug)
    return {"data": call.feed_texts.text(call.session, name, query)}


ENDPOINTS = (
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
