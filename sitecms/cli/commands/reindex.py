"""`sitecms reindex`: rebuild the search index."""

import click

from sitecms.actions.operations import reindex as action
from sitecms.cli.output import progress_bar
from sitecms.cli.site_argument import site_argument
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.store.opening import open_store


@click.command(epilog="\b\nExample:\n  sitecms reindex demo")
@site_argument
def reindex(settings: SiteSettings) -> None:
    """Rebuild the search index from published content.

    Writes keep the index up to date; rebuild it after the store was changed outside sitecms. Searches use the old index
    until the new one is complete.
    """
    database = open_store(settings)
    with progress_bar() as progress:
        report = action.reindex(database, progress)
    click.echo(f"Indexed {counted(report.posts, 'post')} and {counted(report.pages, 'page')} in {report.seconds:.2f} s")
