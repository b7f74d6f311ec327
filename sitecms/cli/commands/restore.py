"""`sitecms restore`: make a site folder from a backup."""

from collections.abc import Mapping
from pathlib import Path

import click

from sitecms.actions.operations.restore import restore_backup
from sitecms.cli.output import progress_bar
from sitecms.clock import now
from sitecms.plurals import counted


@click.command(epilog="\b\nExample:\n  sitecms restore demo-2026-03-01.tar.gz demo")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
def restore(file: Path, folder: Path) -> None:
    """Restore the site in the backup FILE to FOLDER, which must be empty or missing.

    Every file is checked by its digest, and the folder appears when it is complete. If url under [store] in its
    site.toml, or SITECMS_STORE_URL, names a PostgreSQL database, the content is stored there; it must be empty.
    SITECMS_STORE_URL=sqlite stores it in the folder, whatever site.toml says. Tokens and webhooks are restored too: if
    the original site still runs, both sites deliver to the webhooks.
    """
    with progress_bar() as progress:
        report = restore_backup(file, folder, now(), progress)
    manifest = report.manifest
    click.echo(
        f"Restored {manifest.site} to {folder} as it was at {manifest.made_at}: "
        f"{counted(len(manifest.files), 'file')}, change {manifest.change_number}, in {report.seconds:.2f} s. Next:"
    )
    click.echo(f"  sitecms verify {folder}\n  sitecms build {folder}\n  sitecms serve {folder}")
    for line in _to_know(report.counts, manifest.missing_media):
        click.echo(line, err=True)


def _to_know(counts: Mapping[str, int], missing: tuple[str, ...]) -> list[str]:
    """Return notes about work that the restored site does next, and about what is not restored."""
    lines = [f"media {name}: was missing when the backup was made" for name in missing]
    if tokens := counts["tokens"]:
        lines.append(
            f"Tokens: {counted(tokens, 'token')} of the original site can be used here too (sitecms token list, "
            "sitecms token revoke)."
        )
    if writes := counts["open_writes"]:
        lines.append(f"Writes: {counted(writes, 'accepted write')} not applied yet; a running worker applies them.")
    if waiting := counts["waiting_deliveries"]:
        lines.append(
            f"Webhooks: {counted(waiting, 'delivery', 'deliveries')} waiting, sent when a worker runs; if the original "
            "site still runs, receivers get them twice (sitecms webhook remove)."
        )
    return lines
