"""YAML 1.2: `no`, `on` and `12:30` are text; keys are unique; the data is plain JSON data.

Times stay text too, so that a text field that looks like one is kept letter by letter. The schema declares fields
that are times, and `clock.parse_timestamp` reads them.

Most front matter is plain: keys with a text, a whole number, or a list of texts. `read_flat` reads that in a tenth of
the parser's time. Whatever it does not know for certain is left to the parser, errors included;
`tests/documents/test_flat_yaml.py` compares both. The parser is imported when a text needs it: most builds do without.
"""

import re

LINE_WIDTH = 120


def load_yaml(text: str) -> object:
    """Return the one document in the text, as plain data; None for an empty text. Raises yaml.YAMLError."""
    flat = read_flat(text)
    return parse_yaml(text) if flat is None else flat


def parse_yaml(text: str) -> object:
    """Return the one document in the text, as the parser reads it. Raises yaml.YAMLError."""
    from sitecms.documents.yaml_parser import Yaml12Loader

    loader = Yaml12Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def dump_yaml(data: object) -> str:
    """Return the data (as JSON has it) as YAML that reads back equal, keys in the order given."""
    import yaml

    from sitecms.documents.yaml_parser import Yaml12Dumper

    return str(yaml.dump(data, Dumper=Yaml12Dumper, sort_keys=False, allow_unicode=True, width=LINE_WIDTH))


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
_OTHER_SIGNS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
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
