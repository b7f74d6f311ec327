"""What API, studio and schedules change comes into the files: what changed, and nothing else."""

import shutil
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from sitecms.actions.editing import names
from sitecms.actions.editing.edited import EditContext, get_edited
from sitecms.actions.editing.history import find_versions, history_of
from sitecms.actions.editing.media import describe
from sitecms.actions.loading import load_site
from sitecms.actions.syncing.write_back import FileState, file_state, note_unwritten, write_back
from sitecms.actions.writing.accept.planning import StudioValues
from sitecms.actions.writing.publish_scheduled import publish_scheduled
from sitecms.content.author import Author
from sitecms.content.fingerprint import revision_of
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaDetails
from sitecms.content.query import Window
from sitecms.content.references import ItemTarget, parse_target
from sitecms.content.revision import ChangeKind, ChangeSource
from sitecms.content.term import TermKind
from sitecms.media.library import open_library
from sitecms.runtime import open_runtime
from sitecms.store.database import Session
from sitecms.store.entries.authors import save_author
from sitecms.store.entries.media_files import save_media
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.file_changes import ListKind, note_file_change
from sitecms.store.site_state.loaded_files import file_of_entry
from tests.support.newsroom import Newsroom, killed_write_back
from tests.support.reading import select
from tests.support.sites import ExampleSite
from tests.support.statements import statements

POST, PAGE, ITEM = EntryKind.POST, EntryKind.PAGE, EntryKind.ITEM


def test_changed_keys_of_a_post_change_their_lines(newsroom: Newsroom) -> None:
    """Title and time of the update change; a comment, the quotes and the text stay."""
    newsroom.update(POST, "calm", {"title": "Slack: water", "tags": ["moon", "calm"]})
    assert newsroom.sync().written == ("content/posts/calm.md",)
    lines = newsroom.diff()["content/posts/calm.md"]
    assert lines[0] == '-title: "Calm"'
    assert [line.split(":")[0] for line in lines] == ["-title", "+title", "-updated", "+updated", "-tags", "+tags"]
    newsroom.check_clone("clone")


def test_changed_text_is_html_and_markdown_stays(newsroom: Newsroom) -> None:
    """A body that came as HTML says so; a post whose body did not change stays Markdown."""
    newsroom.update(POST, "calm", {"body": "<p>All <b>new</b>.</p>"})
    newsroom.update(POST, "ebb", {"summary": "Out."})
    newsroom.sync()
    diff = newsroom.diff()
    assert "+format: html" in diff["content/posts/calm.md"]
    assert "-Nothing moves." in diff["content/posts/calm.md"]
    assert {line.split(":")[0] for line in diff["content/posts/ebb.md"]} == {
        "-updated",
        "+updated",
        "-summary",
        "+summary",
    }
    newsroom.check_clone("clone")


def test_new_post_gets_a_file_and_a_deleted_one_loses_it(newsroom: Newsroom) -> None:
    """The file is named by the slug; a restored post gets its file again as it was."""
    newsroom.create(POST, {"title": "Spring tide", "status": "published", "body": "<p>High.</p>"})
    gale, gale_id = (newsroom.folder / "content/posts/gale.md").read_bytes(), newsroom.post_id("gale")
    newsroom.delete(POST, "gale")
    report = newsroom.sync()
    assert (report.written, report.removed) == (("content/posts/spring-tide.md",), ("content/posts/gale.md",))
    newsroom.check_clone("clone")
    newsroom.restore(POST, gale_id)
    newsroom.sync()
    assert (newsroom.folder / "content/posts/gale.md").read_bytes() == gale
    newsroom.check_clone("clone2")


def test_new_entries_come_to_a_clone_that_has_new_ones_of_its_own(newsroom: Newsroom) -> None:
    """The next free ids of two stores are the same: what is known by its slug has none in its file."""
    clone = newsroom.folder.with_name("clone")
    shutil.copytree(newsroom.folder, clone, ignore=shutil.ignore_patterns(".sitecms", "public"))
    other = ExampleSite(clone)
    other.write("content/posts/mine.md", "---\ntitle: Mine\n---\n")
    other.write("content/pages/guide/mine.yaml", "title: Mine\nfields: {summary: Mine.}\n")
    other.load()
    newsroom.create(POST, {"title": "Its", "status": "published"})
    newsroom.create(PAGE, {"title": "Its", "page_type": "guide", "slug": "its", "fields": {"summary": "Its."}})
    written = newsroom.sync().written
    for path in written:
        other.write(path, newsroom.files()[path])
    assert other.load().loaded == tuple(sorted(written))
    newsroom.check_clone("clone2")


def test_renamed_slug_keeps_the_file(newsroom: Newsroom) -> None:
    """The former address becomes an alias, and translations name the new slug."""
    newsroom.update(POST, "ebb", {"slug": "low-water"})
    newsroom.sync()
    diff = newsroom.diff()
    assert '-translation_of: "ebb"' in diff["content/posts/es/marea.md"]
    assert "+slug: low-water" in diff["content/posts/ebb.md"] or '+slug: "low-water"' in diff["content/posts/ebb.md"]
    assert "+aliases: [/blog/ebb/]" in diff["content/posts/ebb.md"]
    newsroom.check_clone("clone")


def test_page_and_items_change_in_place(newsroom: Newsroom) -> None:
    """Fields of a page and of one item of a list; a new item stands last, a deleted one is gone."""
    newsroom.update(PAGE, "knots", {"fields": {"summary": "Three."}}, type_="guide")
    newsroom.update(PAGE, "about", {"fields": {"body": "<p>We sail.</p>"}}, type_="*")
    newsroom.update(ITEM, "2", {"fields": {"label": "Who"}}, type_="menu")
    newsroom.create(ITEM, {"key": "menu", "fields": [{"label": "New", "url": "/new/"}]})
    newsroom.delete(ITEM, "1", "menu")
    report = newsroom.sync()
    assert report.problems == ()
    diff = newsroom.diff()
    knots = diff["content/pages/guide/knots.yaml"]
    assert '-  "summary": "Two are enough.",' in knots or any("Two are enough" in line for line in knots)
    newsroom.check_clone("clone")


def test_comment_and_unknown_form_of_a_file_stay(newsroom: Newsroom) -> None:
    """Comments, aliases of keys, times in another form and the order of keys stay as they are written."""
    front = '# Ours\ntitle: "Calm"   # working title\ndate: 2026-02-01 08:00\ntags:\n- "moon"\nauthor: bo-lind\n'
    text = f"---\n{front}---\nOld.\n"
    newsroom.site.write("content/posts/calm.md", text)
    newsroom.site.load()
    newsroom.update(POST, "calm", {"title": "Slack", "tags": ["moon", "sea"]})
    newsroom.sync()
    after = newsroom.files()["content/posts/calm.md"]
    kept = [line for line in text.split("\n") if "title" not in line]
    assert [line for line in after.split("\n") if line in kept] == kept
    assert 'title: "Slack"   # working title' in after


def test_file_that_changed_on_disk_is_left(newsroom: Newsroom) -> None:
    """It waits for a load, with the reason, and does not stop the others; the next write-back finds nothing to do."""
    path = newsroom.folder / "content/posts/calm.md"
    path.write_text(path.read_text("utf-8").replace("Nothing moves.", "By hand."), "utf-8")
    by_hand = path.read_bytes()
    newsroom.update(POST, "calm", {"title": "Slack"})
    newsroom.update(POST, "gale", {"title": "Storm"})
    report = newsroom.sync()
    assert report.written == ("content/posts/gale.md",)
    assert report.problems[0].endswith("changed since it was loaded; load it first (sitecms load, or sitecms sync)")
    assert path.read_bytes() == by_hand
    assert not newsroom.sync()
    newsroom.site.load()
    newsroom.sync(again=True)
    newsroom.check_clone("clone")


def test_killed_write_back_is_finished_by_the_next(newsroom: Newsroom) -> None:
    """Files that were written before the store noted it are recognised, new and removed ones too."""
    newsroom.update(POST, "calm", {"title": "Slack"})
    newsroom.create(POST, {"title": "Spring tide", "status": "published", "body": "<p>High.</p>"})
    newsroom.create(ITEM, {"key": "menu", "fields": [{"label": "New", "url": "/new/"}]})
    newsroom.delete(POST, "gale")
    killed_write_back(newsroom)
    files = newsroom.files()
    newsroom.update(POST, "ebb", {"title": "Out"})
    left = newsroom.folder / "content/posts/.ebb.md.0a1b2c3d.tmp"
    left.write_bytes(b"---\ntit")
    assert newsroom.sync().problems == ()
    assert not left.exists()
    assert {path: text for path, text in newsroom.files().items() if not path.endswith("ebb.md")} == {
        path: text for path, text in files.items() if not path.endswith("ebb.md")
    }
    newsroom.check_clone("clone")


def test_load_leaves_files_that_a_write_back_has_not_noted(newsroom: Newsroom) -> None:
    """They say what the store says, while a write-back runs or after it was killed; later edits stay as they are."""
    newsroom.update(POST, "calm", {"title": "Slack", "summary": "Still."})
    newsroom.create(POST, {"title": "Spring tide", "status": "published", "body": "<p>High.</p>"})
    newsroom.update(PAGE, "about", {"fields": {"body": "<p>Remamos.</p>"}}, type_="*", locale="es")
    newsroom.create(ITEM, {"key": "menu", "fields": [{"label": "New", "url": "/new/"}]})
    newsroom.delete(POST, "gale")
    killed_write_back(newsroom)
    newsroom.update(POST, "calm", {"summary": "Waiting."})
    report = newsroom.site.load()
    assert (report.loaded, report.vanished, report.notes) == ((), (), ())
    assert newsroom.sync().problems == ()
    post = newsroom.files()["content/posts/calm.md"]
    assert "Slack" in post
    assert "Waiting." in post
    newsroom.check_clone("clone")


def test_new_locale_of_a_killed_write_back_stays_as_it_was_written(newsroom: Newsroom) -> None:
    """It was published after the last load, which is not yet to come."""
    sent = {"fields": {"body": "<p>Remamos.</p>"}, "status": "published"}
    newsroom.update(PAGE, "about", sent, type_="*", locale="es")
    killed_write_back(newsroom)
    files = newsroom.files()
    assert newsroom.sync().problems == ()
    assert newsroom.files() == files


def test_write_back_without_a_change_does_nothing(newsroom: Newsroom) -> None:
    """What the files say already is not written again."""
    newsroom.update(POST, "calm", {"title": "Slack"})
    newsroom.sync()
    files = newsroom.files()
    with newsroom.database.writing(counts_as_change=False) as transaction:
        for slug in ("calm", "ebb"):
            note_file_change(transaction, POST, newsroom.post_id(slug))
        note_file_change(transaction, PAGE, newsroom.page_id("knots"))
        for kind in ListKind:
            note_file_change(transaction, kind)
    assert newsroom.sync().written == ()
    assert newsroom.files() == files
    assert newsroom.open_changes() == ()


def test_page_in_a_new_locale(newsroom: Newsroom) -> None:
    """A YAML page gets the locale in the same file, a Markdown page a file beside it; a deleted locale goes."""
    newsroom.update(PAGE, "knots", {"fields": {"summary": "Dos."}, "status": "published"}, type_="guide", locale="es")
    newsroom.update(
        PAGE, "about", {"fields": {"body": "<p>Remamos.</p>"}, "status": "published"}, type_="*", locale="es"
    )
    assert newsroom.sync().problems == ()
    files = newsroom.files()
    assert "Dos." in files["content/pages/guide/knots.yaml"]
    assert "Remamos." in files["content/pages/_single/about.es.md"]
    assert "We [row](/blog/)." in files["content/pages/_single/about.md"]
    newsroom.check_clone("clone")
    newsroom.delete(PAGE, "about", "*", "es")
    newsroom.delete(PAGE, "knots", "guide", "es")
    assert newsroom.sync().removed == ("content/pages/_single/about.es.md",)
    newsroom.check_clone("clone2")


def test_uploaded_picture_comes_to_media(newsroom: Newsroom) -> None:
    """A file of the library that an entry names is put into the folder, and the entry names it there."""
    library = open_library(newsroom.site.settings)
    newsroom.site.image("spare/new.png", "red")
    picture = library.add((newsroom.folder / "spare/new.png").read_bytes(), "new.png", newsroom.site.now)
    shutil.rmtree(newsroom.folder / "spare")
    newsroom.database.write(save_media, picture)
    newsroom.update(POST, "calm", {"featured_image": picture.url})
    assert "media/new.png" in newsroom.sync().written
    assert "featured_image: media/new.png" in newsroom.files()["content/posts/calm.md"]
    details = MediaDetails("A red sea", focus_x=20, tags=("Harbour", "2026"))
    describe(newsroom.database, newsroom.editor, picture.name, details, newsroom.clock())
    newsroom.sync()
    described = newsroom.files()["content/media.yaml"]
    assert ("A red sea" in described, "Harbour" in described) == (True, True)
    describe(newsroom.database, newsroom.editor, picture.name, replace(details, tags=("2026",)), newsroom.clock())
    newsroom.sync()
    assert "Harbour" not in newsroom.files()["content/media.yaml"]
    newsroom.check_clone("clone")


def test_file_behind_a_link_is_changed_and_keeps_its_permissions(newsroom: Newsroom) -> None:
    """A link within the folder stays a link."""
    path, real = newsroom.folder / "content/posts/calm.md", newsroom.folder / "content/posts/quiet.md.source"
    path.rename(real)
    real.chmod(0o640)
    path.symlink_to(real.name)
    newsroom.site.load()
    newsroom.update(POST, "calm", {"title": "Slack"})
    assert newsroom.sync().written == ("content/posts/calm.md",)
    assert (path.is_symlink(), real.stat().st_mode & 0o777) == (True, 0o640)
    assert "Slack" in real.read_text("utf-8")


def test_nothing_is_written_through_a_link_out_of_the_folder(newsroom: Newsroom) -> None:
    """Somebody who may push could else let the server write anywhere; a load does not follow such links either."""
    outside = newsroom.folder.with_name("outside")
    outside.mkdir()
    shutil.rmtree(newsroom.folder / "content/pages/guide")
    (newsroom.folder / "content/pages/guide").symlink_to(outside)
    newsroom.create(PAGE, {"title": "Its", "page_type": "guide", "slug": "its", "fields": {"summary": "Its."}})
    report = newsroom.sync()
    assert report.written == ()
    problem = f"is a link to {outside / 'its.yaml'}, outside of the files of the site, so it is not followed"
    assert [each.partition(": ")[2] for each in report.problems] == [f"content/pages/guide/its.yaml {problem}"]
    assert list(outside.iterdir()) == []


def test_draft_over_a_published_page_stays_in_the_store(newsroom: Newsroom) -> None:
    """The file says what readers see; the state of the files counts the draft."""
    newsroom.update(PAGE, "knots", {"fields": {"summary": "Soon."}, "status": "draft"}, type_="guide")
    newsroom.sync()
    assert newsroom.diff() == {}
    assert newsroom.database.read(file_state, newsroom.site.settings) == FileState(True, 0, {}, 1)
    path = newsroom.folder / "content/pages/guide/knots.yaml"
    path.write_text(path.read_text("utf-8").replace("Two are enough.", "Two by hand."), "utf-8")
    newsroom.site.load()
    versions = newsroom.database.read(VERSIONS[EntryKind.PAGE].of, (newsroom.page_id("knots"),))
    assert {each.version: each.fields["summary"] for each in versions} == {"draft": "Soon.", "live": "Two by hand."}


@pytest.mark.sqlite_only
def test_file_of_an_entry_is_found_by_an_index(newsroom: Newsroom) -> None:
    """No record of another file is read for it; items have theirs by the folder of lists."""
    calm, menu = newsroom.post_id("calm"), newsroom.item_ids("menu")[0]
    runtime = open_runtime(newsroom.site.settings, create=False)
    with statements(runtime) as seen, runtime.database.reading() as session:
        files = [file_of_entry(session, POST, calm), file_of_entry(session, ITEM, menu)]
    assert [file and file.path for file in files] == ["content/posts/calm.md", "content/collections/menu.yaml"]
    (plan,) = select(runtime.database, f"EXPLAIN QUERY PLAN {seen[0]}", f'[["post",{calm}]]')
    runtime.database.close()
    assert "USING INDEX loaded_file_of_entry (entries_json=?)" in str(plan)


@pytest.mark.sqlite_only
def test_write_back_looks_at_one_of_many_posts(newsroom: Newsroom) -> None:
    """The number of statements does not depend on that of posts, and no other file is opened: they are gone here."""
    costs = []
    for count in (0, 60):
        for number in range(count):
            newsroom.site.post(f"many-{number}", published="2026-01-01T08:00:00Z")
        newsroom.site.load()
        newsroom.update(POST, "calm", {"title": f"Slack {count}"})
        runtime = open_runtime(newsroom.site.settings)
        others = newsroom.folder / "content/posts"
        hidden = {path: path.read_bytes() for path in others.rglob("*.md") if path.name != "calm.md"}
        for path in hidden:
            path.unlink()
        with statements(runtime) as seen:
            report = write_back(runtime.database, runtime.settings, newsroom.clock())
        assert report.written == ("content/posts/calm.md",)
        costs.append(len(seen))
        for path, data in hidden.items():
            path.write_bytes(data)
        runtime.database.close()
    assert costs[0] == costs[1] < 60


def test_scheduled_post_is_published_in_its_file(newsroom: Newsroom) -> None:
    """When its time has come the file says so, too: status and time of publication."""
    newsroom.site.now = datetime(2031, 1, 1, 0, 1, tzinfo=UTC)
    assert publish_scheduled(newsroom.database, newsroom.clock(), newsroom.site.settings) == 1
    newsroom.sync()
    lines = newsroom.diff()["content/posts/later.md"]
    assert [line for line in lines if "created" not in line and "updated" not in line] == [
        '-scheduled: "2031-01-01T00:00:00Z"',
        "+status: published",
        "+published: 2031-01-01T00:00:00Z",
    ]
    newsroom.check_clone("clone")


def test_renamed_author_and_term_change_the_posts_that_name_them(newsroom: Newsroom) -> None:
    """The lists keep their entries in place; posts get the new slug of the author and the new name of the tag."""
    with newsroom.database.reading() as session:
        author = names.get_author(session, "bo-lind")
        term = names.get_term(session, TermKind.TAG, "moon")
    values = {name: getattr(author, name) for name in names.AUTHOR_VALUES} | {"slug": "bo"}
    names.save_author(EditContext(newsroom.context, newsroom.editor), "bo-lind", values, revision_of(author))
    names.save_term(
        EditContext(newsroom.context, newsroom.editor), TermKind.TAG, "moon", ("Full moon", ""), revision_of(term)
    )
    assert newsroom.sync().problems == ()
    files = newsroom.files()
    assert "bo-lind" not in "".join(text for path, text in files.items() if path.startswith("content/posts"))
    assert "Full moon" in files["content/tags.yaml"]
    assert "Full moon" in files["content/posts/calm.md"]
    newsroom.check_clone("clone")


def test_author_with_another_slug_in_the_file_keeps_posts_and_address(newsroom: Newsroom) -> None:
    """The posts name the new slug, and the old address leads on, in a clone too."""
    authors = newsroom.files()["content/authors.yaml"]
    newsroom.site.write("content/authors.yaml", authors.replace('"bo-lind"', '"bo"'))
    newsroom.site.load()
    newsroom.diff()
    assert newsroom.sync().problems == ()
    diff = newsroom.diff()
    assert diff["content/posts/drift.md"] == ['-author: "bo-lind"', '+author: "bo"']
    assert "/authors/bo-lind/" in "".join(diff["content/authors.yaml"])
    newsroom.check_clone("clone")
    assert 'href="/authors/bo/"' in newsroom.site.text("authors/bo-lind/index.html")


def test_term_that_comes_into_its_list_has_its_place_there(newsroom: Newsroom) -> None:
    """The store orders terms as the file does, as a clone will."""
    newsroom.update(POST, "calm", {"categories": ["Zebra", "Alpha"]})
    context = EditContext(newsroom.context, newsroom.editor)
    for old, new in (("zebra", "zz"), ("alpha", "aa")):
        term = newsroom.database.read(names.get_term, TermKind.CATEGORY, old)
        names.save_term(context, TermKind.CATEGORY, old, (term.name, new), revision_of(term))
        assert newsroom.sync().problems == ()
    listed = newsroom.files()["content/categories.yaml"]
    assert listed.index("Zebra") < listed.index("Alpha")
    newsroom.check_clone("clone")


@pytest.fixture
def harbour(example: ExampleSite) -> Newsroom:
    """Boats and pilots, who have no ids in their file, and were loaded before the boats that name them and a guide."""
    fields = [
        {"slug": "name", "type": "short_text"},
        {"slug": "pilot", "type": "reference", "targets": ["pilots"]},
        {"slug": "guides", "type": "reference", "targets": ["page:guide"], "many": True},
    ]
    example.write("schema/collections/pilots.yaml", {"key": "pilots", "label": "name", "fields": fields[:1]})
    pilots = "# All of them\n- fields: {name: Ann}\n# In the morning\n- fields: {name: Bo} # or later\n"
    example.write("content/collections/pilots.yaml", pilots)
    example.load()
    example.write("schema/collections/boats.yaml", {"key": "boats", "label": "name", "fields": fields})
    boats = "- fields: {name: Tern}\n- fields:\n    name: Skua\n    guides: [knots]  # the first\n"
    example.write("content/collections/boats.yaml", boats)
    example.load()
    return Newsroom(example)


def without_times(lines: list[str]) -> list[str]:
    """The lines without those of the times that only the store knew."""
    return [line for line in lines if not any(f"{name}: 2026" in line for name in ("published", "created", "updated"))]


def pilot_of_first_boat(session: Session) -> object:
    """The name of the pilot whom the first boat names."""
    target = parse_target(str(VERSIONS[EntryKind.ITEM].of_type(session, "boats")[0].fields["pilot"]))
    assert isinstance(target, ItemTarget)
    return next(
        item.fields["name"] for item in VERSIONS[EntryKind.ITEM].of_type(session, "pilots") if item.id == target.id
    )


def test_renamed_page_changes_the_files_that_name_it(harbour: Newsroom) -> None:
    """An entry that refers to it names its new slug; a clone builds the same site."""
    harbour.update(PAGE, "knots", {}, type_="guide", studio=StudioValues(slug="bends"))
    assert {(each.kind, each.editor) for each in harbour.open_changes()} == {("page", "ed"), ("item", "ed")}
    assert harbour.sync().problems == ()
    diff = harbour.diff()["content/collections/boats.yaml"]
    assert without_times(diff) == [
        "-    guides: [knots]  # the first",
        "+    guides: [/v2/pages/guide/bends/]  # the first",
    ]
    harbour.check_clone("clone")


def test_item_that_something_refers_to_gets_its_id(harbour: Newsroom) -> None:
    """A clone gives ids in the order of the files, so the item of a new reference says its own; the others do not."""
    tern, bo = harbour.item_ids("boats")[0], harbour.item_ids("pilots")[1]
    harbour.update(ITEM, str(tern), {"fields": {"pilot": bo}}, type_="boats")
    assert harbour.sync().problems == ()
    lines = harbour.files()["content/collections/pilots.yaml"].split("\n")
    assert without_times(lines) == [
        "# All of them",
        "- fields: {name: Ann}",
        "# In the morning",
        f"- id: {bo}",
        "  fields: {name: Bo} # or later",
        "",
    ]
    harbour.check_clone("clone")
    clone = ExampleSite(harbour.folder.with_name("clone"))
    with harbour.database.reading() as mine, clone.database.reading() as its:
        assert pilot_of_first_boat(mine) == pilot_of_first_boat(its) == "Bo"


def test_item_of_an_interrupted_reference_gets_its_id(harbour: Newsroom) -> None:
    """A write-back that was killed after it wrote the reference has noted the item before."""
    tern, bo = harbour.item_ids("boats")[0], harbour.item_ids("pilots")[1]
    harbour.update(ITEM, str(tern), {"fields": {"pilot": bo}}, type_="boats")
    killed_write_back(harbour)
    assert harbour.sync().problems == ()
    assert f"- id: {bo}\n" in harbour.files()["content/collections/pilots.yaml"]
    harbour.check_clone("clone")


def test_file_that_names_a_renamed_author_is_loaded_and_corrected(newsroom: Newsroom) -> None:
    """It was changed by hand while the author got another slug in the studio; both changes stay."""
    author = newsroom.database.read(names.get_author, "bo-lind")
    values = {name: getattr(author, name) for name in names.AUTHOR_VALUES} | {"slug": "bo"}
    names.save_author(EditContext(newsroom.context, newsroom.editor), "bo-lind", values, revision_of(author))
    path = newsroom.folder / "content/posts/drift.md"
    path.write_text(path.read_text("utf-8").replace("We drift", "By hand"), "utf-8")
    newsroom.site.load()
    assert newsroom.sync(again=True).problems == ()
    text = path.read_text("utf-8")
    assert "By hand" in text
    assert 'author: "bo"' in text
    newsroom.check_clone("clone")


@pytest.mark.parametrize("is_deleted", [False, True])
def test_translations_follow_an_original_whose_write_back_was_killed(is_deleted: bool, newsroom: Newsroom) -> None:
    """They were noted before its file was written, since nothing says afterwards that its slug was another one."""
    if is_deleted:
        newsroom.delete(POST, "ebb")
    else:
        newsroom.update(POST, "ebb", {"slug": "neap"})
    killed_write_back(newsroom)
    assert newsroom.sync().problems == ()
    assert ('translation_of: "neap"' in newsroom.files()["content/posts/es/marea.md"]) is not is_deleted
    assert "ebb" not in newsroom.files()["content/posts/es/marea.md"].split("---")[1]


@pytest.fixture
def by_values(harbour: Newsroom) -> Newsroom:
    """A boat whose file names its pilot by the pilot's name."""
    harbour.site.write(
        "content/collections/boats.yaml",
        "- fields:\n    name: Tern\n    pilot: {key: pilots, where: {name: Bo}}  # the second\n",
    )
    harbour.site.load()
    harbour.diff()
    return harbour


@pytest.mark.parametrize("names", [["Robert"], ["Robert", "Bo"]])
def test_reference_by_values_follows_a_change_of_the_values(names: list[str], by_values: Newsroom) -> None:
    """The file names the item by its URI when nobody has the values any more, and when somebody else has."""
    ann, bo = by_values.item_ids("pilots")
    for item_id, name in zip((bo, ann), names, strict=False):
        by_values.update(ITEM, str(item_id), {"fields": {"name": name}}, type_="pilots")
    assert by_values.sync().problems == ()
    assert without_times(by_values.diff()["content/collections/boats.yaml"]) == [
        "-    pilot: {key: pilots, where: {name: Bo}}  # the second",
        f"+    pilot: /v2/content/?keys=pilots[_id={bo}]  # the second",
    ]
    assert by_values.database.read(pilot_of_first_boat) == "Robert"
    by_values.check_clone("clone")


def test_reference_by_values_stays_when_other_values_change(by_values: Newsroom) -> None:
    """It leads to the same item as before."""
    by_values.update(ITEM, str(by_values.item_ids("pilots")[0]), {"fields": {"name": "Anna"}}, type_="pilots")
    assert by_values.sync().problems == ()
    assert without_times(by_values.diff().get("content/collections/boats.yaml", [])) == []
    by_values.check_clone("clone")


def test_load_says_which_reference_by_values_matches_nothing(by_values: Newsroom) -> None:
    """The file of the items changed, that of the reference did not: an error with its line, at each load."""
    path = "content/collections/pilots.yaml"
    by_values.site.write(path, by_values.files()[path].replace("name: Bo", "name: Robert"))
    for _ in range(2):
        (error,) = load_site(by_values.database, by_values.site.settings, by_values.clock()).errors
        assert str(error).startswith("content/collections/boats.yaml:3")
        assert "is not found among pilots" in str(error)
    by_values.site.write(path, by_values.files()[path].replace("name: Ann", "name: Bo"))
    by_values.site.load()
    assert by_values.database.read(pilot_of_first_boat) == "Bo"


def test_an_author_whom_no_file_lists_is_written_at_a_sync(newsroom: Newsroom) -> None:
    """A clone would refuse the posts of that author."""
    with newsroom.database.writing() as transaction:  # as stores have them from before the files were written back
        save_author(transaction, Author("cleo-west", "Cleo", "West"))
    newsroom.create(EntryKind.POST, {"title": "Slack", "status": "published", "author": {"slug": "cleo-west"}})
    newsroom.sync()
    authors = newsroom.folder / "content/authors.yaml"
    assert "cleo-west" not in authors.read_text("utf-8")
    note_unwritten(newsroom.database)
    newsroom.sync()
    assert "cleo-west" in authors.read_text("utf-8")
    newsroom.check_clone("clone")


def test_first_version_of_a_post_that_was_written_back_was_not_loaded(newsroom: Newsroom) -> None:
    """It came from a request, also once a load has seen the file and the post has changed."""
    newsroom.create(POST, {"title": "Spring tide"})
    newsroom.sync()
    newsroom.site.load()

    def made() -> list[tuple[ChangeKind, ChangeSource]]:
        with newsroom.database.reading() as session:
            edited = get_edited(session, newsroom.editor, POST, newsroom.post_id("spring-tide"))
            versions = find_versions(session, history_of(newsroom.editor, edited), Window(9)).entries
        return [(each.made.kind, each.made.source) for each in versions]

    assert made() == [(ChangeKind.SAVE, ChangeSource.UNKNOWN)]
    newsroom.update(POST, "spring-tide", {"title": "Neap tide", "slug": "spring-tide"})
    assert made()[-1] == (ChangeKind.SAVE, ChangeSource.UNKNOWN)
