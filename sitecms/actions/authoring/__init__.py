"""New content files, filled in from the schema, for a person to complete.

Reading order: `post_file` and `page_file` (what stands in the file), `field_lines` (fields as lines, with
placeholders that load without error), `known` (what the site has already), `writing` (into the folder).
"""

from collections.abc import Sequence

from sitecms.actions.authoring.new_entry import NewPage, NewPost, Written
from sitecms.actions.authoring.page_file import new_page
from sitecms.actions.authoring.post_file import new_post

__all__: Sequence[str] = ("NewPage", "NewPost", "Written", "new_page", "new_post")
