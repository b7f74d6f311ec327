"""Tags of templates in bodies: known ones become Markdown or HTML, others stay as text and are reported.

`scan` finds tags outside of code, `arguments` parses their arguments, `dialects` names the converters of each
generator's tags, `convert` makes Markdown or HTML of them.
"""

from sitecms.importing.readers.markdown.tags.convert import Surroundings
from sitecms.importing.readers.markdown.tags.dialects import replace_tags

__all__ = ["Surroundings", "replace_tags"]
