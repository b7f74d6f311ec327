"""Permalink patterns with `:names`, as Jekyll, Hexo and Hugo write them."""

import re
from collections.abc import Mapping
from datetime import datetime

_NAME = re.compile(r":([a-z_]+)")
_UNFIT = re.compile(r"[^\w._~!$&'()+,;=@-]+")


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
    """Return a text as a part of an address that keeps case and most signs: others become hyphens."""
    return _UNFIT.sub("-", text).strip("-")
