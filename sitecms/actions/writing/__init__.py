"""Writes: acceptance, application, and the changes of entries in both."""
