"""Housekeeping removes what has had its time, and nothing that anything still names."""

import json
import os
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from PIL import Image

from sitecms.actions.accounts.links import invite
from sitecms.actions.accounts.sessions import remember
from sitecms.actions.accounts.users import add_user
from sitecms.actions.operations.housekeeping import Removed, remove_expired, remove_unused_media
from sitecms.actions.writing.entry_events import record_event
from sitecms.actions.writing.trash import delete_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails
from sitecms.content.query import Window
from sitecms.content.status import Status
from sitecms.content.user import DEVICE_LONGEST, SESSION_IDLE, Role
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import DeliveryStatus
from sitecms.content.writes import BuiltInFields, Operation, Save, Write, WriteStatus
from sitecms.media.library import MediaLibrary, open_library
from sitecms.media.storage import LocalStorage
from sitecms.settings.operations import Housekeeping
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.audit import find_actions, record_action
from sitecms.store.accounts.sessions import find_sessions, insert_session
from sitecms.store.accounts.users import insert_user
from sitecms.store.database import Database
from sitecms.store.entries.media_files import all_media, keep_upload, save_details, save_media
from sitecms.store.entries.trash import remove_for_good
from sitecms.store.writes.deliveries import claim_delivery, find_attempts, find_deliveries, settle
from sitecms.store.writes.webhooks import insert_webhook
from sitecms.store.writes.writes import find_writes, insert_write
from tests.actions.conftest import SiteFolder
from tests.support.pictures import image_bytes
from tests.support.reading import select

Make = Callable[..., int]
KEEP = Housekeeping(
    keep_writes_days=30, keep_deliveries_days=7, keep_media_days=2, keep_revisions=3, keep_published_revisions=2,
    keep_unsaved_days=9, keep_audit_days=100,
)  # fmt: skip


@pytest.fixture
def library(site: SiteSettings) -> MediaLibrary:
    """The site's media."""
    return open_library(site)


@pytest.fixture
def add(store: Database, library: MediaLibrary, noon: datetime) -> Callable[[str], str]:
    """Add a picture of that colour to the library, at noon; gives its address."""

    def make(color: str) -> str:
        media = library.add(image_bytes(Image.new("RGB", (2, 2), color), "PNG"), f"{color}.png", noon)
        os.utime(library.path(media.name), (noon.timestamp(),) * 2)
        store.write(save_media, media)
        return media.url

    return make


def write_of(name: str, status: WriteStatus, at: datetime | None, image: str = "") -> Write:
    return Write(
        id=name, sequence=0, kind=EntryKind.POST, operation=Operation.UPDATE, entry_key=f"post/{name}", entry_id=7,
        payload=Save(built_in=BuiltInFields(featured_image=image)), status=status, attempt=0, errors={},
        accepted_at=datetime.fromisoformat("2026-01-01T00:00Z"),
        finished_at=at,
    )  # fmt: skip


def test_old_writes_go(store: Database, library: MediaLibrary, noon: datetime) -> None:
    """Applied and rejected ones, counted from their end; open and failed ones stay, and so does the time itself."""
    old, young = noon - timedelta(days=30, microseconds=1), noon - timedelta(days=30)
    with store.writing() as transaction:
        for name, status, at in (
            ("applied", WriteStatus.APPLIED, old), ("rejected", WriteStatus.REJECTED, old),
            ("failed", WriteStatus.FAILED, old), ("open", WriteStatus.ACCEPTED, None),
            ("young", WriteStatus.APPLIED, young),
        ):  # fmt: skip
            insert_write(transaction, write_of(name, status, at))
    before = store.change_number()
    removed = remove_expired(store, library, KEEP, noon)
    assert removed == Removed(writes=2, deliveries=0, media=0, revisions=0, unsaved=0, actions=0, mails=0)
    assert {write.id for write in store.read(find_writes, None, 10)} == {"failed", "open", "young"}
    assert store.change_number() == before
    assert not remove_expired(store, library, KEEP, noon)


def test_ended_sessions_go(store: Database, library: MediaLibrary, noon: datetime) -> None:
    """Even if nobody signs in any more; current ones stay."""
    with store.writing() as transaction:
        user = insert_user(transaction, "mira", Role.EDITOR, "", "hash", noon)
        insert_session(transaction, "old", user, noon, "", "")
        insert_session(transaction, "new", user, noon + SESSION_IDLE, "", "")
    remove_expired(store, library, KEEP, noon + SESSION_IDLE + timedelta(seconds=1))
    assert [each.digest for each in store.read(find_sessions, user.id)] == ["new"]


def test_old_messages_go_with_their_log(store: Database, library: MediaLibrary, noon: datetime) -> None:
    """More than one chunk of them; what waits stays, however old."""
    with store.writing() as transaction:
        webhook_id = insert_webhook(transaction, "https://hooks.example/", ["*"], "whsec_", {}, noon)
        for _ in range(1203):
            record_event(transaction, Event(EventKind.POST_DRAFT, {}), noon)
        claimed = [claim_delivery(transaction, webhook_id, "me", noon, timedelta(days=99)) for _ in range(1202)]
        for number, delivery in enumerate(claimed):
            assert delivery is not None
            status = DeliveryStatus.DELIVERED if number % 2 else DeliveryStatus.FAILED
            ended_at = noon + timedelta(days=5) if number == 0 else noon
            assert settle(transaction, delivery, status, 0, noon, ended_at)
    removed = remove_expired(store, library, KEEP, noon + timedelta(days=7, seconds=1))
    assert removed == Removed(writes=0, deliveries=1201, media=0, revisions=0, unsaved=0, actions=0, mails=0)
    with store.reading() as session:
        kept = find_deliveries(session, webhook_id, None, 10)
        assert [len(find_attempts(session, delivery.id)) for delivery in kept] in ([0, 1], [1, 0])
        assert session.sql("SELECT count(*) FROM delivery_attempt") == [(1,)]


def test_used_media_stay(
    store: Database, library: MediaLibrary, add: Callable[[str], str], make_post: Make,
    make_author: Callable[..., str], noon: datetime,
) -> None:  # fmt: skip
    """Bodies, featured images, drafts, the trash, authors and accepted writes use media; unused media are removed."""
    used = {color: add(color) for color in ("red", "green", "blue", "teal", "navy", "white")}
    unused = add("black")
    make_post("live", body=f'<p>The sea.</p><img src="{used["red"]}" alt="">')
    make_post("draft", status=Status.DRAFT, featured_image=used["green"])
    trashed = make_post("trashed", featured_image=used["blue"])
    make_author("bo", profile_image=used["teal"])
    with store.writing() as transaction:
        delete_entry(transaction, EntryKind.POST, trashed, noon)
        image = f"https://tide.example{used['navy']}"
        insert_write(transaction, write_of("open", WriteStatus.ACCEPTED, None, image))
        fields = json.dumps({"cover": {"url": used["white"]}})
        transaction.sql(
            "INSERT INTO entry (kind, id, type, slug, origin, created_at) VALUES ('page', 1, '', 'a', 'api', 0)"
        )
        transaction.sql(
            "INSERT INTO version (kind, entry_id, locale, version, status, fields_json, created_at, updated_at)"
            " VALUES ('page', 1, 'en', 'draft', 'draft', ?, 0, 0)",
            fields,
        )
    late = noon + timedelta(days=3)
    assert remove_expired(store, library, KEEP, late).media == 1
    assert {media.url for media in store.read(all_media).values()} == set(used.values())
    assert {f"/media/{path.name}" for path in library.folder.iterdir()} == set(used.values())
    assert not library.exists(unused.removeprefix("/media/"))
    assert store.write(remove_for_good, late) == 1
    assert remove_expired(store, library, KEEP, late).media == 1
    assert not library.exists(used["blue"].removeprefix("/media/"))


def test_young_media_stay(store: Database, library: MediaLibrary, add: Callable[[str], str], noon: datetime) -> None:
    """An old file that was added again is young too: an entry is about to use it."""
    name = add("black").removeprefix("/media/")
    assert remove_unused_media(store, library, noon) == 0
    library.add(library.path(name).read_bytes(), "again.png", noon)
    assert remove_unused_media(store, library, noon + timedelta(seconds=1)) == 0
    assert not library.storage.remove((name,), noon + timedelta(seconds=1))
    assert library.exists(name)
    assert [path.name for path in library.folder.iterdir()] == [name]


def test_uploaded_and_described_media_stay(
    store: Database, library: MediaLibrary, add: Callable[[str], str], noon: datetime
) -> None:
    """A person put them there, and deletes them."""
    names = [add(color).removeprefix("/media/") for color in ("red", "green", "blue", "teal")]
    with store.writing() as transaction:
        keep_upload(transaction, names[0])
        save_details(transaction, names[1], MediaDetails(focus_x=51))
        save_details(transaction, names[3], MediaDetails(tags=("Sea",)))
    assert remove_unused_media(store, library, noon + timedelta(days=1)) == 1
    assert [library.exists(name) for name in names] == [True, True, False, True]


def test_media_of_loaded_files_stay(folder: SiteFolder) -> None:
    """Loaded once, named by what the files say; a file that is loaded again finds its picture."""
    folder.image("media/sea.png")
    folder.guide("start", fields={"headline": "Start", "image": "media/sea.png"})
    folder.post("one", "![The sea](media/sea.png)")
    assert folder.load().errors == ()
    library = MediaLibrary(LocalStorage(folder.folder / ".sitecms" / "media"))
    for path in library.folder.iterdir():
        os.utime(path, (0, 0))
    assert remove_expired(folder.database, library, KEEP, folder.now).media == 0
    assert len(list(library.folder.iterdir())) == 1


def test_log_sessions_links_and_devices_end(store: Database, library: MediaLibrary, noon: datetime) -> None:
    """Actions after the days that the settings say, in portions; links a month after their end."""
    admin = add_user(store, None, "mira", Role.ADMIN, "", "correct horse battery staple", "Tide", noon)
    invite(store, admin, "", Role.EDITOR, "", noon)
    remember(store, "", admin, noon)
    with store.writing() as transaction:
        for number in range(1_001):
            record_action(transaction, admin, "publish", f"post {number}", noon)
        record_action(transaction, admin, "publish", "post young", noon + timedelta(seconds=1))
    at = noon + timedelta(days=KEEP.keep_audit_days, microseconds=1)
    assert remove_expired(store, library, KEEP, at).actions == 1_003
    with store.reading() as session:
        assert [each.subject for each in find_actions(session, Window(10)).entries] == ["post young"]
        assert session.sql("SELECT count(*) FROM account_link") == [(0,)]
        assert session.sql("SELECT count(*) FROM known_device") == [(1,)]
    remove_expired(store, library, KEEP, noon + DEVICE_LONGEST + timedelta(seconds=1))
    assert select(store, "SELECT count(*) FROM known_device") == [(0,)]
