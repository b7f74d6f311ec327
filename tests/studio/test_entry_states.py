"""Pages and items: scheduled, unpublished, renamed, copied, discarded, deleted in one locale, and brought back."""

from datetime import UTC, timedelta
from typing import Any

import pytest

from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.clock import parse_timestamp
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.site_builds import site_changes
from tests.support.entries import MakePage, MakePost
from tests.support.reading import select

from .conftest import FIELDS, Browser, EntryForm, SignedIn, Versions
from .forms import form_of, press

pytestmark = pytest.mark.both_engines


def test_entry_is_scheduled_published_and_unpublished(editor: Browser, entry: EntryForm, runtime: Runtime) -> None:
    """Readers see the old version until the time has come, and nothing once it is unpublished."""
    before = entry.live()
    editor.get(entry.address)
    assert "Publish the changes later" in editor.text
    assert press(editor, "schedule", **{entry.text: "Spring"}).status_code == 400
    assert "Choose a day and a time." in editor.text
    assert press(editor, "schedule", scheduled_at="2020-01-01T10:00").status_code == 400
    assert form_of(editor)[entry.text] == "Spring"
    press(editor, "schedule", scheduled_at="2099-07-01T10:30")
    assert "Will be published on 1 Jul 2099, 10:30 (UTC). Until then readers see the published version." in editor.text
    press(editor, "save", **{entry.text: "Summer"})
    assert form_of(editor)["scheduled_at"] == "2099-07-01T10:30"  # a saved text keeps its time
    assert (entry.live(), entry.stored()["text"]) == (before, "Summer")
    publish_scheduled(runtime.database, parse_timestamp("2099-07-01T10:31:00Z", UTC), runtime.settings)
    assert (entry.live(), entry.stored()["text"]) == ("Summer", "Summer")
    editor.get(entry.address)
    assert "Will be published" not in editor.text
    changes = runtime.database.read(site_changes)
    press(editor, "unpublish", **{entry.text: "Autumn"})
    assert runtime.database.read(site_changes) == changes + 1  # so that the site is built without it
    assert "Unpublished. It is a draft now." in editor.text
    assert (entry.live(), entry.stored()["text"]) == (None, "Autumn")
    press(editor, "schedule", scheduled_at="2099-08-01T10:30")
    assert "Will be published on 1 Aug 2099" in editor.text
    press(editor, "unschedule")
    assert "Will be published" not in editor.text


def test_new_entry_is_scheduled(editor: Browser, entry: EntryForm) -> None:
    """At once; where no time is given, what was typed stays."""
    names = {} if entry.kind is EntryKind.ITEM else {"title": "Another", "slug": "another"}
    editor.get(entry.new)
    assert press(editor, "schedule", **{entry.text: "Spring"}, **names).status_code == 400
    assert '<a href="#scheduled_at">Publish later</a>: Choose a day and a time.' in editor.page
    assert form_of(editor)[entry.text] == "Spring"
    press(editor, "schedule", scheduled_at="2099-07-01T10:30")
    assert "Will be published on 1 Jul 2099, 10:30 (UTC)." in editor.text
    assert form_of(editor)["scheduled_at"] == "2099-07-01T10:30"


def test_an_entry_that_was_not_published_names_who_has_its_address(
    editor: Browser, runtime: Runtime, make_post: MakePost, page_id: int
) -> None:
    """It stays scheduled until one of them has another address."""
    (page,) = runtime.database.read(VERSIONS[EntryKind.PAGE].of, (page_id,))[:1]
    at = runtime.clock() - timedelta(hours=1)
    post_id = make_post("late", status=Status.SCHEDULED, scheduled_at=at)
    with runtime.database.writing() as transaction:
        path = f'{{"paths": {{"en": "/guide/{page.slug}/"}}}}'
        transaction.sql("UPDATE entry SET addresses_json = ? WHERE id = ? AND kind = 'post'", path, post_id)
    assert publish_scheduled(runtime.database, runtime.clock(), runtime.settings) == 0
    editor.get(f"/studio/posts/{post_id}/")
    assert f"but the page guide/{page.slug} stands at that address, /guide/{page.slug}/." in editor.text
    assert "Will be published" not in editor.text


def test_draft_names_who_saved_it(editor: Browser, admin: Browser, entry: EntryForm) -> None:
    """And whose it is that somebody else may discard."""
    editor.get(entry.address)
    press(editor, "save", **{entry.text: "new"})
    assert "You see the draft that you saved on" in editor.text
    assert "was changed after the draft was saved" not in editor.text
    admin.get(entry.address)
    assert "You see the draft that editor saved on" in admin.text
    assert "Discard editor’s draft" in admin.text


def test_draft_is_discarded(editor: Browser, entry: EntryForm) -> None:
    """What readers see stays, and the history has the draft."""
    before = entry.stored()
    editor.get(entry.address)
    press(editor, "save", **{entry.text: "new"})
    press(editor, "discard")
    assert "The draft changes are discarded." in editor.text
    assert entry.stored() == before
    editor.get(f"{entry.address}history/")
    assert "Draft discarded by editor" in editor.text


def test_new_slug_takes_references_along(
    editor: Browser, page_id: int, make_page: MakePage, versions: Versions, runtime: Runtime
) -> None:
    """A taken, an empty and a reserved slug are told; the old one leads on, and references name the new one."""
    make_page("ropes", {"summary": "taken"})
    linking = make_page("bends", {**FIELDS, "next": "/v2/pages/guide/knots/", "see": ["/v2/pages/guide/knots/"]})
    editor.get(f"/studio/pages/{page_id}/")
    for slug, message in (
        ("ropes", "A page with the slug &#34;ropes&#34; already exists."),
        ("", "You must specify a page slug."),
        ("search", "is an address of the API itself"),
    ):
        assert press(editor, "publish", slug=slug).status_code == 400
        assert message in editor.page
    assert press(editor, "save", slug="all-knots").status_code == 400
    assert "readers see them. They change when you publish" in editor.text
    press(editor, "publish", slug="all-knots", title="All knots")
    assert "Published." in editor.text
    page: Any = versions(page_id)["en", Version.LIVE]
    assert (page.slug, page.title, page.fields) == ("all-knots", "All knots", FIELDS)
    found = versions(linking)["en", Version.LIVE].fields
    assert (found["next"], found["see"]) == ("/v2/pages/guide/all-knots/", ["/v2/pages/guide/all-knots/"])
    assert select(runtime.database, "SELECT slug, entry_id, was_shown FROM former_address") == [("knots", page_id, 1)]


def test_new_page_gets_the_slug_of_its_title(editor: Browser, page_id: int, versions: Versions) -> None:
    """The next free one, where the form has none; a title without letters needs one, and a missing title is enough."""
    editor.get("/studio/pages/new/guide/")
    assert press(editor, "save", title="", fields__summary="x").status_code == 400
    assert "You must specify a page title." in editor.text
    assert "You must specify a page slug." not in editor.text
    assert press(editor, "save", title="!", fields__summary="x").status_code == 400
    assert "You must specify a page slug." in editor.text
    answered = press(editor, "save", title="Knots")
    page: Any = versions(int(answered.request.path.split("/")[-2]))["en", Version.DRAFT]
    first: Any = versions(page_id)["en", Version.LIVE]
    assert (page.slug, first.slug) == ("knots-2", "knots")


def test_the_title_of_a_further_locale_is_its_own(editor: Browser, page_id: int, versions: Versions) -> None:
    """The form shows and changes the title in its locale; that of the first language stays."""
    editor.get(f"/studio/pages/{page_id}/?locale=es")
    press(editor, "publish", title="Nudos", fields__summary="s")
    titles = {locale: getattr(page, "title", "") for (locale, _), page in versions(page_id).items()}
    assert titles == {"en": "Knots", "es": "Nudos"}
    assert form_of(editor)["title"] == "Nudos"
    editor.get(f"/studio/pages/{page_id}/?locale=en")
    assert form_of(editor)["title"] == "Knots"
    press(editor, "publish", title="All knots")
    titles = {locale: getattr(page, "title", "") for (locale, _), page in versions(page_id).items()}
    assert titles == {"en": "All knots", "es": "Nudos"}


def test_names_that_two_people_change_are_told(signed_in: SignedIn, page_id: int, versions: Versions) -> None:
    """The slug that somebody else gave is taken where it was not changed here; of two new titles one is chosen."""
    mine, theirs = signed_in(Role.EDITOR), signed_in(Role.ADMIN)
    for browser in (mine, theirs):
        browser.get(f"/studio/pages/{page_id}/")
    press(theirs, "publish", title="Theirs", slug="theirs")
    assert press(mine, "publish", title="Mine").status_code == 412
    assert "Choose for each field or part of a text that both of you changed" in mine.text
    assert (form_of(mine)["title"], form_of(mine)["slug"]) == ("Mine", "theirs")
    press(mine, "publish", choose__title="mine")
    page: Any = versions(page_id)["en", Version.LIVE]
    assert (page.title, page.slug) == ("Mine", "theirs")


def test_entries_are_copied_with_all_their_locales(
    editor: Browser, page_id: int, make_page: MakePage, runtime: Runtime
) -> None:
    """A copy is a draft of its own with a free slug; of an item it has another name."""
    fields: dict[str, Any] = {**FIELDS, "hero": {**FIELDS["hero"], "image": None}}
    original = make_page("bends", fields)
    editor.get(f"/studio/pages/{page_id}/")
    assert press(editor, "copy").status_code == 400
    assert 'href="#fields.hero.image">Hero: Image</a>: There is no media file /media/x.png.' in editor.page
    editor.get(f"/studio/pages/{original}/?locale=es")
    press(editor, "save", fields__summary="Nudos")
    editor.get(f"/studio/pages/{original}/")
    answered = press(editor, "copy", fields__summary="Typed")
    assert "A copy is created as a draft." in editor.text
    copy_id = int(answered.request.path.split("/")[-2])
    copied = {each.locale: each for each in runtime.database.read(VERSIONS[EntryKind.PAGE].of, (copy_id,))}
    assert {each.status for each in copied.values()} == {Status.DRAFT}
    assert (copied["en"].title, copied["en"].slug) == ("Bends (copy)", "bends-2")
    assert copied["en"].fields == {**fields, "summary": "Typed"}
    assert copied["es"].fields["summary"] == "Nudos"
    editor.get("/studio/collections/team/1/")
    press(editor, "copy")
    assert form_of(editor)["fields.name"] == "Ann (copy)"


def test_one_locale_is_deleted_and_the_entry_restored(editor: Browser, page_id: int, versions: Versions) -> None:
    """The other locales stay; both come back from the trash."""
    editor.get(f"/studio/pages/{page_id}/?locale=es")
    press(editor, "save", fields__summary="Nudos")
    press(editor, "delete-locale")
    assert {locale for locale, _version in versions(page_id)} == {"en"}
    press(editor, "delete")
    assert versions(page_id) == {}
    for expected in ({"en"}, {"en", "es"}):
        editor.get("/studio/trash/")
        editor.send("/studio/trash/", entry=_first_id(editor, whole=expected == {"en"}))
        assert {locale for locale, _version in versions(page_id)} == expected


def _first_id(browser: Browser, *, whole: bool) -> str:
    ids = [part.split('"')[0] for part in browser.page.split('name="entry" value="')[1:]]
    return ids[0] if whole else ids[-1]


def test_text_of_another_locale_stands_beside(editor: Browser, page_id: int, versions: Versions) -> None:
    """It can be copied into the form, stays while the form is saved, and the tab of a text that is older says so."""
    editor.get(f"/studio/pages/{page_id}/?locale=es&beside=en")
    assert "Two are\tenough &amp; &lt;more&gt;" in editor.page.split('class="beside"')[1]
    press(editor, "copy-from:en")
    assert form_of(editor)["fields.summary"] == FIELDS["summary"]
    assert {locale for locale, _version in versions(page_id)} == {"en"}
    press(editor, "save", fields__summary="Dos")
    assert "older than English" not in editor.text
    assert "Two are\tenough" in editor.page.split('class="beside"')[1]
