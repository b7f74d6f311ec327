"""Posts as JSON (specification, Blog post), keys in the order of its table.

    {"url", "created", "updated", "published", "author": {...}, "categories": [{"name", "slug"}], "tags": [...],
     "featured_image", "featured_image_alt", "slug", "title", "body", "summary", "seo_title", "meta_description",
     "status"}

`featured_image` is null where there is none; other texts are "". `published` of a post that never was published is its
`created` time, since typed clients need a string.
`body` is left out when asked to. Neighbours: {"slug", "title", "featured_image"} or null.
"""

from sitecms.api.addresses import Addresses
from sitecms.api.serializers.author import embedded_author_json
from sitecms.api.serializers.term import term_json
from sitecms.clock import format_timestamp
from sitecms.content.field_value import JsonObject
from sitecms.content.post import Post, PostLink


def post_json(post: Post, addresses: Addresses, *, with_body: bool = True) -> JsonObject:
    """One post, as lists and `recent_posts` have it too."""
    shown: JsonObject = {
        "url": addresses.post(post),
        "created": format_timestamp(post.created_at),
        "updated": format_timestamp(post.updated_at),
        "published": format_timestamp(post.published_at or post.created_at),
        "author": embedded_author_json(post.author, addresses),
        "categories": [term_json(term) for term in post.categories],
        "tags": [term_json(term) for term in post.tags],
        "featured_image": addresses.image(post.featured_image),
        "featured_image_alt": post.featured_image_alt,
        "slug": post.slug,
        "title": post.title,
    }
    if with_body:
        shown["body"] = addresses.body(post.body)
    return shown | {
        "summary": post.summary,
        "seo_title": post.seo_title,
        "meta_description": post.meta_description,
        "status": post.status.value,
    }


def post_link_json(link: PostLink | None, addresses: Addresses) -> JsonObject | None:
    """A neighbouring post, or null at either end."""
    if link is None:
        return None
    return {"slug": link.slug, "title": link.title, "featured_image": addresses.image(link.featured_image)}
