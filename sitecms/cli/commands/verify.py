"""`sitecms verify`: whether what a site keeps is whole."""

import sys
from typing import Any

import click
import orjson

from sitecms.actions.operations.verify import Finding, verify_store
from sitecms.cli.progress import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.settings.site import SiteSettings
from sitecms.site.output.verify_output import output_findings

FORMAT = 1


@click.command(epilog="\b\nExample:\n  sitecms verify demo\n  sitecms verify demo --repair --format json")
@site_argument
@click.option("--repair", is_flag=True, help="Mend what can be made anew; no content is ever removed.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Lines for people, or one JSON object.",
)
def verify(settings: SiteSettings, repair: bool, shape: str) -> None:
    """Look at everything the site keeps: the store, search, references, writes, messages, media, the output.

    Everything may go on meanwhile. With --repair, search rows, worked-out columns, states of writes and messages and
    rows of media files are made anew, media files are put back where the site folder still has them, and what killed
    processes left is removed. Ends with 1 if anything is left.

    \b
    JSON: {"format": 1, "left": 1, "mended": 0, "seconds": 0.8, "findings": [{"kind": "media-missing",
    "where": "media 9f....jpg (sea.jpg)", "what": "...", "remedy": "...", "mendable": false, "mended": false}]}
    """
    with progress_bar() as progress:
        report = verify_store(settings, now(), repair=repair, progress=progress)
    findings = (*report.findings, *output_findings(settings))
    left = sum(not finding.is_mended for finding in findings)
    mended = len(findings) - left
    if shape == "json":
        told = {"format": FORMAT, "left": left, "mended": mended, "seconds": round(report.seconds, 3)}
        click.echo(orjson.dumps({**told, "findings": list(map(_finding, findings))}, option=orjson.OPT_INDENT_2))
    else:
        for finding in findings:
            click.echo(str(finding))
        click.echo(f"Verified {settings.name}: {left} findings, {mended} mended in {report.seconds:.2f} s")
    if left:
        sys.exit(ExitCode.FAILED)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "where": finding.where,
        "what": finding.what,
        "remedy": finding.remedy,
        "mendable": finding.is_mendable,
        "mended": finding.is_mended,
    }
