"""Back a site up into one file while it is written to.

What is in the file: `store.db`, an SQLite file whatever keeps the store, as one read transaction sees it, with writes
that are accepted and not applied yet, messages that wait, tokens (digests only) and webhooks with their secrets;
`library/`, every media file that it names; `site/`, what sitecms reads in the site folder; and last `manifest.json`,
which holds the digest of all of them, so that a file without its end is never taken for a backup.

Left out: the built site, derived images and the queue, which are made anew from these; locks; and whatever else lies
in the folder.
"""

from sitecms.actions.backup.manifest import BACKUP_FORMAT, MANIFEST, BackupManifest, Packed
from sitecms.actions.backup.recipe import BackupReport, back_up
from sitecms.actions.backup.site_files import SITE_FOLDERS

__all__ = ["BACKUP_FORMAT", "MANIFEST", "SITE_FOLDERS", "BackupManifest", "BackupReport", "Packed", "back_up"]
