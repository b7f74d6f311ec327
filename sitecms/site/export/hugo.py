"""Export to Hugo: content files with an address each, data files, and minimal layouts."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
from msgspec.structs import asdict

from sitecms.clock import format_timestamp
from sitecms.content.author import Author
from sitecms.content.exchange import ENTRY_PARAM, SITE_FILE, items_file
from sitecms.content.kinds import KINDS
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.documents import dump_yaml
from sitecms.site.export.carried import carried, originals, site_facts
from sitecms.site.export.contents import Contents, ExportedEntry
from sitecms.site.export.field_html import body_html
from sitecms.site.export.media import MediaAddresses
from sitecms.site.plan.redirect_files import hosted_rules

FENCE = "---\n"
_TAXONOMIES = {TermKind.CATEGORY: "categories", TermKind.TAG: "tags"}
_BASE = """<!doctype html>
<html lang="{{ .Language.Lang }}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ .Title }}</title>
{{ with .Description }}<meta name="description" content="{{ . }}">{{ end }}
{{ range .AlternativeOutputFormats }}
<link rel="{{ .Rel }}" type="{{ .MediaType.Type }}" href="{{ .Permalink }}">
{{ end }}
</head>
<body>
{{ block "main" . }}{{ end }}
</body>
</html>
"""
_SINGLE = """{{ define "main" }}
<article>
<h1>{{ .Title }}</h1>
{{ .Content }}
</article>
{{ end }}
"""
_LIST = """{{ define "main" }}
<h1>{{ .Title }}</h1>
{{ .Content }}
<ul>
{{ range .RegularPages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>
{{ end }}</ul>
{{ end }}
"""
LAYOUTS = {
    "layouts/_default/baseof.html": _BASE,
    "layouts/_default/single.html": _SINGLE,
    "layouts/_default/list.html": _LIST,
}


def media_address(contents: Contents) -> str:
    """Return the beginning of the addresses of media in texts."""
    return f"{contents.settings.base_path}/media/"


def hugo_files(contents: Contents, media: MediaAddresses) -> Iterator[tuple[str, bytes]]:
    """Yield the settings, content, data and layouts."""
    yield "hugo.toml", _settings(contents).encode()
    for path, text in LAYOUTS.items():
        yield path, text.encode()
    yield SITE_FILE, orjson.dumps(site_facts(contents, media), option=orjson.OPT_INDENT_2)
    entries = originals(contents)
    items: dict[str, list[dict[str, Any]]] = {}
    for entry in contents.entries:
        if not KINDS[entry.kind].has_slug:
            items.setdefault(entry.group, []).append(
                _item_facts(entry, media, is_original=entries[entry.translations] is entry)
            )
        if KINDS[entry.kind].has_slug or entry.path:
            yield _entry_file(contents, media, entry, entries[entry.translations])
    for collection, entries_of_collection in items.items():
        yield items_file(collection), dump_yaml(entries_of_collection).encode()
    yield from _list_files(contents)
    if contents.rules:
        lines = hosted_rules(contents.rules, contents.routes)
        media.replace_all([rule.to for rule in contents.rules])  # the files go along; their addresses are the same
        yield "static/_redirects", "".join(f"{line}\n" for line in lines).encode()
    if contents.authors:
        yield (
            "data/authors.yaml",
            dump_yaml({author.slug: _author(author, media) for author in contents.authors}).encode(),
        )


def losses(contents: Contents) -> Iterator[str]:
    """Yield a line for each kind of content that the format cannot hold."""
    if any(term.aliases for term in contents.terms):
        yield "former addresses of categories and tags"
    yield "Markdown: bodies are HTML, as the site shows them"
    if contents.rules:
        yield "rules of redirects.yaml: in static/_redirects, which not every host reads"
    yield "the theme: the folder has minimal layouts that show every page"
    if contents.schema.post_fields:
        yield "fields of posts: as parameters"
    if any(not KINDS[entry.kind].has_body for entry in contents.entries):
        yield "fields of pages and items: as parameters and as HTML in the body, items in data/ too"


def _entry_file(
    contents: Contents, media: MediaAddresses, entry: ExportedEntry, original: ExportedEntry
) -> tuple[str, bytes]:
    is_home = contents.routes.is_home(entry.version)
    section = entry.group or f"{entry.kind}s"
    name = "_index" if is_home else f"{section}/{original.slug}"
    code = "" if entry.locale == contents.settings.default_locale else f".{entry.locale.lower()}"
    body = media.replace(body_html(entry, contents))
    facts = media.replace_all(_facts(entry, is_home=is_home))
    facts_json = carried(entry, media, body, is_original=original is entry).as_json()
    fields = facts_json.pop("fields")
    facts["params"] = {**({"fields": fields} if fields else {}), ENTRY_PARAM: facts_json}
    return f"content/{name}{code}.html", f"{FENCE}{dump_yaml(facts)}{FENCE}{body}\n".encode()


def _facts(entry: ExportedEntry, *, is_home: bool) -> dict[str, Any]:
    """Return the front matter, without empty values."""
    version, is_scheduled = entry.version, entry.version.status is Status.SCHEDULED
    facts: dict[str, Any] = {
        "title": entry.title,
        "slug": entry.slug,
        "url": "" if is_home else entry.path,
        "aliases": list(entry.former),
        "date": format_timestamp(entry.at or version.created_at),
        "publishDate": format_timestamp(entry.at) if is_scheduled and entry.at else "",
        "lastmod": format_timestamp(version.updated_at),
        "draft": version.status is Status.DRAFT,
        "translationKey": entry.translations,
        "type": entry.group,
    }
    picture, alt = entry.picture
    of_terms = {name: [term.name for term in entry.terms if term.kind is kind] for kind, name in _TAXONOMIES.items()}
    of_picture = {"images": [picture] if picture else [], "featured_image_alt": alt}
    if KINDS[entry.kind].has_body:
        facts |= {
            "authors": [version.author.slug],
            **of_terms,
            "summary": version.summary,
            "description": version.meta_description,
            "images": of_picture["images"],
            "seo_title": version.seo_title,
            "featured_image_alt": alt,
            "guid": version.guid,
        }
    else:
        facts |= {**of_terms, **of_picture}
    return {name: value for name, value in facts.items() if value not in ("", [], None, {}, False)}


def _item_facts(entry: ExportedEntry, media: MediaAddresses, *, is_original: bool) -> dict[str, Any]:
    """Return what the data file of a collection holds of an item."""
    times = {"at": entry.at, "updated": entry.version.updated_at}
    facts = {"id": entry.id, "status": entry.version.status.value}
    facts |= {name: format_timestamp(moment) for name, moment in times.items() if moment}
    return {**facts, **carried(entry, media, "", is_original=is_original).as_json()}


def _author(author: Author, media: MediaAddresses) -> dict[str, str]:
    """Return the profile of an author, with the name and picture as themes of Hugo call them."""
    values = {name: value for name, value in asdict(author).items() if value and isinstance(value, str)}
    picture = media.replace(values.pop("profile_image", ""))
    return {"name": author.name, **values, **({"image": picture} if picture else {})}


def _settings(contents: Contents) -> str:
    settings = contents.settings
    lines = [
        f"baseURL = {_quoted((settings.url or 'https://example.com') + '/')}",
        f"title = {_quoted(settings.name)}",
        f"defaultContentLanguage = {_quoted(settings.default_locale.lower())}",
        f"timeZone = {_quoted(settings.timezone)}",
        "disablePathToLower = true",
        "buildFuture = false",
        "",
        "[security]",
        "allowContent = ['^text/']",
        "",
        "[params]",
        f"description = {_quoted(settings.description)}",
        "",
        "[taxonomies]",
        'category = "categories"',
        'tag = "tags"',
        'author = "authors"',
    ]
    for weight, locale in enumerate(settings.locales, 1):
        lines += ["", f"[languages.{_quoted(locale.lower())}]", f"weight = {weight}", f"label = {_quoted(locale)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return the text as a string of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\u{ord(match[0]):04x}", escaped) + '"'


def _list_files(contents: Contents) -> Iterator[tuple[str, bytes]]:
    """Yield the files that give the lists of posts, terms and authors their addresses in each language."""
    routes = contents.routes
    for locale in contents.settings.locales:
        code = "" if locale == contents.settings.default_locale else f".{locale.lower()}"
        lists = [("posts", {"title": contents.settings.name, "url": routes.blog(locale)})]
        for term in contents.terms:
            facts = {"title": term.name, "slug": term.slug, "url": routes.term(term, locale)}
            lists.append((f"{_TAXONOMIES[term.kind]}/{anchorize(term.name)}", facts))
        lists += [
            (f"authors/{author.slug}", {"title": author.name, "url": routes.author(author.slug, locale)})
            for author in contents.authors
        ]
        for folder, facts in lists:
            yield f"content/{folder}/_index{code}.html", f"{FENCE}{dump_yaml(facts)}{FENCE}".encode()


def anchorize(name: str) -> str:
    """Return the name that Hugo gives to the folder of a term."""
    text = re.sub(r"[^\w\s./+#-]", "", name.lower()).strip()
    return re.sub(r"[\s]+", "-", text)
