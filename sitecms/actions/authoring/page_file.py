"""A new page: every field of its page type, required ones with an example value."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from sitecms.actions.authoring.field_lines import FieldLines, comment, pair
from sitecms.actions.authoring.known_names import KnownEntries
from sitecms.actions.authoring.new_entry import NewPage, Written, check_locale, slug_of, write_new
from sitecms.actions.authoring.post_file import BODY
from sitecms.actions.loading.reading.files import SINGLE_PAGES_FOLDER
from sitecms.actions.loading.reading.prepare_entries import BODY as BODY_FIELD
from sitecms.actions.loading.reading.schema_files import read_content_schema
from sitecms.clock import format_timestamp
from sitecms.content.field_value import FieldValue
from sitecms.content.fields.component import INDENT
from sitecms.content.schema import FieldSpec
from sitecms.content.status import Status
from sitecms.documents import load_schema, nearest
from sitecms.documents.reading import FENCE
from sitecms.errors import Conflict, InvalidRequest
from sitecms.settings.site import SiteSettings

_ABOUT = "Required fields have example values: replace them. Delete the fields that the page does not need."


def new_page(settings: SiteSettings, asked: NewPage, at: datetime) -> Written:
    """Write the file of a new page, `content/pages/<page type>/<slug>.yaml`; a Single Page is Markdown.

    Raises InvalidRequest for a type or locale that the site does not have, Conflict if the page or the file exists,
    InvalidFiles for errors in the schema.
    """
    schema = read_content_schema(settings.folder)
    if asked.page_type and asked.page_type not in schema.page_types:
        raise InvalidRequest(_no_page_type(asked.page_type, sorted(schema.page_types)))
    slug = slug_of(asked.title, asked.slug)
    locales = tuple(dict.fromkeys(check_locale(locale, settings) for locale in asked.locales or ("",)))
    known = KnownEntries(settings, schema)
    try:
        if known.is_page(asked.page_type, slug):
            raise Conflict("slug", f"There is a page {slug} already. Nothing was changed; name another with --slug.")
        group = FieldLines(schema, known, at)
        specs = schema.page_fields(asked.page_type or None)
        is_markdown = not asked.page_type and len(locales) == 1
        if is_markdown:
            specs = tuple(spec for spec in specs if spec.slug != BODY_FIELD)
        lines = [*_head(asked, slug, settings, locales, at), *_fields(specs, group, settings, locales)]
    finally:
        known.close()
    folder = settings.folder / "content" / "pages" / (asked.page_type or SINGLE_PAGES_FOLDER)
    for ending in (".yaml", ".yml", ".md"):
        if (folder / f"{slug}{ending}").exists():
            raise Conflict("slug", f"{folder / slug}{ending} is there already. Nothing was changed.")
    if is_markdown:
        lines = [FENCE, *lines, FENCE, BODY]
    path = folder / (f"{slug}.md" if is_markdown else f"{slug}.yaml")
    write_new(path, "\n".join(lines) + "\n")
    return Written(path, tuple(dict.fromkeys(map(_needed, group.missing))))


def _no_page_type(name: str, known: Sequence[str]) -> str:
    meant = nearest(name, known)
    hint = f'Did you mean "{meant}"?' if meant else f"There are: {', '.join(known) or 'none'}."
    return f"There is no page type {name[:100]!r}. {hint} Without --type it is a Single Page."


def _needed(spec: FieldSpec) -> str:
    return f"{spec.slug}: is required, and there is nothing in {', '.join(spec.targets)} yet that it could name"


def _head(asked: NewPage, slug: str, settings: SiteSettings, locales: Sequence[str], at: datetime) -> Iterator[str]:
    properties = load_schema("page")["properties"]
    moment = format_timestamp(at.replace(microsecond=0))
    values: dict[str, FieldValue] = {
        "title": asked.title,
        "slug": slug,
        "status": (Status.PUBLISHED if asked.published else Status.DRAFT).value,
        "created": moment,
        "published": moment if asked.published else None,
        "scheduled": None,
    }
    if len(locales) == 1 and locales[0] != settings.default_locale:
        values["locale"] = locales[0]
    yield comment(_ABOUT)
    for name, value in values.items():
        yield comment(properties[name]["description"])
        yield from pair(name, value)
    yield "fields:"


def _fields(
    specs: Sequence[FieldSpec], group: FieldLines, settings: SiteSettings, locales: Sequence[str]
) -> Iterator[str]:
    """Return the fields; with several locales below each of them, untranslatable ones below the first only."""
    if len(locales) == 1:
        yield from group.group(specs, INDENT)
        return
    holder = settings.default_locale if settings.default_locale in locales else locales[0]
    for locale in locales:
        yield f"{INDENT}{locale}:"
        mine = [spec for spec in specs if spec.translatable or locale == holder]
        lines = list(group.group(mine, INDENT * 2))
        yield from lines if mine else [f"{INDENT * 2}{{}}"]
