"""Integrity check of everything that a site keeps, and repair of what can be derived again.

Reading order: `finding` (the kinds of findings), `verify` (the steps), `checks` (content and media).
"""
