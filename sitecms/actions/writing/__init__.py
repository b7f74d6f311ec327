"""Writes: accepted, applied, and the changes of entries that they consist of."""
