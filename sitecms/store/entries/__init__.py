"""Entries as rows: posts, pages, items, authors and terms, their versions, and the trash."""
