"""Parsed and compiled templates, and what they use: other templates, collections, lists of entries, data files."""

import re
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

import orjson
from jinja2 import Environment, TemplateError, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.meta import find_referenced_templates
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape
from msgspec import Struct
from msgspec.structs import astuple

from sitecms.content.fingerprint import digest
from sitecms.files import write_atomically
from sitecms.site.theme.fragments import parts_named

COLLECTIONS, DATA = "collections", "data"
QUERIES = ("posts", "pages")
"""The functions of templates that return lists of entries."""
SYNTAX: Mapping[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "extensions": ["jinja2.ext.i18n"]}
_PARSER: Any = Environment(autoescape=True, **SYNTAX)
_PARSER.install_gettext_callables(str, str, newstyle=True)
_TREES: dict[str, nodes.Template] = {}
"""Parsed templates by their source, until they are compiled."""
_NAMED_QUERY = re.compile(rf"(?<![.\w])(?:{'|'.join(QUERIES)})\b(?!\s*=[^=])")
"""A name of a query that is neither an attribute nor the name of an argument."""
_has_special_sign = re.compile("[&<>\"']").search
_NAMED_DATA = re.compile(r"""(?:\.\s*|['"])data\b(?!-)""")

Constant: TypeAlias = str | int | float | bool | None


class Query(NamedTuple):
    """A call of a function of QUERIES whose arguments are constants."""

    name: str
    arguments: tuple[Constant, ...]
    named: tuple[tuple[str, Constant], ...]


class ContentUse(Struct, frozen=True):
    """The content that templates use beside that of their page; None: it cannot be determined, so it may be any.

    `collections` and `data` are the keys in `collections.<key>` and `site.data.<key>`.
    """

    collections: frozenset[str] | None = frozenset()
    queries: frozenset[Query] | None = frozenset()
    data: frozenset[str] | None = frozenset()


ANY_CONTENT = ContentUse(None, None, None)


def parse(source: str) -> nodes.Template:
    """Parse a template and keep the result for `compiled`. Raises TemplateError."""
    if source not in _TREES:
        _TREES[source] = _PARSER.parse(source)
    return _TREES[source]


def forget_parsed(source: str) -> None:
    """Drop the parsed template, which takes much memory."""
    _TREES.pop(source, None)


class _IncludeRemover(NodeTransformer):
    """Removes includes with `ignore missing` of templates that are missing."""

    def __init__(self, missing: Set[str]) -> None:
        self._missing = missing

    def visit_Include(self, node: nodes.Include) -> nodes.Include | None:  # noqa: N802 - Jinja's
        """Return None for an include that shows nothing."""
        name = node.template.value if isinstance(node.template, nodes.Const) else None
        return None if node.ignore_missing and name in self._missing else node


class Compiler(CodeGenerator):
    """Compiler whose templates call `written` for the values that they show, in place of MarkupSafe's `escape`."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802 - Jinja's
        """Write the module of a template, and at its end the function that replaces the imported one."""
        super().visit_Template(node, frame)
        self.writeline(f"from {__name__} import {written.__name__} as escape")


def written(value: object) -> str:
    """Return a value as a template writes it, escaped. Most values need no change: rendering takes an eighth less."""
    if type(value) is str:
        return escape(value) if _has_special_sign(value) else value
    return value if type(value) is Markup else escape(value)


def code_key(name: str, file: str, source: str, missing: Set[str]) -> str:
    """Return the name of a template's code: the digest of what `compiled` makes it from."""
    return digest("\0".join((name, file, source, *sorted(missing))).encode())


def compiled(environment: Environment, source: str, missing: Set[str], name: str, filename: str | None) -> CodeType:
    """Compile a template without the includes with `ignore missing` of those that are missing. Raises TemplateError.

    What was parsed is used once, since compiling changes it.
    """
    with suppress(TemplateSyntaxError):  # raised again with the line of the source
        tree = _TREES.pop(source, None) or _PARSER.parse(source)
        _IncludeRemover(missing).visit(tree)
        tree.set_environment(environment)
        return environment.compile(tree, name, filename)
    return environment.compile(source, name, filename)


@cache
def templates_named(source: str) -> frozenset[str | None]:
    """Return the templates that a template extends, includes, imports or uses as fragments, with None if unknown."""
    try:
        parsed = parse(source)
        return frozenset((*find_referenced_templates(parsed), *parts_named(parsed)))
    except TemplateError:
        return frozenset({None})


def content_of_all(uses: Iterable[ContentUse]) -> ContentUse:
    """Return the content that any of some templates uses."""
    used = list(uses)
    return ContentUse(
        _union([each.collections for each in used]),
        _union([each.queries for each in used]),
        _union([each.data for each in used]),
    )


def _union(sets: list[frozenset[Any] | None]) -> frozenset[Any] | None:
    known = [each for each in sets if each is not None]
    return frozenset().union(*known) if len(known) == len(sets) else None


@cache
def content_used(source: str) -> ContentUse:
    """Return the content that one template names itself."""
    has_query = _NAMED_QUERY.search(source) is not None
    if not has_query and COLLECTIONS not in source and not _NAMED_DATA.search(source):
        return ContentUse()
    try:
        tree = parse(source)
    except TemplateError:
        return ANY_CONTENT  # it fails when it is rendered, and is named then
    return ContentUse(
        _keys(tree, lambda node: isinstance(node, nodes.Name) and node.name == COLLECTIONS),
        _queries(tree) if has_query else frozenset(),
        _keys(tree, lambda node: isinstance(node, nodes.Getattr | nodes.Getitem) and _key(node) == DATA),
    )


class TemplateUse(NamedTuple):
    """The templates that a template names, with None if one is unknown, and the content that it names itself."""

    named: frozenset[str | None]
    content: ContentUse


class TemplateUses:
    """Uses of templates by source, kept in a file: to parse all templates takes as long as to render many pages."""

    def __init__(self) -> None:
        self._known: dict[str, TemplateUse] = {}
        self._saved: dict[str, TemplateUse] = {}
        self._file: Path | None = None
        self._is_saved = True

    def keep_in(self, file: Path) -> None:
        """Read what an earlier build saved; a file that is missing or damaged is written again."""
        self._file = file
        with suppress(OSError, ValueError, TypeError, AttributeError):
            self.add(file.read_bytes())

    def add(self, data: bytes) -> None:
        """Add uses as `to_json` returns them. Raises ValueError, TypeError or AttributeError for other data."""
        self._saved |= {key: _read_use(*values) for key, values in orjson.loads(data).items()}

    def to_json(self) -> bytes:
        """Return all that was asked for. Raises TypeError for numbers that JSON cannot hold."""
        values = {key: (use.named, *astuple(use.content)) for key, use in self._known.items()}
        return orjson.dumps(values, default=list)

    def of(self, source: str) -> TemplateUse:
        """Return what the template uses."""
        key = digest(source.encode())
        if key not in self._known:
            self._is_saved &= key in self._saved
            found = self._saved.get(key) or TemplateUse(templates_named(source), content_used(source))
            self._known[key] = found
        return self._known[key]

    def save(self) -> None:
        """Write what was asked for, if any of it was new; without the file a build is slower, but right."""
        if self._file and not self._is_saved:
            with suppress(OSError, TypeError):
                write_atomically(self._file, self.to_json())
            self._is_saved = True


def _read_use(
    named: list[str | None],
    collections: list[str] | None,
    queries: list[tuple[str, list[Constant], list[tuple[str, Constant]]]] | None,
    data: list[str] | None,
) -> TemplateUse:
    """Return a use as `TemplateUses.save` writes it."""
    calls = (
        None
        if queries is None
        else [
            Query(name, tuple(values), tuple((key, value) for key, value in pairs)) for name, values, pairs in queries
        ]
    )
    return TemplateUse(frozenset(named), ContentUse(_set_of(collections), _set_of(calls), _set_of(data)))


def _set_of(values: Iterable[Any] | None) -> frozenset[Any] | None:
    return None if values is None else frozenset(values)


def _keys(tree: nodes.Template, is_mapping: Callable[[nodes.Node], bool]) -> frozenset[str] | None:
    """Return the keys by which a mapping is read; None where one is computed or the mapping is used as a whole."""
    keys, named = set(), 0
    for node in tree.find_all((nodes.Getattr, nodes.Getitem)):
        if isinstance(node, nodes.Getattr | nodes.Getitem) and is_mapping(node.node):
            key = _key(node)
            if key is None:
                return None
            keys.add(key)
            named += 1
    is_used_otherwise = sum(map(is_mapping, tree.find_all((nodes.Name, nodes.Getattr, nodes.Getitem)))) > named
    return None if is_used_otherwise else frozenset(keys)


def _key(node: nodes.Getattr | nodes.Getitem) -> str | None:
    if isinstance(node, nodes.Getattr):
        return None if hasattr(dict, node.attr) else node.attr
    return node.arg.value if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str) else None


def _queries(tree: nodes.Template) -> frozenset[Query] | None:
    """Return the calls of the functions of QUERIES; None where one is not called by its name with constants alone.

    A name that the template gives to a value of its own, and never calls, is not a function.
    """
    named = [node for node in tree.find_all(nodes.Name) if node.name in QUERIES]
    calls = [call for call in tree.find_all(nodes.Call) if isinstance(call.node, nodes.Name) and call.node in named]
    called = {call.node.name for call in calls if isinstance(call.node, nodes.Name)}
    own = {node.name for node in named if node.ctx != "load"}
    queries = [_query(call) for call in calls]
    is_used_otherwise = any(node.name not in own for node in named if all(node is not call.node for call in calls))
    if None in queries or is_used_otherwise or called & own:
        return None
    return frozenset(query for query in queries if query)


def _query(call: nodes.Call) -> Query | None:
    assert isinstance(call.node, nodes.Name)  # noqa: S101 - see _queries
    values = (*call.args, *(pair.value for pair in call.kwargs))
    is_constant = all(isinstance(value, nodes.Const) for value in values)
    if not is_constant or call.dyn_args or call.dyn_kwargs:
        return None
    arguments = tuple(each.as_const() for each in call.args)
    return Query(call.node.name, arguments, tuple((pair.key, pair.value.as_const()) for pair in call.kwargs))
