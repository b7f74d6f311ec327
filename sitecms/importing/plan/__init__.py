"""Plan of an import: slugs, files, addresses, terms and texts of the new site, made from all records.

Reading order: `catalogue` (all records), `old_site` (old addresses), `target` (settings), `terms`,
`entries` (slugs, files, addresses), `texts` (bodies and fields), `files`, `redirects`.
"""
