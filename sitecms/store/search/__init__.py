"""The search index and its integrity check.

Reading order: `texts` (what search finds versions by), `index` (rows of the index, comparison with the texts of
entries), `queries` (search of posts and pages).
"""
