"""Loads at the edges: odd addresses, strays, schedules, media in Markdown, trades, limits, lost references."""

from datetime import timedelta

import pytest

from sitecms.content.status import Status
from sitecms.content.text.markdown_media import replace_media
from sitecms.content.text.media_links import ResolvedImage, replace_in_srcset, resolve_media
from sitecms.content.text.slug import slugify
from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

NOTE = {"slug": "note", "fields": [{"slug": "headline", "type": "short_text"}, {"slug": "text", "type": "long_text"}]}


@pytest.mark.parametrize("address", ["media/%00.png", f"media/{'x' * 5000}.png"])
def test_an_impossible_address_is_a_fault_of_its_file(folder: SiteFolder, address: str) -> None:
    """The rest of the site is loaded."""
    folder.post("bad", f"![]({address})")
    folder.post("good")
    (error,) = folder.load().errors
    assert error.file == "content/posts/bad.md"
    assert "does not exist" in error.problem
    assert folder.slugs() == ["good"]


def test_pruning_keeps_the_entries_of_strays(folder: SiteFolder) -> None:
    """A collection whose schema file was renamed away still has its file, so its items stay."""
    folder.items("team", "Ann")
    folder.load()
    (folder.folder / "schema/collections/pets.yaml").unlink()
    (folder.folder / "schema/page_types/guide.yaml").unlink()
    folder.move("schema/collections/team.yaml", "team.yaml.off")
    report = folder.load(prune=True)
    assert (len(report.errors), report.pruned, report.vanished) == (1, (), ())
    assert folder.ids("team")


def test_a_file_does_not_unpublish_what_is_out(folder: SiteFolder) -> None:
    """Scheduled for a time that has come is published as of that time; posts and pages keep when they were created."""
    due = folder.now + timedelta(minutes=90)
    front = {"status": "scheduled", "scheduled": due.isoformat()}
    folder.post("soon", **front)
    folder.guide("page", **front)
    folder.load()
    first = folder.find("soon")
    assert first.status is Status.SCHEDULED
    folder.post("soon", "The moon.", **front)
    folder.guide("page", **front, title="Page")
    folder.load()
    post, (page,) = folder.find("soon"), folder.page("page")
    assert (post.status, post.published_at, post.scheduled_at) == (Status.PUBLISHED, due, None)
    assert (page.status, page.published_at, page.version) == (Status.PUBLISHED, due, "live")
    assert post.created_at == page.created_at == first.created_at


def test_media_in_markdown_fields_are_imported(folder: SiteFolder) -> None:
    """Images and links are, text in code is not; the file is loaded again when the picture changes."""
    folder.write("schema/page_types/note.yaml", NOTE)
    folder.image("media/red.png", "red")
    text = "![x](media/red.png)\n\n`![x](media/red.png)` and [l][r]\n\n[r]: ../../media/red.png\n"
    folder.write("content/pages/note/a.yaml", {"title": "A", "status": "published", "fields": {"text": text}})
    assert folder.load().errors == ()
    (page,) = folder.page("a", "note")
    stored = str(page.fields["text"])
    assert stored.startswith("![x](/media/")
    assert "`![x](media/red.png)`" in stored
    assert "[r]: /media/" in stored
    folder.image("media/red.png", "blue")
    assert folder.load().loaded == ("content/pages/note/a.yaml",)
    folder.remove("media/red.png")
    (error, *_) = folder.load().errors
    assert (error.place, "does not exist" in error.problem) == ("fields.text", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[![a](media/a.png)](media/b.png)", "[![a](/A)](/B)"),
        ("![a](<media/c d.png> 'T')", "![a](/C 'T')"),
        ("![a](media/c%20d.png)", "![a](/C)"),
        ("    ![a](media/a.png)", "    ![a](media/a.png)"),
        ("```\n![a](media/a.png)\n```", "```\n![a](media/a.png)\n```"),
        ("\\![a]\\(media/a.png)", "\\![a]\\(media/a.png)"),
        ("see media/a.png", "see media/a.png"),
        ('<img src="media/a.png" alt="">', '<img src="/A" alt="">'),
        (
            "So: <img alt='' src='media/c d.png'> and <a href=\"/media/a.png\">b</a>",
            "So: <img alt='' src='/C'> and <a href=\"/A\">b</a>",
        ),
        ('`<img src="media/a.png">`', '`<img src="media/a.png">`'),
        ("- ![a](/media/a.png)\n- ![b](media/none.png)", "- ![a](/A)\n- ![b](media/none.png)"),
    ],
)
def test_only_real_destinations_are_replaced(text: str, expected: str) -> None:
    """Whatever looks like one in code or plain text stays letter by letter."""
    known = {"media/a.png": "/A", "/media/a.png": "/A", "media/b.png": "/B", "media/c d.png": "/C"}
    assert replace_media(text, known.get) == expected


def test_every_candidate_of_a_srcset_is_resolved() -> None:
    """Descriptors are kept, and remote candidates stay."""
    html = '<img src="media/a.png" srcset="media/a.png 1x, https://x.example/b.png 2x,media/a.png 3x">'
    html += '<source srcset="/x.png, media/a.png 2x">'
    found = resolve_media(html, lambda address: ResolvedImage("/A") if address == "media/a.png" else None)
    assert 'srcset="/A 1x, https://x.example/b.png 2x,/A 3x"' in found
    assert '<source srcset="/x.png, /A 2x">' in found


@pytest.mark.parametrize(
    ("srcset", "expected"),
    [
        ("https://x.example/w_1,h_2/a.jpg 1x, b.jpg 2x", ["https://x.example/w_1,h_2/a.jpg", "b.jpg"]),
        ("a.jpg, b.jpg,c.jpg 2x,\n d.jpg", ["a.jpg", "b.jpg,c.jpg", "d.jpg"]),
        ("a.jpg 100w,b.jpg 200w", ["a.jpg", "b.jpg"]),
        (" ,, a.jpg,, b.jpg , ", ["a.jpg", "b.jpg"]),
        ("a.jpg  100w  50h ,b.jpg", ["a.jpg", "b.jpg"]),
        ("a.jpg", ["a.jpg"]),
        ("", []),
    ],
)
def test_a_srcset_is_split_as_browsers_split_it(srcset: str, expected: list[str]) -> None:
    """Commas within an address are part of it; what is not replaced stays letter by letter."""
    found: list[str] = []

    def note(address: str) -> str:
        found.append(address)
        return address

    assert replace_in_srcset(srcset, note) == srcset
    assert found == expected


def test_a_srcset_of_separators_costs_no_more_than_its_length() -> None:
    """Thousands of commas, and of white space, are read once."""
    for hostile in ("," * 10_000, " ," * 5_000, "a" * 10_000, "a, " * 3_000):
        html = f'<img src="/a.png" srcset="{hostile}">'
        assert hostile in resolve_media(html, lambda _address: None)


def test_every_picture_of_a_body_is_resolved() -> None:
    """Sources of a picture and posters as well as images; films, sound and links stay where they are."""
    remote = "https://x.example/"
    html = (
        f'<picture><source srcset="{remote}a,b.webp 1x, {remote}c.webp 2x" type="image/webp"><img src="{remote}d.jpg">'
        f'</picture><video poster="{remote}e.jpg" src="{remote}f.mp4" controls=""><source src="{remote}g.mp4"></video>'
        f'<audio src="{remote}h.mp3"></audio><a href="{remote}i.jpg">x</a>'
    )
    asked: list[str] = []

    def resolve(address: str) -> ResolvedImage:
        asked.append(address.removeprefix(remote))
        return ResolvedImage(f"/media/{len(asked)}", 9, 9)

    found = resolve_media(html, resolve)
    assert asked == ["a,b.webp", "c.webp", "d.jpg", "e.jpg"]
    assert '<source srcset="/media/1 1x, /media/2 2x" type="image/webp"><img src="/media/3" width="9"' in found
    assert f'<video poster="/media/4" src="{remote}f.mp4" controls=""><source src="{remote}g.mp4"></video>' in found


def test_generated_slugs_fit_a_file_name(folder: SiteFolder) -> None:
    """At most 200 bytes, cut between characters; one that was chosen stays as given."""
    assert slugify("潮" * 90) == "潮" * 66
    folder.add_settings('[posts]\nslug_from = "title"')
    folder.post("a", title="潮" * 90)
    folder.post("b", slug="潮" * 90)
    folder.load()
    assert folder.slugs() == ["潮" * 66, "潮" * 90]


def test_an_index_file_has_the_slug_of_its_folder(folder: SiteFolder) -> None:
    """So a post with pictures beside it has an address of its own; one in content/posts keeps its name."""
    folder.post("trip/index")
    folder.post("2026-03-01-walk/index")
    folder.post("index")
    folder.post("far/away")
    folder.load()
    assert sorted(folder.slugs()) == ["away", "index", "trip", "walk"]


def test_control_characters_are_refused(folder: SiteFolder) -> None:
    """Errors in posts, pages, items, authors and terms name the place."""
    folder.post("a", title="a\0b")
    folder.guide("p", title="a\x0bb")
    folder.write("content/tags.yaml", '- name: "a\\0b"\n')
    folder.write("content/authors.yaml", '- {slug: ann-ray, first_name: "A\\x01"}\n')
    errors = folder.load().errors
    places = {(error.file, error.place) for error in errors if "control character" in error.problem}
    assert places == {
        ("content/posts/a.md", "title"), ("content/pages/guide/p.yaml", "title"),
        ("content/tags.yaml", "[0].name"), ("content/authors.yaml", "[0].first_name"),
    }  # fmt: skip


@pytest.mark.parametrize("turn", [("team", "a/team"), ("a/team", "team")])
def test_an_item_moves_to_another_file(folder: SiteFolder, turn: tuple[str, str]) -> None:
    """One load moves it, whichever file comes first; two files that name it are an error."""
    six, seven = ({"id": number, "fields": {"name": name}} for number, name in ((6, "Six"), (7, "Seven")))
    folder.items(turn[0], six, seven)
    folder.items(turn[1], "Ann")
    folder.load()
    folder.items(turn[0], seven)
    folder.items(turn[1], "Ann", six)
    assert folder.load().errors == ()
    assert folder.ids("team").keys() == {"Ann", "Six", "Seven"}
    assert folder.ids("team")["Six"] == 6
    folder.items(turn[0], seven, six)
    assert len(folder.load().errors) == 1


def test_posts_trade_their_locales(folder: SiteFolder) -> None:
    """The original and its translation, in one load."""
    folder.post("a", locale="en")
    folder.post("b", locale="es", translation_of="a")
    folder.load()
    folder.post("a", locale="es")
    folder.post("b", locale="en", translation_of="a")
    assert folder.load().errors == ()
    assert (folder.find("a").locale, folder.find("b").locale) == ("es", "en")
    assert folder.find("a").group_id == folder.find("b").group_id


def test_references_come_back_with_their_target(folder: SiteFolder) -> None:
    """A page whose item is taken away has an error until it is there again, as the same item."""
    folder.items("team", "Ann", "Bo")
    folder.guide("start", fields={"headline": "x", "team": [{"key": "team", "where": {"name": "Bo"}}]})
    folder.load()
    item_id, (page,) = folder.ids("team")["Bo"], folder.page("start")
    folder.items("team", "Ann")
    for _ in range(2):
        (error,) = folder.load(prune=True).errors
        assert error.file == "content/pages/guide/start.yaml"
    folder.items("team", "Ann", "Bo")
    assert folder.load().errors == ()
    assert folder.ids("team")["Bo"] == item_id
    assert folder.page("start") == (page,)
    assert folder.load().loaded == ()


def test_a_renamed_page_is_missed_by_those_that_name_it(folder: SiteFolder) -> None:
    """Until one of that slug is there again."""
    folder.guide("a")
    folder.guide("b", fields={"headline": "b", "next": "a"})
    folder.load()
    folder.guide("a", slug="other")
    report = folder.load()
    assert [error.file for error in report.errors] == ["content/pages/guide/b.yaml"]
    assert report.loaded == ("content/pages/guide/a.yaml",)
    folder.guide("c", slug="a")
    assert folder.load().errors == ()


def test_a_translation_joins_a_restored_original(folder: SiteFolder) -> None:
    """Though its own file did not change."""
    folder.post("a", locale="en")
    folder.post("b", locale="es", translation_of="a")
    folder.load()
    folder.remove("content/posts/a.md")
    assert [error.place for error in folder.load(prune=True).errors] == ["translation_of"]
    folder.post("a", locale="en")
    assert folder.load().errors == ()
    assert folder.find("a").group_id == folder.find("b").group_id


def test_the_limit_of_items_holds_for_files(folder: SiteFolder) -> None:
    """The file that exceeds it has an error; one that trades an item for another needs `prune` for that."""
    folder.add_settings("[limits]\ncollection_items = 2")
    folder.items("team", "Ann", "Bo", "Cy")
    (error,) = folder.load().errors
    assert (error.file, "items to 3" in error.problem) == ("content/collections/team.yaml", True)
    folder.items("team", {"id": 1, "fields": {"name": "Ann"}}, "Bo")
    assert folder.load().errors == ()
    folder.items("team", {"id": 9, "fields": {"name": "Ann"}}, "Bo")
    (error,) = folder.load().errors
    assert "--prune" in error.remedy
    assert folder.load(prune=True).errors == ()
