"""Rendering of the text below the front matter of a file, with its errors and notes."""

import re

from sitecms.actions.loading.reading.file_checks import RemovedMarkup, removed_notes, removed_warnings
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.actions.loading.reading.shortcodes import SHORTCODES_FOLDER, shortcodes_of
from sitecms.content.text import markdown
from sitecms.content.text.html import count_marks, sanitize, too_many_marks
from sitecms.content.text.markdown import Problem
from sitecms.content.text.markdown.shortcodes import ShortcodeCall, render_in_html
from sitecms.content.text.media_links import resolve_media
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.text.trusted_html import sanitize_trusted
from sitecms.documents import FrontMatter, read_front_matter
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import SiteSettings

BODY = "body"
_MARKUP = re.compile(r"<[a-zA-Z/!?]|:::|\{\{<|\]\{|`\{|\[\^|\]\[|\]:|\$")
"""Signs without which a text has neither markup that can be removed nor anything that causes a warning."""


def render_body(
    file: ContentFile, front: FrontMatter, settings: SiteSettings, media: FileMedia, locale: str, notes: list[str]
) -> str:
    """Return the body as sanitised HTML, and add notes about warnings and removed markup.

    Raises InvalidFiles with the errors in the text.
    """
    html, warnings, removed = _rendered(file, front, settings, media, locale)
    notes += (str(warning) for warning in warnings)
    notes += removed_notes(file, removed)
    return html


def expanded_html(
    file: ContentFile, front: FrontMatter, settings: SiteSettings, media: FileMedia, locale: str, notes: list[str]
) -> str:
    """Return an HTML body with its shortcodes rendered, not sanitised, and add notes about warnings.

    Raises InvalidFiles with the errors in the text.
    """
    problems: list[Problem] = []
    html = render_in_html(
        front.body, lambda call: _shortcode(call, file, front, settings, media, locale), problems.append
    )
    if errors := [_error(file, front, problem) for problem in problems if problem.is_error]:
        raise InvalidFiles(errors)
    notes += (str(_error(file, front, problem)) for problem in problems)
    return html


def body_warnings(file: ContentFile, settings: SiteSettings, media: FileMedia) -> list[FileError]:
    """Return warnings and removed markup of a Markdown file; none of a text with errors, which each load reports."""
    try:
        front = read_front_matter(file.file, file.path)
        if not _MARKUP.search(front.body):
            return []
        locale = str(front.data.get("locale") or settings.default_locale)
        _, warnings, removed = _rendered(file, front, settings, media, locale)
    except InvalidFiles:
        return []
    return [*warnings, *removed_warnings(file, removed)]


def _rendered(
    file: ContentFile, front: FrontMatter, settings: SiteSettings, media: FileMedia, locale: str
) -> tuple[str, list[FileError], list[RemovedMarkup]]:
    """Return the HTML of the body, its warnings, and removed markup. Raises InvalidFiles."""
    media.locale = locale
    clean = sanitize_trusted if settings.trust_html else sanitize
    removed: list[Dropped] = []
    problems: list[Problem] = []
    is_html = front.data.get("format") == "html"
    if is_html:
        html = render_in_html(
            front.body, lambda call: _shortcode(call, file, front, settings, media, locale), problems.append
        )
        html = resolve_media(clean(html, removed.append), media.resolve)
    else:
        html = markdown.render(
            front.body,
            resolve_image=media.resolve,
            extensions=settings.markdown_extensions,
            plugins=settings.plugins,
            macros=settings.math_macros,
            language=settings.language_tag(locale),
            report=removed.append,
            problem=problems.append,
            clean=clean,
            shortcode=lambda call: _shortcode(call, file, front, settings, media, locale),
        )
    if message := too_many_marks(count_marks(front.body if is_html else html)):
        raise InvalidFiles([FileError(file.path, BODY, message, "divide it into several files", front.body_line)])
    found = [(_error(file, front, problem), problem.is_error) for problem in problems]
    if errors := [error for error, is_error in found if is_error]:
        raise InvalidFiles(errors)
    return html, [error for error, _ in found], [RemovedMarkup(BODY, dropped) for dropped in removed]


def _shortcode(
    call: ShortcodeCall, file: ContentFile, front: FrontMatter, settings: SiteSettings, media: FileMedia, locale: str
) -> str:
    """Return the HTML of a shortcode, and note that the text depends on its template."""
    media.depend_on(f"{SHORTCODES_FOLDER}/{call.name}.html")
    page = {"title": str(front.data.get("title") or ""), "locale": locale}
    return shortcodes_of(file.folder, settings.plugins).render(call, page)


def _error(file: ContentFile, front: FrontMatter, problem: Problem) -> FileError:
    line = front.body_line + problem.line - 1
    return FileError(file.path, BODY, problem.message, problem.remedy, line)
