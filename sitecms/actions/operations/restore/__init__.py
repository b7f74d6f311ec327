"""Make a site folder of a backup: unpacked beside it, held against its digests, and put in place as a whole."""

from sitecms.actions.operations.restore.restore import RestoreReport, restore_backup

__all__ = ["RestoreReport", "restore_backup"]
