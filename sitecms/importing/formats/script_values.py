"""Values of JavaScript that can be read without executing it: literals, in an object or in constants."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import Struct, field

from sitecms.documents.reading import MAX_DEPTH

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*+\"|'(?:\\.|[^'\\\n])*+'|`(?:\\.|[^`\\])*+`)"
    r"|(?P<number>\.?\d[\w.]*(?:(?<=[eE])[+-]\d+)?)|(?P<name>[\w$]+)|(?P<sign>.)",
    re.S,
)
_ESCAPE = re.compile(
    r"\\(?:u\{(?P<code>[0-9A-Fa-f]{1,6})\}|u(?P<four>[0-9A-Fa-f]{4})|x(?P<two>[0-9A-Fa-f]{2})|(?P<sign>.))", re.S
)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "", "\n": ""}
_DECLARATIONS = frozenset({"const", "let", "var"})
_PAIRS = {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}
_AFTER_VALUE = frozenset(";,}]")
_NO_STOPS: frozenset[str] = frozenset()


class ScriptValues(Struct, frozen=True):
    """Literal values by name, numbers and truth values as text; `left_out` are the names of all others."""

    values: dict[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


class _Token(NamedTuple):
    kind: str
    text: str


class _NoLiteral(Exception):
    """The value is computed."""


def read_script(text: str) -> ScriptValues:
    """Return the values of a script that is one object, or of its constants outside of functions."""
    return _Reader(text).read()


class _Reader:
    """Reads the tokens of a script, each once."""

    def __init__(self, text: str) -> None:
        matches = _TOKEN.finditer(text)
        self._tokens = [_Token(match.lastgroup or "", match[0]) for match in matches if match.lastgroup != "space"]
        self._place = 0
        self._left_out: list[str] = []

    def read(self) -> ScriptValues:
        """Return the values of the script."""
        values = self._object(0) if self._is("{") else self._constants()
        return ScriptValues(values, tuple(dict.fromkeys(self._left_out)))

    def _constants(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        depth = 0
        while self._place < len(self._tokens):
            token = self._next()
            depth += _PAIRS.get(token.text, 0) if token.kind == "sign" else 0
            is_declaration = not depth and token.text in _DECLARATIONS
            while is_declaration and self._peek().kind == "name":
                name = self._next().text
                if self._is("="):
                    self._next()
                    self._put(values, name, lambda: self._value(0))
                self._skip_to_comma(_DECLARATIONS | {";"})
                is_declaration = self._tokens[self._place - 1].text == ","
        return values

    def _put(self, values: dict[str, Any], name: str, read: Callable[[], Any]) -> None:
        """Keep a value if it is a literal that ends here."""
        try:
            value = read()
        except _NoLiteral:
            self._left_out.append(name)
            return
        following = self._peek()
        if following.kind in ("sign", "text") and following.text not in _AFTER_VALUE:  # an operator, a call
            self._left_out.append(name)
        elif value is not None:
            values[name] = value

    def _value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _NoLiteral
        if self._is("{"):
            return self._object(depth + 1)
        if self._is("["):
            return self._list(depth + 1)
        token = self._peek()
        sign = ""
        if token.text in ("-", "+") and token.kind == "sign":
            sign = self._next().text.removeprefix("+")
            token = self._peek()
        if token.kind == "number":
            return sign + self._next().text
        if token.kind == "text" and not (token.text.startswith("`") and "${" in token.text):
            return _unquoted(self._next().text)
        if token.text in ("true", "false"):
            return self._next().text
        if token.text in ("null", "undefined"):
            self._next()
            return None
        return self._date()

    def _date(self) -> str:
        """Return the text of `new Date("...")`."""
        parts = self._tokens[self._place : self._place + 5]
        if [part.text for part in (*parts[:3], *parts[4:])] == ["new", "Date", "(", ")"] and parts[3].kind == "text":
            self._place += 5
            return _unquoted(parts[3].text)
        raise _NoLiteral

    def _list(self, depth: int) -> list[Any]:
        self._next()
        values: list[Any] = []
        while not self._is_at_end():
            each: dict[str, Any] = {}
            self._put(each, "a value of a list", lambda: self._value(depth))
            values += each.values()
            self._skip_to_comma()
        self._next()
        return values

    def _object(self, depth: int) -> dict[str, Any]:
        self._next()
        values: dict[str, Any] = {}
        while not self._is_at_end():
            key = self._peek()
            name = _unquoted(key.text) if key.kind == "text" else key.text
            if key.kind != "sign":
                self._next()
            if key.kind != "sign" and self._is(":"):
                self._next()
                self._put(values, name, lambda: self._value(depth))
            elif not self._is(","):
                self._left_out.append(name if key.kind != "sign" else "a computed key")
            self._skip_to_comma()
        self._next()
        return values

    def _skip_to_comma(self, stops: frozenset[str] = _NO_STOPS) -> None:
        """Skip what is left of a value and the comma after it, but neither a closing bracket nor one of the stops."""
        depth = 0
        while self._place < len(self._tokens):
            token = self._peek()
            change = _PAIRS.get(token.text, 0) if token.kind == "sign" else 0
            if depth == 0 and (change < 0 or token.text in stops):
                return
            depth += change
            self._next()
            if depth == 0 and token == _Token("sign", ","):
                return

    def _peek(self) -> _Token:
        return self._tokens[self._place] if self._place < len(self._tokens) else _Token("end", "")

    def _next(self) -> _Token:
        token = self._peek()
        self._place = min(self._place + 1, len(self._tokens))
        return token

    def _is(self, sign: str) -> bool:
        return self._peek() == _Token("sign", sign)

    def _is_at_end(self) -> bool:
        """Return whether a list or object ends here, or the script does."""
        return self._peek().kind == "end" or self._peek().text in ("}", "]", ")")


def _unquoted(written: str) -> str:
    text = _ESCAPE.sub(_unescaped, written[1:-1])
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    code = match["code"] or match["four"] or match["two"]
    if code is None:
        return _ESCAPED.get(match["sign"], match["sign"])
    return chr(number) if (number := int(code, 16)) < 0x110000 else "\ufffd"
