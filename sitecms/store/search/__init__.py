"""The search index and its integrity check.

Reading order: `index` (rows of the index, search of pages, comparison with the texts of entries), `post_search` (search
of posts), `bit_slices` (cached scores of frequent words).
"""
