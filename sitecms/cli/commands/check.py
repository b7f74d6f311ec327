"""`sitecms check`: what is wrong with a site, before its readers see it."""

import sys
from pathlib import Path
from typing import Any

import click
import orjson

from sitecms.cli.report import ExitCode, exit_code
from sitecms.cli.site_argument import folder_argument
from sitecms.clock import now
from sitecms.errors import ConfigurationError
from sitecms.settings.site import load_settings
from sitecms.site.check import CheckOptions, CheckReport, Finding, Severity, check_site, report_of

FORMAT = 1


@click.command(epilog="\b\nExample:\n  sitecms check demo\n  sitecms check demo --external --strict --format json")
@folder_argument
@click.option("--external", is_flag=True, help="Ask remote links too, politely; answers are kept for a day.")
@click.option("--strict", is_flag=True, help="End with 1 on warnings too.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object.",
)
def check(folder: Path, external: bool, strict: bool, shape: str) -> None:
    """Look for faults of schema and content, broken links, and what readers and search engines would miss.

    Reads the files as they are now and what the store holds, and changes neither. Ends with 1 if there is an error,
    with 3 if the site cannot be opened as it stands.

    \b
    JSON: {"format": 1, "errors": 1, "warnings": 0, "pages": 12, "seconds": 0.8, "findings":
    [{"severity": "error", "kind": "link-broken", "file": "content/posts/x.md", "line": 12,
    "place": "", "url": "/blog/x/", "pages": 1, "what": "...", "remedy": "..."}]}
    """
    ending = ExitCode.DONE
    try:
        report = check_site(load_settings(folder), now(), CheckOptions(external))
    except ConfigurationError as error:
        if shape != "json":
            raise
        report, ending = report_of(error), exit_code(error)
    if shape == "json":
        click.echo(orjson.dumps(_as_json(report), option=orjson.OPT_INDENT_2))
    else:
        for finding in report.findings:
            click.echo(str(finding))
        errors, warnings = report.count(Severity.ERROR), report.count(Severity.WARNING)
        click.echo(f"Checked {report.pages} pages: {errors} errors, {warnings} warnings in {report.seconds:.2f} s")
    if ending is ExitCode.DONE and (report.count(Severity.ERROR) or (strict and report.findings)):
        ending = ExitCode.FAILED
    sys.exit(ending)


def _as_json(report: CheckReport) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "errors": report.count(Severity.ERROR),
        "warnings": report.count(Severity.WARNING),
        "pages": report.pages,
        "seconds": round(report.seconds, 3),
        "findings": [_finding(finding) for finding in report.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity.value,
        "kind": finding.kind.value,
        "file": finding.file,
        "line": finding.line,
        "place": finding.place,
        "url": finding.url,
        "pages": finding.pages,
        "what": finding.what,
        "remedy": finding.remedy,
    }
