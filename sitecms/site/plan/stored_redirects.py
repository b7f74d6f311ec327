"""Redirects that the store alone knows: what to add to the site folder, so that every clone has them too."""

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from sitecms.content.former_addresses import AddressSettings
from sitecms.plurals import counted
from sitecms.settings.site import REDIRECTS_FILE, SiteSettings
from sitecms.site.plan.redirect_sources import Redirect

_SHOWN = 3
_NOUNS = {"single_page": "page", "route": "item", "year": "archive", "category": "archive", "tag": "archive"}
_PLAIN = re.compile(r"[\w/.~-]+\*?")


def rule_lines(redirects: Iterable[Redirect], live: Set[str]) -> tuple[str, ...]:
    """Return the rules of redirects.yaml that lead on from the paths of these redirects.

    One rule with `*` stands for several, where it hides none of the `live` output paths.
    """
    groups: dict[tuple[str, str], list[Redirect]] = defaultdict(list)
    for redirect in redirects:
        groups[_beginnings(redirect.path, redirect.target)].append(redirect)
    pages, lines = sorted(live), list[str]()
    for (old, new), alike in groups.items():
        place = bisect_left(pages, old[1:])
        is_free = place == len(pages) or not pages[place].startswith(old[1:])
        if len(alike) > 1 and is_free:
            lines.append(_rule(f"{old}*", f"{new}*"))
        else:
            lines += (_rule(each.path, each.target) for each in alike)
    return tuple(lines)


def moved_notes(
    redirects: Sequence[Redirect], former: Sequence[AddressSettings], settings: SiteSettings, live: Set[str]
) -> Iterator[str]:
    """Yield a note on each permalink by which addresses have changed, with the rules for redirects.yaml."""
    by_pattern: dict[str, list[Redirect]] = defaultdict(list)
    for redirect in redirects:
        if redirect.pattern:
            by_pattern[redirect.pattern].append(redirect)
    for pattern, moved in by_pattern.items():
        lines = rule_lines(moved, live)
        text = " ".join(lines[:_SHOWN])
        if len(lines) > _SHOWN:
            text += f" and {len(lines) - _SHOWN} more, which sitecms check lists"
        what = f"the addresses of {counted(len(moved), _NOUNS.get(pattern, pattern))} changed"
        yield (
            f"site.toml: {_cause(pattern, former, settings)}, so {what}; the old ones lead on from this store alone "
            f"(for every clone, add to {REDIRECTS_FILE}: {text})"
        )


def _cause(pattern: str, former: Sequence[AddressSettings], settings: SiteSettings) -> str:
    """Return what the settings were by which the addresses have changed."""
    present = getattr(settings.permalinks, pattern, None)
    for each in former:
        if present is not None and each.permalinks[pattern] != present:
            return f"permalinks.{pattern} was {each.permalinks[pattern]}"
        if each.timezone != settings.timezone:
            return f"timezone was {each.timezone}"
        if each.default_locale != settings.default_locale:
            return f"default_locale was {each.default_locale}"
    return "the route of a collection was another one"


def _beginnings(old: str, new: str) -> tuple[str, str]:
    """Return two paths without the parts at the end that they share; the paths themselves if they share none."""
    olds, news = old.rstrip("/").split("/"), new.rstrip("/").split("/")
    if olds[-1] != news[-1] or old.endswith("/") != new.endswith("/"):
        return old, new
    while len(olds) > 1 and len(news) > 1 and olds[-1] == news[-1]:
        olds.pop()
        news.pop()
    return "/".join((*olds, "")), "/".join((*news, ""))


def _rule(old: str, new: str) -> str:
    return f"- {{from: {_written(old)}, to: {_written(new)}}}"


def _written(path: str) -> str:
    return path if _PLAIN.fullmatch(path) else json.dumps(path, ensure_ascii=False)
