"""Restore of a backup as a site folder: unpacked beside it, checked by its digests, and put in place when complete."""

from sitecms.actions.operations.restore.restore import RestoreReport, restore_backup

__all__ = ["RestoreReport", "restore_backup"]
