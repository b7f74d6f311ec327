"""The preview of a site: what it would look like, drafts included, seen in a browser while it is written.

Reading order: `run` (the parts and their threads), `rebuilding` (files and store to pages), `watching` (what changed),
`state` (what pages are told), `answers` and `server` (HTTP), `assets/` (what runs in the page).

Content files are loaded into a copy of the store, so that a half-written file reaches nobody. When the store itself
changes, by the API say, it is copied again, and the files that differ from it are loaded over it, as the next load of
the site would do. Only the copy is built, into a temporary folder.
"""

from sitecms.site.preview.run import Preview

__all__ = ["Preview"]
