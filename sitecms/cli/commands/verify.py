"""`sitecms verify`: check the integrity of everything that a site keeps."""

import sys

import click

from sitecms.actions.operations.verify.verify import verify_store
from sitecms.cli.output import format_option, progress_bar, show_findings_as_json, show_findings_as_text, summarize
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.findings import Severity
from sitecms.settings.site import SiteSettings
from sitecms.site.output.inspection import output_findings


@click.command(epilog="\b\nExample:\n  sitecms verify demo\n  sitecms verify demo --repair --format json")
@site_argument
@click.option("--repair", is_flag=True, help="Correct what can be derived again; no content is ever removed.")
@format_option
def verify(settings: SiteSettings, repair: bool, output_format: str) -> None:
    """Check everything the site keeps: store, search index, references, writes, deliveries, media, output.

    The server and other commands may run meanwhile. --repair rebuilds search rows, derived columns, states of writes
    and deliveries and records of media files, restores media files that the site folder still has, and removes files
    that killed processes left. The exit code is 1 if an error is left.

    \b
    JSON: {"format": 2, "site": "Tide", "errors": 1, "warnings": 0, "repaired": 0, "seconds": 0.8, "findings":
    [{"severity": "error", "kind": "media-missing", "where": "media 9f....jpg (sea.jpg)", "file": "", "line": null,
    "place": "media 9f....jpg (sea.jpg)", "url": "", "pages": 0, "what": "...", "remedy": "...",
    "repairable": false, "repaired": false}]}
    """
    with progress_bar() as progress:
        report = verify_store(settings, now(), repair=repair, progress=progress)
    findings = (*report.findings, *output_findings(settings))
    repaired = sum(finding.is_repaired for finding in findings)
    if output_format == "json":
        details = {"repaired": repaired, "seconds": round(report.seconds, 3)}
        show_findings_as_json(settings.name, findings, details)
    else:
        show_findings_as_text(findings)
        counts = f"{summarize(findings)}, {repaired} repaired" if repair else summarize(findings)
        click.echo(f"Verified {settings.name} in {report.seconds:.2f} s: {counts}")
    if any(finding.severity is Severity.ERROR and not finding.is_repaired for finding in findings):
        sys.exit(ExitCode.FAILED)
