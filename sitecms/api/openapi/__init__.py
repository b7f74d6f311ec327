"""The description of the API: an OpenAPI 3.1 document, made of the tables that the API works by.

What a parameter means stands in `api.params`, what a path answers in its `Endpoint`, what went wrong in `responses`;
here they only become OpenAPI's words.
"""
