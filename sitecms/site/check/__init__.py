"""Checks of a site before it is published (`sitecms check`).

Reading order: `check` (the steps), `finding` (kinds of findings), `pages` (parsing of rendered pages, and rules for
them), `links`, `content` and `remote_links` (further rules), `entries` (entries of the store with their files).
"""
