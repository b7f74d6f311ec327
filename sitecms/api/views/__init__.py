"""Views of the API: they take a Call and the names in the path, and return the JSON payload.

The docstring of a view is the description of its endpoint in /v2/openapi.json.
"""
