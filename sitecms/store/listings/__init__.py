"""Lists of entries for editors, with filters, search and numbers."""
