"""Notion: exported workspaces in Markdown and CSV, or in HTML.

Reading order: `tree` (files, their ids, pages and databases), `properties` (what a page says of itself), `reader`.
"""
