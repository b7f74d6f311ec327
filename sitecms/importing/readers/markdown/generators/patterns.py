"""Permalink patterns with `:names`, as Jekyll, Hexo and Hugo write them, and the paths that Hugo fills in."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime

_HUGO_TOKEN = re.compile(r":([a-z]+)(?:\[([^\]]*)\])?|:(\d[\w-]*)")
_PERCENT = re.compile(r"%(?![0-9a-fA-F]{2})")
_NAME = re.compile(r":([a-z_]+)")
_PRETTY = "._~!$&'()+,;=@"


def sanitised(text: str) -> str:
    """Return the text with letters, digits and `./_#+~-@` alone; a run of spaces becomes one hyphen."""
    made: list[str] = []
    is_pending, was_hyphen = False, False
    for sign in _PERCENT.sub("", text):
        if sign in "./_#+~-@%" or _is_letter(sign):
            was_hyphen = sign == "-"
            if is_pending and not was_hyphen:
                made.append("-")
            is_pending = False
            made.append(sign)
        elif made and not was_hyphen and sign.isspace():
            is_pending = True
    return "".join(made)


def _is_letter(sign: str) -> bool:
    """Return whether a sign is a letter, a decimal digit or a mark: `²` is none."""
    category = unicodedata.category(sign)
    return category[0] in "LM" or category == "Nd"


def urlized(text: str) -> str:
    """Return a title or slug as Hugo fills it into a pattern: a `+` becomes a space, a `#` at the end is dropped."""
    return sanitised(text).removesuffix("#").replace("+", " ")


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


def date_parts(local: datetime) -> dict[str, str]:
    """Return the values of the names that are parts of a date."""
    year, week, weekday = local.isocalendar()
    return {
        "year": f"{local.year:04}",
        "short_year": f"{local.year % 100:02}",
        "month": f"{local.month:02}",
        "i_month": str(local.month),
        "short_month": local.strftime("%b"),
        "long_month": local.strftime("%B"),
        "day": f"{local.day:02}",
        "i_day": str(local.day),
        "y_day": local.strftime("%j"),
        "hour": f"{local.hour:02}",
        "minute": f"{local.minute:02}",
        "second": f"{local.second:02}",
        "w_year": f"{year:04}",
        "week": f"{week:02}",
        "w_day": str(weekday),
        "short_day": local.strftime("%a"),
        "long_day": local.strftime("%A"),
    }


def fill(pattern: str, values: Mapping[str, str]) -> str:
    """Return the address; unknown names stay unchanged, so that callers can detect them."""
    made = _NAME.sub(lambda match: values.get(match[1], match[0]), pattern)
    return re.sub(r"/{2,}", "/", f"/{made}")


def pretty(text: str) -> str:
    """Return a text as a part of an address that keeps case and some signs: runs of others become one hyphen."""
    return "-".join("".join(sign if _is_letter(sign) or sign in _PRETTY else " " for sign in text).split())


def slugified(text: str) -> str:
    """Return a text as a part of an address in lower case, of letters and digits of any script; hyphens join them."""
    made = "".join(sign if _is_letter(sign) else " " for sign in text)
    return "-".join(made.split()).lower()


def fill_hugo(pattern: str, title: str, parts: list[str], slug: str, local: datetime | None) -> str:
    """Return the path of a page by a pattern of Hugo; `parts` are those of its file, `local` its date."""
    titled, name, own = urlized(title.replace("/", "-")), urlized(parts[-1]), urlized(slug)
    values = {
        "section": parts[0], "sections": "/".join(parts[:-1]), "title": titled, "slug": own or titled,
        "filename": name, "contentbasename": name, "slugorfilename": own or name,
        "slugorcontentbasename": own or name, "sectionslug": parts[0], "sectionslugs": "/".join(parts[:-1]),
    }  # fmt: skip
    if local:
        values |= {
            "year": f"{local.year:04}", "month": f"{local.month:02}", "monthname": local.strftime("%B"),
            "day": f"{local.day:02}", "weekday": str(local.isoweekday() % 7),
            "weekdayname": local.strftime("%A"), "yearday": str(local.timetuple().tm_yday),
        }  # fmt: skip

    def value(match: re.Match[str]) -> str:
        if match[3]:
            return local.strftime(strftime_code(match[3])) if local else match[0]
        if match[2] is not None:
            return "/".join(part_of(parts[:-1], match[2]))
        return values.get(match[1], match[0])

    made = _HUGO_TOKEN.sub(value, pattern)
    return made if made.endswith(".html") else made.rstrip("/")
