"""The chapters about the API's paths, parameters and errors, made from their tables and the source."""

import ast
import inspect
import json
import pkgutil
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from importlib import import_module
from types import ModuleType
from typing import Any

from msgspec import Struct

from sitecms.api.app import ENDPOINTS
from sitecms.api.endpoint import Endpoint
from sitecms.api.errors import STATUSES
from sitecms.api.openapi.responses import ERRORS, WRITE_ERRORS, ErrorResponse
from sitecms.api.params import PARAMETERS, Parameter
from sitecms.api.write_handler import WRITE_ENDPOINTS
from sitecms.cli.reference.markdown import Chapter, anchor, code, fence, lines, table
from sitecms.errors import InvalidFields, SitecmsError

PACKAGES = ("sitecms.api", "sitecms.actions.writing.accept", "sitecms.actions.writing.apply", "sitecms.content.fields")
MODULES = (
    "sitecms.actions.writing.known_entries",
    "sitecms.actions.writing.request_media",
    "sitecms.actions.writing.save",
    "sitecms.actions.writing.save_context",
    "sitecms.content.field_path",
    "sitecms.content.locale",
    "sitecms.content.response_size",
    "sitecms.content.validation",
)
_METHODS = frozenset({"report", "refuse"})
_PLACEHOLDER = re.compile(r"\{(\w*)[^}]*\}")
_FOR_THE_COMMAND_LINE = re.compile(r"--[a-z]")


class ErrorText(Struct, frozen=True):
    """A text, in which `<name>` stands for a value, and the status it is sent with; 0 for a text about one field."""

    status: int
    text: str


def chapters() -> Iterator[Chapter]:
    """Yield the chapters about paths and errors."""
    yield Chapter(
        "api-paths",
        "Paths and parameters of the API",
        "Every path of the API with its parameters, and every parameter with its rules.",
        lines(
            "A running site shows the same with your page types and collections, and lets you try requests, at "
            "`/docs`; `/v2/openapi.json` describes it for programs.",
            "## Reading",
            *(_endpoint(each) for each in ENDPOINTS),
            "## Writing",
            table(
                ("Method", "Path", "What it does"),
                ((code(each.method), code(_path(each.path)), each.summary) for each in WRITE_ENDPOINTS),
            ),
            "## Parameters",
            *(_parameter(each) for each in PARAMETERS.values()),
        ),
    )
    texts = tuple(messages())
    yield Chapter(
        "errors",
        "Errors of the API",
        "Every status and every message that the API answers a wrong request with.",
        lines(
            'An error has a body that says what is wrong: `{"detail": "..."}`, or a list of messages for each field '
            "of a write.",
            "## Errors of reads",
            *(_status(status, error) for status, error in ERRORS.items()),
            "## Errors of writes",
            "Writes also answer 404, 429, 500 and 503 as reads do.",
            *(_status(status, error) for status, error in WRITE_ERRORS.items()),
            "## Messages about a request",
            "Words in angle brackets stand for values of the request or of your site.",
            table(("Status", "Message"), _rows(each for each in texts if each.status)),
            "## Messages about a field",
            "These stand in the body of a 400 under the name of the field, or under `errors` of a write that was "
            "rejected later.",
            table(("Message",), ((row[1],) for row in _rows(each for each in texts if not each.status))),
        ),
    )


def _endpoint(each: Endpoint) -> str:
    names = ", ".join(anchor(name) for name in each.parameters)
    return lines(f"### {code(f'GET {_path(each.path)}')}", f"{each.summary}.", f"Parameters: {names}." if names else "")


def _path(path: str) -> str:
    return path.replace("<", "{").replace(">", "}")


def _parameter(each: Parameter) -> str:
    examples = each.schema.get("examples", ())
    facts = [each.leniency, f"Example: {code(str(examples[0]))}." if examples else ""]
    return lines(f"### {code(each.name)}", each.help, " ".join(filter(None, facts)))


def _status(status: int, error: ErrorResponse) -> str:
    further = {"request_id": "9f86d081884c7d65"} if status == HTTPStatus.INTERNAL_SERVER_ERROR else {}
    bodies = [{"detail": text, **further} for text in error.details.values()] + list(error.others.values())
    headers = "\n".join(f"- Header `{name}`: {text}" for name, text in error.headers.items())
    bodies_text = "\n".join(json.dumps(body, ensure_ascii=False) for body in bodies)
    return lines(f"### {status} {HTTPStatus(status).phrase}", error.meaning, headers, fence(bodies_text, "json-lines"))


def _rows(texts: Iterator[ErrorText]) -> Iterator[tuple[str, str]]:
    for each in dict.fromkeys(sorted((message.status, message.text) for message in texts)):
        yield str(each[0]), each[1]


def messages() -> Iterator[ErrorText]:
    """Yield every message, in the order of the modules."""
    for module in _modules():
        classes: set[str] = set()
        tree = ast.parse(inspect.getsource(module))
        for function in (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)):
            values = {**vars(module), **_assigned(function)}
            for node in ast.walk(function):
                status, arguments = _arguments(node, module)
                for argument in arguments:
                    classes |= {each.id for each in ast.walk(argument) if isinstance(each, ast.Name)}
                    for part, names in _alternatives(argument, values):
                        if text := _sentence("".join(_pieces(part, names))):
                            yield ErrorText(status, text)
        if not module.__name__.startswith("sitecms.api"):  # constants that reach a field in another way
            for name, value in vars(module).items():
                is_text = name.isupper() and name not in classes and isinstance(value, str) and value.endswith(".")
                if is_text and (text := _sentence(value)):
                    yield ErrorText(0, text)


def _modules() -> Iterator[ModuleType]:
    for package in map(import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield import_module(module.name)
    yield from map(import_module, MODULES)


def _arguments(node: ast.AST, module: ModuleType) -> tuple[int, list[ast.expr]]:
    """Return the status of a raised error and the expressions of its text; 0 for messages about a field."""
    if not isinstance(node, ast.Call):
        return 0, []
    if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        return 0, node.args
    error = vars(module).get(node.func.id) if isinstance(node.func, ast.Name) else None
    if not isinstance(error, type) or not issubclass(error, SitecmsError):
        return 0, []
    if issubclass(error, InvalidFields):
        return 0, [value for each in node.args if isinstance(each, ast.Dict) for value in _texts(each)]
    status = next((status for kind, status in STATUSES if issubclass(error, kind)), 0)
    return status, node.args[:1] if status else []


def _texts(fields: ast.Dict) -> Iterator[ast.expr]:
    for value in fields.values:
        yield from value.elts if isinstance(value, ast.List) else [value]


def _assigned(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return the expressions of texts that a function assigns to names."""
    return {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if isinstance(node.value, ast.Constant | ast.JoinedStr)
    }


def _alternatives(node: ast.expr, names: Mapping[str, Any]) -> Iterator[tuple[ast.expr, Mapping[str, Any]]]:
    """Yield the expressions whose text the value may be: both sides of a condition, what an own function returns."""
    called = names.get(node.func.id) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
    if isinstance(node, ast.IfExp):
        yield node.body, names
        yield node.orelse, names
    elif inspect.isfunction(called):
        for inner in ast.walk(ast.parse(inspect.getsource(called))):
            if isinstance(inner, ast.Return) and inner.value:
                yield inner.value, called.__globals__
    else:
        yield node, names


def _pieces(node: ast.expr, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a text, with `{name}` for each value that is computed."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from _pieces(part, names)
    elif isinstance(node, ast.FormattedValue):
        part, known = next(_alternatives(node.value, names))
        text = "".join(_pieces(part, known))
        is_part = isinstance(part, ast.Name) and isinstance(names.get(part.id), int)
        yield str(names[part.id]) if isinstance(part, ast.Name) and is_part else text or f"{{{_name(node.value)}}}"
    elif isinstance(node, ast.Name):
        value = names.get(node.id)
        if isinstance(value, ast.expr):
            yield from _pieces(value, names)
        elif isinstance(value, str):
            yield value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        yield from _pieces(node.func.value, names)


def _name(node: ast.expr) -> str:
    """Return a word for a computed value, taken from its expression."""
    if isinstance(node, ast.Call):
        called = _name(node.func)
        if called == "len":
            return "number"
        if called in ("join", "str", "repr", "sorted") and node.args:
            return _name(node.args[0])
        return _name(node.func.value) if isinstance(node.func, ast.Attribute) else called
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_")
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.id.strip("_") if isinstance(node, ast.Name) else "value"


def _sentence(text: str) -> str:
    """Return the text with `<name>` for values; "" if it is not a sentence for clients of the API."""
    if len(_PLACEHOLDER.sub("", text).split()) < 2 or _FOR_THE_COMMAND_LINE.search(text):
        return ""
    return _PLACEHOLDER.sub(lambda match: f"<{(match[1] or 'value').replace('_', ' ')}>", text)
