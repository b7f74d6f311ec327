"""The body that the Markdown of a form is rendered to, with the files that the entry was loaded with."""

from collections.abc import Callable

from sitecms.actions.loading.reading.shortcodes import shortcodes_of
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MEDIA_PREFIX
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

Resolve = Callable[[str], ResolvedImage | None]
ONLY_IN_FILES = "Only a file of the site may hold it: remove it, or edit the file."


def render_body(settings: SiteSettings, text: str, locale: str, resolve: Resolve, *, title: str = "") -> str:
    """Return the HTML of Markdown, in which `resolve` finds the addresses of what it names.

    Raises InvalidFields under `body` for errors in the text; on a site that trusts the HTML of its files, also for HTML
    that a file alone may hold: the text is exported into one.
    """
    problems: list[Problem] = []
    removed: list[Dropped] = []
    html = markdown.render(
        text,
        resolve_image=resolve,
        extensions=settings.markdown_extensions,
        plugins=settings.plugins,
        macros=settings.math_macros,
        language=settings.language_tag(locale),
        report=removed.append if settings.trust_html else None,
        problem=problems.append,
        shortcode=lambda call: shortcodes_of(settings.folder, settings.plugins).render(
            call, {"title": title, "locale": locale}
        ),
    )
    errors = [f"Line {each.line}: {each.message} ({each.remedy})" for each in problems if each.is_error]
    errors += [f"{each.message} {ONLY_IN_FILES}" for each in removed if keeps(each)]
    if errors:
        raise InvalidFields({"body": errors})
    return html


def resolver_of(session: Session, entry: tuple[EntryKind, int] | None = None) -> Resolve:
    """Return the function that finds the address of what the Markdown of an entry names; paths are of its file."""
    source = file_of_entry(session, *entry) if entry else None
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
