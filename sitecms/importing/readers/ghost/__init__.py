"""Ghost: the JSON export of versions 0.x to 6, alone or in a folder or zip beside `content/` and its redirects.

Reading order: `reader` (all files of the export, cards to plain HTML), `tables` (tables to records), `documents`
(editor documents to HTML).
"""
