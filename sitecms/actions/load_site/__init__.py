"""Load a site folder into the store: files become the same changes, through the same verbs, as requests do.

Reading order: `recipe` (the steps), `files` (what there is and what changed), `prepare_*` (files to changes),
`store_entries` (changes to rows).
"""

from sitecms.actions.load_site.recipe import load_site
from sitecms.actions.load_site.report import LoadReport

__all__ = ["LoadReport", "load_site"]
