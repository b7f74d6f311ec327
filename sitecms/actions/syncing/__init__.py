"""Write-back: what API, studio and schedules change is brought into the files of the site folder.

A change is noted in its transaction (`store.site_state.file_changes`). For each one the file of the entry is read as a
load reads it and compared with the store; keys, fields and text that differ are written where they stand, and
everything else stays as it is. A file that is no longer the one that was loaded is left for the next load.

Reading order: `write_back` (the recipe), `site_files` (what reading and writing need), `post_files`, `page_files`,
`item_files`, `list_files` (one change becomes edits of files), `media_places` (media in `media/`), `edits` (edits are
done, so that a killed process leaves nothing half done).
"""
