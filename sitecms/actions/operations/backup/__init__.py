"""Backup of a site in one file while it is written to.

Content of the file: `store.db`, an SQLite file for any engine, the state of one read transaction, with writes
that are accepted and not applied yet, messages that wait, tokens (digests only) and webhooks with their secrets;
`library/`, every media file that it names; `site/`, the site folder; and last `manifest.json`, which holds the digest
of all of them, so that a truncated file is never accepted as a backup.

Left out of the site folder: built sites, derived images, the queue and locks, which are made again from the rest;
earlier backups; and, unless asked for, what Git ignores and sitecms does not read.
"""
