"""The static site builder: plans every page, renders what changed and publishes the site as a whole.

Modules and packages, from the top: `build`, `pipeline`, `render`, `plan`, `views`, `images`, `theme`,
`output`; each imports only from those after it. `check`, `preview`, `unsaved` and `dry_run` render a site without
publishing it; `export` writes it in the formats of other systems.
"""
