"""Redirect files of Ghost: `redirects.json`, and `redirects.yaml` with one table for each status."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import yaml

from sitecms.importing.records import Note, NoteKind, Place, Redirect
from sitecms.importing.source import Source, SourceFile

NAMES = ("redirects.json", "redirects.yaml", "redirects.yml")
_PLAIN = re.compile(r"[\w./%~:@!,;=&?-]*")
_OPTIONAL_END = re.compile(r"(?:\\?/\?|\(\\?/\)\?|\(/\|\))$")


def read_redirects(source: Source) -> Iterator[Redirect | Note]:
    """Yield the redirects of the source; a note for each regular expression, which has no equivalent."""
    for file in source.files:
        if file.name.rsplit("/", 1)[-1].lower() in NAMES:
            try:
                rules = list(_rules(file))
            except (ValueError, yaml.YAMLError) as error:
                first_line = str(error).splitlines()[0]
                yield Note(NoteKind.SKIPPED, f"redirects that cannot be read: {first_line}", Place(file.name))
                continue
            for written, target, status in rules:
                yield _redirect(file, written, target, status)


def _rules(file: SourceFile) -> Iterator[tuple[str, str, int]]:
    """Yield source, target and status of each rule. Raises ValueError or YAMLError for an invalid file."""
    text = file.text()
    if file.name.lower().endswith(".json"):
        rules = orjson.loads(text)
        if not isinstance(rules, list):
            raise ValueError("expected a list of objects with from and to")
        for rule in rules:
            if isinstance(rule, dict) and rule.get("from"):
                yield str(rule["from"]), str(rule.get("to") or ""), 301 if rule.get("permanent", True) else 302
        return
    tables: Any = yaml.safe_load(text) or {}
    if not isinstance(tables, dict):
        raise ValueError("expected tables named 301 and 302")
    for status, table in tables.items():
        for written, target in (table or {}).items() if isinstance(table, dict | None) else ():
            yield str(written), str(target), 302 if str(status) == "302" else 301


def _redirect(file: SourceFile, written: str, target: str, status: int) -> Redirect | Note:
    plain = plain_path(written)
    if plain is None or "$" in target:
        remedy = "write its addresses into redirects.yaml by hand"
        return Note(NoteKind.ADDRESS, f"redirect by a regular expression: {written}", Place(file.name), remedy)
    return Redirect(plain, target, status)


def plain_path(written: str) -> str | None:
    """Return the one path that an expression matches, apart from a slash at its end; None if it matches several."""
    text = written.removeprefix("^").removesuffix("$")
    text = _OPTIONAL_END.sub("/", text)
    text = text.replace("\\/", "/").replace("\\.", ".").replace("\\-", "-")
    if not text.startswith("/") or not _PLAIN.fullmatch(text) or ("?" in text.rstrip("?") and "=" not in text):
        return None
    return text
