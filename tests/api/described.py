"""Answers compared with what /v2/openapi.json tells of them."""

from typing import Any

from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

Document = dict[str, Any]


def resolved(thing: Document, document: Document) -> Document:
    """What it is, or what its $ref leads to."""
    found: Any = document
    for key in thing["$ref"].removeprefix("#/").split("/") if "$ref" in thing else ():
        found = found[key]
    plain: Document = found if "$ref" in thing else thing
    return plain


def check_schema(document: Document, schema: Document, value: Any) -> None:
    """The value is one that the schema allows."""
    Draft202012Validator({**schema, "components": document["components"]}).validate(value)


def check_answer(document: Document, method: str, path: str, status: int, answer: TestResponse) -> None:
    """The answer has the status, and the headers and body that are told for it."""
    assert answer.status_code == status, (method, path, answer.text)
    response = resolved(document["paths"][path][method]["responses"][str(status)], document)
    for header in response.get("headers", ()):
        assert header in answer.headers, (method, path)
    if "content" in response:
        check_schema(document, response["content"]["application/json"]["schema"], answer.get_json())
    else:
        assert answer.data == b""
