"""Tables of exports: CSV with names in the first line."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from sitecms.errors import InvalidRequest
from sitecms.importing.source import MAX_TEXT_BYTES, SourceFile

csv.field_size_limit(MAX_TEXT_BYTES)  # the text of a post may be a cell


def read_table(file: SourceFile) -> tuple[tuple[str, ...], Iterator[tuple[int, Mapping[str, str]]]]:
    """Return the names of the columns, and the rows with their lines; a row that is cut short has fewer cells.

    Raises InvalidRequest, also while rows are read, for a file that is no table.
    """
    rows = _rows(file)
    _line, head = next(rows, (0, ()))
    names = tuple(name.strip() for name in head)
    return names, ((line, dict(zip(names, row, strict=False))) for line, row in rows if row)


def _rows(file: SourceFile) -> Iterator[tuple[int, Sequence[str]]]:
    table = csv.reader(io.StringIO(file.text()))
    try:
        for row in table:
            yield table.line_num, row
    except csv.Error as error:
        raise InvalidRequest(f"{file.name}:{table.line_num} is not a valid table: {error}.") from error
