"""`sitecms move-media`: copy the media library from its folder to object storage or back."""

import sys

import click

from sitecms.actions.operations import moves
from sitecms.cli.output import progress_bar
from sitecms.cli.report import ExitCode
from sitecms.cli.site_argument import site_argument
from sitecms.plurals import counted
from sitecms.settings.media import EXAMPLE, bucket_problems
from sitecms.settings.service_url import ServiceUrl, variable_of
from sitecms.settings.site import SETTINGS_FILE, SiteSettings

FOLDER = "folder"


@click.command(
    "move-media",
    epilog='\b\nExample:\n  sitecms move-media demo --to "s3://tide-media/site?endpoint=https://s3.example"\n'
    "  sitecms move-media demo --to folder",
)
@site_argument
@click.option("--to", "place", metavar="URL", required=True, help="s3://bucket/prefix, or folder: .sitecms/media.")
def move_media(settings: SiteSettings, place: str) -> None:
    """Copy the site's media library to object storage, or back into its folder.

    The server may run meanwhile, and the old library stays unchanged. Files that were copied before are not copied
    again: the same command continues a copy that was interrupted, and copies files that were added while it ran. So
    run it once, stop the server and workers, run it again, and start them with the new setting. Every file in the new
    place is checked by its digest. The exit code is 1 if files of the old library are damaged.
    """
    target = _address(place)
    with progress_bar() as progress:
        report = moves.move_media(settings, target, progress)
    for name in report.damaged:
        click.echo(f"media {name}: has other content than it was stored with (sitecms verify --repair)", err=True)
    click.echo(
        f"Copied {counted(report.copied, 'media file')} of {settings.name} to {report.target}, which has all "
        f"{report.present}, in {report.seconds:.2f} s. Next:"
    )
    click.echo(_next(target))
    if report.damaged:
        sys.exit(ExitCode.FAILED)


def _address(place: str) -> ServiceUrl:
    if place == FOLDER:
        return ServiceUrl()
    url = ServiceUrl(place)
    if problem := next(bucket_problems(url), ""):
        raise click.UsageError(f"--to {problem}; expected an address such as {EXAMPLE}, or {FOLDER}.")
    return url


def _next(target: ServiceUrl) -> str:
    """Return the steps that are left for the operator."""
    if not target:
        return f"  remove url from [media] in {SETTINGS_FILE}, and {variable_of('media')} from the environment"
    return f'  in {SETTINGS_FILE}:\n  [media]\n  url = "{target.reveal()}"'
