"""Tables on stdout."""

from collections.abc import Sequence

import click


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print headings and rows; each column is as wide as its widest cell."""
    lines = [headings, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
