"""Formats of sources, read within limits: XML with repairs, times, values serialised by PHP."""
