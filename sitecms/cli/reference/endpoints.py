"""The chapters about the API's paths, parameters and errors, made from their tables."""

import json
from collections.abc import Iterator
from http import HTTPStatus

from sitecms.api.app import ENDPOINTS
from sitecms.api.endpoint import Endpoint
from sitecms.api.openapi.responses import ERRORS, WRITE_ERRORS, ErrorResponse
from sitecms.api.params import PARAMETERS, Parameter
from sitecms.api.write_handler import WRITE_ENDPOINTS
from sitecms.cli.reference.markdown import Chapter, anchor, code, fence, lines, table
from sitecms.cli.reference.messages import Message, messages


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
    found = tuple(messages())
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
            table(("Status", "Message"), _rows(each for each in found if each.status)),
            "## Messages about a field",
            "These stand in the body of a 400 under the name of the field, or under `errors` of a write that was "
            "rejected later.",
            table(("Message",), ((row[1],) for row in _rows(each for each in found if not each.status))),
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
    shown = "\n".join(json.dumps(body, ensure_ascii=False) for body in bodies)
    return lines(f"### {status} {HTTPStatus(status).phrase}", error.meaning, headers, fence(shown, "json-lines"))


def _rows(found: Iterator[Message]) -> Iterator[tuple[str, str]]:
    for each in dict.fromkeys(sorted((message.status, message.text) for message in found)):
        yield str(each[0]), each[1]
