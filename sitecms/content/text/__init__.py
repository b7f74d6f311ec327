"""Texts: Markdown, HTML, code, slugs and media links."""
