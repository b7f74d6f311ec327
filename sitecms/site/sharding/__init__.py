"""A site built on several machines: each makes a shard of its pages, and one of them finishes.

Reading order: `shard`, `division` (who makes what), `make_shard`, `sheet` (what a shard leaves), `gathered` (what is
taken of it).
"""
