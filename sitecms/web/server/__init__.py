"""The server adapter: granian's RSGI requests, answered by the WSGI application.

Reading order: `web_process` (one process), `application` (requests, bodies, WSGI environments).
"""
