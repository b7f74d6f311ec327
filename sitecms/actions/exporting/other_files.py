"""Authors, terms and the content schema as files."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.content.author import Author
from sitecms.content.schema.types import ContentSchema
from sitecms.content.term import Term, TermKind
from sitecms.documents import dump_yaml

_TERM_FILES = {TermKind.CATEGORY: "categories", TermKind.TAG: "tags"}
_SCHEMA_FOLDERS = {"page_types": "slug", "collections": "key", "components": "slug"}


def author_file(authors: Sequence[Author], media: MediaPaths) -> Iterator[tuple[str, bytes]]:
    """content/authors.yaml, in order of creation, if there are any."""
    if authors:
        entries = []
        for author in authors:
            facts = {**asdict(author), "profile_image": media.address(author.profile_image)}
            entries.append({key: value for key, value in facts.items() if value})
        yield "content/authors.yaml", dump_yaml(entries).encode()


def term_files(terms: Sequence[Term]) -> Iterator[tuple[str, bytes]]:
    """content/categories.yaml and content/tags.yaml, each in order of creation, if there are any."""
    for kind, name in _TERM_FILES.items():
        if entries := [{"slug": term.slug, "name": term.name} for term in terms if term.kind is kind]:
            yield f"content/{name}.yaml", dump_yaml(entries).encode()


def schema_files(schema: ContentSchema) -> Iterator[tuple[str, bytes]]:
    """One file a page type, collection and component."""
    declared: dict[str, Any] = schema.as_json()
    for folder, key in _SCHEMA_FOLDERS.items():
        for entry in declared[folder]:
            yield f"schema/{folder}/{entry[key]}.yaml", dump_yaml(entry).encode()
