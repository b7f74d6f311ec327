"""The catalogues of the theme: every word of the interface is there in Spanish, in the same form."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
from babel.messages.pofile import read_po
from jinja2 import Environment

from sitecms.resources import resource_dir
from sitecms.site.theme.translations import Translations

PARSER: Any = Environment(autoescape=True, extensions=["jinja2.ext.i18n"])
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")


def of_templates() -> Iterator[tuple[str, str | tuple[str | None, ...]]]:
    """(place, message or its singular and plural) of all templates."""
    for path in sorted(resource_dir("templates").rglob("*")):
        if path.suffix in (".html", ".xml", ".txt", ".json") and "assets" not in path.parts:
            for line, _name, message in PARSER.extract_translations(path.read_text(encoding="utf-8")):
                yield f"{path.name}:{line}", tuple(message) if isinstance(message, tuple) else str(message)


def of_modules() -> Iterator[tuple[str, str]]:
    """(place, message) of calls to `text` and `_text` in the modules that plan pages."""
    for path in sorted(resource_dir("templates").parent.glob("sitecms/site/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                if name in ("text", "_text") and isinstance(node.args[0].value, str):
                    yield f"{path.name}:{node.lineno}", node.args[0].value


@pytest.fixture(scope="module")
def spanish() -> dict[str, tuple[str, ...]]:
    """Translations by their English words, or the singular of these."""
    with (resource_dir("templates") / "translations" / "es.po").open("rb") as file:
        messages: list[Any] = [message for message in read_po(file, abort_invalid=True) if message.id]
    return {
        message.id if isinstance(message.id, str) else message.id[0]:
            (message.string,) if isinstance(message.string, str) else tuple(message.string)
        for message in messages
        if not message.fuzzy
    }  # fmt: skip


def test_every_message_is_there_in_spanish(spanish: dict[str, tuple[str, ...]]) -> None:
    """Of templates and of modules, plural forms included, with the same placeholders."""
    missing = []
    used = [*of_templates(), *of_modules()]
    assert len(used) > 40
    for place, message in used:
        forms = [form for form in message if form] if isinstance(message, tuple) else [message]
        found = spanish.get(forms[0], ())
        if len(found) != len(forms) or not all(found):
            missing.append(f"{place}: {forms[0]}")
        for form in found:
            assert set(PLACEHOLDER.findall(form)) == set(PLACEHOLDER.findall(forms[-1])), form
    assert missing == []


def test_no_message_is_translated_that_nobody_uses(spanish: dict[str, tuple[str, ...]]) -> None:
    """What a template no longer says leaves the catalogue too."""
    used = {
        message[0] if isinstance(message, tuple) else message for _place, message in (*of_templates(), *of_modules())
    }
    assert sorted(spanish.keys() - used) == []


def test_plural_forms_follow_the_language() -> None:
    """One minute, and any other number of them; English where there is no catalogue."""
    translations = Translations({"es": (resource_dir("templates") / "translations" / "es.po",)})
    forms = [translations.counted("es", "%(num)s post", "%(num)s posts", number) for number in (0, 1, 2)]
    assert forms == ["%(num)s entradas", "%(num)s entrada", "%(num)s entradas"]
    assert translations.counted("ar", "%(num)s post", "%(num)s posts", 2) == "%(num)s posts"
    assert translations.text("ar", "Updated") == "Updated"
