"""Posts as Markdown files with front matter and the stored HTML as body."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.clock import format_timestamp
from sitecms.content.fingerprint import digest
from sitecms.content.post import Post
from sitecms.documents import dump_yaml

FENCE = "---\n"
_MAX_NAME_BYTES = 200


def post_files(
    posts: Iterable[Post], originals: Mapping[int, Post], media: MediaPaths, default_locale: str
) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of each post; `originals` are the posts, by group, that the others are translations of."""
    for post in posts:
        original = originals[post.group_id]
        folder = "" if post.locale == default_locale else f"{post.locale}/"
        facts = _facts(post, "" if original.id == post.id else original.slug, media)
        text = f"{FENCE}{dump_yaml(facts)}{FENCE}{media.html(post.body)}"
        yield f"content/posts/{folder}{file_name(post.slug)}.md", text.encode()


def _facts(post: Post, translation_of: str, media: MediaPaths) -> dict[str, Any]:
    """Return the front matter without empty values."""
    facts: dict[str, Any] = {
        "id": post.id,
        "title": post.title,
        "slug": post.slug,
        "locale": post.locale,
        "translation_of": translation_of,
        "status": post.status.value,
        "author": post.author.slug,
        "categories": [term.name for term in post.categories],
        "tags": [term.name for term in post.tags],
        "featured_image": media.address(post.featured_image),
        "featured_image_alt": post.featured_image_alt,
        "summary": post.summary,
        "seo_title": post.seo_title,
        "meta_description": post.meta_description,
        **times_of(post.created_at, post.updated_at, post.published_at, post.scheduled_at),
        "aliases": list(post.aliases),
        "format": "html",
    }
    return {key: value for key, value in facts.items() if value not in ("", [], None)}


def times_of(
    created_at: datetime, updated_at: datetime, published_at: datetime | None, scheduled_at: datetime | None
) -> dict[str, str]:
    """Return the times that are set, as files write them."""
    times = {"published": published_at, "created": created_at, "updated": updated_at, "scheduled": scheduled_at}
    return {key: format_timestamp(moment) for key, moment in times.items() if moment is not None}


def originals_of(posts: Sequence[Post], default_locale: str) -> dict[int, Post]:
    """Return for each group its first post or, if that is gone, the one in the default locale, else the oldest."""
    found: dict[int, Post] = {}
    for post in sorted(posts, key=lambda each: (each.id != each.group_id, each.locale != default_locale, each.id)):
        found.setdefault(post.group_id, post)
    return found


def file_name(slug: str) -> str:
    """Return a file name for the slug; a long one is cut, and ends with its digest."""
    if len(slug.encode()) <= _MAX_NAME_BYTES and not slug.startswith((".", "~")):
        return slug
    start = slug.encode()[: _MAX_NAME_BYTES - 40].decode(errors="ignore").lstrip(".~")
    return f"{start}-{digest(slug.encode())[:8]}"
