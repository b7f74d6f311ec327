"""SVG drawings of strangers: which of them are safe to publish, and their form without metadata.

The package imports nothing of sitecms.
"""

from sitecms.svg.drawing import inspect, looks_like_xml, strip_drawing
from sitecms.svg.errors import InvalidSvg

__all__ = ["InvalidSvg", "inspect", "looks_like_xml", "strip_drawing"]
