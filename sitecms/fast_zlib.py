"""Deflate compression by ISA-L, two to five times as fast as zlib; by zlib on machines for which ISA-L has no package.

The compressed bytes may differ between machines, since ISA-L has code for each kind of processor.
"""

try:
    from isal import isal_zlib as fast_zlib
except ImportError:
    import zlib as fast_zlib  # type: ignore[no-redef]

__all__ = ["fast_zlib"]
