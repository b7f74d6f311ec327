"""Images made by sitecms: smaller versions of pictures, and share images drawn from titles.

Reading order: `derived_images` (smaller versions), `limited_tasks` and `derive_cache` (processes, files of earlier
builds), `share_image`.
"""
