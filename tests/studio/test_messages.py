"""Messages of the lower layers in the language of the user."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from sitecms.studio.messages import MESSAGES, message_text
from tests.studio.conftest import Browser, MakeUser

PACKAGE = Path(__file__).parents[2] / "sitecms"


def texts_of(*layers: str) -> Iterator[str]:
    """Yield the texts in the modules of layers."""
    for path in (path for layer in layers for path in (PACKAGE / layer).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_the_messages_are_those_of_the_lower_layers() -> None:
    """Word for word: one that has changed there would come in English."""
    assert sorted(MESSAGES - set(texts_of("actions", "content"))) == []


def test_a_known_message_is_translated_and_another_one_stays(
    browser: Callable[[], Browser], make_user: MakeUser
) -> None:
    """As that of a wrong password; another one stays in English."""
    make_user("mira")
    visitor = browser()
    visitor.get("/studio/sign-in/")
    visitor.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = "de"
    visitor.send("/studio/sign-in/", name="mira", password="wrong")
    assert "Name oder Passwort ist falsch." in visitor.text
    assert message_text("The sea is high.") == "The sea is high."
