"""HTML of sources: parsed to a plain tree, cleaned, its addresses replaced, and written as Markdown or HTML.

Reading order: `tree`, `cleaning`, `addresses`, `normal_form` (documents that look the same are equal), `to_markdown`,
`verified_markdown` (Markdown that is rendered as the same document).
"""
