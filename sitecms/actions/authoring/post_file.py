"""A new post: front matter with every key a person may want, and a first paragraph."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from sitecms.actions.authoring.field_lines import comment, pair
from sitecms.actions.authoring.known_names import KnownEntries
from sitecms.actions.authoring.new_entry import NewPost, Written, check_locale, slug_of, write_new
from sitecms.clock import format_timestamp
from sitecms.content.field_value import FieldValue
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.documents import load_schema, nearest
from sitecms.errors import Conflict, InvalidRequest
from sitecms.settings.site import SiteSettings

BODY = "Write here, in Markdown."
_SHARED = ("categories", "tags", "featured_image")


def new_post(settings: SiteSettings, asked: NewPost, at: datetime) -> Written:
    """Write the file of a new post, `content/posts/<slug>.md`; other locales have a folder of their own.

    A translation gets the author, terms and picture of its original. Raises InvalidRequest for a locale, author or
    original that the site does not have, Conflict if the slug or the file exists.
    """
    slug, locale = slug_of(asked.title, asked.slug), check_locale(asked.locale, settings)
    known = KnownEntries(settings, ContentSchema())
    try:
        original = _original(asked, locale, settings.default_locale, known)
        if known.post(slug) is not None:
            raise Conflict("slug", f"There is a post {slug} already. Nothing was changed; name another with --slug.")
        author = asked.author or str(original.get("author") or "")
        owner = settings.owner or known.only_author()
        _check_author(author or owner, known, named=bool(author))
    finally:
        known.close()
    path = settings.folder / "content" / "posts"
    path = path / f"{slug}.md" if locale == settings.default_locale else path / locale / f"{slug}.md"
    values = _values(asked, slug, locale, author or owner, original, at)
    write_new(path, "\n".join(_lines(values)) + "\n")
    return Written(path)


def _original(asked: NewPost, locale: str, default_locale: str, known: KnownEntries) -> Mapping[str, Any]:
    """Return the front matter of the post that this is a translation of; empty if it is not a translation."""
    if not asked.translation_of:
        return {}
    found = known.post(asked.translation_of)
    if found is None:
        raise InvalidRequest(f"There is no post {asked.translation_of[:100]!r} to translate.")
    if (found.get("locale") or default_locale) == locale:
        raise InvalidRequest(f"The post {asked.translation_of} is in {locale} itself; name another with --locale.")
    if there := known.translation(asked.translation_of, locale):
        raise Conflict("locale", f"The post {there} is its variant in {locale} already. Nothing was changed.")
    return found


def _check_author(author: str, known: KnownEntries, *, named: bool) -> None:
    authors = known.authors()
    if author in authors:
        return
    if not author:
        listed = f"there are: {', '.join(authors[:20]) or 'none'} (content/authors.yaml)"
        raise InvalidRequest(f"No author is named, and site.toml names no owner; name one with --author; {listed}")
    meant = nearest(author, authors)
    hint = f'did you mean "{meant}"?' if meant else f"there are: {', '.join(authors[:20]) or 'none'}"
    where = "" if named else ", whom site.toml names as owner"
    raise InvalidRequest(f"There is no author {author[:100]!r}{where}; {hint} (content/authors.yaml)")


def _values(
    asked: NewPost, slug: str, locale: str, author: str, original: Mapping[str, Any], at: datetime
) -> dict[str, FieldValue]:
    moment = format_timestamp(at.replace(microsecond=0))
    given: dict[str, FieldValue] = {name: original[name] for name in _SHARED if original.get(name)}
    return {
        "title": asked.title,
        "slug": slug,
        "locale": locale,
        "translation_of": asked.translation_of or None,
        "status": (Status.PUBLISHED if asked.published else Status.DRAFT).value,
        "author": author,
        "categories": [],
        "tags": [],
        "featured_image": "",
        "featured_image_alt": "",
        "summary": "",
        "seo_title": "",
        "meta_description": "",
        "created": moment,
        "published": moment if asked.published else None,
        "scheduled": None,
        "aliases": [],
        "format": "markdown",
        **given,
    }


def _lines(values: Mapping[str, FieldValue]) -> Iterator[str]:
    properties = load_schema("post")["properties"]
    yield "---"
    for name, value in values.items():
        yield comment(properties[name]["description"])
        yield from pair(name, value)
    yield "---"
    yield BODY
