"""The search index and its integrity check.

Reading order: `index` (rows of the index, comparison with the texts of entries), `queries` (search of posts and pages).
"""
