"""Posts with their authors, categories and tags as JSON (API reference, Read shapes), keys in the documented order.

Post: {"url", "created", "updated", "published", "author": {...}, "categories": [{"name", "slug"}], "tags": [...],
"featured_image", "featured_image_alt", "slug", "title", "body", "summary", "seo_title", "meta_description", "status"}.
`featured_image` is null without an image; other texts are "" if unset. `published` of a post that never was published
is its `created` time, since typed clients need a text.

Author: {"slug", "first_name", "last_name", "email", "bio", "title", "linkedin_url", "facebook_url", "pinterest_url",
"instagram_url", "twitter_handle", "profile_image"}, texts that are "" if unset. The author inside a post has neither
`pinterest_url` nor `instagram_url`.
"""

from sitecms.api.addresses import Addresses
from sitecms.clock import format_timestamp
from sitecms.content.author import Author
from sitecms.content.field_value import JsonObject
from sitecms.content.post import Post, PostLink
from sitecms.content.term import Term

_NOT_EMBEDDED = ("pinterest_url", "instagram_url")


def post_json(post: Post, addresses: Addresses, *, with_body: bool = True) -> JsonObject:
    """Return a post as JSON, optionally without its body."""
    result: JsonObject = {
        "url": addresses.post(post),
        "created": format_timestamp(post.created_at),
        "updated": format_timestamp(post.updated_at),
        "published": format_timestamp(post.published_at or post.created_at),
        "author": _embedded_author_json(post.author, addresses),
        "categories": [term_json(term) for term in post.categories],
        "tags": [term_json(term) for term in post.tags],
        "featured_image": addresses.image(post.featured_image),
        "featured_image_alt": post.featured_image_alt,
        "slug": post.slug,
        "title": post.title,
    }
    if with_body:
        result["body"] = addresses.body(post.body)
    return result | {
        "summary": post.summary,
        "seo_title": post.seo_title,
        "meta_description": post.meta_description,
        "status": post.status.value,
    }


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
