"""What a person asks for when making a new entry."""

from dataclasses import dataclass

from sitecms.content.text.slug import RESERVED_SLUGS, slugify
from sitecms.errors import InvalidRequest
from sitecms.settings.site import SiteSettings

MAX_TITLE_LENGTH = 200  # content_schema, post and page


@dataclass(frozen=True, slots=True)
class NewPost:
    """The request for a new post, as the command line has it.

    "" stands for a slug made from the title, the default locale, and the site's owner or only author.
    """

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
    """The slug that was asked for, else that of the title. Raises InvalidRequest where there is none in either."""
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
    """The locale, by default the default one. Raises InvalidRequest for one that the site does not have."""
    if locale and locale not in settings.locales:
        raise InvalidRequest(f"There is no locale {locale[:40]!r}; site.toml has: {', '.join(settings.locales)}.")
    return locale or settings.default_locale
