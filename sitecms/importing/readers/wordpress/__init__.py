"""WordPress exports (WXR), also those of WordPress.com and Squarespace.

Reading order: `reader` (one pass over all files), `wxr` (XML to raw items), `items` (raw items to records, meta keys
of plug-ins), `body` (bodies to HTML, paragraphs of classic bodies), `shortcodes`.
"""
