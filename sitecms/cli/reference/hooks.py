"""The chapter about the hooks of plug-ins, made from their specifications."""

import inspect
from collections.abc import Callable, Iterator
from textwrap import dedent
from typing import Any

from msgspec import Struct

from sitecms.cli.reference.markdown import Chapter, code, fence, lines
from sitecms.content.text.markdown.directives import Directive
from sitecms.content.text.markdown.shortcodes import ShortcodeCall
from sitecms.plugins import values
from sitecms.plugins.hooks import all_hooks

_EXAMPLE = "Example::\n"
VALUES: tuple[type[Struct], ...] = (
    values.Site,
    Directive,
    values.InlineMark,
    ShortcodeCall,
    values.RenderedPage,
    values.FeedItem,
    values.FieldInput,
    values.Importer,
    values.Exporter,
    values.LoadResult,
    values.EntryChange,
    values.BuildResult,
)
"""What hooks take and return, but for what is described with the part of sitecms that it belongs to."""


def chapters() -> Iterator[Chapter]:
    """Yield the chapter."""
    body = lines(
        "[Write a plug-in](/write-a-plug-in/) shows how they are used. A plug-in implements the hooks that it needs: "
        "functions of these names with `@hookimpl`. Each takes the arguments that it needs, by their names.",
        fence("from sitecms.plugins.hooks import hookimpl", "python"),
        "What a plug-in makes depends on the arguments, on its source and its settings alone: not on the time, the "
        "network, or files of the site. Where a value may also be an address `module:name`, it is imported when it is "
        "needed.",
        *(_hook(name, hook) for name, hook in all_hooks().items()),
        "## Values",
        "`sitecms.plugins.values` has those that a plug-in makes itself.",
        *(_value(each) for each in VALUES),
    )
    yield Chapter("hooks", "Hooks of plug-ins", "Everything that a plug-in may do, with an example of each.", body)


def example_of(hook: Callable[..., Any]) -> str:
    """Return the example in the reference of a hook."""
    return dedent((inspect.getdoc(hook) or "").partition(_EXAMPLE)[2])


def _hook(name: str, hook: Callable[..., Any]) -> str:
    text = (inspect.getdoc(hook) or "").partition(_EXAMPLE)[0]
    arguments = ", ".join(map(code, inspect.signature(hook).parameters))
    takes = f"Arguments: {arguments}." if arguments else "It takes no arguments."
    return lines(f"## {code(name)}", text, takes, fence(example_of(hook).strip(), "python"))


def _value(kind: type[Struct]) -> str:
    attributes = [name for name in kind.__struct_fields__ if name != "state"]
    methods = [name for name, each in vars(kind).items() if _is_public(name, each)]
    described = [f"- {code(name)}: {inspect.getdoc(getattr(kind, name))}" for name in methods]
    return lines(
        f"### {code(kind.__name__)}",
        inspect.getdoc(kind) or "",
        f"Attributes: {', '.join(map(code, attributes))}.",
        "\n".join(described),
    )


def _is_public(name: str, value: object) -> bool:
    return not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
