"""New content files, filled in from the schema, for a person to complete.

Reading order: `new_entry` (requests), `post_file` and `page_file` (the content of the file), `field_lines` (fields as
lines, with placeholders that load without error), `known_names` (what the site has already).
"""

from collections.abc import Sequence

from sitecms.actions.authoring.new_entry import NewPage, NewPost, Written
from sitecms.actions.authoring.page_file import new_page
from sitecms.actions.authoring.post_file import new_post

__all__: Sequence[str] = ("NewPage", "NewPost", "Written", "new_page", "new_post")
