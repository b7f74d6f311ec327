"""Media files of the old site: their addresses, their queue, and their download."""
