"""Operation of a site: backup, restore, integrity check, moves, examination, housekeeping, deployment files."""
