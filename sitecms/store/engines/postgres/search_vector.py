"""The `tsvector` of a text for search on PostgreSQL, of the words that the index of SQLite contains too.

The server's own parser, by `to_tsvector('simple', ...)`, drops emoji, combining marks and more where the database has
a locale of UTF-8, and divides words such as `12e3x`. Each word has its positions, those in the title first and with
weight A. PostgreSQL's limits are 1 MB for a vector, 16,383 for a position and 256 positions for a word; words and
texts that exceed them are cut.
"""

MAX_BODY_BYTES = 400_000
MAX_WORD_LENGTH = 500
BODY_STARTS_AT = 500
_LAST_POSITION = 16_383
_MAX_POSITIONS = 255
_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}  # it could end a quoted word


def vector(title: str, body: str) -> str:
    """Return the text of a `tsvector` for texts made by `content.search_text.indexed_text`."""
    positions: dict[str, list[str]] = {}
    for position, word in enumerate(title.translate(_PUNCTUATION).split(" "), 1):
        positions.setdefault(word[:MAX_WORD_LENGTH], []).append(f"{min(position, BODY_STARTS_AT - 1)}A")
    for position, word in enumerate(_first_part(body).translate(_PUNCTUATION).split(" "), BODY_STARTS_AT + 1):
        positions.setdefault(word[:MAX_WORD_LENGTH], []).append(str(min(position, _LAST_POSITION)))
    positions.pop("", None)
    return " ".join([f"'{word}':{','.join(at[:_MAX_POSITIONS])}" for word, at in positions.items()])


def _first_part(body: str) -> str:
    if len(body) * 4 <= MAX_BODY_BYTES:
        return body
    return body.encode()[:MAX_BODY_BYTES].decode(errors="ignore")
