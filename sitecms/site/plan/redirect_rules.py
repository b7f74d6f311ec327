"""Rules of redirects.yaml: redirects from addresses that no entry has (site folder reference, Redirects)."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.addresses import PAGE_EXTENSIONS, path_problem, site_path
from sitecms.content.permalink import url_path
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.documents import Locate, locator, nowhere, read_yaml, schema_errors
from sitecms.errors import FileError, InvalidFiles
from sitecms.settings.site import REDIRECTS_FILE
from sitecms.site.routes import output_path
from sitecms.web_address import split_address

_GONE = 410
_MOST_STEPS = 20


class Rule(Struct, frozen=True):
    """One rule of redirects.yaml.

    `path` is the old path as readable text, for a prefix rule without its `*`. `to` is the target, "" for a page that
    was removed. `query` are the parameters that a request must have. `line` is the line of the rule in the file.
    """

    path: str
    to: str
    status: int
    is_prefix: bool = False
    query: tuple[tuple[str, str], ...] = ()
    line: int | None = None

    @property
    def source(self) -> str:
        """The address as the file writes it, decoded."""
        query = "&".join(f"{name}={value}" for name, value in self.query)
        return self.path + "*" * self.is_prefix + (f"?{query}" if query else "")

    @property
    def appends_rest(self) -> bool:
        """True if the requested path, without the prefix, is appended to the target: both end with `*`."""
        return self.is_prefix and self.to.endswith("*")

    @property
    def has_page(self) -> bool:
        """True if a page at the old address can lead to the target, on hosts without redirects."""
        is_plain = bool(self.to) and not self.is_prefix and not self.query
        return is_plain and self.path.endswith(("/", *PAGE_EXTENSIONS))

    def target(self, path: str) -> str:
        """Return the target of a request for a path that matches the rule."""
        return self.to[:-1] + url_path(path.removeprefix(self.path)) if self.appends_rest else self.to


def read_rules(folder: Path) -> tuple[Rule, ...]:
    """Return the rules of a site, () without the file. Raises InvalidFiles with every error in it."""
    file = folder / REDIRECTS_FILE
    if not file.is_file():
        return ()
    return rules_of(read_yaml(file, REDIRECTS_FILE), locator(file))


def rules_of(data: Any, locate: Locate = nowhere) -> tuple[Rule, ...]:
    """Return the rules in the data of redirects.yaml. Raises InvalidFiles with every error in it."""
    errors = schema_errors(data, "redirects", REDIRECTS_FILE, locate)
    if errors:
        raise InvalidFiles(errors)
    rules = [_rule(entry, number, locate, errors) for number, entry in enumerate(data or ())]
    if errors:
        raise InvalidFiles(errors)
    return tuple(rules)


def media_targets(rules: Iterable[Rule]) -> frozenset[str]:
    """Return the files in media/ that rules lead to."""
    return frozenset(unquote(rule.to) for rule in rules if rule.to.startswith(MEDIA_FOLDER))


def with_media(rules: Iterable[Rule], places: Mapping[str, str]) -> tuple[tuple[Rule, ...], tuple[FileError, ...]]:
    """Return the rules with the published addresses of files in media/, and the errors of those without one.

    `places` are the addresses on the site by path in the site folder.
    """
    rules_with_media: list[Rule] = []
    errors: list[FileError] = []
    for rule in rules:
        if not rule.to.startswith(MEDIA_FOLDER):
            rules_with_media.append(rule)
        elif address := places.get(unquote(rule.to)):
            rules_with_media.append(replace(rule, to=address))
        else:
            what = f"leads to {rule.to}, which no text names, so the rule is left out"
            errors.append(_error(rule, what, "name the file in a text, load the site, or correct the path"))
    return tuple(rules_with_media), tuple(errors)


def _rule(entry: Mapping[str, Any], number: int, locate: Locate, errors: list[FileError]) -> Rule:
    """Return the rule of one element of the file; append its problems to `errors`."""

    def refuse(key: str, problem: str, remedy: str) -> None:
        errors.append(FileError(REDIRECTS_FILE, f"[{number}].{key}", problem, remedy, locate((number, key))))

    written, _, query = entry["from"].partition("?")
    is_prefix, to = written.endswith("*"), entry.get("to") or ""
    status = entry.get("status") or (_GONE if entry.get("gone") else 301)
    beginning = written.removesuffix("*")
    path = unquote(beginning) if is_prefix else site_path(written)
    if "*" in beginning:
        refuse("from", "has a * that is not at its end", "write %2A for the character")
    if problem := path_problem(beginning) if beginning.strip("/") else "":
        refuse("from", problem, "write an address of this site, such as /old-shop/")
    if query and is_prefix:
        refuse("from", "has both * and a query", "write two rules")
    if to and status == _GONE:
        refuse("to", "is set, but the rule marks the page as gone", "remove to, or gone and status")
    elif not to and status != _GONE:
        refuse("from", "leads nowhere", "add to: /new-address/, or gone: true")
    if "*" in to.removesuffix("*") or (to.endswith("*") and not is_prefix):
        refuse(
            "to",
            "has a *, but from does not end with one, or it is not the last character",
            "end from with * too, or write %2A for the character",
        )
    parameters = tuple(sorted(parse_qsl(query, keep_blank_values=True)))
    return Rule(path, to, status, is_prefix, parameters, locate((number,)))


class CheckedRules(Struct, frozen=True):
    """The valid rules, exact ones before prefixes, and the errors of all rules; some valid rules have errors, too."""

    rules: tuple[Rule, ...] = ()
    errors: tuple[FileError, ...] = ()


def check_rules(
    rules: Sequence[Rule], live: Mapping[str, str], outputs: Callable[[str], bool], aliases: Mapping[str, str]
) -> CheckedRules:
    """Return the rules without those that hide a page, repeat another one, or lead back to themselves; and the errors.

    `live` maps output paths to the names of their pages, `outputs` returns whether the site has an output path, and
    `aliases` maps the old addresses of entries to their targets.
    """
    errors: list[FileError] = []
    unique: dict[tuple[str, bool, tuple[tuple[str, str], ...]], Rule] = {}
    pages = sorted(live)
    for rule in rules:
        key = (rule.path, rule.is_prefix, rule.query)
        if hidden := _hidden_page(rule, live, pages):
            errors.append(_error(rule, f"hides {hidden}, so it is left out", "remove the rule, or move the page"))
        elif not rule.is_prefix and not rule.query and rule.path in aliases:
            problem = f"is a former address of {aliases[rule.path]} already, so the rule is left out"
            errors.append(_error(rule, problem, "remove the rule"))
        elif key in unique:
            errors.append(
                _error(rule, f"repeats line {unique[key].line}, so it is left out", "remove one of the rules")
            )
        else:
            unique[key] = rule
    ordered = sorted(unique.values(), key=lambda each: (each.is_prefix, -len(each.path) if each.is_prefix else 0))
    index, valid = RuleIndex(ordered), list[Rule]()
    for rule in ordered:
        if index.is_loop(rule):
            errors.append(_error(rule, "leads back to itself, so it is left out", "choose another target"))
        else:
            valid.append(rule)
    errors += _target_errors(valid, RuleIndex(valid), outputs, aliases)
    return CheckedRules(tuple(valid), tuple(sorted(errors, key=lambda each: each.line or 0)))


def _hidden_page(rule: Rule, live: Mapping[str, str], pages: Sequence[str]) -> str:
    """Return the name of a page that the rule would hide, or ""."""
    if rule.query:
        return ""
    if not rule.is_prefix:
        return live.get(output_path(rule.path), "")
    beginning = rule.path.lstrip("/")
    place = bisect_left(pages, beginning)
    return live[pages[place]] if place < len(pages) and pages[place].startswith(beginning) else ""


class RuleIndex:
    """Index that finds the rule for a request: rules with a query first, then exact ones, then the longest prefix."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._exact: dict[str, list[Rule]] = {}
        self._prefixes: list[Rule] = []
        for rule in sorted(rules, key=lambda each: (-len(each.query), -len(each.path))):
            if rule.is_prefix:
                self._prefixes.append(rule)
            else:
                self._exact.setdefault(rule.path, []).append(rule)

    def find(self, target: str) -> Rule | None:
        """Return the rule for a request, given as path and query, or None."""
        parts = split_address(target)
        sent = frozenset(parse_qsl(parts.query, keep_blank_values=True))
        exact = (rule for rule in self._exact.get(site_path(parts.path), ()) if sent.issuperset(rule.query))
        readable = unquote(parts.path)
        prefixes = (rule for rule in self._prefixes if readable.startswith(rule.path))
        return next(exact, None) or next(prefixes, None)

    def follow(self, target: str) -> Rule | None:
        """Return the rule for the target of another rule, or None; a target on another host has none."""
        return self.find(target) if target.startswith("/") else None

    def is_loop(self, rule: Rule) -> bool:
        """Return whether the targets lead from the rule back to the rule."""
        target, steps = rule.target(rule.path), 0
        while (next_target := self.follow(target)) and steps < _MOST_STEPS:
            if next_target is rule:
                return True
            target, steps = next_target.target(unquote(split_address(target).path)), steps + 1
        return steps >= _MOST_STEPS


def _target_errors(
    rules: Iterable[Rule], index: RuleIndex, outputs: Callable[[str], bool], aliases: Mapping[str, str]
) -> Iterator[FileError]:
    for rule in rules:
        if rule.appends_rest or not rule.to.startswith("/"):
            continue
        path, next_rule = site_path(split_address(rule.to).path), index.follow(rule.to)
        if next_rule and not next_rule.to:
            yield _error(rule, f"leads to {rule.to}, which line {next_rule.line} marks as gone", "write gone: true")
        elif on := next_rule.target(path) if next_rule else aliases.get(path, ""):
            yield _error(rule, f"leads to {rule.to}, which leads on to {on}", f"write to: {on}")
        elif not outputs(output_path(path)):
            yield _error(rule, f"leads to {rule.to}, which the site does not have", "correct the address")


def _error(rule: Rule, problem: str, remedy: str) -> FileError:
    return FileError(REDIRECTS_FILE, rule.source, problem, remedy, rule.line)


def server_notes(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield a note if there are rules that only a web server can apply."""
    if count := sum(not rule.has_page for rule in rules):
        why = "no page can stand for a query, a prefix, a file or a removed page"
        need = "1 rule needs" if count == 1 else f"{count} rules need"
        yield f"{REDIRECTS_FILE}: {need} a web server: {why} (_redirects, nginx-redirects.conf)"
