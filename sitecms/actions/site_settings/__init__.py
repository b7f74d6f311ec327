"""Changes of site.toml and redirects.yaml by admins: merged with changes by hand, checked as a load checks, undone."""
