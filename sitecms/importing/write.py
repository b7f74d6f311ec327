"""Files of an import in the site folder: a writer that never overwrites what a person edited, and the files it writes.

These belong to the whole site: site.toml of a new one, authors, terms, redirects, declarations, comments.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

import orjson
from yaml import YAMLError

from sitecms.clock import format_timestamp
from sitecms.content.fingerprint import digest, digest_of_parts
from sitecms.documents import dump_yaml, read_yaml
from sitecms.documents.yaml12 import load_yaml
from sitecms.errors import InvalidFiles
from sitecms.files import write_atomically
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.entries import EntryPlan
from sitecms.importing.plan.target import TargetSite
from sitecms.importing.records import Declaration, NoteKind, Place
from sitecms.importing.report import ImportReport
from sitecms.importing.source import SourceFile
from sitecms.importing.state import FOLDER, EntryState, ImportState
from sitecms.resources import resource_dir
from sitecms.settings.site import SETTINGS_FILE

_COPIED_AT_ONCE = 1 << 20


class FileOutcome(StrEnum):
    """The result for a file."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    CONFLICT = "conflicts"
    KEPT = "kept as edited"


class Writer:
    """Writes files below the site folder, and records them in the state. A dry run writes nothing."""

    def __init__(self, folder: Path, name: str, state: ImportState, report: ImportReport, *, is_dry: bool) -> None:
        self._folder, self._name, self._state, self._report, self._is_dry = folder, name, state, report, is_dry

    def write_entry(self, key: str, text: bytes, source: str, *, is_waiting: bool) -> FileOutcome:
        """Write the file of an entry whose source changed, unless a person edited or deleted it."""
        record = self._state.entries[key]
        outcome, written = self._write(record.file, text, record.written)
        if not self._is_dry:
            self._state.entries[key] = EntryState(record.file, record.slug, source, written, is_waiting)
        return outcome

    def write_shared(self, path: str, text: bytes) -> FileOutcome:
        """Write a file that several records share, or that belongs to the site."""
        outcome, written = self._write(path, text, self._state.files.get(path, ""))
        if not self._is_dry:
            self._state.files[path] = written
        return outcome

    def copy(self, path: str, source: SourceFile) -> FileOutcome:
        """Copy a file of the source as it is, unless a person edited or deleted the copy. Raises InvalidRequest."""
        with source.open(stored=True) as file:
            new = _digest_of(file)

        def put(target: str) -> None:
            if not self._is_dry:
                with source.open(stored=True) as file:
                    (self._folder / target).parent.mkdir(parents=True, exist_ok=True)
                    write_atomically(self._folder / target, _parts_of(file))

        outcome, written = self._replace(path, new, self._state.files.get(path, ""), put)
        if not self._is_dry:
            self._state.files[path] = written
        return outcome

    def write_new(self, path: str, data: bytes) -> None:
        """Write a file if there is none."""
        if self._current(path) is None:
            self._put(self._folder / path, data)

    def add_to(self, path: str, text: bytes, added: bytes, *, is_valid: bool) -> FileOutcome:
        """Write an edited file with an addition if the result is valid; else save the addition as a conflict."""
        if not is_valid:
            self._put(self._folder / self._conflict(path), added)
            return FileOutcome.CONFLICT
        self._put(self._folder / path, text)
        return FileOutcome.WRITTEN

    def remove(self, path: str, digest: str) -> bool:
        """Remove a file unless a person edited it; return whether it no longer exists."""
        current = self._current_digest(path)
        if current is None:
            return True
        if current != digest:
            return False
        if not self._is_dry:
            (self._folder / path).unlink()
        return True

    def is_own(self, path: str, text: bytes) -> bool:
        """Return whether the file is missing, equal to `text`, or as the import wrote it."""
        current = self._current(path)
        return current is None or current == text or digest(current) == self._state.files.get(path, "")

    def _write(self, path: str, text: bytes, before: str) -> tuple[FileOutcome, str]:
        """Write the file unless a person edited it; return the outcome, and the digest for the state."""
        return self._replace(path, digest(text), before, lambda target: self._put(self._folder / target, text))

    def _replace(self, path: str, new: str, before: str, put: Callable[[str], None]) -> tuple[FileOutcome, str]:
        """Call `put` with the path, or with one for conflicts; return the outcome, and the digest for the state."""
        current = self._current_digest(path)
        if current == new:
            return FileOutcome.UNCHANGED, new
        if current is None and before:
            remedy = f"to have it again, remove its key from {FOLDER}/{self._name}.json"
            self._report.add(NoteKind.FILE, "deleted by hand, not written again", Place(path), remedy)
            return FileOutcome.KEPT, before
        if current is not None and current != before:
            put(self._conflict(path))
            return FileOutcome.CONFLICT, before
        put(path)
        return FileOutcome.WRITTEN, new

    def _conflict(self, path: str) -> str:
        """Note an edited file; return the path for the new one."""
        remedy = f"compare it with the new text in {FOLDER}/{self._name}.conflicts/"
        self._report.add(NoteKind.FILE, "edited by hand, so it was not overwritten", Place(path), remedy)
        return f"{FOLDER}/{self._name}.conflicts/{path}"

    def _put(self, path: Path, data: bytes) -> None:
        if self._is_dry or (path.is_file() and path.read_bytes() == data):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)

    def _current(self, path: str) -> bytes | None:
        file = self._folder / path
        return file.read_bytes() if file.is_file() else None

    def _current_digest(self, path: str) -> str | None:
        file = self._folder / path
        if not file.is_file():
            return None
        with file.open("rb") as data:
            return _digest_of(data)


def _parts_of(file: BinaryIO) -> Iterator[bytes]:
    while part := file.read(_COPIED_AT_ONCE):
        yield part


def _digest_of(file: BinaryIO) -> str:
    return digest_of_parts(_parts_of(file))


def write_comments(path: Path, catalogue: Catalogue, plan: EntryPlan) -> None:
    """Write name, time, text, parent and the path of the entry of each comment."""
    lines = []
    for comment in catalogue.comments:
        planned = plan.by_key.get(comment.entry)
        record = {
            "id": comment.key,
            "parent": comment.parent or None,
            "path": planned.path if planned else None,
            "name": comment.name,
            "at": format_timestamp(comment.published_at) if comment.published_at else None,
            "text": comment.text,
        }
        lines.append(orjson.dumps(record) + b"\n")
    write_atomically(path, b"".join(lines))


def settings_text(target: TargetSite) -> str:
    """Return site.toml of a new site."""
    lines = [
        '# The settings of this site. "sitecms manual --open" explains each of them, in the chapter Settings.',
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
    return (resource_dir("starters") / "common/gitignore").read_bytes()


def write_settings(writer: Writer, target: TargetSite) -> None:
    """Write site.toml and .gitignore of a new site; an existing site.toml is never changed."""
    if target.is_new:
        writer.write_new(".gitignore", gitignore())
        writer.write_new(SETTINGS_FILE, settings_text(target).encode())


def write_list(
    writer: Writer, folder: Path, path: str, entries: Sequence[Mapping[str, Any]], name: str, report: ImportReport
) -> FileOutcome:
    """Write a file that is a list: the whole file if no person edited it, else add the missing entries.

    Entries are compared by the value of `name`; existing ones stay as they are.
    """
    if writer.is_own(path, list_text(entries)):
        return writer.write_shared(path, list_text(entries)) if entries else FileOutcome.UNCHANGED
    try:
        current = read_yaml(folder / path, path)
    except InvalidFiles as error:
        report.add(NoteKind.FILE, "cannot be read, so nothing was added", Place(path), str(error))
        return FileOutcome.CONFLICT
    slugs = {each.get(name) for each in current if isinstance(each, Mapping)} if isinstance(current, list) else set()
    missing = [dict(each) for each in entries if each.get(name) not in slugs]
    if not missing:
        return FileOutcome.UNCHANGED
    text = (folder / path).read_text(encoding="utf-8-sig").rstrip()
    text = "" if text in ("", "[]") else text + "\n"
    added = list_text(missing)
    new_text = text.encode() + added
    is_valid = _reads_as(new_text.decode(), [*(current if isinstance(current, list) else []), *missing])
    return writer.add_to(path, new_text, added, is_valid=is_valid)


def _reads_as(text: str, entries: list[Any]) -> bool:
    try:
        return load_yaml(text) == entries
    except (YAMLError, ValueError):
        return False


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
