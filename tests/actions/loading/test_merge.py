"""A load merges a changed file with what others changed since: by field, texts by block; nothing is lost."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitecms.content.change import EntryChange, Origin, Times, VersionChange, change_of_entry
from sitecms.content.kinds import EntryKind
from sitecms.content.query import Window
from sitecms.content.status import Status, Version
from sitecms.content.text.markdown import render
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.entry_state import origin_of
from sitecms.store.entries.load_conflicts import find_conflicts
from sitecms.store.entries.revisions import find_revisions, get_revision
from tests.actions.conftest import GUIDE, TEAM, SiteFolder
from tests.support.reading import execute

KINDS = list(EntryKind)
FILES = {
    EntryKind.POST: "content/posts/one.md",
    EntryKind.PAGE: "content/pages/guide/one.yaml",
    EntryKind.ITEM: "content/collections/team.yaml",
}
TEXT_FIELDS = [
    {"slug": "label", "type": "short_text"},
    {"slug": "text", "type": "long_text"},
    {"slug": "html", "type": "wysiwyg"},
]


class Values(NamedTuple):
    """The values of an entry that tests change: two short texts, Markdown and, of pages and items, HTML."""

    title: str = "Title"
    label: str = "Label"
    text: str = "One.\n\nTwo.\n\nThree."
    html: str = "<p>One.</p>\n<p>Two.</p>"


class MergedSite:
    """A site with one entry of a kind, which its file and requests change."""

    def __init__(self, folder: SiteFolder, kind: EntryKind) -> None:
        self.folder, self.kind, self.id = folder, kind, 0
        name = {"type": "short_text", "required": True}
        folder.write("schema/collections/team.yaml", {**TEAM, "fields": [{"slug": "name", **name}, *TEXT_FIELDS]})
        folder.write("schema/page_types/guide.yaml", {**GUIDE, "fields": [{"slug": "headline", **name}, *TEXT_FIELDS]})
        self.write(Values())
        assert folder.load().errors == ()
        self.id = folder.database.read(find_named, EntryKind.POST, "", "one") or 0
        if kind is EntryKind.PAGE:
            self.id = folder.page("one")[0].id
        elif kind is EntryKind.ITEM:
            self.id = folder.all_items("team")[0].id

    def write(self, values: Values, **more: object) -> None:
        """Write the file."""
        title, label, text, html = values
        if self.kind is EntryKind.POST:
            self.folder.post("one", text, title=title, summary=label, published="2026-01-01", **more)
        elif self.kind is EntryKind.PAGE:
            fields = {"headline": title, "label": label, "text": text, "html": html}
            self.folder.guide("one", title="One", published="2026-01-01", fields=fields, **more)
        else:
            self.folder.items("team", {"id": 7, "fields": {"name": title, "label": label, "text": text, "html": html}})

    def edit(self, values: Values, version: Version = Version.LIVE) -> None:
        """Change the stored entry as a request does."""
        title, label, text, html = values
        if self.kind is EntryKind.POST:
            body = render(text, resolve_image=lambda _url: None)
            self.folder.edit("one", title=title, summary=label, body=body, markdown=text)
            return
        name = "headline" if self.kind is EntryKind.PAGE else "name"
        stored = self.versions()
        live = next(each for each in stored if each.version is Version.LIVE)
        fields = {**live.fields, name: title, "label": label, "text": text, "html": html}
        status = Status.PUBLISHED if version is Version.LIVE else Status.DRAFT
        changes = [VersionChange("en", version, status, fields)]
        if version is Version.DRAFT:
            changes.append(VersionChange("en", Version.LIVE, live.status, live.fields))
        if self.kind is EntryKind.PAGE:
            self.folder.send(EntryChange(EntryKind.PAGE, self.id, "guide", tuple(changes), "one", "One"))
        else:
            self.folder.send(EntryChange(EntryKind.ITEM, self.id, "team", tuple(changes)))

    def versions(self) -> Any:
        return self.folder.page("one") if self.kind is EntryKind.PAGE else self.folder.all_items("team")

    def values(self, version: Version = Version.LIVE) -> Values:
        """The stored values."""
        if self.kind is EntryKind.POST:
            post = self.folder.find("one")
            text = self.folder.database.read(find_markdown, post.id)
            return Values(post.title, post.summary, (text or "").strip(), Values().html)
        fields = next(each for each in self.versions() if each.version is version).fields
        name = "headline" if self.kind is EntryKind.PAGE else "name"
        return Values(*(fields[each] for each in (name, "label", "text", "html")))

    def history(self) -> str:
        """All former states of the entry, as JSON."""
        with self.folder.database.reading() as session:
            revisions = find_revisions(session, self.kind, self.id, "en", Window(100)).entries
            states = [get_revision(session, self.kind, self.id, "en", each.id)[1] for each in revisions]
        return orjson.dumps(states).decode()

    def origin(self) -> str:
        return self.folder.database.read(origin_of, self.kind.value, self.id)


@pytest.fixture(params=KINDS)
def site(folder: SiteFolder, request: pytest.FixtureRequest) -> MergedSite:
    """A loaded site with one entry."""
    return MergedSite(folder, request.param)


def test_fields_that_one_side_changed_are_taken(site: MergedSite) -> None:
    """The title of the file and the label of the request; a note names what differs from the file."""
    site.edit(Values(label="Edited"))
    site.write(Values(title="New"))
    report = site.folder.load()
    assert (report.errors, report.conflicts, report.replaced, report.former) == ((), (), {}, ())
    assert site.values() == Values("New", "Edited")
    (note,) = [note for note in report.notes if "keeps" in note]
    assert note.startswith(f"{FILES[site.kind]}: keeps ")
    assert note.endswith(f"of the {site.kind} {site.id} as edited in the studio or through the API")
    assert ("summary" if site.kind is EntryKind.POST else "fields.label") in note
    before = site.folder.change_number()
    assert site.folder.load().loaded == ()
    assert site.folder.change_number() == before


def test_terms_that_one_side_changed_are_taken(folder: SiteFolder) -> None:
    """Those of the studio stay while the file says what it said; where both changed them, the file wins."""
    folder.post("one", tags=["sea"], categories=["Tides"])
    folder.load()
    folder.edit("one", tags=("land",))
    folder.post("one", title="New", tags=["sea"], categories=["Moons"])
    folder.load()
    post = folder.find("one")
    assert [term.name for term in (*post.categories, *post.tags)] == ["Moons", "land"]
    folder.edit("one", tags=("wind",))
    folder.post("one", tags=["rain"], categories=["Moons"])
    assert [each.field for each in folder.load().conflicts] == ["tags"]
    assert [term.name for term in folder.find("one").tags] == ["rain"]


def test_date_that_a_request_chose_stays(folder: SiteFolder) -> None:
    """The file still says the date that it had at the last load."""
    site = MergedSite(folder, EntryKind.POST)
    moment = datetime(2026, 1, 5, 8, tzinfo=UTC)
    post = folder.find("one")
    folder.send(change_of_entry([post]).with_values(markdown=Values().text, times=Times(published_at=moment)))
    site.write(Values(title="New"))
    report = folder.load()
    assert (report.errors, report.conflicts) == ((), ())
    assert (folder.find("one").title, folder.find("one").published_at) == ("New", moment)


def test_the_base_of_the_next_merge_is_the_last_file(site: MergedSite) -> None:
    """A value that a file gave up for a new one is no change of the store; what it keeps is kept again."""
    site.edit(Values(label="Edited"))
    site.write(Values(title="New"))
    site.folder.load()
    site.write(Values(title="Newer"))
    report = site.folder.load()
    assert (report.errors, report.conflicts) == ((), ())
    assert site.values() == Values("Newer", "Edited")
    assert site.origin() == Origin.API


def test_a_file_that_takes_over_the_edit_owns_the_entry_again(site: MergedSite) -> None:
    """Nothing differs from it any more."""
    site.edit(Values(label="Edited"))
    site.write(Values(title="New", label="Edited"))
    report = site.folder.load()
    assert (report.conflicts, [note for note in report.notes if "keeps" in note]) == ((), [])
    assert site.values() == Values("New", "Edited")
    assert site.origin() == Origin.FILE


def test_where_both_changed_a_field_the_file_wins(site: MergedSite) -> None:
    """The report gives both values, and the history has the former one."""
    site.edit(Values(title="Edited"))
    site.write(Values(title="New"))
    report = site.folder.load()
    (conflict,) = report.conflicts
    assert (conflict.path, conflict.kind, conflict.entry_id) == (FILES[site.kind], site.kind, site.id)
    assert (conflict.value, conflict.former) == ("New", "Edited")
    lines = (site.folder.folder / conflict.path).read_text("utf-8").split("\n")
    assert "New" in lines[(conflict.line or 0) - 1]
    assert conflict.field.endswith({"post": "title", "page": "en.fields.headline", "item": "en.fields.name"}[site.kind])
    assert site.values() == Values("New")
    assert '"Edited"' in site.history()
    assert report.former == ()


def test_conflicts_are_kept_for_people(site: MergedSite) -> None:
    """Each with the whole former value, its locale, and the change that made it; a part of a text in the whole."""
    site.edit(Values(title="Edited", text="One.\n\nOurs.\n\nThree."))
    site.edit(Values(title="Edited", label="Labelled later", text="One.\n\nOurs.\n\nThree."))
    site.write(Values(title="New", text="One.\n\nTheirs.\n\nThree."))
    site.folder.load()
    with site.folder.database.reading() as session:
        title, text = find_conflicts(session, site.kind, site.id, "en")
        changes = find_revisions(session, site.kind, site.id, "en", Window(100)).entries
    name = {EntryKind.POST: "title", EntryKind.PAGE: "fields.headline", EntryKind.ITEM: "fields.name"}[site.kind]
    assert (title.field, title.value, title.former, title.path) == (name, "New", "Edited", FILES[site.kind])
    assert title.written == changes[-1].ended  # not the later one, which changed the label
    texts = ("One.\n\nTheirs.\n\nThree.", "One.\n\nOurs.\n\nThree.")
    if site.kind is EntryKind.POST:
        assert (text.field, text.value["format"]) == ("body", "markdown")
        assert (text.value["text"].strip(), text.former["text"].strip()) == texts
    else:
        assert (text.field, text.value, text.former) == ("fields.text", *texts)


def test_texts_merge_by_block(site: MergedSite) -> None:
    """A block of each, and a block that both changed."""
    site.edit(Values(text="Ours.\n\nTwo.\n\nThree ours.", html="<p>Ours.</p>\n<p>Two.</p>"))
    site.write(Values(text="One.\n\nTheirs.\n\nThree theirs.", html="<p>One.</p>\n<p>Theirs.</p>"))
    report = site.folder.load()
    assert [(each.value, each.former) for each in report.conflicts] == [("Three theirs.", "Three ours.")]
    stored = site.values()
    assert stored.text == "Ours.\n\nTheirs.\n\nThree theirs."
    if site.kind is EntryKind.POST:
        assert "<p>Ours.</p>\n<p>Theirs.</p>\n<p>Three theirs.</p>" in site.folder.find("one").body
    else:
        assert stored.html == "<p>Ours.</p>\n<p>Theirs.</p>"


def test_a_draft_follows_its_file(folder: SiteFolder) -> None:
    """The draft of a studio stays over the published version, whose other fields are those of the changed file."""
    site = MergedSite(folder, EntryKind.PAGE)
    site.edit(Values(label="Drafted"), Version.DRAFT)
    site.write(Values(title="New"))
    assert folder.load().conflicts == ()
    assert site.values() == Values("New")
    assert site.values(Version.DRAFT) == Values("New", "Drafted")


def test_an_edited_slug_stays(folder: SiteFolder) -> None:
    """A file that changes something else leaves the slug that a request chose, which another file cannot have."""
    site = MergedSite(folder, EntryKind.POST)
    folder.edit("one", slug="edited")
    site.write(Values(title="New"))
    folder.post("two", slug="one")
    assert folder.load().errors == ()
    assert (folder.find("edited").title, folder.find("edited").id, folder.find("one").title) == ("New", site.id, "Two")
    site.write(Values(title="Newer"), slug="newest")
    assert [(each.field, each.value, each.former) for each in folder.load().conflicts] == [("slug", "newest", "edited")]
    assert folder.find("newest").id == site.id


def test_html_of_a_request_merges_with_markdown(folder: SiteFolder) -> None:
    """The text is HTML then, with the blocks of both."""
    site = MergedSite(folder, EntryKind.POST)
    folder.edit("one", body="<p>Ours.</p>\n<p>Two.</p>\n<p>Three.</p>\n")
    site.write(Values(text="One.\n\nTwo.\n\nTheirs."))
    assert folder.load().conflicts == ()
    assert folder.find("one").body == "<p>Ours.</p>\n<p>Two.</p>\n<p>Theirs.</p>\n"


def test_a_merged_text_with_an_error_is_that_of_the_file(folder: SiteFolder) -> None:
    """Blocks that are valid apart may not be together; the edit is in the history."""
    folder.write("templates/shortcodes/box.html", "<p>{{ inner }}</p>")
    site = MergedSite(folder, EntryKind.POST)
    folder.edit("one", body="<p>{{&lt; gone &gt;}}</p>", markdown="{{< gone >}}\n\nTwo.\n\nThree.")
    site.write(Values(text="One.\n\nTwo.\n\nTheirs."))
    report = folder.load()
    assert [each.field for each in report.conflicts] == ["body"]
    assert site.values().text == "One.\n\nTwo.\n\nTheirs."
    assert "{{< gone >}}" in site.history()


def test_a_store_that_kept_no_texts_replaces_the_edit(site: MergedSite) -> None:
    """Stores of earlier versions: the file replaces the edit, and the former version comes back from the trash."""
    site.edit(Values(label="Edited"))
    execute(site.folder.database, "DELETE FROM loaded_text")
    site.write(Values(title="New"))
    report = site.folder.load()
    assert site.values() == Values("New")
    (former,) = report.former
    assert (former.kind, former.entry_id, former.is_adopted) == (site.kind, site.id, False)
    assert report.replaced.keys() == {FILES[site.kind]}
    site.folder.restore(site.kind, former.trash_id)
    assert site.values() == Values(label="Edited")


blocks = st.lists(st.sampled_from(["Ebb.", "Flow.", "Slack.", "Spring.", "Neap."]), min_size=1, max_size=4)
values = st.builds(
    Values,
    st.sampled_from(["A", "B", "C"]),
    st.sampled_from(["", "X", "Y"]),
    blocks.map("\n\n".join),
    blocks.map(lambda found: "\n".join(f"<p>{block}</p>" for block in found)),
)


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_lost(kind: EntryKind, make_site: Callable[[Path], SiteFolder], tmp_path: Path) -> None:
    """Whatever a file, a request and another file say, each value is in the entry or its history."""
    numbers = iter(range(1_000_000))

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(values, values, values)
    def check(base: Values, ours: Values, theirs: Values) -> None:
        folder = make_site(tmp_path / str(next(numbers)))
        site = MergedSite(folder, kind)
        site.write(base)
        folder.load()
        site.edit(ours)
        site.write(theirs)
        assert folder.load().errors == ()
        stored = site.values()
        history = site.history()
        for name, mine, file, old in zip(Values._fields, ours, theirs, base, strict=True):
            if name == "html" and kind is EntryKind.POST:
                continue
            value = getattr(stored, name)
            assert value in (mine, file) or name in ("text", "html")
            assert value == mine or orjson.dumps(mine).decode() in history
            if file == old:
                assert value == mine
            elif mine == old:
                assert value == file
        before = folder.change_number()
        assert folder.load().loaded == ()
        assert folder.change_number() == before
        folder.database.close()

    check()
