"""Storage of loaded files, in one transaction."""
