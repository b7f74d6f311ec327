"""Reader of the plain YAML that most front matter is: keys with a text, a whole number, or a list of texts.

It takes a tenth of the parser's time. Whatever it does not know for certain is left to the parser, errors included;
`tests/documents/test_flat_yaml.py` compares both.
"""

import re

_QUOTED = r'"([^"\\]*+)"'
_WORD = r"[a-zA-Z0-9_.()/'!?;+À-ÖØ-öø-ɏ-]"
_PLAIN = rf"([a-zA-ZÀ-ÖØ-öø-ɏ](?:{_WORD}|,(?= ?{_WORD})|[ :](?={_WORD}))*+)"
_TIME = r"([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?)"
_LISTED = r'(?:"[^"\\]*+"|[a-zA-Z](?:[a-zA-Z0-9_.-]|[ ](?=[a-zA-Z0-9_.-]))*+)'
_LINE = re.compile(
    rf"([a-z][a-z_]*+):(?: (?:{_QUOTED}|{_PLAIN}|{_TIME}|([1-9][0-9]{{0,14}})|\[({_LISTED}(?:, {_LISTED})*+)?(\])))?"
)
_ENTRY = re.compile(rf"( {{0,4}})- (?:{_QUOTED}|{_PLAIN})")
_IN_LIST = re.compile(r'"([^"]*+)"|([^", ][^",]*+)')
_OTHER_SIGNS = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_NO_TEXT = frozenset({"true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL"})


def read_flat(text: str) -> dict[str, object] | None:
    """Return the data of the YAML text; None where the parser has to read it."""
    if _OTHER_SIGNS.search(text):
        return None
    data: dict[str, object] = {}
    key, indent = "", ""
    entries: list[object] | None = None  # of the block list that the last key may have
    for line in text.split("\n"):
        if match := _LINE.fullmatch(line):
            key, entries = match[1], None
            if key in data or key in _NO_TEXT or match[3] in _NO_TEXT:
                return None
            data[key] = value = _value(match)
            if value is None:
                entries = []
            elif isinstance(value, list) and not _NO_TEXT.isdisjoint(value):
                return None
        elif match := _ENTRY.fullmatch(line):
            if entries is None or (entries and match[1] != indent) or match[3] in _NO_TEXT:
                return None
            indent, data[key] = match[1], entries
            entries.append(match[3] if match[2] is None else match[2])
        elif line and not line.startswith("#"):
            return None
    return data or None


def _value(match: re.Match[str]) -> object:
    _key, quoted, plain, time, number, listed, end = match.groups()
    if end:
        return [word or text for text, word in _IN_LIST.findall(listed or "")]
    if number:
        return int(number)
    return quoted if quoted is not None else plain or time
