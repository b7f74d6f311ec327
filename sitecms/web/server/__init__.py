"""The server adapter: granian's RSGI requests, answered by the WSGI application."""
