"""A new content file, filled in from the schema, for a person to write on.

Reading order: `post_file` and `page_file` (what stands in the file), `field_lines` (fields as lines, with
placeholders that load without error), `known` (what the site has already), `writing` (into the folder).
"""

from collections.abc import Sequence

from sitecms.actions.authoring.new_file import Written
from sitecms.actions.authoring.page_file import new_page
from sitecms.actions.authoring.post_file import new_post
from sitecms.actions.authoring.request import NewPage, NewPost

__all__: Sequence[str] = ("NewPage", "NewPost", "Written", "new_page", "new_post")
