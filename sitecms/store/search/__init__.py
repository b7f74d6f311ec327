"""The search index and its integrity check."""
