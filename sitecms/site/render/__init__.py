"""Rendering of planned pages, and the files made from rendered pages: search index, compressed copies."""
