"""The description of the API: an OpenAPI 3.1 document, generated from the tables that the API uses.

Parameters are described in `api.params`, responses of a path in its `Endpoint`, and errors in `responses`; this package
converts them to OpenAPI.
"""
