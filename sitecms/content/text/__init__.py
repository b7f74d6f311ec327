"""Texts: Markdown, HTML, code, slugs, media links and sorting."""
