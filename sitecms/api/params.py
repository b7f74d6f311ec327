"""Query parameters: one table says for each how it is read, and how leniently (decisions, Parameters).

Unknown parameters are ignored, of a repeated one the last counts, an empty one counts as left out.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sitecms.content.locale import MAX_LOCALE_LENGTH, Locales
from sitecms.content.query import Window
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


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declaration. `read` gets name and text and answers the value, or raises InvalidRequest.

    A `prefixed` one stands for all parameters that begin with its name and a dot; its value are pairs of the rest of
    the name and the value, and an empty text counts there. `schema` is the JSON Schema of what is meant to be sent,
    `leniency` what happens with anything else: both are for people, told by /v2/openapi.json.
    """

    name: str
    read: Callable[[str, str], Any]
    help: str
    aliases: tuple[str, ...] = ()
    prefixed: bool = False
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"}, hash=False)
    leniency: str = ""


def _number(name: str, text: str, *, minimum: int, otherwise: int) -> int:
    """A whole number of at least `minimum`, else `otherwise`. Raises InvalidRequest above 2^31."""
    value = _whole(text)
    if value is None or value < minimum:
        return otherwise
    if value > MAX_NUMBER:
        raise InvalidRequest(f"{name} query parameter should be at most {MAX_NUMBER}")
    return value


def _page(name: str, text: str) -> int:
    return _number(name, text, minimum=1, otherwise=1)


def _offset(name: str, text: str) -> int:
    return _number(name, text, minimum=0, otherwise=0)


def _size(_name: str, text: str) -> int:
    value = _whole(text)
    return DEFAULT_PAGE_SIZE if value is None or value < 1 else min(value, MAX_PAGE_SIZE)


def _levels(_name: str, text: str) -> int:
    value = _whole(text)
    if value is None:
        raise InvalidRequest(f"levels query parameter should be an integer between 1 and {MAX_LEVELS} (inclusive)")
    return max(1, min(value, MAX_LEVELS))


def _whole(text: str) -> int | None:
    """The number in the text; of a very long one only its size matters."""
    text = text.strip()
    return int(text[:20]) if _NUMBER.fullmatch(text) else None


def _flag(_name: str, text: str) -> bool:
    return text in _TRUE


def _short_text(name: str, text: str) -> str:
    """Raises InvalidRequest for more than 100 characters (specification, Limits)."""
    if len(text) > MAX_TEXT_LENGTH:
        raise InvalidRequest(f"{name} query parameter should be at most {MAX_TEXT_LENGTH} characters")
    return text


def _text(_name: str, text: str) -> str:
    return text


def _integer(minimum: int, maximum: int) -> Mapping[str, Any]:
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


def _like(*examples: str) -> Mapping[str, Any]:
    return {"type": "string", "examples": list(examples)}


_SWITCH: Mapping[str, Any] = {"type": "integer", "enum": [0, 1], "default": 0}
_FLAG = "1, true and True switch it on, anything else is off."
_UNKNOWN = "Unknown: an empty list."
PARAMETERS: Mapping[str, Parameter] = {
    parameter.name: parameter
    for parameter in (
        Parameter(
            "page",
            _page,
            "Page of the list, from 1.",
            schema=_integer(1, MAX_NUMBER),
            leniency="Left out, below 1 or no number: 1. Past the end: no data, and the right count. Above 2^31: 400. "
            "Together with limit or offset: 400.",
        ),
        Parameter(
            "page_size",
            _size,
            "Entries on a page, 1 to 100.",
            schema=_integer(1, MAX_PAGE_SIZE),
            leniency="Above 100: 100. Left out, below 1 or no number: 10. Together with limit or offset: 400.",
        ),
        Parameter(
            "limit",
            _size,
            "Entries to answer, 1 to 100; goes with offset.",
            schema=_integer(1, MAX_PAGE_SIZE),
            leniency="Above 100: 100. Left out, below 1 or no number: 10. Together with page or page_size: 400.",
        ),
        Parameter(
            "offset",
            _offset,
            "Entries to skip; goes with limit.",
            schema=_integer(0, MAX_NUMBER),
            leniency="Left out, below 0 or no number: 0. Above 2^31: 400. Together with page or page_size: 400.",
        ),
        Parameter(
            "levels",
            _levels,
            "How deep references are followed, 1 to 5; 1: they are URIs.",
            schema={**_integer(1, MAX_LEVELS), "default": DEFAULT_LEVELS},
            leniency="Below 1: 1. Above 5: 5. No integer: 400.",
        ),
        Parameter(
            "preview",
            _flag,
            "1: the latest draft instead of the published version.",
            ("test",),
            schema=_SWITCH,
            leniency=f"{_FLAG} Its old name `test` means the same.",
        ),
        Parameter("alt_media_text", _flag, "1: media as objects with url and alt.", schema=_SWITCH, leniency=_FLAG),
        Parameter(
            "exclude_body",
            _flag,
            "true: posts without their body.",
            schema={"type": "boolean", "default": False},
            leniency=_FLAG,
        ),
        Parameter(
            "locale",
            _text,
            "One of the configured locales; left out: the default one.",
            schema={"type": "string", "maxLength": MAX_LOCALE_LENGTH},
            leniency="A locale that is not configured: 400.",
        ),
        Parameter(
            "include",
            _text,
            "recent_posts: with at most ten newest posts.",
            schema={"type": "string", "enum": [RECENT_POSTS]},
            leniency="Other names, separated by commas, are ignored.",
        ),
        Parameter("author_slug", _text, "Posts of this author.", leniency=_UNKNOWN, schema=_like("mira-okafor")),
        Parameter("category_slug", _text, "Posts of this category.", leniency=_UNKNOWN, schema=_like("weather")),
        Parameter("tag_slug", _text, "Posts with this tag.", leniency=_UNKNOWN, schema=_like("moon")),
        Parameter(
            "query",
            _short_text,
            "Words that must all be there; the last may be the beginning of one.",
            schema={**_like("morning fog"), "maxLength": MAX_TEXT_LENGTH},
            leniency="Left out or empty: nothing is found. Longer than 100 characters: 400. Operators are plain text.",
        ),
        Parameter(
            "page_type",
            _short_text,
            "Pages of this type; *: Single Pages only; left out: all.",
            schema={**_like("*"), "maxLength": MAX_TEXT_LENGTH},
            leniency="An unknown type: nothing is found. Longer than 100 characters: 400.",
        ),
        Parameter(
            "order",
            _text,
            "published, updated or one content field; - in front: descending.",
            schema=_like("-published", "updated"),
            leniency="An unknown field: 403, naming those there are.",
        ),
        Parameter(
            "keys",
            _text,
            "Collections, separated by commas; each may have a filter: team[name=Ann].",
            schema=_like("team", "team,menu", "team[_id=1]"),
            leniency="None: {}. One: answered as by its own path. Two or more: all items, no meta. Unknown: 404.",
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
            leniency="Several must all hold; dots reach into components and through references (fields.hero.title). "
            "An unknown field: 403, naming those there are. More than 20: 400.",
        ),
    )
}
BY_PAGE = ("page", "page_size")
BY_OFFSET = ("limit", "offset")
PAGINATION = (*BY_PAGE, *BY_OFFSET)


@dataclass(frozen=True, slots=True)
class Params:
    """What one request asks for; `locale` is "" where none was named. `given` are the names it used."""

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
        """Whether the list is paged by limit and offset."""
        return not self.given.isdisjoint(BY_OFFSET)

    @property
    def window(self) -> Window:
        """The stretch of the list that is asked for, whichever way."""
        if self.by_offset:
            return Window(self.limit, self.offset)
        return Window(self.page_size, (self.page - 1) * self.page_size)

    @property
    def with_recent_posts(self) -> bool:
        """Whether `include` names recent_posts, the only thing that can be included."""
        return RECENT_POSTS in self.include.split(",")


_NOTHING_ASKED = Params()


def taken_by(names: Collection[str], query: Mapping[str, str]) -> dict[str, str]:
    """The part of the query that parameters of these names are read from: what an answer depends on."""
    plain, starts = _spellings(tuple(names))
    return {
        name: text for name, text in query.items() if (text and name in plain) or (starts and name.startswith(starts))
    }


@cache
def _spellings(names: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    parameters = [PARAMETERS[name] for name in names]
    plain = {name for each in parameters if not each.prefixed for name in (each.name, *each.aliases)}
    return frozenset(plain), tuple(f"{each.name}." for each in parameters if each.prefixed)


def read_params(query: Mapping[str, str], names: Collection[str], locales: Locales) -> Params:
    """What the query says about these parameters. `query` maps each name to its last value.

    Raises InvalidRequest for a locale that is not configured, levels that are no number, a number above 2^31, more
    than 20 filters, too long a text, and both ways of paging at once.
    """
    if not query:
        return _NOTHING_ASKED
    values: dict[str, Any] = {}
    for name in names:
        parameter = PARAMETERS[name]
        if parameter.prefixed:
            values |= _prefixed(parameter, query)
            continue
        texts = [query[key] for key in (name, *parameter.aliases) if query.get(key)]
        if texts:  # of a parameter with an old name, either may switch it on
            values[name] = max(parameter.read(name, text) for text in texts)
    params = Params(**values, given=frozenset(values))
    if params.by_offset and not params.given.isdisjoint(BY_PAGE):
        raise InvalidRequest("page and page_size cannot be used together with limit and offset")
    if params.locale:
        locales.choose(params.locale)
    return params


def _prefixed(parameter: Parameter, query: Mapping[str, str]) -> dict[str, Any]:
    start = f"{parameter.name}."
    pairs = tuple(
        (name.removeprefix(start), parameter.read(name, text)) for name, text in query.items() if name.startswith(start)
    )
    if len(pairs) > MAX_FILTERS:
        raise InvalidRequest(f"There can be at most {MAX_FILTERS} filters {start}<name>=<value>.")
    return {parameter.name: pairs} if pairs else {}
