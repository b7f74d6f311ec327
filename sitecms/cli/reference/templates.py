"""The chapters about templates: files of the theme with their variables, values, filters and functions."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Annotated, Any, ForwardRef, get_args, get_origin, get_type_hints

from jinja2 import Environment
from msgspec import Struct
from msgspec.structs import fields, replace

from sitecms.cli.reference.markdown import Chapter, code, fence, lines, table
from sitecms.resources import resource_dir
from sitecms.settings.site import load_settings
from sitecms.site import template_values
from sitecms.site.theme import html
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.theme import Theme, load_theme
from sitecms.site.views.template_content import TemplateContent

SHARED = {
    "site": "The site in the locale of the page ([SiteView](#siteview)).",
    "head": "Title, description and other metadata of the page ([HeadView](#headview)).",
    "collections": "Items of each collection: `collections.team` is a tuple of [EntryView](#entryview).",
    "posts": "Function that returns posts of the site ([PostCard](#postcard)): see Filters and functions.",
    "pages": "Function that returns pages of the site ([PageView](#pageview)): see Filters and functions.",
}
"""Variables of every page; feeds and `robots.txt` have those that they name alone."""
_COMMENT = re.compile(r"\{#(.*?)#\}", re.DOTALL)
_CONTEXT = re.compile(r"\s*Context: (.*)$", re.DOTALL)
_TEXT_OF_TRANSLATION = "Return a text of the theme in the locale of the page, in the form that a number needs: "
_TRANSLATIONS = {
    "gettext": "The same as `_`.",
    "ngettext": _TEXT_OF_TRANSLATION + '`ngettext("%(num)s minute", "%(num)s minutes", card.reading_minutes)`.',
}
EXAMPLES: Mapping[str, str] = {
    "absolute": '{{ "/blog/slack-water/"|absolute }}',
    "address": '{{ "/about/"|address }}',
    "date": "{{ moment|date }}",
    "isotime": "{{ moment|isotime }}",
    "json": '{{ {"tide": "high"}|json }}',
    "markdown": '{{ "The tide *turns*."|markdown }}',
    "outline": '{{ ("<h2>Ebb</h2>"|safe|outline).headings[0].id }}',
    "rfc822": "{{ moment|rfc822 }}",
    "xmltext": '{{ "fog"|xmltext }}',
}
"""An expression for each filter; the chapter shows its result. `moment` is a time."""
_BUILTIN = Environment(autoescape=True)
_MOMENT = datetime(2026, 3, 1, 8, tzinfo=UTC)


class TemplateFile(Struct, frozen=True):
    """A template of the theme: its name, its purpose, and its variables in words."""

    name: str
    purpose: str
    context: str


def chapters() -> Iterator[Chapter]:
    """Yield the chapters about templates and filters."""
    yield Chapter(
        "templates",
        "Templates and variables",
        "Every template of the theme, the variables that it gets, and what is in them.",
        lines(
            "A file in `templates/` of the site folder takes the place of the theme's file with the same name: "
            "`sitecms theme eject SITE post.html` copies one there. Templates are written in "
            "[Jinja](https://jinja.palletsprojects.com/en/stable/templates/). A variable that does not exist is an "
            "error that names template, line and the nearest variable. A template `page/<page type>.html`, "
            "`collection/<key>.html` or `components/<component>.html` of your own shows the entries of that type.",
            "## Variables of every page",
            table(("Variable", "Meaning"), ((code(name), text) for name, text in SHARED.items())),
            "## Templates",
            *(_template(each) for each in template_files()),
            "## Values",
            "Times are in UTC until the filter `date` shows them. Addresses begin with `/`.",
            *(_value(each) for each in value_classes()),
        ),
    )
    yield Chapter(
        "filters",
        "Filters and functions",
        "Every filter and function that templates have beside those of Jinja.",
        lines(
            "Use a filter with a bar: `{{ card.published_at|date }}`. The filters and functions "
            "[of Jinja](https://jinja.palletsprojects.com/en/stable/templates/#builtin-filters) work, too.",
            "## Filters",
            *(_callable(name, function) for name, function in sorted(own_filters().items())),
            "## Functions",
            *(_callable(name, function) for name, function in sorted(own_functions().items())),
        ),
    )


def template_files() -> Iterator[TemplateFile]:
    """Yield the templates of the theme that begin with a comment about them, by name."""
    for name, text in load_theme(None).sources.items():
        comment = _COMMENT.match(text)
        words = " ".join(comment[1].split()) if comment else ""
        context = _CONTEXT.search(words)
        purpose = words[: context.start()] if context else words
        yield TemplateFile(name, purpose, context[1] if context else "")


def value_classes() -> tuple[type[Any], ...]:
    """Return the classes of the values that templates see, by name."""
    of_module = [
        each
        for module in (template_values, html)
        for _, each in inspect.getmembers(module, inspect.isclass)
        if each.__module__ == module.__name__ and not each.__name__.startswith("_")
    ]
    return tuple(sorted(of_module, key=lambda each: each.__name__))


def attributes(value_class: type[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of each attribute; the meaning is "" without a description."""
    hints = get_type_hints(value_class, include_extras=True)
    for each in fields(value_class):
        hint = hints[each.name]
        meaning = next((text for text in get_args(hint)[1:]), "") if get_origin(hint) is Annotated else ""
        yield each.name, _type_words(get_args(hint)[0] if meaning else hint), meaning


def own_filters() -> Mapping[str, Callable[..., Any]]:
    """Return the filters that Jinja alone does not have."""
    return {name: each for name, each in _environment().filters.items() if name not in _BUILTIN.filters}


def own_functions() -> Mapping[str, Callable[..., Any]]:
    """Return the functions that Jinja alone does not have."""
    functions: Mapping[str, Any] = {
        **_environment().globals,
        "posts": TemplateContent.posts,
        "pages": TemplateContent.pages,
    }
    return {name: each for name, each in functions.items() if name not in _BUILTIN.globals and each is not None}


def meaning_of(name: str, function: Callable[..., Any]) -> str:
    """Return the docstring of a filter or function, below any wrappers; "" without one."""
    while inner := getattr(function, "__wrapped__", None) or getattr(function, "func", None):
        function = inner
    return _TRANSLATIONS.get(name) or inspect.getdoc(function) or ""


def _environment() -> Environment:
    settings = replace(load_settings(resource_dir("manual")), url="https://tide.example")
    return make_environment(Theme({}, {}, {}), settings, lambda _address: None)


def _template(each: TemplateFile) -> str:
    return lines(f"### {code(each.name)}", each.purpose, f"Variables: {_linked(each.context)}" if each.context else "")


def _value(value_class: type[Any]) -> str:
    rows = ((code(name), kind, meaning) for name, kind, meaning in attributes(value_class))
    return lines(
        f"### {value_class.__name__}",
        inspect.cleandoc(value_class.__doc__ or "").partition("\n")[0],
        table(("Attribute", "Value", "Meaning"), rows),
    )


def _callable(name: str, function: Callable[..., Any]) -> str:
    example = EXAMPLES.get(name, "")
    block = fence(f"{example} → {_rendered(example)}", "jinja", "expression") if example else ""
    return lines(f"### {code(name)}", meaning_of(name, function), block)


def _rendered(example: str) -> str:
    template = _environment().from_string(example)
    return template.render(moment=_MOMENT, site=SimpleNamespace(locale="en", language="en")).strip()


def _linked(text: str) -> str:
    """Return the text with links to the values that it names."""
    names = "|".join(each.__name__ for each in value_classes())
    return re.sub(rf"\b({names})\b", lambda match: f"[{match[1]}](#{match[1].lower()})", text)


def _type_words(hint: Any) -> str:
    """Return a type in words for people who do not write Python."""
    if isinstance(hint, ForwardRef):
        return _linked(hint.__forward_arg__)
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        return f"list of {_type_words(arguments[0])}"
    if type(None) in arguments:
        return " or none".join(_type_words(each) for each in arguments if each is not type(None)) + " or none"
    if len(arguments) == 2:
        return "mapping of names to " + _type_words(arguments[1])
    words = {"str": "text", "int": "number", "bool": "true or false", "datetime": "time", "Markup": "safe HTML"}
    name = getattr(hint, "__name__", str(hint))
    return words.get(name) or (_linked(name) if name != "object" else "any value")
