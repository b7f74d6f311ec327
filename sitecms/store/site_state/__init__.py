"""State of the site beside its entries: documents, loaded files, builds, changes, relocation."""
