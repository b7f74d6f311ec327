"""The plan of a build: every output with its path, its inputs and its fingerprint."""
