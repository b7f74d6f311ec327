"""`sitecms restore`: make a site folder from a backup."""

from collections.abc import Mapping
from pathlib import Path

import click

from sitecms.actions.operations.restore import restore_backup
from sitecms.cli.progress import progress_bar
from sitecms.clock import now


@click.command(epilog="\b\nExample:\n  sitecms restore demo-2026-03-01.tar.gz demo")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
def restore(file: Path, folder: Path) -> None:
    """Make a site of the backup FILE in FOLDER, which must be empty or missing.

    Every file is held against its digest, and the folder is there as a whole or not at all. Where url under [store] in
    its site.toml, or SITECMS_STORE_URL, names a PostgreSQL database, the content goes into that, which must be empty;
    SITECMS_STORE_URL=sqlite has it in the folder whatever site.toml says. Tokens open the restored
    site as they opened the one that was backed up, and webhooks are told: if that one still runs, it and the restored
    one both deliver.
    """
    with progress_bar() as progress:
        report = restore_backup(file, folder, now(), progress)
    made = report.manifest
    click.echo(
        f"Restored {made.site} to {folder} as it was at {made.made_at}: {len(made.files)} files, "
        f"change {made.change_number}, in {report.seconds:.2f} s. Next:"
    )
    click.echo(f"  sitecms verify {folder}\n  sitecms build {folder}\n  sitecms serve {folder}")
    for line in _to_know(report.counts, made.missing_media):
        click.echo(line, err=True)


def _to_know(counts: Mapping[str, int], missing: tuple[str, ...]) -> list[str]:
    """Return notes about work that the restored site does next, and about what is not restored."""
    lines = [f"media {name}: was missing when the backup was made" for name in missing]
    if tokens := counts["tokens"]:
        lines.append(
            f"Tokens: the {tokens} of the backup open this site too (sitecms token list, sitecms token revoke)."
        )
    if writes := counts["open_writes"]:
        lines.append(f"Writes: {writes} were accepted and not applied yet; a worker applies them once it runs.")
    if waiting := counts["waiting_deliveries"]:
        lines.append(
            f"Webhooks: {waiting} messages wait, and are sent once a worker runs; if the site they come from still "
            "runs, its receivers get them twice (sitecms webhook remove)."
        )
    return lines
