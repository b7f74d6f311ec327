"""Preview of a site in a browser, drafts included, while it is written.

Reading order: `run` (parts, threads, detection of changes, web server), `rebuild` (files and store to a plan), `pages`
(plan to pages, on demand), `responses` (HTTP, and messages to open pages), `assets/` (scripts and styles in the
page).

Content files are loaded into a copy of the store, so a half-written file reaches nobody. When the store itself changes,
for example by the API, it is copied again, and changed files are loaded over it, as the next load of the site would do.
Only that copy is written.
"""
