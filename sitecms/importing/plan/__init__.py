"""Plan of an import: slugs, files, addresses, terms and texts of the new site, made from all records."""
