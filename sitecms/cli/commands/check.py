"""`sitecms check`: find problems of a site before its readers do."""

import sys
from pathlib import Path

import click

from sitecms.cli.output import format_option, show_findings_as_json, show_findings_as_text, summarize
from sitecms.cli.report import ExitCode, exit_code
from sitecms.cli.site_argument import folder_argument, open_settings
from sitecms.clock import now
from sitecms.errors import ConfigurationError
from sitecms.findings import Severity, count_findings
from sitecms.plurals import counted
from sitecms.site.check.check import CheckOptions, check_site, report_of


@click.command(epilog="\b\nExample:\n  sitecms check demo\n  sitecms check demo --external --strict --format json")
@folder_argument
@click.option("--external", is_flag=True, help="Request remote links too, a few at a time; results are kept for a day.")
@click.option("--strict", is_flag=True, help="Exit with code 1 on warnings too.")
@format_option
def check(folder: Path, external: bool, strict: bool, output_format: str) -> None:
    """Find errors in schema and content, broken links, and what readers and search engines would miss.

    Reads the current files and the store, and changes neither. The exit code is 1 if there is an error, 3 if the site
    cannot be opened.

    \b
    JSON: {"format": 2, "site": "Tide", "errors": 1, "warnings": 0, "pages": 12, "seconds": 0.8, "findings":
    [{"severity": "error", "kind": "link-broken", "where": "content/posts/x.md:12", "file": "content/posts/x.md",
    "line": 12, "place": "", "url": "/blog/x/", "pages": 1, "what": "...", "remedy": "...",
    "repairable": false, "repaired": false}]}
    """
    ending, site = ExitCode.DONE, None
    try:
        settings = open_settings(folder)
        site = settings.name
        report = check_site(settings, now(), CheckOptions(external))
    except ConfigurationError as error:
        if output_format != "json":
            raise
        report, ending = report_of(error), exit_code(error)
    if output_format == "json":
        details = {"pages": report.pages, "seconds": round(report.seconds, 3)}
        show_findings_as_json(site, report.findings, details)
    else:
        show_findings_as_text(report.findings)
        pages = counted(report.pages, "page")
        click.echo(f"Checked {pages} of {site} in {report.seconds:.2f} s: {summarize(report.findings)}")
    errors = count_findings(report.findings, Severity.ERROR)
    if ending is ExitCode.DONE and (errors or (strict and report.findings)):
        ending = ExitCode.FAILED
    sys.exit(ending)
