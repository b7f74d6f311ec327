"""Content files that Git cannot merge by lines: merged as documents, and written as the side at the remote wrote them.

Comments of both sides stay: a file is merged only if the result has each of them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from sitecms.actions.syncing.git.merged_data import CannotMerge, clashing_ids, merge_body, merge_data, with_other_ids
from sitecms.documents import read_front_matter, read_yaml
from sitecms.documents.comparison import CannotRewrite
from sitecms.documents.rewriting import BYTE_ORDER_MARK, rewrite_front_matter, rewrite_yaml
from sitecms.errors import InvalidFiles
from sitecms.temporary_folders import temporary_folder

_CONTENT = "content/"
_COLLECTIONS = "content/collections/"
_MARKDOWN, _YAML = (".md",), (".yaml", ".yml")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_HTML = "html"


class ThreeFiles(Struct, frozen=True):
    """The bytes of a file: the base, ours (at the remote), and theirs (committed here)."""

    base: bytes
    ours: bytes
    theirs: bytes


class MergedFile(Struct, frozen=True):
    """A merged file, and other ids for items of theirs, whose ids items of ours have, too."""

    content: bytes
    ids: Mapping[int, int]


class _Document(Struct, frozen=True):
    """The content of a file: its data, and its body if it is Markdown; `text` is all of it."""

    text: str
    data: Any
    body: str | None


def is_document(path: str) -> bool:
    """Return whether a path of the site folder is that of a content file."""
    return path.startswith(_CONTENT) and path.endswith((*_MARKDOWN, *_YAML))


def merge_file(path: str, files: ThreeFiles, ids: Mapping[int, int]) -> MergedFile:
    """Return a content file with the changes of both sides; `ids` are those that items here have there.

    Raises CannotMerge.
    """
    base, ours, theirs = _documents(path, files)
    before, after = with_other_ids(base.data, ids), with_other_ids(theirs.data, ids)
    if path.startswith(_COLLECTIONS) and (clashing := clashing_ids(before, ours.data, after)):
        ids, after = {**ids, **clashing}, with_other_ids(after, clashing)
    data, body = merge_data(before, ours.data, after), None
    if base.body is not None and ours.body is not None and theirs.body is not None:
        is_markdown = all(each.data.get("format") != _HTML for each in (base, ours, theirs))
        body = merge_body(base.body, ours.body, theirs.body, is_markdown=is_markdown)
    for written, other in ((ours, theirs), (theirs, ours)):
        text = _rewritten(written.text, data, body)
        if text is not None and {*_comments(other)} - {*_comments(base)} <= {*_COMMENT.findall(text)}:
            return MergedFile(text.encode(), ids)
    raise CannotMerge("a comment or an anchor")


def _documents(path: str, files: ThreeFiles) -> Iterator[_Document]:
    with temporary_folder("merge") as folder:
        file = folder / "document"
        for content in (files.base, files.ours, files.theirs):
            file.write_bytes(content)
            try:
                if path.endswith(_MARKDOWN):
                    front = read_front_matter(file, path)
                    yield _Document(content.decode(), front.data, front.body)
                else:
                    yield _Document(content.decode(), read_yaml(file, path), None)
            except InvalidFiles:
                raise CannotMerge from None


def _rewritten(text: str, data: Any, body: str | None) -> str | None:
    """Return a file that says this, None if it cannot be changed so."""
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    try:
        if body is None:
            return mark + rewrite_yaml(text.removeprefix(mark), data)
        return rewrite_front_matter(text, data, body)
    except CannotRewrite:
        return None


def _comments(document: _Document) -> Iterator[str]:
    """Yield the comments of a file, those of a Markdown file from its front matter."""
    text = document.text
    if document.body is not None:
        text = text[: len(text) - len(document.body)]
    return iter(_COMMENT.findall(text))
