"""Emoji by name: `:tada:`."""

import re
from functools import cache
from typing import TYPE_CHECKING

from sitecms.errors import ConfigurationError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore

MISSING = "[markdown] emoji needs the package emoji, which is not installed: pip install 'sitecms[emoji]'"
_NAME = re.compile(r":[A-Za-z0-9_+’'-]{1,60}:")


def use_emoji(parser: "MarkdownIt") -> None:
    """Replace names of emoji in text; unknown names stay."""
    parser.core.ruler.push("emoji", _replace)


@cache
def _emoji(name: str) -> str:
    try:
        import emoji
    except ImportError as error:
        raise ConfigurationError(MISSING) from error
    return emoji.emojize(name, language="alias")


def _replace(state: "StateCore") -> None:
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "text":
                child.content = _NAME.sub(lambda match: _emoji(match[0]), child.content)
