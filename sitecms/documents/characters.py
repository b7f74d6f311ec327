"""Characters that no text may contain, since files, feeds and pages cannot represent them."""

import re

UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Control characters except tab and line ends, lone surrogates, U+FFFE and U+FFFF: XML (so a feed) cannot hold them."""


def unfit_character(text: str) -> str:
    """Return the first unfit character as `U+0001`, or "" if the text holds none."""
    found = UNFIT.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""
