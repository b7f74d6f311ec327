"""Integrity check of the store, the media and the files of a site, and repair of derived data.

Reading order: `finding` (the kinds of findings), `verify` (the steps), `checks` (content and media).
"""
