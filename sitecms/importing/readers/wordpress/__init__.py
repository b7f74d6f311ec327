"""WordPress exports (WXR), also those of WordPress.com and Squarespace.

Reading order: `reader` (one pass over all files), `wxr` (XML to raw items), `items` (raw items to records, meta keys
of plug-ins), `body` (bodies to HTML), `shortcodes`, `autop` (paragraphs of classic bodies).
"""

from sitecms.importing.readers.wordpress.reader import WordPressReader
from sitecms.importing.readers.wordpress.wxr import export_files
from sitecms.importing.source import Source

reader = WordPressReader


def detect(source: Source) -> bool:
    """Return whether the source holds a WordPress export."""
    return bool(source.paths) and bool(export_files(source))
