"""The preview of a site: what it would look like, drafts included, seen in a browser while it is written.

Reading order: `run` (the parts and their threads), `rebuilding` (files and store to a plan), `pages` (plan to pages,
when they are asked for), `search`, `watching` (what changed), `state` (what pages are told), `answers` and `server`
(HTTP), `assets/` (what runs in the page).

Content files are loaded into a copy of the store, so that a half-written file reaches nobody. When the store itself
changes, by the API say, it is copied again, and the files that differ from it are loaded over it, as the next load of
the site would do. Nothing is written but that copy: of a large site the plan is made anew, and of its pages those that
are looked at.
"""

from sitecms.site.preview.run import Preview

__all__ = ["Preview"]
