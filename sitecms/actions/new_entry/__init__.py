"""A new content file, filled in from the schema, for a person to write on.

Reading order: `post_file` and `page_file` (what stands in the file), `field_lines` (one field as lines), `placeholders`
(values that load without fault), `known` (what the site has already), `writing` (into the folder).
"""

from collections.abc import Sequence

from sitecms.actions.new_entry.asked import NewPage, NewPost
from sitecms.actions.new_entry.page_file import new_page
from sitecms.actions.new_entry.post_file import new_post
from sitecms.actions.new_entry.writing import Written

__all__: Sequence[str] = ("NewPage", "NewPost", "Written", "new_page", "new_post")
