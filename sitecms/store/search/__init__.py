"""The search index and its integrity check.

Reading order: `index` (rows of the index, search of pages), `post_search` (search of posts), `bit_slices` (cached
scores of frequent words), `integrity` (comparison with the texts of entries).
"""
