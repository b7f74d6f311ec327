"""Export of the whole site in the format of another system (`sitecms export --to`).

Reading order: `contents` (everything that is exported, as plain values), `field_html` (fields of pages as HTML), `wxr`,
`hugo`, `ghost` (one module for each format), `run` (the target folder, media and notes).
"""
