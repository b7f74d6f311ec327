"""What cleaning the fields of files asks: references among the store's entries, media among the site's files."""

from collections.abc import Callable

from sitecms.actions.loading.reading.media_import import MEDIA_REMEDY, FileMedia
from sitecms.actions.references import ItemsByValues, find_reference
from sitecms.content.fields import RawReference
from sitecms.content.references import Target
from sitecms.content.text.html import sanitize
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.media_links import MEDIA_FOLDER, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.store.database import Session


class StoreLookup:
    """Finds references in the open transaction; every entry of the load is already in it, if only by name."""

    def __init__(self, session: Session, media: FileMedia, wheres: ItemsByValues) -> None:
        self._session = session
        self._media = media
        self._wheres = wheres

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """The entry meant, the first target that has it winning."""
        return find_reference(self._session, targets, raw, self._wheres)

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
