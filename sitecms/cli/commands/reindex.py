"""`sitecms reindex`: rebuild the search index."""

import click

from sitecms.actions.operations import reindex as action
from sitecms.cli.progress import progress_bar
from sitecms.cli.site_argument import site_argument
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.store.opening import open_database


@click.command(epilog="\b\nExample:\n  sitecms reindex demo")
@site_argument
def reindex(settings: SiteSettings) -> None:
    """Make the search index anew from what is published.

    It is kept up to date by itself; this is for a store that was restored or changed by other hands. Searches go on
    meanwhile, and see the old index until the new one is whole.
    """
    database = open_database(settings.store)
    with progress_bar() as progress:
        report = action.reindex(database, progress)
    click.echo(f"Indexed {counted(report.posts, 'post')} and {counted(report.pages, 'page')} in {report.seconds:.2f} s")
