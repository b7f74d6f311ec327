"""Contentful: the JSON of `contentful space export`, alone or beside the folder of its assets.

Reading order: `reader` (entries to records, rich text to HTML), `content_types` (types to declarations).
"""
