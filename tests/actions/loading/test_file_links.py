"""Links between files: their addresses, those that are broken, and what happens when the target moves."""

from typing import Literal
from unicodedata import normalize

import pytest

from sitecms.content.media import MEDIA_NAME
from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")


def body(folder: SiteFolder, slug: str) -> str:
    """The stored HTML of a post."""
    return folder.find(slug).body


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("first-steps.md", "/blog/first-steps/"),
        ("first-steps.md#top", "/blog/first-steps/#top"),
        ("./first-steps.md", "/blog/first-steps/"),
        ("es/primeros.md", "/es/blog/primeros-pasos/"),
        ("../pages/_single/about.md", "/about/"),
        ("../pages/guide/start.yaml", "/guide/start/"),
        ("own.md", "/about/own/"),
    ],
)
def test_links_lead_to_the_pages_of_files(folder: SiteFolder, link: str, address: str) -> None:
    """Paths start at the folder of the file; the slug, the locale and an own path count."""
    folder.post("first-steps")
    folder.post("es/primeros", locale="es", slug="primeros-pasos")
    folder.post("own", path="/about/own/")
    folder.write("content/pages/_single/about.md", "---\ntitle: About\nstatus: published\n---\nUs.\n")
    folder.guide("start", fields={"headline": "Start"})
    folder.post("a", f"[x]({link}) `[x]({link})`")
    assert folder.load().errors == ()
    assert f'<a href="{address}">x</a> <code>' in body(folder, "a")


def test_links_in_html_and_in_fields(folder: SiteFolder) -> None:
    """HTML bodies and formatted fields are read in the same way."""
    folder.post("b")
    folder.post("a", '<p><a href="b.md#x">x</a></p>', format="html")
    folder.guide("start", fields={"headline": "Start", "text": '<a href="../../posts/b.md">x</a>'})
    assert folder.load().errors == ()
    assert body(folder, "a").startswith('<p><a href="/blog/b/#x">x</a>')
    assert folder.page("start")[0].fields["text"] == '<a href="/blog/b/">x</a>'


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("One.\n\nSee [x](first-step.md).", (
            'content/posts/a.md:7:9: first-step.md does not exist in the site folder; did you mean "first-steps.md"? '
            "(name the file of a post or page, as first-steps.md or ../pages/_single/about.md)")),
        ("[x](../authors.yaml)", (
            "content/posts/a.md:5:5: ../authors.yaml is not the file of a post or page "
            "(name the file of a post or page, as first-steps.md or ../pages/_single/about.md)")),
        ("![x](no.png)", (
            "content/posts/a.md:5:6: content/posts/no.png does not exist in the site folder "
            "(name a file in media/, as media/sea.jpg, or one beside the text)")),
        ("[x](../../../../etc/a.pdf)", (
            "content/posts/a.md:5:5: ../../etc/a.pdf does not exist in the site folder "
            "(name a file in media/, as media/sea.jpg, or one beside the text)")),
    ],
)  # fmt: skip
def test_a_broken_link_is_an_error_with_line_and_column(folder: SiteFolder, text: str, error: str) -> None:
    """The file is not stored, and the error names what may be meant."""
    folder.post("first-steps")
    folder.post("a", text)
    assert [str(found) for found in folder.load().errors] == [error]


BROKEN = '---\ntitle: "B\nslug: "boats"\npublished: 2026-01-02\n---\nText.\n'
MISSPELT = "---\ntitel: B\nslug: boats\npublished: 2026-01-02\n---\nText.\n"


@pytest.mark.parametrize("text", [BROKEN, MISSPELT], ids=["broken", "misspelt"])
def test_a_link_to_a_file_with_errors_leads_to_its_stored_entry(folder: SiteFolder, text: str) -> None:
    """The change of the file that links to it is stored, and so is that of a page."""
    folder.post("b", slug="boats")
    folder.post("a", "[x](b.md)")
    folder.guide("start", fields={"headline": "Start", "text": '<a href="../../posts/b.md">x</a>'})
    folder.load()
    folder.write("content/posts/b.md", text)
    folder.post("a", "Edited. [x](b.md#y)")
    report = folder.load()
    assert {error.file for error in report.errors} == {"content/posts/b.md"}
    assert 'Edited. <a href="/blog/boats/#y">x</a>' in body(folder, "a")
    assert folder.page("start")[0].fields["text"] == '<a href="/blog/boats/">x</a>'
    assert folder.load().loaded == ()


@pytest.mark.parametrize("text", [BROKEN, MISSPELT], ids=["broken", "misspelt"])
def test_a_link_to_a_file_with_errors_in_a_new_store(folder: SiteFolder, text: str) -> None:
    """The address is made from the file's slug; the text is read again when the file is corrected."""
    folder.write("content/posts/b.md", text)
    folder.post("a", "[x](b.md)", published="2026-01-01")
    report = folder.load()
    assert {error.file for error in report.errors} == {"content/posts/b.md"}
    assert '<a href="/blog/boats/">x</a>' in body(folder, "a")
    said = "content/posts/a.md: links to content/posts/b.md, which has errors: its address is made from its name"
    assert report.notes == ((said,) if text == BROKEN else ())
    folder.post("b", slug="ships", published="2026-01-01")
    assert folder.load().errors == ()
    assert '<a href="/blog/ships/">x</a>' in body(folder, "a")


@pytest.mark.parametrize("text", ['---\ntitle: "B\n---\nText.\n', "---\ntitle: B\npublished: soon\n---\nText.\n"])
def test_a_link_to_a_file_with_errors_whose_address_has_a_day(folder: SiteFolder, text: str) -> None:
    """Without a day it cannot be known: the text is stored with a note, and read again later."""
    folder.add_settings('[permalinks]\npost = "/{year}/{slug}/"')
    folder.write("content/posts/b.md", text)
    folder.post("a", "[x](b.md)", published="2026-01-02")
    report = folder.load()
    assert {error.file for error in report.errors} == {"content/posts/b.md"}
    (note,) = report.notes
    assert note.endswith("its address is not known, so the link is broken")
    assert "x</a>" in body(folder, "a")
    folder.post("b", published="2025-01-02T08:00:00Z")
    assert folder.load().errors == ()
    assert '<a href="/2025/b/">x</a>' in body(folder, "a")


def test_other_addresses_stay(folder: SiteFolder) -> None:
    """Addresses of the web, of the root, of parameters and of other files of a site are left alone."""
    text = (
        "[a](https://x.example/a.md) [b](/notes.md) [c](?q=a.md) [d](#a.md) [e](other/) [f](mailto:a@b.md) [g](x.rar)"
    )
    folder.post("a", text)
    assert folder.load().errors == ()
    stored = body(folder, "a")
    for address in ("https://x.example/a.md", "/notes.md", "?q=a.md", "#a.md", "other/", "mailto:a@b.md", "x.rar"):
        assert f'href="{address}"' in stored


def test_downloads_beside_a_text(folder: SiteFolder) -> None:
    """Texts, tables and archives are taken into the library, too; a missing one, or one in disguise, is an error."""
    for name, data in (
        ("list.txt", "Ålesund\n"),
        ("tides.csv", "time,height\n"),
        ("all.zip", b"PK\x05\x06" + bytes(18)),
    ):
        file = folder.folder / "content/posts/trip" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
    folder.post("trip/a", "[a](list.txt) [b](tides.csv) [c](all.zip)")
    assert folder.load().errors == ()
    assert [name.rpartition(".")[2] for name in MEDIA_NAME.findall(body(folder, "a"))] == ["txt", "csv", "zip"]
    (folder.folder / "content/posts/trip/all.zip").write_bytes(b"no archive")
    (folder.folder / "content/posts/trip/list.txt").write_bytes(b"\xe5")
    folder.post("trip/a", "[a](list.txt) [b](tides.csv) [c](all.zip) [d](none.zip)")
    assert len(folder.load().errors) == 3


def test_pictures_beside_a_text(folder: SiteFolder) -> None:
    """Files beside posts and pages are taken into the library; a changed one is loaded again."""
    folder.image("content/posts/trip/boat.png", "navy", (3, 2))
    folder.post("trip/a", "![A boat](boat.png) [whole](boat.png)\n\n![Up](../trip/boat.png)", featured_image="boat.png")
    assert folder.load().errors == ()
    stored = body(folder, "a")
    assert stored.count("/media/") == 3
    assert 'width="3"' in stored
    assert folder.find("a").featured_image.startswith("/media/")
    folder.image("content/posts/trip/boat.png", "teal", (5, 2))
    assert folder.load().loaded == ("content/posts/trip/a.md",)
    assert 'width="5"' in body(folder, "a")


def test_captions_of_a_video(folder: SiteFolder) -> None:
    """WebVTT files belong to the library; those and pictures may lie beside a page."""
    folder.image("content/pages/_single/p.JPEG.png", "navy", (3, 2))
    folder.write("content/pages/_single/a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nA wave\n")
    text = '::: figure {src="p.JPEG.png" alt="P"}\n:::\n\n<video controls><track src="a.vtt" kind="captions"></video>'
    folder.write("content/pages/_single/about.md", f"---\ntitle: About\nstatus: published\n---\n{text}\n")
    assert folder.load().errors == ()
    stored = str(folder.page("about", "")[0].fields["body"])
    assert '<img src="/media/' in stored
    assert '<track src="/media/' in stored
    assert '.vtt" kind="captions">' in stored


def test_posts_follow_when_a_target_moves(folder: SiteFolder) -> None:
    """Only posts whose link changes are loaded again; a target that is gone is an error until the link is mended."""
    folder.post("b")
    folder.post("a", "[x](b.md)")
    folder.post("c", "No link.")
    folder.load()
    folder.post("b", "Other words.")
    assert folder.load().loaded == ("content/posts/b.md",)
    folder.post("b", "Other words.", slug="moved")
    assert set(folder.load().loaded) == {"content/posts/a.md", "content/posts/b.md"}
    assert 'href="/blog/moved/"' in body(folder, "a")
    assert folder.load().loaded == ()
    (folder.folder / "content/posts/b.md").unlink()
    for _time in range(2):
        assert ["b.md does not exist" in str(error) for error in folder.load().errors] == [True]
    folder.post("a", "No link.")
    assert folder.load().errors == ()


def test_permalinks_of_the_settings(folder: SiteFolder) -> None:
    """A changed pattern changes links; a day in the address needs a time in the file."""
    folder.post("b", published="2026-02-03T08:00:00Z")
    folder.post("a", "[x](b.md)")
    folder.load()
    folder.add_settings('[permalinks]\npost = "/{year}/{month}/{slug}/"')
    assert "content/posts/a.md" in folder.load().loaded
    assert 'href="/2026/02/b/"' in body(folder, "a")
    folder.post("b")
    assert ["give content/posts/b.md a published time" in str(error) for error in folder.load().errors] == [True]


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
def test_names_of_files_are_found_in_both_unicode_forms(
    folder: SiteFolder, on_disk: Literal["NFC", "NFD"], written: Literal["NFC", "NFD"]
) -> None:
    """macOS may write names decomposed, and git brings them to systems where that is another name."""
    folder.write(f"content/posts/{normalize(on_disk, 'café')}.md", "---\ntitle: Café\npublished: 2026-01-02\n---\nx\n")
    folder.write(f"media/{normalize(on_disk, 'crème')}.pdf", "%PDF-1.4\n")
    folder.post("a", normalize(written, "[x](café.md)\n\n[y](media/crème.pdf)\n"))
    assert folder.load().errors == ()
    assert '<a href="/blog/caf%C3%A9/">x</a>' in body(folder, "a")
    assert MEDIA_NAME.search(body(folder, "a"))
    assert folder.find("café")


def test_translations_name_their_original_in_both_unicode_forms(folder: SiteFolder) -> None:
    """So do authors."""
    folder.post("one", slug="café")
    folder.post("dos", locale="es", translation_of="cafe\u0301")
    assert folder.load().errors == ()
    assert folder.find("dos").group_id == folder.find("café").group_id
