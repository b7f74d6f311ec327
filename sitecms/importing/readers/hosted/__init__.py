"""Hosted account: everything that a `/v2` read API answers, with a schema inferred from the answers.

Reading order: `client` (calls), `reader` (lists to records), `inference` (values to types and declarations).
"""

from sitecms.importing.readers.hosted.reader import HostedReader, detect

reader = HostedReader

__all__ = ["detect", "reader"]
