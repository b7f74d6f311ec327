"""Texts of a new site that nobody has replaced: readers would see them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sitecms.actions.authoring.new_site import DEFAULT_AUTHOR, DEFAULT_NAME, STARTERS, starter_folder
from sitecms.content.author import AUTHORS_FILE
from sitecms.documents import read_front_matter, read_toml, read_yaml
from sitecms.findings import Finding
from sitecms.settings.site import SETTINGS_FILE
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding

_ABOUT = "content/pages/_single/about.md"
_REMEDY = "write your own"


def placeholder_findings(entries: Entries) -> Iterator[Finding]:
    """Yield a finding for each text that `sitecms init` wrote to be replaced, at the line where it stands."""
    sources = entries.sources
    starters = [starter_folder(name) for name in STARTERS]
    settings: list[Mapping[str, Any]] = [read_toml(starter / SETTINGS_FILE) for starter in starters]
    placeholders = {"name": {DEFAULT_NAME}, "description": {each["description"] for each in settings}}
    for key, texts in placeholders.items():
        if (text := getattr(entries.settings, key)) in texts:
            what = f'is "{text}", as of every new site'
            line = sources.first_line(SETTINGS_FILE, rf"(?m)^{key}\s*=")
            yield check_finding(CheckKind.PLACEHOLDER, what, _REMEDY, SETTINGS_FILE, line, key)
    if any(author.name == DEFAULT_AUTHOR for author in entries.authors):
        line = sources.first_line(AUTHORS_FILE, r"(?m)\bfirst_name\s*:")
        what = f'is called "{DEFAULT_AUTHOR}", as of every new site'
        yield check_finding(CheckKind.PLACEHOLDER, what, "write your name", AUTHORS_FILE, line, "the author")
    for text, places in sources.naming(tuple(dict.fromkeys(_texts(starters)))).items():
        what = f'still has the text of a new site: "{text}"'
        yield from (check_finding(CheckKind.PLACEHOLDER, what, _REMEDY, file, line) for file, line in places)


def _texts(starters: Iterable[Path]) -> Iterator[str]:
    """Yield what the starter sites say about their author, and the last sentence of their page about that."""
    for starter in starters:
        authors: Any = read_yaml(starter / AUTHORS_FILE)
        yield authors[0]["bio"]
        if (starter / _ABOUT).is_file():
            about = read_front_matter(starter / _ABOUT, _ABOUT)
            yield re.split(r"(?<=\.)\s+", about.body.strip())[-1]
