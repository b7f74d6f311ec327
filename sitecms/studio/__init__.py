"""The studio: a browser editor of server-rendered pages and forms under /studio/, for users who sign in.

Pages read through `store`, and forms write through `actions`. The API's tokens open nothing here, and the sessions of
the studio nothing of the API.
"""
