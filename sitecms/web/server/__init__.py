"""The server adapter: granian's RSGI requests, answered by the WSGI application.

Reading order: `web_process` (one process), `event_loop`, `application` (requests, bodies, WSGI environments),
`read_threads` (reads from a database server).
"""
