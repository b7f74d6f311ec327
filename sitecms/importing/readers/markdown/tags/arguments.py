"""Arguments of tags: texts in quotes or not, with names or not."""

import re
from dataclasses import dataclass, field

_PART = re.compile(
    r"""(?:(?P<name>[\w-]+)\s*[=]\s*)?(?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)'|`(?P<tick>[^`]*)`"""
    r"""|\{(?P<brace>[^{}]*)\}|(?P<bare>[^\s,]+))"""
)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments by position and by name, names in lower case."""

    values: tuple[str, ...] = ()
    named: dict[str, str] = field(default_factory=dict)

    def get(self, *names: str) -> str:
        """Return the first of these arguments that is not empty; numbers are positions."""
        for name in names:
            if name.isdigit():
                found = self.values[int(name)] if int(name) < len(self.values) else ""
            else:
                found = self.named.get(name, "")
            if found:
                return found
        return ""


def read_arguments(text: str) -> Arguments:
    """Return the arguments of a tag."""
    plain = text.strip()
    if plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1]
    values: list[str] = []
    named: dict[str, str] = {}
    for match in _PART.finditer(plain):
        quoted = match["double"] if match["double"] is not None else match["single"]
        value = quoted if quoted is not None else match["tick"] or match["brace"] or match["bare"] or ""
        if quoted is not None and "\\" in value:
            value = re.sub(r"\\([\"'\\])", r"\1", value)
        if match["name"]:
            named[match["name"].lower()] = value
        else:
            values.append(value)
    return Arguments(tuple(values), named)
