"""Tags of templates in bodies: known ones become Markdown or HTML, others stay as text and are reported.

`scan` finds tags outside of code and parses their arguments, `dialects` names the converters of each
generator's tags, `convert` makes Markdown or HTML of them.
"""
