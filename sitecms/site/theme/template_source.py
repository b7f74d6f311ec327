"""Names that templates use: other templates, collections, lists of entries, data files."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from jinja2 import Environment, TemplateError, nodes
from msgspec import Struct

from sitecms.site.theme.fragments import parts_named

COLLECTIONS, DATA, ASSETS, OPTIONS = "collections", "data", "assets", "options"
QUERIES = ("posts", "pages")
"""The functions of templates that return lists of entries."""
SYNTAX: Mapping[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "extensions": ["jinja2.ext.i18n"]}
_PARSER: Any = Environment(autoescape=True, **SYNTAX)
_PARSER.install_gettext_callables(str, str, newstyle=True)
_TEMPLATES = 1_000

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


class TemplateUse(NamedTuple):
    """The templates that a template names, with None if one is unknown, and what else it names itself.

    `prefixes` are beginnings of names that are computed, as "components/". `assets` and `options` are the keys in
    `site.assets` and `site.theme.options`, None if they cannot be determined.
    """

    named: frozenset[str | None]
    prefixes: frozenset[str]
    content: ContentUse
    assets: frozenset[str] | None
    options: frozenset[str] | None


@lru_cache(_TEMPLATES)
def use_of(source: str) -> TemplateUse:
    """Return what a template extends, includes, imports or uses as fragments, and the content that it names."""
    try:
        tree = _PARSER.parse(source)
    except TemplateError:  # it fails when it is rendered, and is named then
        return TemplateUse(frozenset({None}), frozenset(), ANY_CONTENT, None, None)
    expressions = list(_template_expressions(tree))
    prefixes = frozenset(prefix for each in expressions if (prefix := _prefix(each)))
    templates = frozenset((*(_constant(each) for each in expressions if not _prefix(each)), *parts_named(tree)))
    content = ContentUse(
        _keys(tree, lambda node: isinstance(node, nodes.Name) and node.name == COLLECTIONS),
        _queries(tree),
        _keys(tree, _is_key(DATA)),
    )
    return TemplateUse(templates, prefixes, content, _keys(tree, _is_key(ASSETS)), _keys(tree, _is_key(OPTIONS)))


class Blocks(NamedTuple):
    """The blocks of a template and the template that it extends, "" for none, None if that is computed.

    `top` has the line of each block that does not stand in another one, `lines` that of all.
    """

    extends: str | None
    top: Mapping[str, int]
    lines: Mapping[str, int]


@lru_cache(_TEMPLATES)
def blocks_of(source: str) -> Blocks:
    """Return the blocks of a template; none of one that has an error, which is reported when it is rendered."""
    try:
        tree = _PARSER.parse(source)
    except TemplateError:
        return Blocks("", {}, {})
    blocks = list(tree.find_all(nodes.Block))
    inner = {id(block) for each in blocks for block in each.find_all(nodes.Block)}
    lines = {block.name: block.lineno for block in blocks}
    top = {block.name: block.lineno for block in blocks if id(block) not in inner}
    extends = [_constant(each.template) for each in tree.find_all(nodes.Extends)]
    return Blocks(extends[0] if len(extends) == 1 else None if extends else "", top, lines)


def messages_of(source: str) -> tuple[str, ...]:
    """Return the texts of a template that catalogues translate: of one with a number, the singular."""
    try:
        found = tuple(_PARSER.extract_translations(source))
    except TemplateError:
        return ()
    messages = (message[0] if isinstance(message, tuple) else message for _line, _function, message in found)
    return tuple(message for message in messages if isinstance(message, str))


def _template_expressions(tree: nodes.Template) -> Iterator[nodes.Node]:
    """Yield the expressions by which a template names others; of a list, each entry."""
    for node in tree.find_all((nodes.Extends, nodes.FromImport, nodes.Import, nodes.Include)):
        expression: nodes.Node = node.template  # type: ignore[attr-defined]  # all of them have it
        if isinstance(expression, nodes.List | nodes.Tuple):
            yield from expression.items
        elif isinstance(expression, nodes.Const) and isinstance(expression.value, list | tuple):
            yield from map(nodes.Const, expression.value)
        else:
            yield expression


def _constant(expression: nodes.Node) -> str | None:
    return expression.value if isinstance(expression, nodes.Const) and isinstance(expression.value, str) else None


def _prefix(expression: nodes.Node) -> str:
    """Return the folder in which a computed name begins, as `components/` of `"components/" ~ name`; "" for others."""
    first = _constant(expression.nodes[0]) if isinstance(expression, nodes.Concat) else None
    return first if first and first.endswith("/") and "." not in first and not first.startswith("/") else ""


def _is_key(key: str) -> Callable[[nodes.Node], bool]:
    return lambda node: isinstance(node, nodes.Getattr | nodes.Getitem) and _key(node) == key


def content_of_all(uses: Iterable[ContentUse]) -> ContentUse:
    """Return the content that any of some templates uses."""
    used = list(uses)
    return ContentUse(
        _union([each.collections for each in used]),
        _union([each.queries for each in used]),
        _union([each.data for each in used]),
    )


def _union(sets: list[frozenset[Any] | None]) -> frozenset[Any] | None:
    known_sets = [each for each in sets if each is not None]
    return frozenset().union(*known_sets) if len(known_sets) == len(sets) else None


def _keys(tree: nodes.Template, is_mapping: Callable[[nodes.Node], bool]) -> frozenset[str] | None:
    """Return the keys by which a mapping is read; None where one is computed or the mapping is used as a whole."""
    keys, count = set(), 0
    for compare in tree.find_all(nodes.Compare):
        for operand in compare.ops:
            if operand.op in ("in", "notin") and is_mapping(operand.expr) and (key := _constant(compare.expr)):
                keys.add(key)
                count += 1
    for node in tree.find_all((nodes.Getattr, nodes.Getitem)):
        if isinstance(node, nodes.Getattr | nodes.Getitem) and is_mapping(node.node):
            key = _key(node)
            if key is None:
                return None
            keys.add(key)
            count += 1
    is_used_otherwise = sum(map(is_mapping, tree.find_all((nodes.Name, nodes.Getattr, nodes.Getitem)))) > count
    return None if is_used_otherwise else frozenset(keys)


def _key(node: nodes.Getattr | nodes.Getitem) -> str | None:
    if isinstance(node, nodes.Getattr):
        return None if hasattr(dict, node.attr) else node.attr
    return node.arg.value if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str) else None


def _queries(tree: nodes.Template) -> frozenset[Query] | None:
    """Return the calls of the functions of QUERIES; None where one is not called by its name with constants alone.

    A name that the template gives to a value of its own, and never calls, is not a function.
    """
    query_names = [node for node in tree.find_all(nodes.Name) if node.name in QUERIES]
    calls = [
        call for call in tree.find_all(nodes.Call) if isinstance(call.node, nodes.Name) and call.node in query_names
    ]
    called = {call.node.name for call in calls if isinstance(call.node, nodes.Name)}
    assigned = {node.name for node in query_names if node.ctx != "load"}
    queries = [_query(call) for call in calls]
    is_used_otherwise = any(
        node.name not in assigned for node in query_names if all(node is not call.node for call in calls)
    )
    if None in queries or is_used_otherwise or called & assigned:
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
