"""The theme: templates, assets, translations, and the Jinja environment with its filters."""
