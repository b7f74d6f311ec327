"""Identification and decoding of media files, and their re-encoding in a sandbox."""
