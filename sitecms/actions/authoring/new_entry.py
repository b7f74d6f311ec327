"""Files of new posts and pages, for a person to complete.

A post gets front matter with every key a person may want, and a first paragraph; a page every field of its page type,
required ones with an example value. Each field is a line or more of YAML below a comment that describes its type.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from sitecms.actions.authoring.known_names import KnownEntries
from sitecms.actions.loading.reading.bodies import BODY as BODY_FIELD
from sitecms.actions.loading.reading.files import SINGLE_PAGES_FOLDER
from sitecms.actions.loading.reading.schema_files import read_content_schema
from sitecms.clock import format_local_time
from sitecms.content.entry import FIELDS
from sitecms.content.field_value import FieldValue
from sitecms.content.fields import own_types, type_of
from sitecms.content.fields.component import INDENT
from sitecms.content.schema import ContentSchema, FieldSpec, is_post_like
from sitecms.content.status import Status
from sitecms.content.text.slug import RESERVED_SLUGS, slugify
from sitecms.documents import dump_yaml, load_schema, nearest
from sitecms.documents.reading import FENCE
from sitecms.documents.yaml_values import flow
from sitecms.errors import Conflict, InvalidRequest
from sitecms.settings.site import SiteSettings

MAX_TITLE_LENGTH = 200  # content_schema, post and page
BODY = "Write here, in Markdown."
_TEXTS = ("long_text", "wysiwyg")
_SHARED = ("categories", "tags", "featured_image")
_ABOUT = "Required fields have example values: replace them. Delete the fields that the page does not need."


class FieldLines(Struct, frozen=True):
    """Writes groups of fields (`YamlOutput` of field types); components within them are written out.

    Fields that must be filled in get placeholders of the right type and length, so that a new file loads without
    error; `missing` are the fields for which none exists.
    """

    schema: ContentSchema
    known: KnownEntries
    at: datetime
    missing: list[FieldSpec] = field(default_factory=list)

    def group(self, specs: Sequence[FieldSpec], indent: str) -> Iterator[str]:
        """Yield the lines of a group of fields, each below its comment."""
        for spec in specs:
            yield from (f"{indent}# {line}" for line in _comments(spec))
            yield from type_of(spec).yaml_lines(spec, indent, self)

    def pair(self, name: str, value: FieldValue, indent: str) -> Iterator[str]:
        """Yield the lines of one key with its value."""
        return pair(name, value, indent)

    def value(self, spec: FieldSpec) -> FieldValue:
        """Return the declared default, a placeholder for a required field, or the empty value."""
        if spec.default is not None:
            return spec.default
        field_type = type_of(spec)
        return field_type.placeholder(spec, self) if spec.required else field_type.empty_of(spec)

    def example(self, spec: FieldSpec) -> list[list[str]]:
        """Return the list's entries as an example: placeholders in a comment need not exist."""
        count = len(self.missing)
        entries = type_of(spec).yaml_entries(spec, INDENT, self)
        del self.missing[count:]
        return entries

    def picture(self) -> str:
        """Return the first picture in media/; "" if there is none."""
        return self.known.picture()

    def reference(self, spec: FieldSpec) -> FieldValue:
        """Return the first entry among the field's targets; None if there is none, which is noted."""
        entry = self.known.reference(spec.targets)
        if entry is None:
            self.missing.append(spec)
        return entry


def pair(name: str, value: FieldValue, indent: str = "") -> Iterator[str]:
    """Yield one key with its value as content files write it; null is left empty."""
    if value is None:
        yield f"{indent}{name}:"
    elif isinstance(value, dict | list) and value:
        yield f"{indent}{name}: {flow(value)}"
    else:
        yield from (indent + line for line in dump_yaml({name: value}).splitlines())


def comment(text: str) -> str:
    """Return the text as a comment on one line."""
    return f"# {' '.join(text.split())}"


def _comments(spec: FieldSpec) -> Iterator[str]:
    """Yield the field's name, what it takes, and its declared hint."""
    yield f"{' '.join(spec.name.split())}: {'; '.join(_facts(spec))}"
    if spec.help.strip():
        yield " ".join(spec.help.split())
    yield from (f"{INDENT}{choice}" for choice in type_of(spec).choices(spec))


def _facts(spec: FieldSpec) -> Iterator[str]:
    field_type = type_of(spec)
    yield field_type.takes(spec)
    unit = "entries" if spec.many else field_type.length_unit
    if spec.min_length:
        yield f"at least {spec.min_length} {unit}"
    if spec.max_length is not None:
        yield f"at most {spec.max_length} {unit}"
    if spec.required:
        yield "REQUIRED"
    if not spec.translatable:
        yield "the same in all locales"


class NewPost(Struct, frozen=True):
    """Request for a new post. "" stands for a slug made from the title, the default locale, and the default author."""

    title: str
    slug: str = ""
    locale: str = ""
    author: str = ""
    translation_of: str = ""
    published: bool = False


class NewPage(Struct, frozen=True):
    """`page_type` "" is a Single Page; no `locales`: the default locale."""

    title: str
    page_type: str = ""
    slug: str = ""
    locales: tuple[str, ...] = ()
    published: bool = False


def slug_of(title: str, slug: str) -> str:
    """Return the requested slug, else one made of the title. Raises InvalidRequest if neither gives one."""
    if not title.strip() or len(title) > MAX_TITLE_LENGTH or not title.isprintable():
        raise InvalidRequest(f"A title is one line of at most {MAX_TITLE_LENGTH} characters, and not empty.")
    found = slugify(slug, max_bytes=None) if slug else slugify(title)
    if not found:
        raise InvalidRequest(f"{slug or title!r} contains no letter or digit; name the address with --slug.")
    if slug and found != slug:
        raise InvalidRequest(f"{slug[:100]!r} is not a slug; {found!r} would be one.")
    if found in RESERVED_SLUGS:
        raise InvalidRequest(f"The slug {found!r} is an address of the API itself; name another one with --slug.")
    return found


def check_locale(locale: str, settings: SiteSettings) -> str:
    """Return the locale, by default the default one. Raises InvalidRequest if the site does not have it."""
    if locale and locale not in settings.locales:
        raise InvalidRequest(f"There is no locale {locale[:40]!r}; site.toml has: {', '.join(settings.locales)}.")
    return locale or settings.default_locale


class Written(Struct, frozen=True):
    """The new file; `notes` say what a person still has to do before it loads without error."""

    path: Path
    notes: tuple[str, ...] = ()


def write_new(path: Path, text: str) -> None:
    """Write the file. Raises Conflict if one of that name exists in any letter case, and leaves it unchanged."""
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    twin = next((other for other in beside if other.name.casefold() == path.name.casefold()), None)
    if twin is not None:
        raise Conflict("slug", f"{twin} is there already. Nothing was changed; name another address with --slug.")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise Conflict("slug", f"{path} is there already. Nothing was changed.") from None


def new_post(settings: SiteSettings, asked: NewPost, at: datetime) -> Written:
    """Write the file of a new post, `content/posts/<slug>.md`; other locales have a folder of their own.

    A translation gets the author, terms and picture of its original. Raises InvalidRequest for a locale, author or
    original that the site does not have, Conflict if the slug or the file exists, InvalidFiles for errors in schema/.
    """
    local_at = at.astimezone(settings.zone).replace(microsecond=0)
    slug, locale = slug_of(asked.title, asked.slug), check_locale(asked.locale, settings)
    schema = read_content_schema(settings.folder, own_types(settings.plugins))
    known = KnownEntries(settings, schema)
    try:
        original = _original(asked, locale, settings.default_locale, known)
        if known.post(slug) is not None:
            raise Conflict("slug", f"There is a post {slug} already. Nothing was changed; name another with --slug.")
        author = asked.author or str(original.get("author") or "")
        owner = settings.owner or known.only_author()
        _check_author(author or owner, known, named=bool(author))
        group = FieldLines(schema, known, local_at)
        fields = list(group.group(schema.post_fields, INDENT))
    finally:
        known.close()
    path = settings.folder / "content" / "posts"
    path = path / f"{slug}.md" if locale == settings.default_locale else path / locale / f"{slug}.md"
    values = _values(asked, slug, locale, author or owner, original, format_local_time(local_at, settings.zone))
    write_new(path, "\n".join(_lines(values, fields)) + "\n")
    return Written(path, tuple(dict.fromkeys(map(_needed, group.missing))))


def _original(asked: NewPost, locale: str, default_locale: str, known: KnownEntries) -> Mapping[str, Any]:
    """Return the front matter of the post that this is a translation of; empty if it is not a translation."""
    if not asked.translation_of:
        return {}
    found = known.post(asked.translation_of)
    if found is None:
        raise InvalidRequest(f"There is no post {asked.translation_of[:100]!r} to translate.")
    if (found.get("locale") or default_locale) == locale:
        raise InvalidRequest(f"The post {asked.translation_of} is itself in {locale}; choose another with --locale.")
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
    asked: NewPost, slug: str, locale: str, author: str, original: Mapping[str, Any], moment: str
) -> dict[str, FieldValue]:
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
        "path": None,
        "aliases": [],
        "guid": None,
        "format": "markdown",
        **given,
    }


def _lines(values: Mapping[str, FieldValue], fields: Sequence[str]) -> Iterator[str]:
    properties = load_schema("post")["properties"]
    yield "---"
    for name, value in values.items():
        yield comment(properties[name]["description"])
        yield from pair(name, value)
    if fields:
        yield comment(properties[FIELDS]["description"])
        yield f"{FIELDS}:"
        yield from fields
    yield "---"
    yield BODY


def new_page(settings: SiteSettings, asked: NewPage, at: datetime) -> Written:
    """Write the file of a new page, `content/pages/<page type>/<slug>.md` if it has a text `body`, else `.yaml`.

    Raises InvalidRequest for a type or locale that the site does not have, Conflict if the page or the file exists,
    InvalidFiles for errors in the schema.
    """
    local_at = at.astimezone(settings.zone).replace(microsecond=0)
    moment = format_local_time(local_at, settings.zone)
    schema = read_content_schema(settings.folder, own_types(settings.plugins))
    if asked.page_type and asked.page_type not in schema.page_types:
        raise InvalidRequest(_no_page_type(asked.page_type, sorted(schema.page_types)))
    slug = slug_of(asked.title, asked.slug)
    locales = tuple(dict.fromkeys(check_locale(locale, settings) for locale in asked.locales or ("",)))
    known = KnownEntries(settings, schema)
    try:
        if known.is_page(asked.page_type, slug):
            raise Conflict("slug", f"There is a page {slug} already. Nothing was changed; name another with --slug.")
        group = FieldLines(schema, known, local_at)
        specs = schema.page_fields(asked.page_type, slug)
        is_markdown = len(locales) == 1 and any(map(_is_text, specs))
        if is_markdown:
            specs = tuple(spec for spec in specs if spec.slug != BODY_FIELD)
        empty = {spec.slug: type_of(spec).empty_of(spec) for spec in specs if is_post_like(spec)}
        specs = tuple(spec for spec in specs if not is_post_like(spec))
        head = _head(asked, slug, settings, locales, {"created": moment, **empty})
        lines = [*head, *_fields(specs, group, settings, locales)]
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


def _is_text(spec: FieldSpec) -> bool:
    """Return whether a field is the text of a page that may stand below front matter, as BODY may at first."""
    is_long_enough = len(BODY) >= (spec.min_length or 0)
    return spec.slug == BODY_FIELD and spec.type in _TEXTS and is_long_enough and spec.max_length is None


def _no_page_type(name: str, known: Sequence[str]) -> str:
    meant = nearest(name, known)
    hint = f'Did you mean "{meant}"?' if meant else f"There are: {', '.join(known) or 'none'}."
    return f"There is no page type {name[:100]!r}. {hint} Without --type it is a Single Page."


def _needed(spec: FieldSpec) -> str:
    return f"{spec.slug}: is required, and there is nothing in {', '.join(spec.targets)} yet that it could name"


def _head(
    asked: NewPage, slug: str, settings: SiteSettings, locales: Sequence[str], own: Mapping[str, FieldValue]
) -> Iterator[str]:
    """Yield the lines above the fields; `own` are the time of creation, and empty values of keys of the type."""
    properties = load_schema("page")["properties"]
    values: dict[str, FieldValue] = {
        "title": asked.title,
        "slug": slug,
        "status": (Status.PUBLISHED if asked.published else Status.DRAFT).value,
        "created": own["created"],
        "published": own["created"] if asked.published else None,
        "scheduled": None,
        **own,
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
