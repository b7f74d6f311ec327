"""Folders of Markdown: Jekyll, Octopress, Hugo, Zola, Eleventy, Astro, Pelican, Hexo, and any other folder.

Nothing of the source is executed: configurations are read as data, templates and scripts are not read.

- `front_matter`: all forms of front matter, with repairs, and with line numbers for notes.
- `document`: one file and its keys; keys that no module reads are reported.
- `generators`: one module for each generator: where entries are, their addresses, dates and languages.
- `tags`: tags of templates in bodies.
- `reader`: files to records, and bodies with their tags and links replaced, by an index of files.
"""
