"""Names in a site that a new entry can refer to, from its files and its store."""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from sitecms.actions.loading.reading.files import SINGLE_PAGES_FOLDER
from sitecms.content.entry import Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntryQuery, Visibility, Window
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES
from sitecms.content.schema import ContentSchema
from sitecms.content.text.media_links import MEDIA_FOLDER
from sitecms.content.text.slug import slug_of_post_file, slugify
from sitecms.documents import read_front_matter, read_yaml
from sitecms.documents.folders import Listing
from sitecms.documents.reading import FENCE
from sitecms.errors import InvalidFiles
from sitecms.settings.site import SiteSettings, SlugSource
from sitecms.store.entries import authors
from sitecms.store.entries.entry_queries import find_entries
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.opening import find_database

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".svg", ".gif", ".avif")


class KnownEntries:
    """Entries that a new one can refer to, looked up only when they are needed: most refer to nothing."""

    def __init__(self, settings: SiteSettings, schema: ContentSchema) -> None:
        self._settings = settings
        self._schema = schema
        self._database = find_database(settings.store)

    def close(self) -> None:
        """Close the store."""
        if self._database is not None:
            self._database.close()

    def picture(self) -> str:
        """Return the first picture in media/, as `media/sea.jpg`; "" if there is none."""
        paths = Listing(f"{self._settings.folder}/").files(MEDIA_FOLDER.rstrip("/"))
        return next((path for path in paths if PurePosixPath(path).suffix.lower() in PICTURES), "")

    def authors(self) -> tuple[str, ...]:
        """Return the slugs and emails of authors."""
        found = []
        for entry in self._list("authors.yaml"):
            found += [str(entry.get("slug") or ""), str(entry.get("email") or "")]
        if self._database is not None:
            with self._database.reading() as session:
                for author in authors.find_authors(session):
                    found += [author.slug, author.email]
        return tuple(dict.fromkeys(filter(None, found)))

    def only_author(self) -> str:
        """Return the slug of the only author of files and store; "" if there are none or several."""
        slugs = {str(entry.get("slug") or "") for entry in self._list("authors.yaml")}
        if self._database is not None:
            slugs |= {author.slug for author in self._database.read(authors.find_authors)}
        return slugs.pop() if len(slugs) == 1 else ""

    def post(self, slug: str) -> Mapping[str, Any] | None:
        """Return the front matter of the post, from its file or as far as the store has it; None: no such post."""
        for path in self._below("posts", ".md"):
            if _may_name(path, slug) and self._slug(data := _front(path), path) == slug:
                return data
        if self._database is not None:
            with self._database.reading() as session:
                found = find_named(session, EntryKind.POST, "", slug)
                if found is not None:
                    return _shared_values(VERSIONS[EntryKind.POST].get(session, found))
        return None

    def translation(self, original: str, locale: str) -> str:
        """Return the slug of the original's translation in the locale; "" if there is none."""
        for path in self._below("posts", ".md"):
            if original in _front_text(path):
                data = _front(path)
                if (data.get("translation_of"), data.get("locale")) == (original, locale):
                    return self._slug(data, path)
        return ""

    def is_page(self, page_type: str, slug: str) -> bool:
        """Return whether the store has a page of the type ("": Single Pages) and slug."""
        if self._database is None:
            return False
        return self._database.read(find_named, EntryKind.PAGE, page_type, slug) is not None

    def reference(self, targets: tuple[str, ...]) -> FieldValue:
        """Return the first entry among the targets, as content files name one; None if there is none."""
        for target in targets:
            name = target.removeprefix(PAGE_TARGET_PREFIX)
            found = self._page(name) if target.startswith(PAGE_TARGET_PREFIX) else self._item(name)
            if found is not None:
                return found
        return None

    def _page(self, page_type: str) -> FieldValue:
        folder = SINGLE_PAGES_FOLDER if page_type == SINGLE_PAGES else page_type
        for path in self._below(f"pages/{folder}", ".md", ".yaml", ".yml"):
            data = _front(path) if path.suffix == ".md" else _table(path)
            if data.get("title"):
                return self._slug(data, path)
        return self._stored_page("" if page_type == SINGLE_PAGES else page_type)

    def _stored_page(self, page_type: str) -> FieldValue:
        if self._database is None:
            return None
        with self._database.reading() as session:
            for locale in self._settings.locales:
                query = EntryQuery(EntryKind.PAGE, Visibility(locale, preview=True), page_type)
                for page in find_entries(session, query, Window(1)).entries:
                    return page.slug
        return None

    def _item(self, collection: str) -> FieldValue:
        label = self._schema.collection(collection).label
        for entry in self._list(f"collections/{collection}.yaml"):
            fields: Any = entry.get("fields") or {}
            held = fields.get(label) or next((each.get(label) for each in fields.values() if isinstance(each, dict)), 0)
            if isinstance(entry.get("id"), int):
                return int(entry["id"])
            if isinstance(held, str) and held:
                return {"key": collection, "where": {label: held}}
        if self._database is not None:
            return next((item.id for item in self._database.read(VERSIONS[EntryKind.ITEM].of_type, collection)), None)
        return None

    def _slug(self, data: Mapping[str, Any], path: Path) -> str:
        """Return the slug that loading gives the file's entry."""
        given, title = str(data.get("slug") or ""), str(data.get("title") or "")
        if "posts" not in path.parts:
            return slugify(given, max_bytes=None) or slugify(path.stem)
        is_from_title = self._settings.post_slug_from is SlugSource.TITLE
        return slug_of_post_file(
            given, title, path.relative_to(self._settings.folder).as_posix(), from_title=is_from_title
        )

    def _list(self, name: str) -> Iterator[Mapping[str, Any]]:
        """Return the tables in a list file below content/; none if it is missing or cannot be read."""
        path = f"content/{name}"
        try:
            is_there = Listing(f"{self._settings.folder}/").has_file(path)
            data: Any = read_yaml(self._settings.folder / path) if is_there else None
        except InvalidFiles:
            return
        yield from (entry for entry in (data if isinstance(data, list) else ()) if isinstance(entry, dict))

    def _below(self, name: str, *endings: str) -> Iterator[Path]:
        paths = Listing(f"{self._settings.folder}/").files(f"content/{name}")
        yield from (self._settings.folder / path for path in paths if path.endswith(endings))


def _shared_values(post: Entry) -> dict[str, Any]:
    """Return a post as front matter, as far as a translation of it begins with the same values."""
    return {
        "locale": post.locale,
        "author": post.author.slug,
        "categories": [term.name for term in post.categories],
        "tags": [term.name for term in post.tags],
    }


def _front_text(path: Path) -> str:
    """Return the file up to the end of its front matter, unparsed: many files are only searched for a name."""
    return path.read_text(encoding="utf-8-sig", errors="replace").partition(f"\n{FENCE}")[0]


def _may_name(path: Path, slug: str) -> bool:
    """Return whether the front matter can have the slug: it contains the text, or leaves the slug to be derived."""
    text = _front_text(path)
    return slug in text or "\nslug:" not in text


def _front(path: Path) -> Mapping[str, Any]:
    try:
        return read_front_matter(path).data
    except InvalidFiles:
        return {}


def _table(path: Path) -> Mapping[str, Any]:
    try:
        data = read_yaml(path)
    except InvalidFiles:
        return {}
    return data if isinstance(data, dict) else {}
