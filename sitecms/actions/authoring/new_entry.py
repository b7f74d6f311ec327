"""A request for a new entry, and the file that is written for it."""

from dataclasses import dataclass
from pathlib import Path

from sitecms.content.text.slug import RESERVED_SLUGS, slugify
from sitecms.errors import Conflict, InvalidRequest
from sitecms.settings.site import SiteSettings

MAX_TITLE_LENGTH = 200  # content_schema, post and page


@dataclass(frozen=True, slots=True)
class NewPost:
    """Request for a new post. "" stands for a slug made from the title, the default locale, and the default author."""

    title: str
    slug: str = ""
    locale: str = ""
    author: str = ""
    translation_of: str = ""
    published: bool = False


@dataclass(frozen=True, slots=True)
class NewPage:
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
        raise InvalidRequest(f"{slug or title!r} holds no letter or digit; name the address with --slug.")
    if slug and found != slug:
        raise InvalidRequest(f"{slug[:100]!r} is no slug; {found!r} would be one.")
    if found in RESERVED_SLUGS:
        raise InvalidRequest(f"The slug {found!r} is an address of the API itself; name another one with --slug.")
    return found


def check_locale(locale: str, settings: SiteSettings) -> str:
    """Return the locale, by default the default one. Raises InvalidRequest if the site does not have it."""
    if locale and locale not in settings.locales:
        raise InvalidRequest(f"There is no locale {locale[:40]!r}; site.toml has: {', '.join(settings.locales)}.")
    return locale or settings.default_locale


@dataclass(frozen=True, slots=True)
class Written:
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
