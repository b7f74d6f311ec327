"""Fields of entries as HTML, for systems whose pages have one text."""

from collections.abc import Sequence
from html import escape
from typing import Any

from sitecms.content.fields import shown_type
from sitecms.content.kinds import KINDS
from sitecms.content.references import PageTarget, parse_target
from sitecms.content.schema import ContentSchema, FieldSpec, is_post_like
from sitecms.content.text import markdown
from sitecms.site.export.contents import Contents, ExportedEntry

_HTML_TYPES = ("wysiwyg", "html")
_MARKDOWN_TYPE = "long_text"


def body_html(entry: ExportedEntry, contents: Contents) -> str:
    """Return the body of an entry, or all its fields, in the order of their declaration, where the kind has none."""
    return entry.version.body if KINDS[entry.kind].has_body else fields_html(entry, contents)


def fields_html(entry: ExportedEntry, contents: Contents) -> str:
    """Return all fields of a post, page or item in the order of their declaration, but its terms and picture."""
    specs = [spec for spec in contents.specs(entry) if not is_post_like(spec)]
    return "\n".join(_fields(dict(entry.version.fields), specs, contents, entry.locale, 2))


def _fields(
    values: dict[str, Any], specs: Sequence[FieldSpec], contents: Contents, locale: str, level: int
) -> list[str]:
    """Return the fields that have a value; further long texts get their name as a heading."""
    parts: list[str] = []
    for spec in specs:
        html = _value(values.get(spec.slug), spec, contents, locale, level)
        if not html:
            continue
        name = escape(spec.name or spec.slug, quote=False)
        if parts and html.startswith(("<p", "<h", "<ul", "<ol", "<section")):
            parts.append(f"<h{level}>{name}</h{level}>")
        parts.append(html)
    return parts


def _value(value: Any, spec: FieldSpec | None, contents: Contents, locale: str, level: int) -> str:
    if value in (None, "", [], {}):
        return ""
    deeper = min(level + 1, 6)
    match value:
        case {"url": str(url), **rest} if set(rest) <= {"alt"}:
            alt = escape(str(rest.get("alt") or ""))
            return f'<figure><img src="{escape(url)}" alt="{alt}"></figure>' if url else ""
        case dict():
            return _group(value, _specs(spec, contents.schema), contents, locale, deeper)
        case [{"type": str(), "fields": dict()}, *_]:
            parts = []
            for each in value:
                component = contents.schema.components.get(each["type"])
                parts.append(_group(each["fields"], component.fields if component else (), contents, locale, deeper))
            return "\n".join(filter(None, parts))
        case [dict(), *_]:
            return "\n".join(_group(each, spec.fields if spec else (), contents, locale, deeper) for each in value)
        case list():
            items = "".join(f"<li>{_text(each, None, contents, locale)}</li>" for each in value)
            return f"<ul>{items}</ul>"
    text = _text(value, spec, contents, locale)
    return text if text.startswith("<") and text.endswith(">") and not text.startswith("<a ") else f"<p>{text}</p>"


def _specs(spec: FieldSpec | None, schema: ContentSchema) -> Sequence[FieldSpec]:
    component = schema.components.get(spec.component) if spec and spec.component else None
    return component.fields if component else spec.fields if spec else ()


def _group(values: dict[str, Any], specs: Sequence[FieldSpec], contents: Contents, locale: str, level: int) -> str:
    inner = "\n".join(_fields(values, specs, contents, locale, level))
    return f"<section>\n{inner}\n</section>" if inner else ""


def _text(value: Any, spec: FieldSpec | None, contents: Contents, locale: str) -> str:
    """Return a plain value: HTML and Markdown as HTML, a reference as a link, everything else as text."""
    if not isinstance(value, str):
        return escape(("yes" if value else "no") if isinstance(value, bool) else str(value), quote=False)
    if target := parse_target(value):
        entry = contents.entry_of(target, locale)
        if entry is None:
            return escape(target.slug if isinstance(target, PageTarget) else str(target.id), quote=False)
        title = escape(entry.title, quote=False)
        return f'<a href="{escape(contents.routes.url(entry.path))}">{title}</a>' if entry.path else title
    template_type = shown_type(spec) if spec else ""
    if template_type in _HTML_TYPES:
        return value
    if template_type != _MARKDOWN_TYPE:
        return escape(value, quote=False)
    settings = contents.routes.settings
    return markdown.render(
        value,
        extensions=settings.markdown_extensions,
        plugins=settings.plugins,
        macros=settings.math_macros,
        language=settings.language_tag(locale),
    )
