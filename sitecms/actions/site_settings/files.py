"""The files whose values admins change: site.toml, and redirects.yaml as a table of rules by their address."""

import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from sitecms.actions.site_settings.site_file import SiteFile, Values
from sitecms.documents import schema_errors
from sitecms.documents.reading import plain
from sitecms.documents.rewriting import rewrite_toml, rewrite_yaml
from sitecms.documents.yaml12 import load_yaml
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import REDIRECTS_FILE, SETTINGS_FILE, SiteSettings, settings_of

Rules = list[dict[str, Any]]
FROM = "from"
TWICE = "has two rules for one address"
_PLACE = re.compile(r"\[(\d+)\](?:\.(\w+))?")


def settings_file(check: Callable[[SiteSettings], object]) -> SiteFile:
    """Return site.toml as a file that admins change; `check` examines changed settings further."""

    def check_all(settings: SiteSettings, values: Values) -> None:
        check(new_settings(settings, values))

    return SiteFile(SETTINGS_FILE, "site settings", _read_settings, rewrite_toml, check_all)


def new_settings(settings: SiteSettings, values: Values) -> SiteSettings:
    """Return the settings with other values of site.toml. Raises InvalidFiles."""
    return settings_of(settings.folder, values, plugins=settings.plugins)


def _read_settings(text: str) -> Values:
    try:
        values: Any = plain(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidFiles([FileError(SETTINGS_FILE, "", f"is not valid TOML: {error}", "correct it there")]) from None
    return dict(values)


def redirects_file(check: Callable[[Rules], object]) -> SiteFile:
    """Return redirects.yaml as a file that admins change; `check` examines all rules."""

    def check_all(_settings: SiteSettings, values: Values) -> None:
        rules = _rules(values)
        try:
            check(rules)
        except InvalidFiles as error:
            raise InvalidFiles([_by_address(each, rules) for each in error.errors]) from None

    return SiteFile(REDIRECTS_FILE, "redirects", _read_rules, _rewrite_rules, check_all)


def _read_rules(text: str) -> Values:
    """Return the rules by their address, in the order of the file. Raises InvalidFiles."""
    rules: Any = load_yaml(text) or []
    if errors := schema_errors(rules, "redirects", REDIRECTS_FILE):
        raise InvalidFiles(errors)
    values = {rule[FROM]: {name: value for name, value in rule.items() if name != FROM} for rule in rules}
    if len(values) != len(rules):
        raise InvalidFiles([FileError(REDIRECTS_FILE, "", TWICE, "remove one of them there")])
    return values


def _rewrite_rules(text: str, values: Mapping[str, Any]) -> str:
    return rewrite_yaml(text, _rules(values))


def _rules(values: Mapping[str, Any]) -> Rules:
    return [{FROM: address, **rule} for address, rule in values.items()]


def _by_address(error: FileError, rules: Rules) -> FileError:
    """Return an error whose place is the address of the rule instead of its number."""
    match = _PLACE.fullmatch(error.place)
    place = str(rules[int(match[1])][FROM]) if match else error.place
    key = f"{match[2]} " if match and match[2] not in (None, FROM) else ""
    return FileError(error.file, place, f"{key}{error.problem}".strip(), error.remedy)
