"""Files that replaced what was written in the studio: said in the form and on the first page, taken back or kept."""

import re
from datetime import timedelta

import pytest

from sitecms.actions.loading import load_site
from sitecms.clock import now
from sitecms.content.kinds import EntryKind
from sitecms.content.revision import Change, ChangeKind, ChangeSource
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.entries.load_conflicts import LoadConflict, find_conflicts, save_conflict
from tests.support.reading import select

from .conftest import Browser, EntryForm, SignedIn
from .forms import form_of, press

pytestmark = pytest.mark.both_engines

POST = "---\ntitle: {title}\nstatus: published\nauthor: ann-ray\ntags: [{tag}]\nsummary: {summary}\n---\n{body}\n"
FIRST = {"title": "Calm", "tag": "moon", "summary": "Old", "body": "One.\n\nTwo.\n\nThree."}
PATH = "content/posts/calm.md"


class ConflictFolder:
    """A site folder with one post, whose file and entry are changed between loads."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.file = runtime.settings.folder / PATH
        self.file.parent.mkdir(parents=True)
        self._hours = 0
        self.load(**FIRST)
        ((self.post_id,),) = select(runtime.database, "SELECT id FROM entry WHERE kind = 'post' AND slug = 'calm'")
        self.address = f"/studio/posts/{self.post_id}/"

    def load(self, **values: str) -> None:
        """Load the file with these values."""
        self.file.write_text(POST.format(**{**FIRST, **values}), encoding="utf-8")
        self._hours += 1
        report = load_site(self.runtime.database, self.runtime.settings, now() + timedelta(hours=self._hours))
        assert report.errors == ()

    def count(self) -> int:
        """Return the number of conflicts in the store."""
        ((count,),) = select(self.runtime.database, "SELECT COUNT(*) FROM load_conflict")
        return int(count)


@pytest.fixture
def folder(editor: Browser, runtime: Runtime) -> ConflictFolder:
    """A site folder with a post that was loaded."""
    return ConflictFolder(runtime)


@pytest.fixture
def replaced(folder: ConflictFolder, editor: Browser) -> ConflictFolder:
    """The folder once its file has replaced a title of the editor, who has opened the form."""
    editor.get(folder.address)
    press(editor, "publish", title="Mine")
    folder.load(title="Of the file")
    editor.get(folder.address)
    return folder


def button(page: str, beginning: str) -> str:
    """Return the value of the first button that begins so."""
    found = re.search(rf'value="({beginning}:\d+)"', page)
    assert found, f"The page has no button {beginning}."
    return found[1]


def test_replaced_title_is_told_and_taken_back(replaced: ConflictFolder, editor: Browser) -> None:
    """Both values and who wrote the former one; it comes into the form, and saving it ends the conflict."""
    editor.get("/studio/posts/")
    assert "A file replaced what was written here Of the file : 1 conflict" in editor.text
    editor.get(replaced.address)
    said = "In the file, and here now added: Of the file (end of what was added) Before: Published by editor,"
    assert f"Title {said}" in editor.text
    assert "Mine" in editor.text
    assert form_of(editor)["title"] == "Of the file"
    press(editor, button(editor.page, "take-back"), summary="typed")
    assert (form_of(editor)["title"], form_of(editor)["summary"]) == ("Mine", "typed")
    assert "It is in the form now." in editor.text
    assert replaced.count() == 1
    press(editor, "publish")
    assert replaced.count() == 0
    editor.get("/studio/posts/")
    assert "A file replaced" not in editor.text
    assert 'href="/studio/posts/' in editor.page
    assert "Mine" in editor.text


def test_value_of_the_file_is_kept(folder: ConflictFolder, editor: Browser) -> None:
    """Keeping changes nothing but the note; what was typed meanwhile stays in the form."""
    editor.get(folder.address)
    press(editor, "publish", title="Mine", summary="My summary")
    folder.load(title="Of the file", summary="Its summary")
    assert folder.count() == 2
    editor.get(folder.address)
    press(editor, button(editor.page, "keep-file"), meta_description="typed")
    assert (form_of(editor)["title"], form_of(editor)["meta_description"]) == ("Of the file", "typed")
    assert "Title In the file" not in editor.text
    editor.get(folder.address)
    press(editor, button(editor.page, "keep-file"))
    assert "Kept as the file says." in editor.text
    assert (folder.count(), form_of(editor)["summary"]) == (0, "Its summary")


def test_part_of_a_text_is_taken_back_where_it_stood(folder: ConflictFolder, editor: Browser) -> None:
    """The rest of the text stays, what was typed since included; tags come back as they were spelt."""
    editor.get(folder.address)
    press(editor, "publish", body="One.\n\nTwo, mine.\n\nThree.", tags="Sun")
    folder.load(body="One.\n\nTwo, of the file.\n\nThree.", tag="Wind")
    editor.get(folder.address)
    press(editor, button(editor.page, "take-back"), body="One, typed.\n\nTwo, of the file.\n\nThree.\n")
    press(editor, button(editor.page, "take-back"))
    typed = form_of(editor)
    assert (typed["body"].split(), typed["tags"]) == (["One,", "typed.", "Two,", "mine.", "Three."], "Sun")


@pytest.mark.parametrize(("do", "typed"), [("save", {}), ("schedule", {"scheduled_at": "2099-07-01T00:00"})])
def test_changes_that_wait_decide(replaced: ConflictFolder, editor: Browser, do: str, typed: dict[str, str]) -> None:
    """A draft over the published post, and one with a time, are saves of the form with the note, too."""
    press(editor, button(editor.page, "take-back"))
    press(editor, do, **typed)
    assert form_of(editor)["title"] == "Mine"
    assert replaced.count() == 0


def test_writer_learns_of_own_posts_alone(replaced: ConflictFolder, signed_in: SignedIn) -> None:
    """A writer may not decide about posts of others, and is not told of them."""
    other, own = (signed_in(Role.WRITER, author, author) for author in ("bo-lind", "ann-ray"))
    for writer, is_told in ((other, False), (own, True)):
        writer.get("/studio/posts/")
        assert ("A file replaced" in writer.text) is is_told
        writer.get(replaced.address)
        assert ("A file replaced" in writer.text) is is_told


@pytest.mark.usefixtures("replaced")
def test_deleted_entry_is_not_listed(editor: Browser) -> None:
    """An entry in the trash waits there with its conflicts."""
    press(editor, "delete")
    editor.get("/studio/posts/")
    assert "A file replaced" not in editor.text


@pytest.mark.parametrize("field", ["{text}", "draft.{text}", "draft", ""])
def test_value_of_each_kind_comes_back(entry: EntryForm, editor: Browser, runtime: Runtime, field: str) -> None:
    """A field, one of a draft, a whole draft, and all that a locale had."""
    if entry.kind is EntryKind.POST and field != "{text}":
        pytest.skip("files have no drafts of posts")
    slug = entry.text.removeprefix("fields.")
    former: object = {slug: "before", "gone": 1} if field in ("draft", "") else "before"
    conflict_in(entry, editor, runtime, field.format(text=entry.text), former)
    assert "Saved by the token ci" in editor.text
    assert "before" in editor.text
    press(editor, button(editor.page, "take-back"))
    assert form_of(editor)[entry.text] == "before"
    press(editor, "publish")
    assert entry.stored()["text"] == "before"
    assert runtime.database.read(find_conflicts, entry.kind, entry.id, "en") == ()


@pytest.mark.parametrize("field", ["status", "aliases", "fields.no_longer_declared"])
def test_what_no_form_has_can_only_be_kept(entry: EntryForm, editor: Browser, runtime: Runtime, field: str) -> None:
    """The note shows it, and says where it is changed."""
    conflict_in(entry, editor, runtime, field, {"en": ["/a/"]} if field == "aliases" else "draft")
    assert "take-back" not in editor.page
    assert "This cannot be changed in the form, only in the file." in editor.text
    press(editor, button(editor.page, "keep-file"))
    assert "A file replaced" not in editor.text


def test_conflict_of_another_entry_is_not_touched(entry: EntryForm, editor: Browser, runtime: Runtime) -> None:
    """Ids of buttons count within the entry; one that is gone, or is no number, changes nothing."""
    conflict_in(entry, editor, runtime, entry.text, "before")
    for name in ("take-back:999", "keep-file:999"):
        press(editor, name)
        assert "A file replaced" in editor.text
        editor.get(entry.address)
    for name in ("take-back:x", f"keep-file:{'9' * 30}"):
        assert press(editor, name).status_code == 404
        editor.get(entry.address)


def conflict_in(entry: EntryForm, editor: Browser, runtime: Runtime, field: str, former: object) -> None:
    """Open the form of an entry in which a file replaced a value."""
    written = Change(now(), ChangeKind.SAVE, ChangeSource.TOKEN, "ci")
    conflict = LoadConflict(
        kind=entry.kind, entry_id=entry.id, locale="en", field=field, value="", former=former, path=PATH,
        written=written, found_at=now(),
    )  # fmt: skip
    runtime.database.write(save_conflict, conflict)
    editor.get(entry.address)
