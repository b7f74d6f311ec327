"""Folders of Markdown: Jekyll, Octopress, Hugo, Zola, Eleventy, Astro, Pelican, Hexo, and any other folder.

Nothing of the source is executed: configurations are read as data, templates and scripts not at all.

- `front_matter`: all forms of front matter, read leniently, with lines for notes.
- `document`: one file, and its keys as they are asked for; those that nothing asked for are reported.
- `generators`: one module for each generator: where entries are, their addresses, dates and languages.
- `tags`: tags of templates in bodies.
- `links`: files by the names by which texts name them.
- `reader`: files to records, and bodies with their tags and links replaced.
"""

from sitecms.importing.readers.markdown.reader import MarkdownReader, detect

reader = MarkdownReader

__all__ = ["detect", "reader"]
