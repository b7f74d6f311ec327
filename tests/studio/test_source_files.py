"""Entries that live in files of the site folder too: told in their forms, and what a later load does with edits."""

import re
from datetime import timedelta

from msgspec.structs import replace

from sitecms.actions.loading import load_site
from sitecms.clock import now
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.settings.files import WriteBack
from sitecms.store.entries.bodies import find_markdown

from .conftest import Browser, MakeUser, open_with
from .forms import form_of, press

POST = "---\ntitle: {title}\nstatus: published\nauthor: ann-ray\n---\nThe tide.\n"
PATH = "content/posts/calm.md"


def test_file_that_changes_meanwhile_is_told(editor: Browser, runtime: Runtime) -> None:
    """The form names the file; a load keeps a draft with a line, and a published edit in trash and history."""
    file = runtime.settings.folder / PATH
    file.parent.mkdir(parents=True)

    def load(title: str, hours: int) -> str:
        file.write_text(POST.format(title=title), encoding="utf-8")
        report = load_site(runtime.database, runtime.settings, now() + timedelta(hours=hours))
        assert report.errors == ()
        return "\n".join(report.notes)

    load("From the file", 0)
    with runtime.database.reading() as session:
        ((post_id,),) = session.sql("SELECT id FROM entry WHERE kind = 'post' AND slug = 'calm' AND deleted_at IS NULL")
    path = f"/studio/posts/{post_id}/"
    editor.get(path)
    assert f"Also in the file {PATH} on the server, last loaded or written" in editor.text
    assert "where both changed the same place, the file counts" in editor.text
    press(editor, "save", title="A draft")
    assert "editor saved a draft of this post in the studio" in load("Changed in the file", 1)
    editor.get(path)
    assert form_of(editor)["title"] == "A draft"
    assert f"That version was changed after the draft was saved (Loaded from {PATH}" in editor.text
    press(editor, "publish", title="Published here")
    editor.get(path)
    assert "It was changed here since" in editor.text
    open_form = form_of(editor)["revision"]
    load("Changed again", 2)
    assert press(editor, "save", summary="typed meanwhile", revision=open_form).status_code == 412
    assert f"A load of {PATH} changed this meanwhile" in editor.text
    assert (form_of(editor)["title"], form_of(editor)["summary"]) == ("Changed again", "typed meanwhile")
    editor.get(f"{path}history/")
    assert editor.text.count(f"Loaded from {PATH}") == 2
    assert "Published by editor" in editor.text


def test_first_load_stands_in_the_history_at_its_own_time(editor: Browser, runtime: Runtime) -> None:
    """Not at the time of publication that the file names; also once the entry was changed in the studio."""
    file = runtime.settings.folder / PATH
    file.parent.mkdir(parents=True)
    file.write_text(POST.format(title="Calm").replace("author:", "published: 2019-01-01\nauthor:"), encoding="utf-8")
    at = now().replace(microsecond=0) - timedelta(days=40)
    assert load_site(runtime.database, runtime.settings, at).errors == ()
    with runtime.database.reading() as session:
        ((post_id,),) = session.sql("SELECT id FROM entry WHERE kind = 'post' AND slug = 'calm'")
    path, loaded = f"/studio/posts/{post_id}/", f'<time datetime="{at.isoformat()}">'
    editor.get(f"{path}history/")
    assert (loaded in editor.page, "Jan 2019" in editor.text) == (True, False)
    editor.get(path)
    press(editor, "publish", title="Changed")
    editor.get(f"{path}history/")
    assert (loaded in editor.page, "Jan 2019" in editor.text) == (True, False)


def test_rich_text_stays_until_the_file_changes(editor: Browser, runtime: Runtime) -> None:
    """Turned into rich text and published: the file keeps its bytes, and its text is back once it changes."""
    file = runtime.settings.folder / PATH
    file.parent.mkdir(parents=True)

    def load(text: str, hours: int) -> str | None:
        file.write_text(POST.format(title="Calm") + text, encoding="utf-8")
        assert load_site(runtime.database, runtime.settings, now() + timedelta(hours=hours)).errors == ()
        with runtime.database.reading() as session:
            ((post_id,),) = session.sql(
                "SELECT id FROM entry WHERE kind = 'post' AND slug = 'calm' AND deleted_at IS NULL"
            )
            return find_markdown(session, post_id)

    assert load("", 0) == "The tide.\n"
    editor.get("/studio/posts/")
    (path,) = set(re.findall(r"/studio/posts/\d+/", editor.page))
    editor.get(path)
    press(editor, "ask-rich-text")
    assert f"The post also lives in {PATH} . Once you publish, its text there becomes HTML." in editor.text
    editor.get(path)
    press(editor, "to-rich-text")
    press(editor, "publish")
    assert file.read_text(encoding="utf-8") == POST.format(title="Calm")
    assert load("", 1) is None
    assert load("\nIt turns.\n", 2) == "The tide.\n\nIt turns.\n"
    editor.get(f"{path}history/")
    assert "Published by editor" in editor.text


def test_rich_text_is_not_said_to_be_written_where_files_are_closed(make_user: MakeUser, runtime: Runtime) -> None:
    """With `write_back = false` the page says that the file keeps its Markdown."""
    make_user("editor", Role.EDITOR)
    file = runtime.settings.folder / PATH
    file.parent.mkdir(parents=True)
    file.write_text(POST.format(title="Calm"), encoding="utf-8")
    assert load_site(runtime.database, runtime.settings, now()).errors == ()
    files = replace(runtime.settings.files, write_back=WriteBack.OFF)
    editor = open_with(runtime, "editor", files=files)
    editor.get("/studio/posts/")
    (path,) = set(re.findall(r"/studio/posts/\d+/", editor.page))
    editor.get(path)
    press(editor, "ask-rich-text")
    assert f"The post also lives in {PATH} . The studio never writes into that file" in editor.text
