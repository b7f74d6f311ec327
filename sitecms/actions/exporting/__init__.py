"""Export of the store as files of a site folder, which `load` reads into an equal store.

What files cannot say is not in it: the trash, tokens, webhooks and their messages, writes, and former addresses.
Reading order: `recipe`, `media_paths` (names of media files), `*_files` (entries to files), `writing`.
"""

from sitecms.actions.exporting.export import ExportReport, export_site

__all__ = ["ExportReport", "export_site"]
