"""Export to WordPress: one WXR 1.2 file for each locale. WordPress downloads the media from the site's address."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from email.utils import format_datetime
from zoneinfo import ZoneInfo

import orjson

from sitecms.content.author import Author
from sitecms.content.exchange import ENTRY_META, XML_NAMESPACE
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.site.export.carried import carried, originals, site_facts
from sitecms.site.export.contents import Contents, ExportedEntry
from sitecms.site.export.field_html import body_html
from sitecms.site.export.media import MediaAddresses

_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:wp="http://wordpress.org/export/1.2/" xmlns:sitecms="{XML_NAMESPACE}">
<channel>
"""
_STATUS = {Status.PUBLISHED: "publish", Status.SCHEDULED: "future", Status.DRAFT: "draft"}
_KINDS = (*EntryKind, "media")
_NEVER = "0000-00-00 00:00:00"
_PRESERVED = re.compile(r"(<(pre|textarea|script|style)\b.*?</\2>)", re.S | re.I)
_BLOCK_END = re.compile(r"(</(?:p|h[1-6]|ul|ol|li|blockquote|figure|table|section|div|details|dl)>) (?=<)")


def wxr_files(contents: Contents, media: MediaAddresses) -> Iterator[tuple[str, bytes]]:
    """Yield a file for each locale that has entries."""
    original_entries = originals(contents)
    for locale in contents.settings.locales:
        entries = [entry for entry in contents.entries if entry.locale == locale]
        if entries:
            name = "wordpress.xml" if locale == contents.settings.default_locale else f"wordpress.{locale}.xml"
            yield name, "".join(_file(contents, media, locale, entries, original_entries)).encode()


def losses(contents: Contents) -> Iterator[str]:
    """Yield a line for each kind of content that the format cannot hold."""
    if any(entry.group for entry in contents.entries):
        yield f"fields of pages and items: as text in the body, and as JSON in the custom field {ENTRY_META}"
    if contents.schema.post_fields:
        yield f"fields of posts: as custom fields, and as JSON in {ENTRY_META}"
    if any(entry.locale != contents.settings.default_locale for entry in contents.entries):
        yield f"links between translations: each locale is a file of its own; WordPress sees them in {ENTRY_META} only"
    yield "Markdown: bodies are HTML, as the site shows them"
    if contents.authors:
        yield "profiles of authors: WordPress reads only their names"
    if any(term.aliases for term in contents.terms):
        yield "former addresses of categories and tags"
    if contents.rules:
        yield "rules of redirects.yaml: WordPress needs a plug-in for redirects"
    if not contents.settings.url:
        yield "media: site.toml has no url, so WordPress cannot download them; upload the folder media/ yourself"


def _file(
    contents: Contents,
    media: MediaAddresses,
    locale: str,
    entries: list[ExportedEntry],
    original_entries: Mapping[str, ExportedEntry],
) -> Iterator[str]:
    settings = contents.settings
    yield _HEAD
    yield _line("title", settings.name) + _line("link", settings.url) + _line("description", settings.description)
    if language := settings.language_tag(locale):
        yield _line("language", language)
    yield _line("wp:wxr_version", "1.2")
    yield _line("wp:base_site_url", settings.url) + _line("wp:base_blog_url", settings.url)
    yield f"<sitecms:site>{_cdata(orjson.dumps(site_facts(contents, media)).decode())}</sitecms:site>\n"
    for number, author in enumerate(contents.authors, 1):
        yield _author(number, author)
    for number, term in enumerate(contents.terms, 1):
        yield _term(number, term)
    for entry in entries:
        yield "".join(_item(contents, media, entry, is_original=original_entries[entry.translations] is entry))
    alts = _alternative_texts(entries)
    for name in media.used:
        address = settings.url + "/media/" + name
        facts = _line("title", name) + _line("link", address) + _line("wp:post_id", str(_media_id(name)))
        facts += _line("wp:post_name", name.partition(".")[0]) + _line("wp:status", "inherit")
        facts += _line("wp:post_type", "attachment") + _line("wp:attachment_url", address)
        if name in alts:
            facts += _meta_line("_wp_attachment_image_alt", alts[name])
        yield f"<item>\n{facts}</item>\n"
    yield "</channel>\n</rss>\n"


def _item(contents: Contents, media: MediaAddresses, entry: ExportedEntry, *, is_original: bool) -> Iterator[str]:
    settings, version = contents.settings, entry.version
    html = _in_lines(media.replace(body_html(entry, contents)))
    url = settings.url + contents.routes.url(entry.path) if entry.path else ""
    yield "<item>\n" + _line("title", entry.title) + _line("link", url)
    if entry.at:
        yield _line("pubDate", format_datetime(entry.at.astimezone(UTC)))
    yield _line("dc:creator", version.author.slug or next((each.slug for each in contents.authors), ""))
    guid = version.guid or url or f"sitecms:{entry.translations}"
    yield f'<guid isPermaLink="false">{_cdata(guid)}</guid>\n'
    yield _line("content:encoded", html)
    yield _line("excerpt:encoded", version.summary)
    yield _line("wp:post_id", str(_entry_id(entry)))
    zone = ZoneInfo(settings.timezone)
    yield _line("wp:post_date", _time(entry.at or entry.version.created_at, zone))
    yield _line("wp:post_date_gmt", _time(entry.at, UTC) if entry.at else _NEVER)
    yield _line("wp:post_modified", _time(entry.version.updated_at, zone)) + _line(
        "wp:post_modified_gmt", _time(entry.version.updated_at, UTC)
    )
    yield _line("wp:post_name", entry.slug) + _line("wp:status", _STATUS[entry.version.status])
    yield _line("wp:post_parent", "0") + _line("wp:menu_order", "0") + _line("wp:post_type", _type(entry))
    yield _line("wp:post_password", "") + _line("wp:is_sticky", "0")
    for term in entry.terms:
        domain = "category" if term.kind is TermKind.CATEGORY else "post_tag"
        yield f'<category domain="{domain}" nicename="{_attribute(term.slug)}">{_cdata(term.name)}</category>\n'
    facts = carried(entry, media, html, is_original=is_original)
    yield _meta_line(ENTRY_META, orjson.dumps(facts.as_json()).decode())
    for name, value in _meta(media, entry):
        yield _meta_line(name, value)
    yield "</item>\n"


def _in_lines(html: str) -> str:
    """Return the HTML without line breaks in paragraphs, which WordPress would show."""
    parts = _PRESERVED.split(html)  # text, preserved element, its name, text, ...
    plain = [_BLOCK_END.sub(r"\1\n", re.sub(r"\s*\n\s*", " ", part)) for part in parts[::3]]
    return "".join(part for pair in zip(plain, [*parts[1::3], ""], strict=True) for part in pair)


def _alternative_texts(entries: list[ExportedEntry]) -> dict[str, str]:
    """Return the alternative texts of featured images by the name of their file."""
    return {address.rpartition("/")[2]: alt for address, alt in (entry.picture for entry in entries) if alt}


def _meta_line(name: str, value: str) -> str:
    return f"<wp:postmeta>\n{_line('wp:meta_key', name)}{_line('wp:meta_value', value)}</wp:postmeta>\n"


def _type(entry: ExportedEntry) -> str:
    if KINDS[entry.kind].has_body:
        return "post"
    return entry.group.replace("-", "_")[:20] if entry.group else "page"


def _meta(media: MediaAddresses, entry: ExportedEntry) -> Iterator[tuple[str, str]]:
    for path in entry.former:
        yield "_wp_old_slug", path.strip("/").rsplit("/", 1)[-1]
    address = entry.picture[0]
    picture = media.replace(address)
    if picture and picture != address:
        yield "_thumbnail_id", str(_media_id(picture.rsplit("/", 1)[-1]))
    if title := entry.version.seo_title:
        yield "_yoast_wpseo_title", title
    if description := entry.version.meta_description:
        yield "_yoast_wpseo_metadesc", description
    for name, value in media.replace_all(dict(entry.version.fields)).items():
        if isinstance(value, str | int | float):
            yield name, str(value)


def _author(number: int, author: Author) -> str:
    facts = _line("wp:author_id", str(number)) + _line("wp:author_login", author.slug)
    facts += _line("wp:author_display_name", author.name) + _line("wp:author_first_name", author.first_name)
    return f"<wp:author>\n{facts}{_line('wp:author_last_name', author.last_name)}</wp:author>\n"


def _term(number: int, term: Term) -> str:
    if term.kind is TermKind.CATEGORY:
        names = _line("wp:category_nicename", term.slug) + _line("wp:cat_name", term.name)
        return f"<wp:category>\n{_line('wp:term_id', str(number))}{names}</wp:category>\n"
    names = _line("wp:tag_slug", term.slug) + _line("wp:tag_name", term.name)
    return f"<wp:tag>\n{_line('wp:term_id', str(number))}{names}</wp:tag>\n"


def _entry_id(entry: ExportedEntry) -> int:
    return entry.id * len(_KINDS) + _KINDS.index(entry.kind)


def _media_id(name: str) -> int:
    """Return a number that stays the same over exports, made of the digest in the name."""
    return int(name[:10], 16) * len(_KINDS) + _KINDS.index("media")


def _time(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


def _line(name: str, text: str) -> str:
    return f"<{name}>{_cdata(text)}</{name}>\n"


def _cdata(text: str) -> str:
    """Return a text as CDATA; `]]>` in it is divided between two sections, and control characters are left out."""
    clean = "".join(sign for sign in text if sign in "\t\n\r" or sign >= " ")
    return f"<![CDATA[{clean.replace(']]>', ']]]]><![CDATA[>')}]]>"


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def media_address(contents: Contents) -> str:
    """Return the beginning of the addresses of media in texts."""
    return contents.settings.url + "/media/"
