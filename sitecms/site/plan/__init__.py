"""The plan of a build: every output with its path, its inputs and its fingerprint.

Reading order: `plan` (all outputs), `locale_plan` and `planned_page` (pages of one locale), `entry_pages`, `lists` and
`feeds` (kinds of pages), `sitemap`, `diff` and `unchanged` (comparison with the last build). Redirects:
`redirect_sources` (from entries), `redirect_rules` (from redirects.yaml), `redirects` (choice and pages), and
`redirect_files` (formats of web servers). `header_files` holds the HTTP headers for web servers.
"""
