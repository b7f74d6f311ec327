"""New content files, filled in from the schema, for a person to complete.

Reading order: `new_entry` (requests, and the files of posts and pages), `field_lines` (fields as lines, with
placeholders that load without error), `known_names` (names that the site has already).
"""

from collections.abc import Sequence

from sitecms.actions.authoring.new_entry import NewPage, NewPost, Written, new_page, new_post

__all__: Sequence[str] = ("NewPage", "NewPost", "Written", "new_page", "new_post")
