"""Derived images: smaller variants of media files, and share images drawn from titles."""
