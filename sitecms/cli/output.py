"""Output of commands: tables, findings as text or JSON, and a progress bar on a terminal."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click
import orjson

from sitecms.findings import Finding, Severity, count_findings
from sitecms.plurals import counted
from sitecms.progress import Progress

FORMAT = 2
F = TypeVar("F", bound=Callable[..., Any])


def warn(problem: str) -> None:
    """Print a problem that does not stop the command to stderr."""
    click.echo(problem, err=True)


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print headings and rows; each column is as wide as its widest cell."""
    lines = [headings, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Give a function that long work reports its progress to; None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TaskID, TextColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    class StepRate(ProgressColumn):
        """Column with the number of steps in a second."""

        def render(self, task: Task) -> Text:
            """Return the rate; nothing before it is known."""
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed else "")

    columns = (TextColumn("{task.description:16}"), BarColumn(), MofNCompleteColumn(), StepRate())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def report(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=total)
            bar.update(tasks[phase], completed=done, total=total)

        yield report


def format_option(command: F) -> F:
    """Give the command the option `--format text|json`, as the argument `output_format`."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Lines for people, or one JSON object.",
    )(command)


def show_findings_as_json(site: str | None, findings: Sequence[Finding], details: Mapping[str, Any]) -> None:
    """Print one object: the keys that all commands share, then the details of one command."""
    report = {
        "format": FORMAT,
        "site": site,
        "errors": count_findings(findings, Severity.ERROR),
        "warnings": count_findings(findings, Severity.WARNING),
        **details,
        "findings": [_as_json(finding) for finding in findings],
    }
    click.echo(orjson.dumps(report, option=orjson.OPT_INDENT_2))


def show_findings_as_text(findings: Sequence[Finding]) -> None:
    """Print one line for each finding."""
    for finding in findings:
        click.echo(str(finding))


def summarize(findings: Sequence[Finding]) -> str:
    """Return `1 error, 2 warnings`; what is repaired does not count."""
    errors, warnings = (count_findings(findings, severity) for severity in (Severity.ERROR, Severity.WARNING))
    return f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"


def _as_json(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity.value,
        "kind": str(finding.kind),
        "where": finding.where,
        "file": finding.file,
        "line": finding.line,
        "place": finding.place,
        "url": finding.url,
        "pages": finding.pages,
        "what": finding.what,
        "remedy": finding.remedy,
        "repairable": finding.is_repairable,
        "repaired": finding.is_repaired,
    }
