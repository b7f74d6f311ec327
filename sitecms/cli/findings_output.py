"""Findings on stdout, as text or as JSON: one form for `check`, `verify`, `doctor` and `status`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click
import orjson

from sitecms.findings import Finding, Severity, count_findings
from sitecms.plurals import counted

FORMAT = 2
F = TypeVar("F", bound=Callable[..., Any])


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
