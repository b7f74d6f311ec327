"""Reviews: a writer submits, an editor publishes or sends back; notes on entries and on words of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.mail import Mail
from sitecms.content.query import Window
from sitecms.content.review import MAX_ACTS_PER_HOUR, MAX_NOTES, Note
from sitecms.content.status import Status
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.mails import find_mails
from sitecms.store.accounts.users import get_user, set_email
from sitecms.store.entries.notes import find_notes, insert_note
from sitecms.store.entries.reviews import find_review
from tests.support.entries import MakeItem, MakePage, MakePost, MakeToken

from .conftest import Browser, EntryForm, SignedIn
from .forms import press

pytestmark = pytest.mark.both_engines


def open_and_press(browser: Browser, address: str, do: str, **typed: Any) -> Browser:
    """Open a form, and press a button of it."""
    browser.get(address)
    press(browser, do, **typed)
    return browser


def mails(runtime: Runtime) -> list[Mail]:
    """The e-mails that were stored, oldest first."""
    with runtime.database.reading() as session:
        return [*find_mails(session, None, Window(100)).entries][::-1]


def told(runtime: Runtime) -> list[tuple[str, str]]:
    """Kind and recipient of each."""
    return [(each.kind.value, each.address.partition("@")[0]) for each in mails(runtime)]


@pytest.fixture
def team(runtime: Runtime, signed_in: SignedIn) -> dict[str, Browser]:
    """A writer, two editors and an admin, all with addresses."""
    roles = {"wren": Role.WRITER, "ed": Role.EDITOR, "flo": Role.EDITOR, "mira": Role.ADMIN}
    browsers = {name: signed_in(role, name=name) for name, role in roles.items()}
    with runtime.database.writing() as transaction:
        for name in roles:
            set_email(transaction, get_user(transaction, name), f"{name}@tide.example")
    return browsers


@pytest.fixture
def draft(make_post: MakePost) -> str:
    """The address of a draft of the writer."""
    return f"/studio/posts/{make_post('calm', status=Status.DRAFT, author='ann-ray', summary='Two tides a day.')}/"


def test_writer_submits_and_editor_publishes(runtime: Runtime, team: dict[str, Browser], draft: str) -> None:
    """What was typed is saved with it; every editor and admin is told, and the writer when it is published."""
    wren, ed = team["wren"], team["ed"]
    open_and_press(wren, draft, "review:submit", summary="Two tides, twice.", review_message="Is the \nsum right?")
    assert "Submitted for review." in wren.text
    assert "You submitted it for review" in wren.text
    assert "in review" in wren.text
    assert 'value="review:submit"' not in wren.page
    assert told(runtime) == [("submitted", "ed"), ("submitted", "flo"), ("submitted", "mira")]
    assert mails(runtime)[0].values["note"] == "Is the \nsum right?"
    ed.get("/studio/posts/")
    assert "Waiting for your review" in ed.text
    assert f'href="{draft}"' in ed.page
    ed.get(draft)
    assert "wren submitted it for review" in ed.text
    assert "It waits for you, or anybody who may publish it." in ed.text
    assert "Is the" in ed.text
    assert "Two tides, twice." in ed.page
    press(ed, "publish")
    assert "Published." in ed.text
    assert "in review" not in ed.text
    assert told(runtime)[3:] == [("published", "wren")]
    assert mails(runtime)[-1].values["by"] == "ed"
    assert "Waiting for your review" not in ed.get("/studio/posts/").get_data(as_text=True)


@pytest.mark.parametrize("kind", EntryKind)
def test_every_list_shows_what_is_in_review(
    team: dict[str, Browser], make_post: MakePost, make_page: MakePage, make_item: MakeItem, kind: EntryKind
) -> None:
    """A list of pages or items does as that of posts."""
    makers: dict[EntryKind, Callable[[], object]] = {
        EntryKind.POST: lambda: make_post("calm", status=Status.DRAFT),
        EntryKind.PAGE: lambda: make_page("knots", {}, status=Status.DRAFT),
        EntryKind.ITEM: lambda: make_item(1, {"name": "Ann"}, status=Status.DRAFT),
    }
    made = makers[kind]()
    entry_id = made if isinstance(made, int) else 1
    entries = KINDS[kind].list_address("team")
    ed = open_and_press(team["ed"], KINDS[kind].form_address(entry_id, "team"), "review:submit")
    assert "Submitted for review." in ed.text
    team["flo"].get(entries)
    assert ">in review</span>" in team["flo"].page


def test_new_post_is_submitted_at_once(runtime: Runtime, team: dict[str, Browser]) -> None:
    """It is created as a draft."""
    wren = open_and_press(team["wren"], "/studio/posts/new/", "review:submit", title="Neap tide", body="Low.")
    assert "Submitted for review." in wren.text
    assert wren.value_of("revision")
    assert [kind for kind, _name in told(runtime)] == ["submitted"] * 3


def test_assigned_editor_sends_back_and_writer_submits_again(
    runtime: Runtime, team: dict[str, Browser], draft: str
) -> None:
    """One editor is told; the writer gets the message, which also stands among the notes."""
    wren, ed, flo = team["wren"], team["ed"], team["flo"]
    with runtime.database.reading() as session:
        ids = {name: get_user(session, name).id for name in ("wren", "ed", "flo")}
    open_and_press(wren, draft, "review:submit", reviewer=ids["wren"])
    assert "Choose somebody who may publish it." in wren.text
    open_and_press(wren, draft, "review:submit", reviewer=ids["flo"])
    assert told(runtime) == [("submitted", "flo")]
    assert "Waiting for your review" not in ed.get("/studio/posts/").get_data(as_text=True)
    ed.get("/studio/reviews/")
    assert "Waiting for others 1 Calm by wren for flo" in ed.text
    flo.get("/studio/reviews/")
    assert "Waiting for you 1 Calm" in flo.text
    ed.get(draft)
    assert "It waits for flo." in ed.text
    press(ed, "review:assign", reviewer=ids["ed"])
    assert "The review is assigned." in ed.text
    assert told(runtime)[1:] == []  # whoever takes it over needs no message
    open_and_press(flo, draft, "review:assign", reviewer=ids["flo"])
    open_and_press(ed, draft, "review:assign", reviewer=ids["flo"])
    flo.get(draft)
    assert "It waits for you." in flo.text
    press(flo, "review:send-back", review_message="Please name the source.", summary="Two tides a day")
    assert "Sent back, and saved as a draft." in flo.text
    assert told(runtime)[-1] == ("sent-back", "wren")
    wren.get(draft)
    assert "flo sent it back to you" in wren.text
    assert "Please name the source." in wren.text
    assert "sent back" in wren.text
    wren.get("/studio/posts/")
    assert "Sent back to you" in wren.text
    wren.get("/studio/posts/?review=sent-back")
    assert "1 entry found." in wren.text
    open_and_press(wren, draft, "review:submit")
    wren.get("/studio/posts/?review=sent-back")
    assert "No post matches." in wren.text
    wren.get("/studio/posts/?review=waiting")
    assert "draft in review" in wren.text
    assert "Sent back to you" not in wren.get("/studio/posts/").get_data(as_text=True)


def test_writer_takes_a_text_back(runtime: Runtime, team: dict[str, Browser], draft: str) -> None:
    """Other writers cannot; a decision that comes late is refused with what was typed."""
    wren, ed = team["wren"], team["ed"]
    open_and_press(wren, draft, "review:submit")
    ed.get(draft)
    open_and_press(wren, draft, "review:withdraw")
    assert "It waits for no review." in wren.text
    assert press(ed, "review:send-back", review_message="Late").status_code == 400
    assert "does not wait for a review any more" in ed.text


def test_scheduled_text_waits_no_more(runtime: Runtime, team: dict[str, Browser], draft: str) -> None:
    """The writer is told when it will be published."""
    open_and_press(team["wren"], draft, "review:submit")
    ed = open_and_press(team["ed"], draft, "schedule", scheduled_at="2099-03-01T12:00")
    assert "Scheduled." in ed.text
    assert "in review" not in ed.text
    assert told(runtime)[3:] == [("published", "wren")]
    assert mails(runtime)[-1].values["scheduled_at"].startswith("2099-03-01T12:00")


def test_text_that_cannot_be_scheduled_still_waits(runtime: Runtime, team: dict[str, Browser], draft: str) -> None:
    """The change was accepted, and a worker refused it: nothing is approved, and the writer gets no e-mail."""
    open_and_press(team["wren"], draft, "review:submit")
    picture = "https://pictures.example/none.png"
    ed = open_and_press(team["ed"], draft, "schedule", scheduled_at="2099-03-01T12:00", featured_image=picture)
    assert "The remote file could not be found (HTTP 404)." in ed.text
    ed.get(draft)
    assert "It waits for you, or anybody who may publish it." in ed.text
    assert ("published", "wren") not in told(runtime)


def test_changes_of_a_published_post_are_reviewed(
    runtime: Runtime, team: dict[str, Browser], make_post: MakePost
) -> None:
    """Nothing can be submitted where nothing was changed; the review ends when the changes are published."""
    address = f"/studio/posts/{make_post('flood', author='ann-ray', summary='old')}/"
    wren, ed = team["wren"], team["ed"]
    wren.get(address)
    assert 'value="review:submit"' not in wren.page
    press(wren, "save", summary="new")
    press(wren, "review:submit")
    assert "Submitted for review." in wren.text
    open_and_press(ed, address, "publish")
    assert told(runtime)[3:] == [("published", "wren")]
    assert "in review" not in ed.get(address).get_data(as_text=True)


def test_review_of_another_user_is_not_replaced(runtime: Runtime, team: dict[str, Browser], draft: str) -> None:
    """By a form that was opened before: the first one waits on, and is told in the end."""
    wren, ed = team["wren"], team["ed"]
    ed.get(draft)
    open_and_press(wren, draft, "review:submit")
    press(ed, "review:submit", review_message="Look, please.")
    assert "wren has submitted it for review already." in ed.text
    post_id = int(draft.rstrip("/").rpartition("/")[2])
    with runtime.database.reading() as session:
        review = find_review(session, EntryKind.POST, post_id, "en")
        assert review is not None
        assert review.submitted_by == get_user(session, "wren").id
        assert find_notes(session, EntryKind.POST, post_id, "en") == ()


def test_every_kind_is_reviewed_by_another_editor(runtime: Runtime, team: dict[str, Browser], entry: EntryForm) -> None:
    """Editors submit what they could publish to somebody else."""
    ed, flo = team["ed"], team["flo"]
    ed.get(entry.address)
    press(ed, "save", **{entry.text.replace(".", "__"): "changed"})
    press(ed, "review:submit", review_message="Look at the secret word.")
    assert "Submitted for review." in ed.text
    assert ("submitted", "flo") in told(runtime)
    flo.get(entry.address)
    assert "ed submitted it for review" in flo.text
    with runtime.database.reading() as session:
        review = find_review(session, entry.kind, entry.id, "en")
        (note,) = find_notes(session, entry.kind, entry.id, "en")
    assert review is not None
    assert note.text == "Look at the secret word."
    press(flo, "publish")
    assert entry.live() == "changed"
    assert ("published", "ed") in told(runtime)
    with runtime.database.reading() as session:
        assert find_review(session, entry.kind, entry.id, "en") is None
        assert len(find_notes(session, entry.kind, entry.id, "en")) == 1


def test_notes_stand_beside_the_words_that_they_are_about(
    runtime: Runtime, team: dict[str, Browser], draft: str
) -> None:
    """Found whatever their spaces and markup; marked when they are gone; answered, done, opened again, deleted."""
    wren, ed = team["wren"], team["ed"]
    open_and_press(ed, draft, "review:note", quote="Two  tides\na", note="Which coast?\n<b>")
    assert "The note is added." in ed.text
    assert "Which coast?" in ed.text
    assert "&lt;b&gt;" in ed.page
    assert told(runtime) == [("note", "wren")]
    wren.get(draft)
    assert '<blockquote><button type="button" class="plain" data-notes' in wren.page
    assert "not in the text any more" not in wren.text
    with runtime.database.reading() as session:
        (note,) = find_notes(session, EntryKind.POST, int(draft.split("/")[-2]), "en")
    press(wren, f"review:answer:{note.id}", **{f"answer-{note.id}": "The northern one."})
    assert "The northern one." in wren.text
    assert told(runtime)[1:] == [("note", "ed")]
    assert mails(runtime)[-1].values["quote"] == "Two  tides\na"
    press(wren, f"review:done:{note.id}", summary="Tides: two a day.")
    assert "Done: wren" in wren.text
    assert "not in the text any more" in wren.text
    press(wren, f"review:open:{note.id}")
    assert "Done:" not in wren.text
    assert press(wren, f"review:delete:{note.id}").status_code == 400
    assert "Only who wrote a note" in wren.text
    open_and_press(ed, draft, f"review:delete:{note.id}")
    assert "Which coast?" not in ed.text
    assert "The northern one." not in ed.text
    assert press(ed, f"review:answer:{note.id}", **{f"answer-{note.id}": "x"}).status_code == 400
    assert "There is no such note any more." in ed.text


def test_empty_and_long_notes_are_refused_with_what_was_typed(team: dict[str, Browser], draft: str) -> None:
    """What was typed in the text stays too, and is saved."""
    ed = open_and_press(team["ed"], draft, "review:note", summary="Three tides.", note="  ")
    assert "Write something." in ed.text
    assert "Three tides." in ed.page
    open_and_press(ed, draft, "review:note", note="x" * 5001)
    assert "Use at most 5,000 characters." in ed.text
    assert "x" * 5001 in ed.page
    for button in ("review:nonsense", "review:done:0", "review:done:x", "review:"):
        ed.get(draft)
        assert press(ed, button).status_code in (400, 404)


def test_writers_see_no_notes_on_texts_of_others(team: dict[str, Browser], make_post: MakePost) -> None:
    """Nor may they write any."""
    address = f"/studio/posts/{make_post('theirs', author='bo-lind')}/"
    open_and_press(team["ed"], address, "review:note", note="Between us.")
    wren = team["wren"]
    wren.get(address)
    assert "Between us." not in wren.text
    assert press(wren, "review:note", note="Hello?").status_code == 403


def test_notes_and_reviews_go_with_their_entry(runtime: Runtime, team: dict[str, Browser], draft: str) -> None:
    """Into the trash, where they wait for nobody, and back."""
    wren, ed = team["wren"], team["ed"]
    open_and_press(wren, draft, "review:submit", review_message="Ready.")
    open_and_press(wren, draft, "delete")
    assert "Waiting for your review" not in ed.get("/studio/posts/").get_data(as_text=True)
    with runtime.database.reading() as session:
        assert len(find_notes(session, EntryKind.POST, int(draft.split("/")[-2]), "en")) == 1


def test_notes_are_in_no_answer_build_or_export(
    runtime: Runtime, team: dict[str, Browser], make_post: MakePost, make_token: MakeToken, tmp_path: Path
) -> None:
    """They are data of the studio, which a backup of the store has alone."""
    secret, post_id = "a word between us", make_post("flood", author="ann-ray", body="<p>The flood.</p>")
    ed = open_and_press(team["ed"], f"/studio/posts/{post_id}/", "review:note", note=secret, quote="The flood.")
    assert secret in ed.text
    headers = {"Authorization": f"Token {make_token('reader')}"}
    for path in ("/v2/posts/flood/", "/v2/posts/", "/v2/posts/search/?query=between", "/v2/feeds/rss/"):
        answer = ed.client.get(path, headers=headers)
        assert answer.status_code == 200, path
        assert secret not in answer.get_data(as_text=True), path
    folder = runtime.settings.folder
    for arguments in (("export", folder, tmp_path / "files"), ("build", folder, "--no-load")):
        result = CliRunner().invoke(cli, [str(each) for each in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    written = [*(tmp_path / "files").rglob("*"), *(folder / "public").rglob("*")]
    assert any(path.suffix == ".html" for path in written)
    assert [path for path in written if path.is_file() and secret.encode() in path.read_bytes()] == []


def test_an_entry_has_so_many_notes_at_most(runtime: Runtime, team: dict[str, Browser], draft: str) -> None:
    """Its page shows all. Another one is refused with what was typed, and one that is deleted makes room."""
    post_id = int(draft.split("/")[-2])
    with runtime.database.writing() as transaction:
        ed = get_user(transaction, "ed")
        note = Note(0, EntryKind.POST, post_id, "en", None, ed.id, runtime.clock(), "Low.")
        ids = [insert_note(transaction, note) for _ in range(MAX_NOTES)]
    open_and_press(team["ed"], draft, "review:note", note="One more.")
    assert f"There are {MAX_NOTES} notes already" in team["ed"].text
    assert "One more." in team["ed"].page
    open_and_press(team["ed"], draft, f"review:delete:{ids[0]}")
    open_and_press(team["ed"], draft, "review:note", note="One more.")
    with runtime.database.reading() as session:
        assert [each.text for each in find_notes(session, EntryKind.POST, post_id, "en")][-1] == "One more."
    assert told(runtime) == [("note", "wren")]


def test_a_user_sends_so_many_notes_and_reviews_within_an_hour(
    runtime: Runtime, team: dict[str, Browser], draft: str
) -> None:
    """No more e-mail, whatever the button; others, and the same user an hour later, go on."""
    at = runtime.clock()
    with runtime.database.writing() as transaction:
        for number in range(MAX_ACTS_PER_HOUR):
            user = get_user(transaction, "wren")
            record_action(transaction, user, "write note" if number % 2 else "submit for review", "post", at)
    for do, typed in (("review:note", {"note": "Sure?"}), ("review:submit", {})):
        open_and_press(team["wren"], draft, do, **typed)
        assert f"You have sent {MAX_ACTS_PER_HOUR} notes and reviews within an hour" in team["wren"].text
    assert mails(runtime) == []
    open_and_press(team["ed"], draft, "review:note", note="Sure.")
    assert told(runtime) == [("note", "wren")]
    with runtime.database.writing() as transaction:
        transaction.sql("UPDATE audit_entry SET at = at - ?", 3_600_000_001)
    open_and_press(team["wren"], draft, "review:submit")
    assert "Submitted for review." in team["wren"].text
