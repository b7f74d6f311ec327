"""New content files, filled in from the schema, for a person to complete.

Reading order: `new_entry` (requests, and the files of posts and pages, with placeholders that load without error),
`known_names` (names that the site has already).
"""
