"""The site with one entry as its editor has it now, unsaved: its page, its findings, and the pages that would change.

`content` is the published content with that entry over it, `page` renders the page, `consequences` compares plans and
checks the page. Nothing is stored or written.
"""
