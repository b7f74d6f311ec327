"""Contentful: the JSON of `contentful space export`, alone or beside the folder of its assets.

Reading order: `reader` (entries to records), `content_types` (types to declarations), `rich_text` (documents to HTML).
"""
