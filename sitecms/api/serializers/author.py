"""Authors as JSON (specification, Author).

    {"slug", "first_name", "last_name", "email", "bio", "title", "linkedin_url", "facebook_url", "pinterest_url",
     "instagram_url", "twitter_handle", "profile_image"}

Every value is text, "" where unset. The author inside a post has no pinterest_url and no instagram_url.
"""

from sitecms.api.addresses import Addresses
from sitecms.content.author import Author
from sitecms.content.field_value import JsonObject

_NOT_EMBEDDED = ("pinterest_url", "instagram_url")


def author_json(author: Author, addresses: Addresses) -> JsonObject:
    """An author on its own; `recent_posts` is added where it was asked for."""
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


def embedded_author_json(author: Author, addresses: Addresses) -> JsonObject:
    """An author inside a post."""
    shown = author_json(author, addresses)
    for name in _NOT_EMBEDDED:
        del shown[name]
    return shown
