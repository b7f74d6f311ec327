"""A newsroom: a site that is edited by files, in the studio and through the API, and written back."""

import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from difflib import unified_diff
from io import BytesIO
from typing import Any

from msgspec.structs import replace
from PIL import Image

from sitecms.actions.accounts.users import add_user
from sitecms.actions.editing.media import MediaPlace, delete_file, describe, upload
from sitecms.actions.syncing.edits import carry_out
from sitecms.actions.syncing.write_back import WriteBackReport, Writing, write_back
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Caller, EntryName, WriteContext
from sitecms.actions.writing.accept.planning import NO_STUDIO_VALUES, StudioValues
from sitecms.actions.writing.apply.applying import apply_entry
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.trash import restore_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails, MediaFile
from sitecms.content.user import Role
from sitecms.media.library import open_library
from sitecms.media.thumbnails import Thumbnails
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.media_files import all_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.file_changes import FileChange, all_file_changes
from sitecms.store.writes.writes import get_write, open_entries
from tests.support.pictures import image_bytes
from tests.support.sites import ExampleSite
from tests.support.writes import worker_of, write_context

PASSWORD = "correct horse battery staple"


def _no_media(url: str, *_: object) -> MediaFile:
    raise AssertionError(url)


class Newsroom:
    """A site folder, and writes to its store that are accepted and applied as the API and its workers do it."""

    def __init__(self, site: ExampleSite) -> None:
        self.site, self.folder, self.database = site, site.folder, site.database
        self._context = write_context(site.database, site.settings, self.clock)
        self.editor = add_user(site.database, None, "ed", Role.ADMIN, "ann-ray", PASSWORD, "Tide", site.now)
        self._before = self.files()

    @property
    def context(self) -> WriteContext:
        """What accepting a write needs, by the settings of now."""
        return replace(self._context, settings=self.site.settings)

    def clock(self) -> datetime:
        """A minute later each time."""
        self.site.now += timedelta(minutes=1)
        return self.site.now

    def create(self, kind: EntryKind, body: Mapping[str, Any], locale: str = "") -> None:
        """Create an entry through the API."""
        accept.create(self.context, Caller(self.editor), kind, dict(body), locale)
        self.apply()

    def update(
        self,
        kind: EntryKind,
        name: str,
        body: Mapping[str, Any],
        *,
        type_: str = "",
        locale: str = "",
        studio: StudioValues = NO_STUDIO_VALUES,
    ) -> None:
        """Change an entry through the API, or with what a form of the studio sends beside."""
        accept.update(self.context, Caller(self.editor), EntryName(kind, name, type_), dict(body), locale, studio)
        self.apply()

    def delete(self, kind: EntryKind, name: str, type_: str = "", locale: str = "") -> None:
        """Delete an entry through the API."""
        accept.delete(self.context, Caller(self.editor), EntryName(kind, name, type_), locale)

    def restore(self, kind: EntryKind, entry_id: int) -> None:
        """Bring an entry back from the trash."""
        cause = EventCause(self.site.settings.default_locale, self.clock(), "ed")
        self.database.write(restore_entry, kind, entry_id, self.site.settings, cause)

    def apply(self) -> None:
        """Apply what was accepted."""
        worker = worker_of(self.context, _no_media)
        with self.database.reading() as session:
            waiting = [get_write(session, write_id) for write_id, *_ in open_entries(session, self.site.now, 100)]
        for write in waiting:
            apply_entry(worker, write.entry_key)
            done = self.database.read(get_write, write.id)
            assert done.status == "applied", done.errors

    def sync(self, *, again: bool = False) -> WriteBackReport:
        """Write back what changed."""
        return write_back(self.database, self.site.settings, self.clock(), again=again)

    def open_changes(self) -> tuple[FileChange, ...]:
        """The changes that no file has."""
        return self.database.read(all_file_changes)

    def files(self) -> dict[str, str]:
        """The text of each content file by its path."""
        found = sorted((self.folder / "content").rglob("*"))
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes().decode() for path in found if path.is_file()
        }

    def diff(self) -> dict[str, list[str]]:
        """The changed lines of each file since the last call; of a new file its path alone, of a removed one None."""
        before, after = self._before, self.files()
        self._before = after
        changed = {}
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                lines = unified_diff(
                    before.get(path, "").split("\n"), after.get(path, "").split("\n"), lineterm="", n=0
                )
                changed[path] = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
        return changed

    def post_id(self, slug: str) -> int:
        """The id of a post."""
        return self.database.read(find_named, EntryKind.POST, "", slug) or 0

    def page_id(self, slug: str, page_type: str = "guide") -> int:
        """The id of a page."""
        return self.database.read(find_named, EntryKind.PAGE, page_type, slug) or 0

    def item_ids(self, collection: str) -> list[int]:
        """The ids of the items of a collection, in its order."""
        return list(dict.fromkeys(item.id for item in self.database.read(VERSIONS[EntryKind.ITEM].of_type, collection)))

    def media(self) -> tuple[MediaFile, ...]:
        """The files of the media library."""
        return tuple(self.database.read(all_media).values())

    def check_clone(self, name: str) -> None:
        """Assert that a load finds nothing to do, and that a clone of the folder builds the same site."""
        assert self.open_changes() == ()
        report = self.site.load()
        assert (report.loaded, report.vanished, report.notes) == ((), (), ())
        clone = self.folder.with_name(name)
        shutil.copytree(self.folder, clone, ignore=shutil.ignore_patterns(".sitecms", "public"))
        other = ExampleSite(clone)
        other.now = self.site.now
        other.load()
        assert self.site.build(clean=True).failed == other.build().failed == {}
        mine, its = self.site.tree(), other.tree()
        assert sorted(mine) == sorted(its)
        differing = [path for path in mine if mine[path] != its[path]]
        texts = [tree[path].decode(errors="replace").split("\n") for path in differing[:1] for tree in (its, mine)]
        assert differing == [], "\n".join(unified_diff(texts[0], texts[1], n=0))


class PictureLibrary:
    """The media library of the studio."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        settings = newsroom.site.settings
        storage = open_library(settings)
        thumbnails = Thumbnails(settings.state_dir / "thumbnails", storage)
        self._place = MediaPlace(settings, newsroom.database, storage, thumbnails)

    def upload(self, name: str, color: str) -> MediaFile:
        """Upload a picture of one color."""
        files = [(name, BytesIO(image_bytes(Image.new("RGB", (4, 3), color), "PNG")))]
        uploaded = upload(self._place, self._newsroom.editor, files, self._newsroom.clock())
        assert uploaded.refused == {}
        return uploaded.files[0]

    def describe(self, file: MediaFile, details: MediaDetails) -> None:
        """Say what a picture shows."""
        describe(self._newsroom.database, self._newsroom.editor, file.name, details, self._newsroom.clock())

    def delete(self, file: MediaFile) -> None:
        """Delete a file that nothing uses."""
        delete_file(self._place, self._newsroom.editor, file, self._newsroom.clock())


def killed_write_back(newsroom: Newsroom) -> None:
    """Write the files of all changes, and end before the store notes any of it."""
    settings = newsroom.site.settings
    writing = Writing(newsroom.database, settings, open_library(settings), newsroom.clock(), is_trial=False)
    for group in writing.groups(newsroom.open_changes()):
        plan = newsroom.database.read(writing.plan, group)
        writing.announce(group, plan)
        carry_out(newsroom.folder, settings.state_dir, plan)
