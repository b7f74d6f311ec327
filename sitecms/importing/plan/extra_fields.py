"""Fields of posts made of keys of the source that the site does not know: front matter, custom fields."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from sitecms.content.fingerprint import digest
from sitecms.content.text.slug import slugify
from sitecms.documents import read_yaml
from sitecms.errors import InvalidFiles
from sitecms.importing.records import Declaration, EntryRecord, NoteKind, Place
from sitecms.importing.report import MAX_PLACES, ImportReport

FILE = "schema/post.yaml"
MAX_FIELDS = 40
SHORT_MAX = 255
_PREFIX = re.compile(r"^(?:params|extra|meta)\.")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COLOR = re.compile(r"#[0-9a-f]{6}", re.I)
_MARKUP = re.compile(r"</?[a-z][^<>]*>|\]\(|\{[{%]", re.I)
_PRIVATE_NAME = re.compile(
    r"pass_?(?:word|wd|phrase|code)|secret|token|(?:api|access|private|license)_?key|credential|e_?mail|phone|"
    r"(?:^|_)ip(?:_|$)|(?:billing|customer|shipping)_"
)
_PRIVATE_VALUE = re.compile(
    r"(?<![^\s@])[^\s@]++@[^\s@]+\.[a-z]{2,}|\$(?:2[aby]|P|H|argon2\w*|wp)\$|(?:sk|pk|ghp|xox[abp])[_-]\w{10,}", re.I
)
"""E-mail addresses, hashes of passwords, and keys of services."""
_TRUTH = {"true": True, "false": False}
_TAKES_TEXT = frozenset({"short_text", "long_text", "dropdown"})


class _Key(Struct):
    """Facts about the values of one key: their types, whether all are equal, and whether one may be private."""

    first: str
    types: set[str] = field(default_factory=set)
    is_constant: bool = True
    is_private: bool = False
    count: int = 0
    places: list[Place] = field(default_factory=list)


class ExtraValues:
    """Evidence about the keys of all posts."""

    def __init__(self) -> None:
        self.posts = 0
        self.keys: dict[str, _Key] = {}

    def see(self, entry: EntryRecord) -> None:
        """Add a post."""
        self.posts += 1
        for name, text in entry.extras.items():
            key = self.keys.setdefault(name, _Key(text))
            key.count += 1
            key.is_constant = key.is_constant and text == key.first
            key.is_private = key.is_private or bool(_PRIVATE_VALUE.search(text))
            key.types.add(_type_of(text))
            if len(key.places) < MAX_PLACES:
                key.places.append(entry.place)


class ExtraFields:
    """Fields that are made of keys, by the name of the key: slug and type."""

    def __init__(self, fields: Mapping[str, tuple[str, str]], *, is_new: bool = False) -> None:
        self._fields, self._is_new = dict(fields), is_new
        self.signature = digest(repr(sorted(self._fields.items())).encode()) if fields else ""

    def declaration(self) -> Declaration | None:
        """Return the declaration of the fields; None if the site declares them already."""
        if not self._is_new or not self._fields:
            return None
        declared = [{"slug": slug, "type": type_} for slug, type_ in self._fields.values()]
        comments = {slug: f"Made of the key {name} of the source." for name, (slug, _type) in self._fields.items()}
        return Declaration("", "post", {"fields": declared}, comments)

    def values(self, extras: Mapping[str, str]) -> dict[str, Any]:
        """Return the fields of a post."""
        named = ((self._fields[name], text) for name, text in extras.items() if name in self._fields)
        return {slug: _value(text, type_) for (slug, type_), text in named}

    def note(self, seen: ExtraValues, report: ImportReport) -> None:
        """Replace the notes on unknown keys by one line for each field."""
        for name, (slug, type_) in self._fields.items():
            key = seen.keys[name]
            for kind in (NoteKind.UNKNOWN_KEY, NoteKind.UNKNOWN_META):
                if group := report.notes.get((kind, name)):
                    group.count -= key.count
                    group.places = [place for place in group.places if place not in key.places]
                    if group.count <= 0:
                        del report.notes[kind, name]
            remedy = f"change or remove it in {FILE}" if self._is_new else ""
            subject = f"{name} became the field {slug} of posts ({type_})"
            report.add(NoteKind.SETTING, subject, remedy=remedy, count=key.count)


def plan_extra_fields(seen: ExtraValues, folder: Path, own: str) -> ExtraFields:
    """Return the fields for the keys of a source; those of an existing schema/post.yaml if it is not the import's own.

    `own` is the digest of that file as the import wrote it.
    """
    file = folder / FILE
    if file.is_file() and digest(file.read_bytes()) != own:
        declared = _declared(file)
        fits = ((name, _slug_of(name), _types_that_take(key)) for name, key in seen.keys.items())
        return ExtraFields({name: (slug, declared[slug]) for name, slug, types in fits if declared.get(slug) in types})
    fields: dict[str, tuple[str, str]] = {}
    for name, slug, type_ in _inferred(seen):
        if slug not in {known for known, _type in fields.values()} and len(fields) < MAX_FIELDS:
            fields[name] = slug, type_
    return ExtraFields(fields, is_new=True)


def _inferred(seen: ExtraValues) -> Iterator[tuple[str, str, str]]:
    """Yield name, slug and type of the keys whose values have one type, and which say something about a post.

    Keys that may hold passwords, keys of services or personal data are left out, and reported as unknown: an import
    writes none of them, unless the owner declares the field.
    """
    for name, key in sorted(seen.keys.items(), key=lambda each: -each[1].count):
        type_ = "long_text" if key.types == {"short_text", "long_text"} else next(iter(key.types))
        is_one_type = len(key.types) == 1 or type_ == "long_text"
        says_nothing = key.is_constant and key.count >= 0.9 * seen.posts
        is_single = key.count == 1 and seen.posts > 1
        slug = "" if says_nothing or is_single or key.is_private else _slug_of(name)
        if is_one_type and type_ and slug and not _PRIVATE_NAME.search(slug):
            yield name, slug, type_


def _declared(file: Path) -> dict[str, str]:
    try:
        data: Any = read_yaml(file)
    except InvalidFiles:
        return {}
    fields = data.get("fields") if isinstance(data, dict) else None
    named = (each for each in fields or () if isinstance(each, dict))
    return {str(each.get("slug")): str(each.get("type")) for each in named}


def _types_that_take(key: _Key) -> frozenset[str]:
    if "" in key.types:
        return frozenset()
    return _TAKES_TEXT | (key.types if len(key.types) == 1 else set())


def _slug_of(name: str) -> str:
    """Return the slug of a field; "" for a name without a letter at its beginning."""
    words = _CAMEL.sub("_", _PREFIX.sub("", name))
    slug = slugify(words).replace("-", "_")[:60]
    return slug if re.fullmatch(r"[a-z][a-z0-9_]*", slug) else ""


def _type_of(text: str) -> str:
    """Return the field type that holds a text without a loss; "" for markup and tags of templates."""
    if text.lower() in _TRUTH:
        return "checkbox"
    if _number(text) is not None:
        return "number"
    if _COLOR.fullmatch(text):
        return "color"
    if _MARKUP.search(text):
        return ""
    return "long_text" if "\n" in text or len(text) > SHORT_MAX else "short_text"


def _number(text: str) -> int | float | None:
    """Return a number that is written back as it was."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text and abs(value) < 2**53:
            return value
    return None


def _value(text: str, type_: str) -> Any:
    if type_ == "checkbox":
        return _TRUTH[text.lower()]
    return _number(text) if type_ == "number" else text
