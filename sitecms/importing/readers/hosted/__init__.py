"""Hosted account: the content of a `/v2` read API, with a schema inferred from its responses.

Reading order: `reader` (calls, lists to records), `inference` (values to types and declarations).
"""
