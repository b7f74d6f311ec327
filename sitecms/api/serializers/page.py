"""Pages as JSON (specification, Page), keys in the order of its table.

    {"slug", "name", "page_type", "published", "updated", "fields": {...}}

`page_type` is null for a Single Page. `published` and `updated` are always times: a draft that never was published has
the time of its creation.
"""

from sitecms.clock import format_timestamp
from sitecms.content.field_value import JsonObject
from sitecms.content.page import Page


def page_json(page: Page, fields: JsonObject) -> JsonObject:
    """A page, on its own or where something refers to it, with its fields as `serializers.fields` gives them."""
    return {
        "slug": page.slug,
        "name": page.title,
        "page_type": page.page_type,
        "published": format_timestamp(page.published_at or page.created_at),
        "updated": format_timestamp(page.updated_at),
        "fields": fields,
    }
