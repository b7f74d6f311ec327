"""What cleaning the fields of files asks: references among the store's entries, media among the site's files."""

from collections.abc import Callable

from sitecms.actions.loading.reading.media_import import MEDIA_REMEDY, FileMedia
from sitecms.actions.references.find import find_reference
from sitecms.content.fields import ItemMatch, RawReference
from sitecms.content.references import Target
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.media_links import MEDIA_FOLDER, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.store.database import Session
from sitecms.store.entries import items


class StoreLookup:
    """Finds references in the open transaction; every entry of the load is already in it, if only by name."""

    def __init__(self, session: Session, media: FileMedia, wheres: "ItemsByValues") -> None:
        self._session = session
        self._media = media
        self._wheres = wheres

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """The entry meant, the first target that has it winning."""
        return find_reference(self._session, targets, raw, self._wheres.find)

    def media(self, url: str) -> str | None:
        """Local media must exist; remote addresses stay."""
        if not url.removeprefix("/").startswith(MEDIA_FOLDER):
            return url
        problems = len(self._media.problems)
        found = self._media.resolve(url)
        del self._media.problems[problems:]  # said by the field, with its place
        return found.src if found else None

    def html(self, text: str, report: ReportDropped) -> str:
        """Sanitised, with local media resolved; those that are missing are noted for `take_problems`."""
        return resolve_media(sanitize(text, report), self._media.resolve)

    def markdown(self, text: str, report: Callable[[str], None]) -> str:
        """With local media resolved."""

        def address(written: str) -> str | None:
            problems = len(self._media.problems)
            found = self._media.resolve(written)
            for problem in self._media.problems[problems:]:
                report(f"{problem}; {MEDIA_REMEDY}.")
            del self._media.problems[problems:]  # said by the field, with its place
            return found.src if found else None

        return replace_media(text, address)

    def take_problems(self) -> list[str]:
        """What is wrong with the media in the HTML since this was last asked."""
        taken, self._media.problems[:] = [*self._media.problems], []
        return taken


class ItemsByValues:
    """Items by the values of their fields: those in the files of this load first, then those in the store."""

    def __init__(self) -> None:
        self._loading: dict[str, list[tuple[int, dict[str, object]]]] = {}

    def add(self, collection: str, item_id: int, fields: dict[str, object]) -> None:
        """An item whose fields are not in the store yet."""
        self._loading.setdefault(collection, []).append((item_id, fields))

    def find(self, session: Session, match: ItemMatch) -> int | None:
        """The first item with these values, in any locale."""

        def fits(fields: object) -> bool:
            return isinstance(fields, dict) and all(fields.get(key) == value for key, value in match.where.items())

        for item_id, fields in self._loading.get(match.collection, ()):
            if fits(fields):
                return item_id
        loading = {item_id for item_id, _ in self._loading.get(match.collection, ())}
        for item in items.items_of(session, match.collection):
            if item.id not in loading and fits(item.fields):
                return item.id
        return None
