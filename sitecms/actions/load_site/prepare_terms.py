"""Author and term files to authors and terms."""

from typing import Any

from sitecms.actions.load_site.file_faults import file_faults
from sitecms.actions.load_site.files import ContentFile, FileKind
from sitecms.actions.load_site.media_import import FileMedia
from sitecms.content.author import Author
from sitecms.content.slug import slugify
from sitecms.content.term import Term, TermKind
from sitecms.documents import locator, read_yaml
from sitecms.errors import Fault, InvalidFiles

_KINDS = {FileKind.CATEGORIES: TermKind.CATEGORY, FileKind.TAGS: TermKind.TAG}


def prepare_authors(file: ContentFile, media: FileMedia) -> tuple[Author, ...]:
    """The authors in the file. Raises InvalidFiles."""
    entries = _entries(file, "authors")
    given = [{key: str(value) for key, value in entry.items() if value is not None} for entry in entries]
    for entry in given:
        entry["profile_image"] = media.address(entry.get("profile_image", ""))
    return tuple(Author(**entry) for entry in given)


def prepare_terms(file: ContentFile) -> tuple[Term, ...]:
    """The categories or tags in the file. Raises InvalidFiles."""
    kind = _KINDS[file.kind]
    return tuple(Term(kind, entry["slug"], entry["name"]) for entry in _entries(file, "terms"))


def _entries(file: ContentFile, schema_name: str) -> list[dict[str, Any]]:
    data: Any = read_yaml(file.file, file.path)
    locate = locator(file.file)
    if faults := file_faults(data, schema_name, file.path, locate):
        raise InvalidFiles(faults)
    seen: set[str] = set()
    entries = []
    for number, given in enumerate(data or ()):
        entry = dict(given)
        entry["slug"] = slugify(entry.get("slug") or "", max_bytes=None) or slugify(entry.get("name") or "")
        if not entry["slug"]:
            problem = f'is "{entry.get("slug") or entry.get("name")}", of which no address can be made'
            faults.append(Fault(file.path, f"[{number}].slug", problem, "give it letters or digits", locate((number,))))
        elif entry["slug"] in seen:
            problem = f'has the slug "{entry["slug"]}", as another one above'
            faults.append(Fault(file.path, f"[{number}].slug", problem, "each needs its own", locate((number,))))
        seen.add(entry["slug"])
        entries.append(entry)
    if faults:
        raise InvalidFiles(faults)
    return entries
