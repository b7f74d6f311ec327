"""Titles, images, summaries and authors of entries, which front matter writes in many forms."""

import re
from collections.abc import Mapping
from typing import Any

from sitecms.content.author import Author as AuthorFacts
from sitecms.importing.readers.markdown.document import Document, as_text
from sitecms.importing.readers.markdown.generators.generator import Placed
from sitecms.importing.records import Author


def one_line(text: str) -> str:
    """Return a text with each run of white space as one space."""
    return " ".join(text.split())


def plain_heading(text: str) -> str:
    """Return the text of a heading without its marks."""
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    plain = re.sub(r"\s*\{[#:.][^}]*\}\s*$", "", plain)
    return one_line(re.sub(r"[*`]|<[^>]+>", "", plain))


def title_of(document: Document, placed: Placed) -> str:
    """Return a title made of the file's name, as generators do; "" if the title must be taken from the body."""
    name = placed.slug.rpartition("/")[2] or document.stem
    words = re.sub(r"[-_]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def picture_of(document: Document) -> tuple[str, str]:
    """Return the address and the alternative text of the featured image of an entry."""
    names = (
        "featured_image", "featuredimage", "featured", "image", "cover", "thumbnail", "hero", "heroimage", "banner",
        "header.image", "cover.image", "img", "images", "photos", "og_image", "ogimage", "teaser_image", "extra.image",
        "params.image", "hero_image", "cover_image", "coverimage", "thumb", "preview", "header.teaser",
        "extra.thumbnail",
    )  # fmt: skip
    alt = document.text(
        "image_alt", "imagealt", "featured_image_alt", "cover.alt", "alt", "hero_alt", "heroalt", "image_alt_text"
    )
    for name in names:
        value = document.peek(name)
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, Mapping):
            held = {str(key).lower(): as_text(each) for key, each in first.items()}
            address = next(
                (held[key] for key in ("src", "url", "path", "image", "file", "feature", "teaser") if held.get(key)), ""
            )
            alt = alt or held.get("alt", "")
        else:
            address = as_text(first).strip()
        if address and address not in ("true", "false") and re.search(r"[./]", address):
            document.get(name)
            return address, alt
    return "", alt


def summary_of(text: str, *, is_html: bool) -> str:
    """Return a summary as plain text."""
    from sitecms.content.text import markdown
    from sitecms.content.text.html import plain_text

    return plain_text(text if is_html else markdown.render(text)).strip()


def author_of(key: str, name: str, written: Any, known: Mapping[str, Any], url: str) -> Author:
    """Return an author with what the document or the data of the site says; e-mail addresses are left out."""
    held = written if isinstance(written, Mapping) else known.get(name, known.get(key))
    facts = {str(each).lower(): as_text(value) for each, value in held.items()} if isinstance(held, Mapping) else {}
    full = facts.get("name") or facts.get("full_name") or facts.get("display_name") or name
    first, _, last = full.rpartition(" ")
    picture = facts.get("avatar") or facts.get("image") or facts.get("picture") or ""
    made = AuthorFacts(
        slug=name if isinstance(held, Mapping) and full != name else "",
        first_name=first or last,
        last_name=last if first else "",
        bio=facts.get("bio") or facts.get("description") or "",
        title=facts.get("title") or facts.get("role") or "",
        twitter_handle=facts.get("twitter", "").removeprefix("@").rpartition("/")[2],
        profile_image=picture if picture.startswith(("http://", "https://", "/")) else "",
    )
    return Author(key, made, url)
