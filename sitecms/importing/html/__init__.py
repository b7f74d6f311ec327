"""HTML of sources: parsed to a plain tree, cleaned, its addresses replaced, and written as Markdown or HTML."""
