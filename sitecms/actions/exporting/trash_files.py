"""Files of entries in the trash, in a folder that no command reads."""

from sitecms.actions.exporting.entry_files import EntryWriter, post_files
from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.content.change import EntryKind
from sitecms.content.locale import Locales
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session
from sitecms.store.entries.items import versions_of_items
from sitecms.store.entries.pages import versions_of_pages
from sitecms.store.entries.posts import find_markdown, get_trashed_post
from sitecms.store.entries.trash import find_trash
from sitecms.store.site_state import documents

TRASH = "trash/"


def trash_files(session: Session, settings: SiteSettings, media: MediaPaths, notes: list[str]) -> dict[str, bytes]:
    """Return the files of entries in the trash, with their ids in their names, since names may be used again."""
    ids: dict[EntryKind, list[int]] = {kind: [] for kind in EntryKind}
    for trashed in find_trash(session):
        ids[trashed.kind].append(trashed.id)
    writer = EntryWriter(
        documents.load_content_schema(session), Locales(settings.locales, settings.default_locale), media, notes
    )
    files: dict[str, bytes] = {}
    for post_id in ids[EntryKind.POST]:
        post = get_trashed_post(session, post_id)
        text = find_markdown(session, post_id)
        made = post_files((post,), {post.group_id: post}, media, post.locale, lambda _id, text=text: text)  # type: ignore[misc]
        files |= {_in_trash(path, post_id): data for path, data in made}
    for page_id in ids[EntryKind.PAGE]:
        versions = versions_of_pages(session, (page_id,), in_trash=True)
        files |= {_in_trash(path, page_id): data for path, data in writer.page_files(versions)}
    for item_id in ids[EntryKind.ITEM]:
        items = versions_of_items(session, (item_id,), in_trash=True)
        files |= {_in_trash(path, item_id): data for path, data in writer.item_files(items)}
    return files


def _in_trash(path: str, entry_id: int) -> str:
    """Return `trash/posts/calm-7.md` for `content/posts/calm.md`."""
    name, _, ending = path.removeprefix("content/").rpartition(".")
    return f"{TRASH}{name}-{entry_id}.{ending}"
