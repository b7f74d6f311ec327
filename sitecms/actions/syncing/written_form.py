"""The form in which people write files: what is set, keys in the order of the documentation, times in the site's zone.

A new file has it whole. In a file that is there, new keys come where this form has them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sitecms.actions.exporting.entry_files import ORDER, TIMES
from sitecms.actions.syncing.site_files import SiteFiles
from sitecms.clock import format_as_written, parse_timestamp
from sitecms.content.status import Status
from sitecms.documents.reading import FENCE
from sitecms.documents.rewriting import rewrite_yaml


def new_form(facts: Mapping[str, Any], site: SiteFiles) -> dict[str, Any]:
    """Return an entry for a new file, without what follows from the rest, so that it reads back the same."""
    result = {key: facts[key] for key in ORDER if key in facts}
    published = result.get("published")
    is_dated = None not in published.values() if isinstance(published, dict) else published is not None
    if is_dated and result.get("status") == Status.PUBLISHED:
        del result["status"]
        implied = ("created",) if site.is_in_git else ("created", "updated")  # Git's dates are others
        for name in implied:
            if result.get(name) == published:
                del result[name]
    if result.get("fields") == {} and "title" in result:
        del result["fields"]
    if result.get("locale") == site.settings.default_locale:
        del result["locale"]
    for name in TIMES:
        if name in result:
            result[name] = _each(result[name], lambda text: time_text(text, None, site))
    return result


def new_text(front: Mapping[str, Any], body: str) -> bytes:
    """Return a new file of front matter and a text."""
    return f"{FENCE}\n{rewrite_yaml('', front)}{FENCE}\n{body}".encode()


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """Return a text changed, or each text by locale of those that have one."""
    if isinstance(value, dict):
        return {locale: change(text) for locale, text in value.items() if text is not None}
    return change(value)


def time_text(text: str, written: object, site: SiteFiles) -> str:
    """Return a time as a file writes it that has the other one; None for a file without a time."""
    return format_as_written(parse_timestamp(text, site.zone), written, site.zone)


def time_in(written: Mapping[str, Any], name: str) -> object:
    """Return the time of that name in a file, else another one, None without any."""
    stated = (written.get(key) for key in (name, *TIMES))
    values = (next(iter(value.values()), None) if isinstance(value, dict) else value for value in stated)
    return next((value for value in values if value), None)


def in_order(written: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data in the order in which it is written, new keys behind those that the documentation has before."""
    keys = [key for key in written if key in data]
    for key in data:
        if key in written:
            continue
        place = ORDER.index(key) if key in ORDER else len(ORDER)
        before = [number for number, name in enumerate(keys) if name in ORDER and ORDER.index(name) < place]
        keys.insert(before[-1] + 1 if before and key in ORDER else len(keys), key)
    return {key: data[key] for key in keys}
