"""Media files: fetching, decoding, removal of metadata, derived images and storage."""
