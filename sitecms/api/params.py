"""Query parameters: one table of their parsers, schemas and leniency (API reference, Parameters).

Unknown parameters are ignored; the last value of a repeated parameter counts; an empty value counts as missing.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from msgspec import Struct, field

from sitecms.content.locale import MAX_LOCALE_LENGTH, Locales
from sitecms.content.query import Window
from sitecms.content.text.slug import composed
from sitecms.errors import InvalidRequest

MAX_NUMBER = 2**31
MAX_PAGE_SIZE = 100
DEFAULT_PAGE_SIZE = 10
MAX_LEVELS = 5
MAX_FILTERS = 20
MAX_TEXT_LENGTH = 100
DEFAULT_LEVELS = 2
RECENT_POSTS = "recent_posts"
_NUMBER = re.compile(r"[+-]?[0-9]+")
_TRUE = frozenset({"true", "True", "1"})
_SWITCH: Mapping[str, Any] = {"type": "integer", "enum": [0, 1], "default": 0}
_FLAG = "1, true and True switch it on, anything else is off."
_UNKNOWN = "Unknown: an empty list."
BY_PAGE = ("page", "page_size")
BY_OFFSET = ("limit", "offset")
PAGINATION = (*BY_PAGE, *BY_OFFSET)


class Parameter(Struct, frozen=True):
    """Declaration of a parameter. `read` gets name and text and returns the value, or raises InvalidRequest.

    A `prefixed` parameter stands for all whose name begins with its name and a dot; its value is a tuple of pairs: the
    rest of the name, and the text, which may be empty. `schema` is the JSON Schema of a correct value, and `leniency`
    describes what other values do; both are shown in /v2/openapi.json.
    """

    name: str
    read: Callable[[str, str], Any]
    help: str
    aliases: tuple[str, ...] = ()
    prefixed: bool = False
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})
    leniency: str = ""


def _number(name: str, text: str, *, minimum: int, default: int) -> int:
    """Return a whole number of at least `minimum`, else `default`. Raises InvalidRequest above 2^31."""
    value = _parse_number(text)
    if value is None or value < minimum:
        return default
    if value > MAX_NUMBER:
        raise InvalidRequest(f"{name} query parameter should be at most {MAX_NUMBER}")
    return value


def _page(name: str, text: str) -> int:
    return _number(name, text, minimum=1, default=1)


def _offset(name: str, text: str) -> int:
    return _number(name, text, minimum=0, default=0)


def _size(_name: str, text: str) -> int:
    value = _parse_number(text)
    return DEFAULT_PAGE_SIZE if value is None or value < 1 else min(value, MAX_PAGE_SIZE)


def _levels(_name: str, text: str) -> int:
    value = _parse_number(text)
    if value is None:
        raise InvalidRequest(f"levels query parameter should be an integer between 1 and {MAX_LEVELS} (inclusive)")
    return max(1, min(value, MAX_LEVELS))


def _parse_number(text: str) -> int | None:
    """Return the number in the text, or None. Only 20 digits are read: longer numbers are too large anyway."""
    text = text.strip()
    return int(text[:20]) if _NUMBER.fullmatch(text) else None


def _is_true(_name: str, text: str) -> bool:
    return text in _TRUE


def _short_text(name: str, text: str) -> str:
    """Return the text. Raises InvalidRequest for more than 100 characters (API reference, Limits)."""
    if len(text) > MAX_TEXT_LENGTH:
        raise InvalidRequest(f"{name} query parameter should be at most {MAX_TEXT_LENGTH} characters")
    return text


def _text(_name: str, text: str) -> str:
    return text


def _slug(_name: str, text: str) -> str:
    return composed(text)


def _integer(minimum: int, maximum: int) -> Mapping[str, Any]:
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def _example_text(*examples: str) -> Mapping[str, Any]:
    return {"type": "string", "examples": list(examples)}


PARAMETERS: Mapping[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter(
            "page",
            _page,
            "Page of the list, from 1.",
            schema=_integer(1, MAX_NUMBER),
            leniency="Missing, below 1 or no number: 1. Past the end: no data, and the right count. Above 2^31: 400. "
            "Together with limit or offset: 400.",
        ),
        Parameter(
            "page_size",
            _size,
            "Entries on a page, 1 to 100.",
            schema=_integer(1, MAX_PAGE_SIZE),
            leniency="Above 100: 100. Missing, below 1 or no number: 10. Together with limit or offset: 400.",
        ),
        Parameter(
            "limit",
            _size,
            "Number of entries, 1 to 100; used with offset.",
            schema=_integer(1, MAX_PAGE_SIZE),
            leniency="Above 100: 100. Missing, below 1 or no number: 10. Together with page or page_size: 400.",
        ),
        Parameter(
            "offset",
            _offset,
            "Number of entries to skip; used with limit.",
            schema=_integer(0, MAX_NUMBER),
            leniency="Missing, below 0 or no number: 0. Above 2^31: 400. Together with page or page_size: 400.",
        ),
        Parameter(
            "levels",
            _levels,
            "Levels of references that are followed, 1 to 5; at 1 they are URIs.",
            schema={**_integer(1, MAX_LEVELS), "default": DEFAULT_LEVELS},
            leniency="Below 1: 1. Above 5: 5. No integer: 400, of posts 2.",
        ),
        Parameter(
            "preview",
            _is_true,
            "1: the latest draft instead of the published version.",
            ("test",),
            schema=_SWITCH,
            leniency=f"{_FLAG} Its former name `test` has the same meaning.",
        ),
        Parameter("alt_media_text", _is_true, "1: media as objects with url and alt.", schema=_SWITCH, leniency=_FLAG),
        Parameter(
            "exclude_body",
            _is_true,
            "true: posts without their body.",
            schema={"type": "boolean", "default": False},
            leniency=_FLAG,
        ),
        Parameter(
            "locale",
            _text,
            "One of the configured locales; by default the default locale.",
            schema={"type": "string", "maxLength": MAX_LOCALE_LENGTH},
            leniency="A locale that is not configured: 400.",
        ),
        Parameter(
            "include",
            _text,
            "recent_posts: adds the ten newest posts at most.",
            schema={"type": "string", "enum": [RECENT_POSTS]},
            leniency="Other names, separated by commas, are ignored.",
        ),
        Parameter(
            "author_slug", _slug, "Posts of this author.", leniency=_UNKNOWN, schema=_example_text("mira-okafor")
        ),
        Parameter(
            "category_slug", _slug, "Posts of this category.", leniency=_UNKNOWN, schema=_example_text("weather")
        ),
        Parameter("tag_slug", _slug, "Posts with this tag.", leniency=_UNKNOWN, schema=_example_text("moon")),
        Parameter(
            "query",
            _short_text,
            "Words that must all occur; the last may be the beginning of a word.",
            schema={**_example_text("morning fog"), "maxLength": MAX_TEXT_LENGTH},
            leniency="Missing or empty: nothing is found. Longer than 100 characters: 400. Operators are plain text.",
        ),
        Parameter(
            "page_type",
            _short_text,
            "Pages of this type; *: Single Pages only; by default all.",
            schema={**_example_text("*"), "maxLength": MAX_TEXT_LENGTH},
            leniency="An unknown type: nothing is found. Longer than 100 characters: 400.",
        ),
        Parameter(
            "order",
            _text,
            "published, updated or a content field; a leading - means descending.",
            schema=_example_text("-published", "updated"),
            leniency="An unknown field: 403, which lists the known fields.",
        ),
        Parameter(
            "keys",
            _text,
            "Collections, separated by commas; each may have a filter: team[name=Ann].",
            schema=_example_text("team", "team,menu", "team[_id=1]"),
            leniency="None: {}. One: the response of its path. Two or more: all items without meta. Unknown: 404.",
        ),
        Parameter(
            "fields",
            _text,
            "fields.<name>=<value>: entries whose field has this value.",
            prefixed=True,
            schema={
                "type": "object",
                "propertyNames": {"pattern": r"^fields\."},
                "additionalProperties": {"type": "string"},
                "maxProperties": MAX_FILTERS,
            },
            leniency="All of several must hold; dots reach into components and through references (fields.hero.title). "
            "An unknown field: 403, which lists the known fields. More than 20: 400.",
        ),
    )
}


class Params(Struct, frozen=True):
    """The parameters of one request. `locale` is "" if the request names none; `given` are the names it has."""

    page: int = 1
    page_size: int = DEFAULT_PAGE_SIZE
    limit: int = DEFAULT_PAGE_SIZE
    offset: int = 0
    levels: int = DEFAULT_LEVELS
    preview: bool = False
    alt_media_text: bool = False
    exclude_body: bool = False
    locale: str = ""
    include: str = ""
    author_slug: str = ""
    category_slug: str = ""
    tag_slug: str = ""
    query: str = ""
    page_type: str = ""
    order: str = ""
    keys: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    given: frozenset[str] = field(default_factory=frozenset)

    @property
    def by_offset(self) -> bool:
        """Return whether the list is paginated by limit and offset."""
        return not self.given.isdisjoint(BY_OFFSET)

    @property
    def window(self) -> Window:
        """The requested part of the list."""
        if self.by_offset:
            return Window(self.limit, self.offset)
        return Window(self.page_size, (self.page - 1) * self.page_size)

    @property
    def with_recent_posts(self) -> bool:
        """Return whether `include` names recent_posts, the only name it knows."""
        return RECENT_POSTS in self.include.split(",")


_DEFAULT_PARAMS = Params()


def select_parameters(names: Collection[str], query: Mapping[str, str]) -> dict[str, str]:
    """Return the part of the query that the parameters of these names are read from."""
    plain, starts = _query_names(tuple(names))
    return {
        name: text for name, text in query.items() if (text and name in plain) or (starts and name.startswith(starts))
    }


@cache
def _query_names(names: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    parameters = [PARAMETERS[name] for name in names]
    plain = {name for each in parameters if not each.prefixed for name in (each.name, *each.aliases)}
    return frozenset(plain), tuple(f"{each.name}." for each in parameters if each.prefixed)


def read_params(
    query: Mapping[str, str], names: Collection[str], locales: Locales, lenient: Collection[str] = ()
) -> Params:
    """Read the parameters of these names from the query, which maps each name to its last value.

    An unusable value of a parameter in `lenient` counts as missing.

    Raises InvalidRequest for a locale that is not configured, levels that are not a number, a number above 2^31, more
    than 20 filters, a text that is too long, and page and offset together.
    """
    if not query:
        return _DEFAULT_PARAMS
    values: dict[str, Any] = {}
    for name in names:
        parameter = PARAMETERS[name]
        if parameter.prefixed:
            values |= _read_prefixed(parameter, query)
            continue
        texts = [query[key] for key in (name, *parameter.aliases) if query.get(key)]
        if texts:  # either name of a parameter with an alias may switch it on
            try:
                values[name] = max(parameter.read(name, text) for text in texts)
            except InvalidRequest:
                if name not in lenient:
                    raise
    params = Params(**values, given=frozenset(values))
    if params.by_offset and not params.given.isdisjoint(BY_PAGE):
        raise InvalidRequest("page and page_size cannot be used together with limit and offset")
    if params.locale:
        locales.choose(params.locale)
    return params


def _read_prefixed(parameter: Parameter, query: Mapping[str, str]) -> dict[str, Any]:
    start = f"{parameter.name}."
    pairs = tuple(
        (name.removeprefix(start), parameter.read(name, text)) for name, text in query.items() if name.startswith(start)
    )
    if len(pairs) > MAX_FILTERS:
        raise InvalidRequest(f"There can be at most {MAX_FILTERS} filters {start}<name>=<value>.")
    return {parameter.name: pairs} if pairs else {}
