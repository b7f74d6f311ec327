"""Paths as Hugo writes them."""

import unicodedata


def sanitised(text: str) -> str:
    """Return the text with letters, digits and `./_#+~-@` alone; a run of spaces becomes one hyphen."""
    made: list[str] = []
    is_pending, was_hyphen = False, False
    for sign in text:
        if (
            sign.isalnum()
            or sign in "./_#+~-@%"
            or (ord(sign) > 127 and not sign.isspace() and sign.isprintable() and _is_mark(sign))
        ):
            was_hyphen = sign == "-"
            if is_pending and not was_hyphen:
                made.append("-")
            is_pending = False
            made.append(sign)
        elif made and not was_hyphen and sign.isspace():
            is_pending = True
    return "".join(made)


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign).startswith("M")


def part_of(parts: list[str], written: str) -> list[str]:
    """Return the sections that `:sections[1:]` names."""
    if written == "last":
        return parts[-1:]
    first, colon, last = written.partition(":")
    try:
        start = int(first) if first else 0
        end = (None if last in ("", "last") else int(last)) if colon else start + 1
    except ValueError:
        return parts
    return parts[start:end]


def strftime_code(written: str) -> str:
    """Return a layout of Go as codes of `strftime`."""
    for go, code in (
        ("2006", "%Y"),
        ("01", "%m"),
        ("02", "%d"),
        ("15", "%H"),
        ("04", "%M"),
        ("05", "%S"),
        ("06", "%y"),
    ):
        written = written.replace(go, code)
    return written
