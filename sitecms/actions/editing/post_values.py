"""Values of a post as forms of the studio show and send them, and the body that Markdown is rendered to.

Names are those of the API. `categories` and `tags` are lists of names, `body` is the Markdown of a post that has one,
`fields` are those that schema/post.yaml declares.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sitecms.actions.loading.reading.shortcodes import shortcodes_of
from sitecms.content.change import EntryKind
from sitecms.content.field_value import FieldValue
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.post import FIELDS, Post
from sitecms.content.text import markdown
from sitecms.content.text.markdown import Problem
from sitecms.content.text.media_links import MEDIA_FOLDER, ResolvedImage
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.text.trusted_html import keeps
from sitecms.errors import InvalidFields
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.media_files import find_media
from sitecms.store.site_state.loaded_files import file_of_entry

TEXTS = ("title", "slug", "body", "summary", "seo_title", "meta_description", "featured_image", "featured_image_alt")
NAMES = (*TEXTS, "author", "categories", "tags", FIELDS)
EMPTY: Mapping[str, FieldValue] = {**dict.fromkeys(TEXTS, ""), "author": "", "categories": [], "tags": [], FIELDS: {}}
FORMAT, MARKDOWN, HTML = "format", "markdown", "html"
"""The name of the value that says in which format the body is, if it is not that of the stored post."""
ONLY_IN_FILES = "Only a file of the site may hold it: remove it, or edit the file."
PostValues = Mapping[str, FieldValue]


def values_of(post: Post, source: str | None) -> dict[str, FieldValue]:
    """Return the values of a stored post; `source` is its Markdown."""
    values: dict[str, FieldValue] = {name: getattr(post, name) for name in TEXTS}
    if source is not None:
        values["body"] = source
    names = {kind: [term.name for term in getattr(post, kind)] for kind in ("categories", "tags")}
    return {**values, "author": post.author.slug, **names, FIELDS: dict(post.fields)}


def is_markdown(values: PostValues, *, default: bool) -> bool:
    """Return whether the body is Markdown; values that do not say it have the `default` format."""
    return values[FORMAT] == MARKDOWN if FORMAT in values else default


def differing(before: PostValues, after: PostValues) -> dict[str, FieldValue]:
    """Return the values of `after` that differ from `before`; of `fields` only those that differ."""
    found = {name: after[name] for name in NAMES if name in after and after[name] != before.get(name)}
    if FIELDS in found:
        stored = fields_in(before)
        found[FIELDS] = {slug: value for slug, value in fields_in(after).items() if value != stored.get(slug)}
    return found


def fields_in(values: PostValues) -> dict[str, FieldValue]:
    """Return the fields among the values of a post."""
    fields = values.get(FIELDS)
    return fields if isinstance(fields, dict) else {}


def request_of(values: PostValues, body: str | None) -> dict[str, Any]:
    """Return the body of a request that sets the values; `body` is the HTML of a changed body."""
    request = {name: value for name, value in values.items() if name != "body"}
    return request if body is None else {**request, "body": body}


def render_body(
    session: Session, settings: SiteSettings, text: str, locale: str, post_id: int | None, *, title: str = ""
) -> str:
    """Return the HTML of Markdown. Paths of files are those of the file that the post was loaded from.

    Raises InvalidFields under `body` for errors in the text; on a site that trusts the HTML of its files, also for HTML
    that a file alone may hold: the text is exported into one.
    """
    problems: list[Problem] = []
    removed: list[Dropped] = []
    html = markdown.render(
        text,
        resolve_image=resolver_of(session, post_id),
        extensions=settings.markdown_extensions,
        macros=settings.math_macros,
        language=settings.language_tag(locale),
        report=removed.append if settings.trust_html else None,
        problem=problems.append,
        shortcode=lambda call: shortcodes_of(settings.folder).render(call, {"title": title, "locale": locale}),
    )
    errors = [f"Line {each.line}: {each.message} ({each.remedy})" for each in problems if each.is_error]
    errors += [f"{each.message} {ONLY_IN_FILES}" for each in removed if keeps(each)]
    if errors:
        raise InvalidFields({"body": errors})
    return html


def resolver_of(session: Session, post_id: int | None) -> Callable[[str], ResolvedImage | None]:
    """Return the function that finds the address of what the Markdown of a post names; paths are those of its file."""
    source = file_of_entry(session, EntryKind.POST, post_id) if post_id is not None else None
    loaded = {path: stamp.name for path, stamp in source.media.items()} if source else {}

    def resolve(written: str) -> ResolvedImage | None:
        address = written.lstrip("./")
        beside = source.address_of(written) if source and not address.startswith(MEDIA_FOLDER) else ""
        name = beside.removeprefix(MEDIA_PREFIX) or loaded.get(address) or address.removeprefix(MEDIA_FOLDER)
        if not address.startswith(MEDIA_FOLDER) and not beside.startswith(MEDIA_PREFIX):
            return ResolvedImage(beside) if beside else None
        file = find_media(session, [name]).get(name)
        return ResolvedImage(MEDIA_PREFIX + name, file.width, file.height) if file else None

    return resolve
