"""A review ends when all of an entry is published, whatever publishes it; who submitted it is told."""

import pytest

from sitecms.content.kinds import EntryKind
from sitecms.content.mail import Mail, MailKind
from sitecms.content.query import Window
from sitecms.content.review import Review, ReviewState
from sitecms.content.user import Role
from sitecms.store.accounts.mails import find_mails
from sitecms.store.accounts.users import insert_user
from sitecms.store.entries.reviews import find_review, save_review
from tests.actions.conftest import SiteFolder


def submit(folder: SiteFolder, kind: EntryKind, entry_id: int) -> None:
    """Submit an entry in English, by a user who has an address."""
    with folder.database.writing() as transaction:
        user = insert_user(transaction, "wren", Role.WRITER, "bo", "x", folder.now, "wren@tide.example")
        save_review(transaction, Review(kind, entry_id, "en", ReviewState.WAITING, user.id, folder.now))


def is_in_review(folder: SiteFolder, kind: EntryKind, entry_id: int) -> bool:
    return folder.database.read(find_review, kind, entry_id, "en") is not None


def mails(folder: SiteFolder) -> tuple[Mail, ...]:
    return folder.database.read(find_mails, None, Window(10)).entries


@pytest.mark.parametrize("status", ["draft", "published"])
def test_a_file_that_publishes_a_post_ends_its_review(folder: SiteFolder, status: str) -> None:
    """One that only changes it does not."""
    folder.post("ebb", status="draft")
    folder.load()
    post_id = folder.find("ebb").id
    submit(folder, EntryKind.POST, post_id)
    folder.post("ebb", "The sea rises.", status=status)
    folder.load()
    assert is_in_review(folder, EntryKind.POST, post_id) is (status == "draft")
    assert [(each.kind, each.values["title"], each.values["by"]) for each in mails(folder)] == (
        [(MailKind.PUBLISHED, "Ebb", "")] if status == "published" else []
    )


def test_a_draft_over_a_published_page_stays_in_review(folder: SiteFolder) -> None:
    """Until it is published too."""
    draft = {"headline": "Rising"}
    folder.guide("flood", draft={"fields": draft})
    folder.load()
    page_id = folder.page("flood")[0].id
    submit(folder, EntryKind.PAGE, page_id)
    folder.guide("flood", draft={"fields": {"headline": "Rising soon"}})
    folder.load()
    assert is_in_review(folder, EntryKind.PAGE, page_id)
    folder.guide("flood", fields={"headline": "Rising soon"})
    folder.load()
    assert not is_in_review(folder, EntryKind.PAGE, page_id)
    assert [each.kind for each in mails(folder)] == [MailKind.PUBLISHED]
