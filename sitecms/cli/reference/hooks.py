"""The chapter about the hooks of plug-ins, made from their specifications."""

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from textwrap import dedent
from typing import Any

from sitecms.cli.reference.markdown import Chapter, code, fence, lines
from sitecms.content.entry import Entry
from sitecms.content.text.markdown.directives import Directive
from sitecms.content.text.markdown.shortcodes import ShortcodeCall
from sitecms.findings import Finding
from sitecms.importing import records
from sitecms.importing.reader import Reader, ReaderOptions, RecordLookup
from sitecms.importing.source import Source, SourceFile
from sitecms.plugins import values
from sitecms.plugins.hooks import all_hooks
from sitecms.site.check.checks import CheckedSite
from sitecms.site.check.entries import Entries
from sitecms.site.check.pages import PageFacts
from sitecms.site.export.contents import Contents, ExportedEntry
from sitecms.site.export.media import MediaAddresses
from sitecms.site.sources import Sources

_EXAMPLE = "Example::\n"
VALUES: tuple[type, ...] = (
    values.Site,
    Directive,
    values.Block,
    values.BlockField,
    values.InlineMark,
    ShortcodeCall,
    values.RenderedPage,
    values.FeedItem,
    values.FieldInput,
    values.Importer,
    Reader,
    ReaderOptions,
    Source,
    SourceFile,
    records.EntryRecord,
    records.AuthorRecord,
    records.TermRecord,
    records.Media,
    records.RedirectRecord,
    records.Declaration,
    records.Note,
    records.Place,
    RecordLookup,
    values.Exporter,
    Contents,
    ExportedEntry,
    MediaAddresses,
    CheckedSite,
    Entries,
    Sources,
    Entry,
    PageFacts,
    Finding,
    values.LoadResult,
    values.EntryChange,
    values.BuildResult,
)
"""Values that hooks take and return, but for what is described with the part of sitecms that it belongs to."""


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
        "Those that hooks take and return, in the order of the hooks; each names the module that has it.",
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


def _value(kind: type) -> str:
    names = [name for name in getattr(kind, "__struct_fields__", ()) if not name.startswith("_") and name != "state"]
    own = [base for base in kind.__mro__ if base.__module__.startswith("sitecms.")]
    methods = {name: each for base in reversed(own) for name, each in vars(base).items() if _is_public(name, each)}
    described = [f"- {code(name)}: {' '.join((inspect.getdoc(each) or '').split())}" for name, each in methods.items()]
    return lines(
        f"### {code(kind.__name__)}",
        f"In {code(kind.__module__)}. {inspect.getdoc(kind) or ''}",
        f"Attributes: {', '.join(map(code, names))}." if names else "",
        "\n".join(described),
    )


def _is_public(name: str, value: object) -> bool:
    return not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property | cached_property))
