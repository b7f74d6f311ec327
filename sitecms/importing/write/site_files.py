"""Files that belong to the whole site: site.toml of a new one, authors, terms, redirects, declarations."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sitecms.documents import dump_yaml, read_yaml
from sitecms.errors import InvalidFiles
from sitecms.importing.plan.target import Target
from sitecms.importing.records import Declaration, NoteKind, Place
from sitecms.importing.report import Report
from sitecms.importing.write.writer import Outcome, Writer
from sitecms.resources import resource_dir
from sitecms.settings.site import SETTINGS_FILE


def settings_text(target: Target) -> str:
    """Return site.toml of a new site."""
    lines = [
        "# The settings of this site. Every word is explained in content_schema/site.schema.json of sitecms.",
        "",
        f"name = {_quoted(target.name)}",
        f"url = {_quoted(target.url)}",
        f"description = {_quoted(target.description)}",
        f"default_locale = {_quoted(target.default_locale)}",
    ]
    if len(target.locales) > 1:
        lines.append(f"locales = [{', '.join(map(_quoted, target.locales))}]")
    if target.owner:
        lines.append(f"owner = {_quoted(target.owner)}  # author of posts that name none")
    if target.timezone != "UTC":
        lines.append(f"timezone = {_quoted(target.timezone)}")
    if target.permalinks:
        lines += ["", "[permalinks]  # as on the old site, so that addresses stay"]
        lines += [f"{name} = {_quoted(pattern)}" for name, pattern in target.permalinks.items()]
    if target.home:
        lines += ["", "[build]", f"home = {_quoted(target.home)}"]
    return "\n".join(lines) + "\n"


def gitignore() -> bytes:
    """Return the .gitignore of a new site."""
    return (resource_dir("starter") / "gitignore").read_bytes()


def write_settings(writer: Writer, target: Target) -> None:
    """Write site.toml and .gitignore of a new site; an existing site.toml is never changed."""
    if target.is_new:
        writer.write_new(".gitignore", gitignore())
        writer.write_new(SETTINGS_FILE, settings_text(target).encode())


def write_list(
    writer: Writer, folder: Path, path: str, entries: Sequence[Mapping[str, Any]], name: str, report: Report
) -> Outcome:
    """Write a file that is a list: the whole file if no person edited it, else add the missing entries.

    Entries are compared by the value of `name`; existing ones stay as they are.
    """
    if writer.is_own(path, list_text(entries)):
        return writer.write_shared(path, list_text(entries)) if entries else Outcome.UNCHANGED
    try:
        current = read_yaml(folder / path, path)
    except InvalidFiles as error:
        report.add(NoteKind.FILE, "cannot be read, so nothing was added", Place(path), str(error))
        return Outcome.CONFLICT
    held = {each.get(name) for each in current if isinstance(each, Mapping)} if isinstance(current, list) else set()
    missing = [dict(each) for each in entries if each.get(name) not in held]
    if not missing:
        return Outcome.UNCHANGED
    text = (folder / path).read_text(encoding="utf-8-sig") if current else ""
    new = list_text(missing)
    added = (text.rstrip("\n") + "\n" if text else "").encode() + new
    return writer.add_to(path, added, new, [*(current if isinstance(current, list) else ()), *missing])


def list_text(entries: Sequence[Mapping[str, Any]]) -> bytes:
    """Return entries as YAML; an entry of plain texts, such as a redirect, takes one line."""
    return b"".join(_list_entry(entry) for entry in entries)


def _list_entry(entry: Mapping[str, Any]) -> bytes:
    if "from" not in entry:
        return dump_yaml([dict(entry)]).encode()
    pairs = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items())
    return f"- {{{', '.join(pairs)}}}\n".encode()


def declaration_text(declaration: Declaration) -> str:
    """Return a file of schema/, with its comments above the fields they are named for."""
    lines = []
    for line in dump_yaml(dict(declaration.data)).splitlines():
        stripped = line.lstrip()
        slug = stripped.removeprefix("- slug: ").strip("'\"") if stripped.startswith("- slug: ") else ""
        if slug and slug in declaration.comments:
            lines.append(f"{line[: len(line) - len(stripped)]}# {' '.join(declaration.comments[slug].split())}")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
