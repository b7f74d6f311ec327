"""Integrity check of the store, the media and the files of a site, and repair of derived data.

Reading order: `verify` (the steps), `checks` (content and media, and the kinds of findings).
"""
