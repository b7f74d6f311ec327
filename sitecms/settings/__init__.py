"""The settings of a site: site.toml, checked, with defaults filled in."""
