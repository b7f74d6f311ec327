"""Tables on stdout: columns as wide as their widest cell."""

from collections.abc import Sequence

import click


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The headings and the rows, two spaces between columns."""
    lines = [headings, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
