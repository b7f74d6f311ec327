"""Collections that a template uses as `collections.<key>`, on which its pages depend."""

from functools import cache

from jinja2 import Environment, TemplateError, nodes

NAME = "collections"
_PARSER = Environment(autoescape=True, extensions=["jinja2.ext.i18n"])


@cache
def collections_used(source: str) -> frozenset[str] | None:
    """Return the keys of the collections that a template names; None if they cannot be determined."""
    if NAME not in source:
        return frozenset()
    try:
        tree = _PARSER.parse(source)
    except TemplateError:
        return None  # it fails when it is rendered, and is named then
    keys, named = set(), 0
    for node in tree.find_all((nodes.Getattr, nodes.Getitem)):
        if isinstance(node, nodes.Getattr | nodes.Getitem) and _is_collections(node.node):
            key = _key(node)
            if key is None:
                return None
            keys.add(key)
            named += 1
    is_used_otherwise = sum(node.name == NAME for node in tree.find_all(nodes.Name)) > named
    return None if is_used_otherwise else frozenset(keys)


def _is_collections(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Name) and node.name == NAME


def _key(node: nodes.Getattr | nodes.Getitem) -> str | None:
    if isinstance(node, nodes.Getattr):
        return None if hasattr(dict, node.attr) else node.attr
    return node.arg.value if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str) else None
