"""The load of changed files with its report, for `sitecms load`, `sync` and `build`, and help of its options."""

import shlex
from typing import TYPE_CHECKING

import click

from sitecms.cli.output import progress_bar
from sitecms.cli.site_argument import shown_path
from sitecms.clock import now
from sitecms.content.media import DETAILS_FILE
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database

if TYPE_CHECKING:
    from sitecms.actions.loading import LoadReport

PRUNE_HELP = "Delete the entries of files that are gone, and items no longer listed (they can be restored)."
ADOPT_HELP = "Let files replace entries that they were not loaded into before (the former versions can be restored)."


def load_files(database: Database, settings: SiteSettings, *, prune: bool = False, adopt: bool = False) -> "LoadReport":
    """Load the changed files of a site, print to stderr what a person may have to act on, and return the report."""
    from sitecms.actions.loading import load_site  # a build of the store as it is does without

    with progress_bar() as progress:
        report = load_site(database, settings, now(), prune=prune, adopt=adopt, progress=progress)
    _show(report, settings)
    return report


def _show(report: "LoadReport", settings: SiteSettings) -> None:
    for path, replaced in report.replaced.items():
        for field, value in replaced.items():
            is_adopted = _is_adopted(report, path, field)
            edited = "taken over by this file" if is_adopted else "edited in the studio or through the API"
            of = "a media file" if path == DETAILS_FILE else "an entry"
            click.echo(f"{path}: {field} replaced in {of} {edited}; the former value: {value!r}", err=True)
    for each in report.conflicts:
        click.echo(f"{each.where}: {each.problem} ({each.remedy})", err=True)
    site = shlex.quote(str(shown_path(settings.folder)))
    for former in report.former:
        verb = "took over" if former.is_adopted else "replaced"
        back = f"its former version is in the trash: sitecms trash restore {site} {former.kind} {former.trash_id}"
        click.echo(f"{former.path}: {verb} the {former.kind} {former.entry_id}; {back}", err=True)
    for path in report.vanished:
        click.echo(f"{path}: is gone; its entries stay until you load or build with --prune", err=True)
    for path in report.pruned:
        click.echo(f"{path}: is gone; its entries are in the trash (sitecms trash list {site})", err=True)
    for edit in report.pruned_edits:
        edited = f"the {edit.kind} {edit.entry_id} was edited through the API since its file was loaded"
        back = f"it is in the trash: sitecms trash restore {site} {edit.kind} {edit.entry_id}"
        click.echo(f"{edit.path}: {edited}; {back}", err=True)
    for item in report.vanished_items:
        stays = "it stays until you load or build with --prune"
        click.echo(f"{item.path}: no longer lists the item {item.id} {item.label!r}; {stays}", err=True)
    for item in report.pruned_items:
        back = f"it is in the trash: sitecms trash restore {site} item {item.id}"
        click.echo(f"{item.path}: no longer lists the item {item.id} {item.label!r}; {back}", err=True)
    for note in report.notes:
        click.echo(note, err=True)
    for error in report.errors:
        click.echo(str(error), err=True)


def _is_adopted(report: "LoadReport", path: str, field: str) -> bool:
    """Return whether a replaced field belongs to an entry that the file took over; item fields begin with ids."""
    from sitecms.content.kinds import KINDS  # mostly nothing is replaced

    return any(
        former.is_adopted and (KINDS[former.kind].has_slug or field.startswith(f"{former.entry_id}."))
        for former in report.former
        if former.path == path
    )


def summary(report: "LoadReport") -> str:
    """Return one line: how many files were loaded, unchanged, pruned, had errors, and what these mean for the site."""
    failed = len({error.file for error in report.errors})
    counts = f"{len(report.loaded)} loaded, {report.unchanged} unchanged, {len(report.pruned)} pruned, {failed} failed"
    line = f"Files: {counts} in {report.seconds:.2f} s"
    if count := len(report.pruned_items):
        line += f"; {counted(count, 'item')} pruned"
    if count := len(report.left_out):
        line += f"; {counted(count, 'file')} not loaded: {'its' if count == 1 else 'their'} content is not on the site"
    if count := len(report.outdated):
        entries = "its entry stays" if count == 1 else "their entries stay"
        line += f"; {counted(count, 'file')} not loaded: {entries} as before"
    return line
