"""Content files read as raw values, before the store is asked."""
