"""Export of the store as files of a site folder, which `load` reads into an equal store.

Not exported: tokens, webhooks and their deliveries, writes; the trash on request alone. Reading order: `export`
(the steps, and the folder that they write), `media_paths` (names of media files), `entry_files` (entries to files).
"""
