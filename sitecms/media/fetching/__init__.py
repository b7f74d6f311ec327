"""Requests to remote media, and in checks to remote links: guarded and bounded."""
