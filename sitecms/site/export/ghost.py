"""Export to Ghost: one zip with the JSON of the content and `content/images`, and redirects.json beside it."""

import re
import shutil
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from sitecms.content.exchange import ENTRY_TABLE, FIELDS_SECTION, SITE_TABLE
from sitecms.content.fingerprint import digest
from sitecms.content.kinds import KINDS
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.site.export.carried import carried, originals, site_facts
from sitecms.site.export.contents import Contents, ExportedEntry
from sitecms.site.export.field_html import body_html, fields_html
from sitecms.site.export.media import MediaAddresses

Tables: TypeAlias = dict[str, list[dict[str, Any]]]
ARCHIVE = "ghost-import.zip"
DATA = "ghost.json"
URL_MARK = "__GHOST_URL__"
IMAGES = "content/images/"
MAX_EXCERPT = 300
_VERSION = "5.130.0"
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


def media_address(_contents: Contents) -> str:
    """Return the beginning of the addresses of media in texts."""
    return f"{URL_MARK}/{IMAGES}"


def ghost_data(contents: Contents, media: MediaAddresses) -> bytes:
    """Return the JSON of posts, pages, tags and authors."""
    exported = [entry for entry in contents.entries if _is_exported(entry)]
    locales = {entry.locale for entry in exported} - {contents.settings.default_locale}
    tags = [_tag(_term_id(term), term.name, term.slug) for term in contents.terms]
    tags += [_tag(f"locale-{locale}", f"#{locale}", f"hash-{locale}") for locale in sorted(locales)]
    users = [
        {
            "id": _id(f"author-{author.slug}"),
            "name": author.name,
            "slug": author.slug,
            "email": author.email or f"{author.slug}@example.com",
            "bio": author.bio[:200],
            "profile_image": media.replace(author.profile_image) or None,
            "twitter": f"@{author.twitter_handle}" if author.twitter_handle else None,
        }
        for author in contents.authors
    ]
    data: Tables = {
        "posts": [], "posts_meta": [], "posts_tags": [], "posts_authors": [], "tags": tags, "users": users,
    }  # fmt: skip
    language = contents.settings.language_tag(contents.settings.default_locale) or "en"
    data["settings"] = [
        {"key": "title", "value": contents.settings.name},
        {"key": "description", "value": contents.settings.description},
        {"key": "locale", "value": language},
        {"key": "timezone", "value": contents.settings.timezone},
    ]
    data |= {ENTRY_TABLE: [], SITE_TABLE: [site_facts(contents, media)]}
    entries = originals(contents)
    for entry in contents.entries:
        _add_entry(data, contents, media, entry, is_original=entries[entry.translations] is entry)
    newest = max((entry.version.updated_at for entry in contents.entries), default=_EPOCH)
    meta = {"exported_on": int(newest.timestamp() * 1000), "version": _VERSION}
    return orjson.dumps({"db": [{"meta": meta, "data": data}]}, option=orjson.OPT_INDENT_2)


def losses(contents: Contents) -> Iterator[str]:
    """Yield a line for each kind of content that the format cannot hold."""
    if count := sum(not _is_exported(entry) for entry in contents.entries):
        yield f"{count} items of collections without pages, in a table that Ghost does not read"
    if any(entry.group for entry in contents.entries):
        yield "fields of pages: as HTML in the body"
    if contents.schema.post_fields:
        yield "fields of posts: as HTML at the end of the body"
    yield "Markdown: bodies are HTML, as the site shows them"
    if contents.authors:
        yield "profiles of authors: Ghost reads name, 200 characters of the biography, picture and X"
    if any(term.aliases for term in contents.terms):
        yield "former addresses of categories and tags"
    if any(term.kind is TermKind.CATEGORY for term in contents.terms):
        yield "categories: as tags, the first of which is the primary tag"
    if any(entry.locale != contents.settings.default_locale for entry in contents.entries):
        yield "locales: entries in other locales have an internal tag such as #es"
    if any(len(entry.version.summary) > MAX_EXCERPT for entry in contents.entries):
        yield f"summaries of more than {MAX_EXCERPT} characters: shortened"
    if count := sum(not rule.to or bool(rule.query) for rule in contents.rules):
        yield f"{count} rules of redirects.yaml for removed pages and queries"
    yield "addresses: Ghost has one pattern for all posts; redirects.json leads from the others"


def redirects(contents: Contents, media: MediaAddresses) -> bytes:
    """Return redirects.json: redirects from former addresses, and from present ones that differ in Ghost."""
    rules = []
    for entry in contents.entries:
        if not entry.version.is_live or not _is_exported(entry):
            continue
        target = f"/{_slug(contents, entry)}/"
        paths = [path for path in dict.fromkeys((*entry.former, entry.path)) if path not in (target, "/")]
        rules += [{"from": contents.routes.url(path), "to": target, "permanent": True} for path in paths]
    for rule in contents.rules:
        if rule.to and not rule.query:
            beginning = re.escape(rule.path)
            source = f"^{beginning}(.*)$" if rule.is_prefix else rule.path
            to = rule.to.removesuffix("*") + "$1" if rule.appends_rest else rule.to
            to = media.replace(to).removeprefix(URL_MARK)
            rules.append({"from": source, "to": to, "permanent": rule.status in (301, 308)})
    return orjson.dumps(rules, option=orjson.OPT_INDENT_2)


def ghost_files(contents: Contents, media: MediaAddresses) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of each file."""
    yield DATA, ghost_data(contents, media)
    yield "redirects.json", redirects(contents, media)


def pack(folder: Path) -> None:
    """Move the JSON and the pictures of an export into the zip that Ghost imports; equal content gives equal bytes."""
    names = [DATA, *sorted(path.relative_to(folder).as_posix() for path in (folder / IMAGES).rglob("*"))]
    with zipfile.ZipFile(folder / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            with (folder / name).open("rb") as source, packed.open(info, "w") as target:
                shutil.copyfileobj(source, target)
    (folder / DATA).unlink()
    shutil.rmtree(folder / "content", ignore_errors=True)


def _is_exported(entry: ExportedEntry) -> bool:
    return KINDS[entry.kind].has_slug or bool(entry.path)


def _add_entry(
    data: Tables, contents: Contents, media: MediaAddresses, entry: ExportedEntry, *, is_original: bool
) -> None:
    """Add an entry to the tables; an item without a page only to that of facts, with its row of `posts`."""
    post_id = _id(f"{entry.kind.value}-{entry.id}-{entry.locale}")
    version, has_body = entry.version, KINDS[entry.kind].has_body
    below = fields_html(entry, contents) if has_body and version.fields else ""
    html = media.replace(
        body_html(entry, contents) + (f'\n<section class="{FIELDS_SECTION}">\n{below}\n</section>' if below else "")
    )
    status = {Status.PUBLISHED: "published", Status.SCHEDULED: "scheduled"}.get(version.status, "draft")
    row: dict[str, Any] = {
        "id": post_id,
        "uuid": _uuid(post_id),
        "title": entry.title,
        "slug": _slug(contents, entry),
        "lexical": _lexical(html),
        "html": html,
        "comment_id": version.guid or post_id,
        "feature_image": media.replace(entry.picture[0]) or None,
        "featured": 0,
        "type": "post" if has_body else "page",
        "status": status,
        "locale": None,
        "visibility": "public",
        "created_at": _time(version.created_at),
        "updated_at": _time(version.updated_at),
        "published_at": _time(entry.at) if entry.at else None,
        "custom_excerpt": version.summary[:MAX_EXCERPT] or None,
    }
    facts = carried(entry, media, html if _is_exported(entry) else "", is_original=is_original).as_json()
    if not _is_exported(entry):
        data[ENTRY_TABLE].append({**facts, "post_id": None, "row": {**row, "html": "", "lexical": None}})
        return
    data["posts"].append(row)
    data[ENTRY_TABLE].append({**facts, "post_id": post_id})
    _add_relations(data, contents, entry, post_id)


def _add_relations(data: Tables, contents: Contents, entry: ExportedEntry, post_id: str) -> None:
    """Add the author, the tags and the metadata of an entry with a row in `posts`."""
    version = entry.version
    if author := version.author.slug or next((each.slug for each in contents.authors), ""):
        author_id = _id(f"author-{author}")
        row = {"id": _id(f"{post_id}-{author}"), "post_id": post_id, "author_id": author_id, "sort_order": 0}
        data["posts_authors"].append(row)
    tags = [_term_id(term) for term in entry.terms]
    if entry.locale != contents.settings.default_locale:
        tags.append(f"locale-{entry.locale}")
    for number, tag in enumerate(tags):
        row = {"id": _id(f"{post_id}-{tag}"), "post_id": post_id, "tag_id": _id(tag), "sort_order": number}
        data["posts_tags"].append(row)
    if version.seo_title or version.meta_description or version.featured_image_alt:
        data["posts_meta"].append(
            {
                "id": _id(f"{post_id}-meta"),
                "post_id": post_id,
                "meta_title": version.seo_title or None,
                "meta_description": version.meta_description[:500] or None,
                "feature_image_alt": version.featured_image_alt[:125] or None,
            }
        )


def _slug(contents: Contents, entry: ExportedEntry) -> str:
    """Return the slug; pages and items have one slug in all locales, Ghost one for each page."""
    is_shared = KINDS[entry.kind].has_locales and entry.locale != contents.settings.default_locale
    return f"{entry.slug}-{entry.locale.lower()}" if is_shared else entry.slug


def _lexical(html: str) -> str:
    card = {"type": "html", "version": 1, "html": html}
    root = {"children": [card], "direction": None, "format": "", "indent": 0, "type": "root", "version": 1}
    return orjson.dumps({"root": root}).decode()


def _tag(key: str, name: str, slug: str) -> dict[str, Any]:
    visibility = "internal" if name.startswith("#") else "public"
    return {"id": _id(key), "name": name, "slug": slug, "visibility": visibility}


def _term_id(term: Term) -> str:
    return f"{term.kind.value}-{term.slug}"


def _id(key: str) -> str:
    """Return an id of 24 hexadecimal digits that stays the same over exports."""
    return digest(key.encode())[:24]


def _uuid(key: str) -> str:
    value = digest(f"uuid-{key}".encode())
    return f"{value[:8]}-{value[8:12]}-4{value[13:16]}-a{value[17:20]}-{value[20:32]}"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
