"""`check_site`: one broken thing, one finding, at the line where it is written."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sitecms.actions.authoring.new_site import NewSite, make_site
from sitecms.findings import Finding, Severity
from sitecms.settings.site import load_settings
from sitecms.site.check.check import CheckOptions, check_site
from sitecms.site.check.finding import CheckKind
from sitecms.store.opening import open_database
from tests.site.check.conftest import Checked
from tests.support.reading import execute

from .conftest import SETTINGS, front

NOW = datetime(2030, 6, 1, 12, tzinfo=UTC)
Line = Callable[[Path, str], int]


def one(findings: list[Finding]) -> Finding:
    assert len(findings) == 1, findings
    return findings[0]


def state_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_sound_site_has_no_error(checked: Checked) -> None:
    """The small site, loaded or not."""
    report = checked.check()
    assert [str(each) for each in report.findings if each.severity is Severity.ERROR] == []
    assert report.pages > 5


def test_faults_of_redirects_are_errors_at_their_line(checked: Checked) -> None:
    """A rule that hides a page, and a file that cannot be read as rules."""
    (checked.folder / "redirects.yaml").write_text("- {from: /x/, to: /}\n- {from: /y/, to: /nowhere/}\n")
    (found,) = (each for each in checked.check().findings if each.severity is Severity.ERROR)
    assert (found.file, found.kind, found.severity, found.line) == (
        "redirects.yaml",
        CheckKind.REDIRECT,
        Severity.ERROR,
        2,
    )
    assert "which the site does not have" in found.what
    (checked.folder / "redirects.yaml").write_text("- {from: /x/}\n")
    (found,) = (each for each in checked.check().findings if each.file == "redirects.yaml")
    assert (found.severity, found.line) == (Severity.ERROR, 1)
    assert "leads nowhere" in found.what


def test_sample_site_has_no_error(sample: Path) -> None:
    """The site that ships has no broken link, and nothing it should be ashamed of."""
    report = check_site(load_settings(sample), NOW, CheckOptions())
    assert [str(each) for each in report.findings if each.severity is Severity.ERROR] == []
    assert report.pages > 50


def test_check_changes_nothing(checked: Checked, load: Callable[[Path], None]) -> None:
    """Neither files, nor the store, nor the media library; before the first load there is none afterwards either."""
    before = state_of(checked.folder)
    checked.check()
    assert state_of(checked.folder) == before
    load(checked.folder)
    checked.post("new", "Unloaded. ![New](media/new.png)")
    checked.picture("new")
    before = state_of(checked.folder)
    assert [finding for finding in checked.check().findings if finding.severity is Severity.ERROR] == []
    assert {**before, **state_of(checked.folder)} == before


def test_files_that_a_stylesheet_names_must_exist(checked: Checked) -> None:
    """At its line; not in comments, of other hosts, or where the file is an asset or a page of the site."""
    checked.write("assets/img/dot.svg", "<svg/>")
    checked.write("assets/more.css", "i { top: 0 }")
    fine = (
        "@import 'more.css'; b { c: url(img/dot.svg) url(/assets/img/dot.svg) url(data:x) url(//x.example/y) url(#z) }"
    )
    checked.write(
        "assets/custom.css", f"{fine}\n/* url(old.png)\n*/\na {{ b: url(img/none.png) }} c {{ d: url('/up.svg') }}"
    )
    found = checked.of(CheckKind.LINK_BROKEN)
    assert [(each.file, each.line, each.what, each.severity) for each in found] == [
        ("assets/custom.css", 4, "names /up.svg, which the site does not have", Severity.ERROR),
        ("assets/custom.css", 4, "names img/none.png, which the site does not have", Severity.ERROR),
    ]


def test_addresses_in_styles_of_a_page_must_exist(checked: Checked) -> None:
    """Of trusted HTML, in attributes and in elements."""
    checked.write("site.toml", (checked.folder / "site.toml").read_text("utf-8") + "[content]\ntrust_html = true\n")
    styles = '<p style="background: url(/none.png)">x</p><style>b { c: url("/none.svg"); fill: url(#z) }</style>'
    checked.post("slack", f'{styles}<form><button formaction="/none/">x</button></form>')
    found = {each.what for each in checked.of(CheckKind.LINK_BROKEN)}
    assert found == {f"{name} leads nowhere on the site" for name in ("/none.png", "/none.svg", "/none/")}


def test_pages_in_static_are_read(checked: Checked) -> None:
    """Their links lead somewhere, and links of others to places on them; they have no rules of style."""
    checked.write(
        "static/old/index.html", '<h1 id="top-of-it">Old</h1><img src="/none.png"><a href="/blog/slack/">x</a>'
    )
    checked.post("wind", "[a](/old/#top-of-it) [b](/old/#no-such)")
    found = {(each.file, each.kind): each.what for each in checked.check().findings if each.severity is Severity.ERROR}
    assert found == {
        ("static/old/index.html", CheckKind.LINK_BROKEN): "/none.png leads nowhere on the site",
        ("content/posts/wind.md", CheckKind.ANCHOR_MISSING): (
            "/old/#no-such leads to an anchor that is not on its page"
        ),
    }


def test_broken_link_in_a_body(checked: Checked, line_of: Line) -> None:
    """Is told at its line, with the address that was probably meant; it shows on the page of the post."""
    path = checked.post("wind", "Text.\n\n[Fog](/blog/fogg/)")
    found = one(checked.of(CheckKind.LINK_BROKEN))
    assert (found.file, found.line) == ("content/posts/wind.md", line_of(path, "fogg"))
    assert (found.severity, found.url) == (Severity.ERROR, "/blog/wind/")
    assert 'did you mean "/blog/fog/"' in found.remedy


@pytest.mark.parametrize(
    "address", ["/nowhere/", "/Blog/fog/", "nowhere/", "../nowhere/", "https://tide.example/nowhere/", "/media/no.png"]
)
def test_ways_to_write_a_broken_link(checked: Checked, address: str, line_of: Line) -> None:
    """From the root, relative to the page, or whole."""
    path = checked.post("wind", f'Text.\n\n<a href="{address}">There</a>')
    found = [each for each in checked.check().findings if each.severity is Severity.ERROR]
    assert [(each.file, each.line) for each in found] == [("content/posts/wind.md", line_of(path, address))]


def test_address_in_another_script(checked: Checked, line_of: Line) -> None:
    """Pages have it percent-encoded, files readable: it is found all the same."""
    path = checked.post("wind", "Text.\n\n[There](/blog/七十二候/)")
    assert one(checked.of(CheckKind.LINK_BROKEN)).line == line_of(path, "七十二候")


@pytest.mark.parametrize("address", ["/blog/fog/", "/blog/fog/#the-edge", "#top", "mailto:a@tide.example", "/rss.xml"])
def test_sound_links(checked: Checked, address: str) -> None:
    """Pages, anchors, feeds, other schemes."""
    checked.post("wind", f"[There]({address})")
    assert [
        each for each in checked.check().findings if each.kind in (CheckKind.LINK_BROKEN, CheckKind.ANCHOR_MISSING)
    ] == []


def test_the_poster_of_an_embed_beside_its_title_is_decorative(checked: Checked) -> None:
    """The title is what it would say."""
    checked.post("ebb", '::: embed {url=https://vimeo.com/1 title="The ebb" poster=media/sea.png}\n:::\n')
    assert checked.of(CheckKind.ALT_MISSING) == []


def test_links_to_static_files(checked: Checked) -> None:
    """One that exists is right, below a base path too; a misspelt one is broken."""
    checked.write("static/.well-known/security.txt", "Contact: ann")
    checked.write("static/cv.pdf", "%PDF")
    checked.post("ebb", "[Contact](/.well-known/security.txt), [CV](/cv.pdf)")
    assert checked.of(CheckKind.LINK_BROKEN) == []
    checked.post("ebb", "[Contact](/.well-known/security.txt), [CV](/cw.pdf)")
    assert "/cw.pdf" in one(checked.of(CheckKind.LINK_BROKEN)).what


def test_broken_menu_link_is_told_once(checked: Checked, line_of: Line) -> None:
    """Though it stands on every page."""
    fields = [{"slug": "label", "type": "short_text"}, {"slug": "url", "type": "short_text"}]
    checked.write("schema/collections/menu.yaml", {"fields": fields})
    menu = [{"fields": {"label": "There", "url": "/there/"}}, {"fields": {"label": "Fog", "url": "/blog/fog/"}}]
    path = checked.write("content/collections/menu.yaml", menu)
    found = one(checked.of(CheckKind.LINK_BROKEN))
    assert (found.file, found.line) == ("content/collections/menu.yaml", line_of(path, "/there/"))
    assert found.pages > 5


def test_broken_link_of_a_template(checked: Checked) -> None:
    """Is told at the template's line."""
    template = '{% extends "base.html" %}\n{% block content %}\n<a href="/there/">There</a>\n{% endblock %}\n'
    checked.write("templates/post.html", template)
    found = one(checked.of(CheckKind.LINK_BROKEN))
    assert (found.file, found.line, found.pages) == ("templates/post.html", 3, 2)


def test_missing_anchor(checked: Checked, line_of: Line) -> None:
    """On another page and on the same one; the anchor that was probably meant is named."""
    path = checked.post("wind", "[Fog](/blog/fog/#the-egde)\n\n[Here](#here)")
    found = checked.of(CheckKind.ANCHOR_MISSING)
    assert [(each.file, each.line) for each in found] == [
        ("content/posts/wind.md", line_of(path, "the-egde")),
        ("content/posts/wind.md", line_of(path, "#here")),
    ]
    assert 'did you mean "#the-edge"' in found[0].remedy


def test_anchors_and_addresses_of_every_script(checked: Checked, line_of: Line) -> None:
    """A heading's own words are its anchor, in both Unicode forms, and the place of a broken link is found."""
    checked.post("किताब", "## हिन्दी में\n\n## Crème\n")
    anchors = "[a](/blog/किताब/#हिन्दी-में) [b](/blog/किताब/#creme\u0300) [c](/blog/किताब/#cre\u0300me)"
    path = checked.post("links", f"{anchors}\n\n[d](/blog/cafe\u0301/)\n")
    (anchor,) = checked.of(CheckKind.ANCHOR_MISSING)
    assert (anchor.line, anchor.remedy) == (line_of(path, "[b]"), 'did you mean "#crème"?')
    (broken,) = checked.of(CheckKind.LINK_BROKEN)
    assert (broken.file, broken.line) == ("content/posts/links.md", line_of(path, "[d]"))


def test_a_missing_anchor_behind_a_link_to_a_file_names_the_text(checked: Checked) -> None:
    """Although the address of the page is not written in it."""
    checked.post("ebb")
    checked.post("flood", body="See [the ebb](ebb.md#nowhere).")
    (found,) = (each for each in checked.check().findings if each.kind is CheckKind.ANCHOR_MISSING)
    assert (found.file, found.url) == ("content/posts/flood.md", "/blog/flood/")


def test_alias_and_slash(checked: Checked) -> None:
    """A link to an alias is sound, one without the slash at its end a warning."""
    checked.post("tide", aliases=["/old/tide/"])
    checked.post("wind", "[Old](/old/tide/) [bare](/blog/fog)")
    found = [each for each in checked.check().findings if each.kind.startswith("link-")]
    assert [each.kind for each in found] == [CheckKind.LINK_WITHOUT_SLASH]
    assert found[0].severity is Severity.WARNING


def test_site_below_a_path(checked: Checked) -> None:
    """Addresses carry the path of the site's url; those outside of it are not the site's."""
    text = (checked.folder / "site.toml").read_text(encoding="utf-8")
    checked.write("site.toml", text.replace("tide.example", "tide.example/mag"))
    checked.post("wind", "[Fog](/blog/fog/) [none](/blog/none/) [shop](https://tide.example/shop/)")
    found = one(checked.of(CheckKind.LINK_BROKEN))
    assert found.what.startswith("/mag/blog/none/")
    assert found.line is not None


def test_link_to_a_draft(checked: Checked) -> None:
    """Is told as such, and what the draft is."""
    checked.post("storm", status="draft", published=None)
    checked.post("wind", "[Storm](/blog/storm/)")
    found = one(checked.of(CheckKind.LINK_TO_DRAFT))
    assert "post storm" in found.what
    assert found.file == "content/posts/wind.md"


def test_reference_to_a_draft(checked: Checked) -> None:
    """A reference field of a published page."""
    checked.write(
        "schema/page_types/guide.yaml", {"fields": [{"slug": "next", "type": "reference", "targets": ["page:guide"]}]}
    )
    checked.write("content/pages/guide/one.yaml", {"title": "One", "status": "published", "fields": {"next": "two"}})
    checked.write("content/pages/guide/two.yaml", {"title": "Two", "status": "draft", "fields": {}})
    found = one(checked.of(CheckKind.REFERENCE_TO_DRAFT))
    assert (found.file, "guide/two" in found.what) == ("content/pages/guide/one.yaml", True)


def test_file_with_a_error(checked: Checked) -> None:
    """Is told as loading tells it; everything else is checked all the same."""
    checked.write("content/posts/bad.md", "---\ntitle: [never\n---\n")
    checked.post("wind", "[There](/there/)")
    assert one(checked.of(CheckKind.FILE)).file == "content/posts/bad.md"
    assert checked.of(CheckKind.LINK_BROKEN)


def test_schema_with_a_error(checked: Checked) -> None:
    """Nothing else can be checked then."""
    checked.write("schema/page_types/guide.yaml", {"fields": [{"slug": "a", "type": "colour"}]})
    report = checked.check()
    assert [(each.kind, each.file) for each in report.findings] == [(CheckKind.FILE, "schema/page_types/guide.yaml")]


def test_file_that_is_gone(checked: Checked, load: Callable[[Path], None]) -> None:
    """Its entry stays published until somebody prunes."""
    load(checked.folder)
    (checked.folder / "content/posts/fog.md").unlink()
    assert one(checked.of(CheckKind.FILE_GONE)).file == "content/posts/fog.md"


def test_error_of_a_template(checked: Checked) -> None:
    """Once, with file and line, however many pages it spoils."""
    checked.write("templates/post.html", "<p>\n{{ post.nothing.more }}\n")
    found = one(checked.of(CheckKind.TEMPLATE))
    assert (found.file, found.line, found.pages) == ("templates/post.html", 2, 2)


def test_two_entries_at_one_address(checked: Checked) -> None:
    """The finding names both, with the line of the one that is held back; a list gives way to an entry."""
    checked.post("new", path="/about/")
    new = one(checked.of(CheckKind.FILE))
    assert (new.file, new.line) == ("content/posts/new.md", 7)
    assert "content/pages/_single/about" in new.what
    checked.post("new", path="/tags/sea/")
    found = one(checked.of(CheckKind.PATH_TAKEN))
    assert "post new (content/posts/new.md)" in found.what
    assert found.severity is Severity.ERROR


def test_alias_that_is_an_entry(checked: Checked) -> None:
    """What a build would note is a warning."""
    checked.post("wind", aliases=["/blog/fog/"])
    assert "/blog/fog/" in one(checked.of(CheckKind.SITE)).what


ELSEWHERE = "https://elsewhere.example/a.png"


@pytest.mark.parametrize(
    ("facts", "body", "text", "named"),
    [
        ({"featured_image": "media/sea.png"}, "Text.", "featured_image", ""),
        ({}, "Text.\n\n![](media/sea.png)", "![]", ": media/sea.png"),
        ({}, 'Text.\n\n![ ](media/sea.png "Title")', "![ ]", ": media/sea.png"),
        ({}, "First.\n\n::: embed {url=https://vimeo.com/1 poster=media/sea.png}\n:::", "media/sea", ": media/sea.png"),
        ({}, f'First.\n\n<img src="{ELSEWHERE}">', ELSEWHERE, f": {ELSEWHERE}"),
    ],
)
def test_picture_of_a_post_without_words(
    checked: Checked, facts: dict[str, Any], body: str, text: str, named: str, line_of: Line
) -> None:
    """Featured, or in the body, posters of embeds too; named at its line."""
    path = checked.post("wind", body, **facts)
    found = one(checked.of(CheckKind.ALT_MISSING))
    assert (found.file, found.line, named in found.what) == ("content/posts/wind.md", line_of(path, text), True)


def test_pictures_of_fields_without_words(checked: Checked) -> None:
    """Media fields in repeaters and components, Markdown and HTML fields."""
    media: dict[str, Any] = {"slug": "image", "type": "media"}
    fields = [
        {"slug": "cover", "type": "media"},
        {"slug": "rows", "type": "repeater", "fields": [media]},
        {"slug": "parts", "type": "component_picker", "components": ["hero"]},
        {"slug": "text", "type": "long_text"},
        {"slug": "html", "type": "wysiwyg"},
    ]
    checked.write("schema/page_types/guide.yaml", {"fields": fields})
    checked.write("schema/components/hero.yaml", {"fields": [media]})
    wordless, said = {"url": "media/sea.png", "alt": " "}, {"url": "media/sea.png", "alt": "Sea"}
    values = {
        "cover": said,
        "rows": [{"image": said}, {"image": wordless}],
        "parts": [{"type": "hero", "fields": {"image": wordless}}],
        "text": "![](media/sea.png)",
        "html": '<img src="media/sea.png">',
    }
    checked.write("content/pages/guide/one.yaml", {"title": "One", "status": "published", "fields": values})
    found = checked.of(CheckKind.ALT_MISSING)
    assert len(found) == 4
    assert {each.what.split(" ")[0] for each in found} == {
        "rows[1].image", "parts[0].fields.image", "text", "html",
    }  # fmt: skip
    assert all(each.file == "content/pages/guide/one.yaml" and each.line for each in found)
    checked.write("content/media.yaml", [{"file": "media/sea.png", "decorative": True}])
    assert {each.what.split(" ")[0] for each in checked.of(CheckKind.ALT_MISSING)} == {"text"}


def test_media_that_nothing_names(checked: Checked) -> None:
    """A file that a template names counts as named."""
    checked.picture("left")
    checked.picture("shown")
    checked.write("templates/parts/note.html", '<img src="media/shown.png" alt="">')
    assert one(checked.of(CheckKind.MEDIA_UNUSED)).file == "media/left.png"
    checked.write("content/media.yaml", [{"file": "media/left.png", "alt": "A picture that no entry shows"}])
    assert one(checked.of(CheckKind.MEDIA_UNUSED)).file == "media/left.png"


def test_library_file_that_nothing_names(checked: Checked, load: Callable[[Path], None]) -> None:
    """What an entry named before."""
    load(checked.folder)
    assert checked.of(CheckKind.LIBRARY_UNUSED) == []
    checked.post("fog", "## The edge")
    assert "nothing uses" in one(checked.of(CheckKind.LIBRARY_UNUSED)).what


def test_slugs_alike(checked: Checked) -> None:
    """By letter case or Unicode form."""
    checked.post("strasse")
    checked.post("straße")
    found = one(checked.of(CheckKind.SLUG_TWIN))
    assert "straße" in found.what
    assert "strasse" in found.what


def test_long_titles_and_descriptions(checked: Checked, line_of: Line) -> None:
    """Each at the line of what is too long; the site's name at the end of a title does not count."""
    path = checked.post("wind", title="W" * 60, meta_description="d" * 161)
    other = checked.post("rain", title="R" * 61, summary="s" * 160)
    title, description = one(checked.of(CheckKind.TITLE_LONG)), one(checked.of(CheckKind.DESCRIPTION_LONG))
    assert (title.file, title.line) == ("content/posts/rain.md", line_of(other, "title"))
    assert (description.file, description.line) == ("content/posts/wind.md", line_of(path, "meta_description"))
    assert "search engines" in title.remedy


def test_missing_descriptions_and_same_titles(checked: Checked) -> None:
    """Of entries: an archive has none to write, and may have the name of an entry about the same."""
    checked.write("content/pages/_single/bare.yaml", {"title": "Bare", "status": "published", "fields": {}})
    checked.post("wind", tags=["Mud"])
    checked.post("gale", title="Wind", slug="gale")
    checked.post("mud", title="Mud")
    missing = checked.of(CheckKind.DESCRIPTION_MISSING)
    assert [each.file for each in missing] == ["content/pages/_single/bare.yaml"]
    twin = one(checked.of(CheckKind.TITLE_DUPLICATE))
    assert (twin.file, "/blog/wind/" in twin.what) == ("content/posts/gale.md", True)


def test_terms_and_authors_without_posts(checked: Checked) -> None:
    """Each at its line in the list."""
    checked.write("content/tags.yaml", "- {slug: sea, name: Sea}\n- {slug: mud, name: Mud}\n")
    checked.write("content/authors.yaml", "- slug: ann-ray\n- slug: bo\n  first_name: Bo\n")
    term, author = one(checked.of(CheckKind.TERM_UNUSED)), one(checked.of(CheckKind.AUTHOR_UNUSED))
    assert (term.file, term.line, author.file, author.line) == ("content/tags.yaml", 2, "content/authors.yaml", 2)
    fields = [{"slug": "text", "type": "html"}]
    checked.write("schema/page_types/boat.yaml", {"slug": "boat", "terms": ["tags"], "fields": fields})
    checked.write("content/pages/boat/gig.yaml", {"title": "Gig", "tags": ["Mud"], "fields": {"text": "x"}})
    assert checked.of(CheckKind.TERM_UNUSED) == []


def test_page_that_the_table_of_contents_leaves_out(checked: Checked) -> None:
    """Where the theme says which collection that is: published pages of the types that it lists, once each."""
    checked.write("schema/page_types/chapter.yaml", {"slug": "chapter", "fields": [{"slug": "text", "type": "html"}]})
    pages = {"slug": "pages", "type": "reference", "targets": ["page:chapter"], "many": True}
    checked.write("schema/collections/contents.yaml", {"key": "contents", "fields": [pages]})
    checked.write("content/collections/contents.yaml", [{"fields": {"pages": ["ropes"]}}])
    for name, status in (("ropes", "published"), ("sails", "published"), ("oars", "draft"), ("start", "published")):
        checked.write(f"content/pages/chapter/{name}.yaml", {"title": name, "status": status})
    settings = f'{SETTINGS}[build]\nhome = "chapter/start"\n'
    checked.write("site.toml", settings)
    assert checked.of(CheckKind.PAGE_UNLISTED) == []
    checked.write("site.toml", f'{settings}[theme]\nname = "own"\n')
    checked.write("themes/own/theme.toml", 'name = "own"\nextends = "docs"\n')
    found = one(checked.of(CheckKind.PAGE_UNLISTED))
    assert (found.severity, found.file) == (Severity.WARNING, "content/pages/chapter/sails.yaml")
    assert str(found.what) == "is not in the table of contents, the collection contents"
    assert found.remedy == "add it to content/collections/contents.yaml"
    checked.write("content/collections/contents.yaml", [{"fields": {"pages": ["ropes", "sails"]}}])
    assert checked.of(CheckKind.PAGE_UNLISTED) == []


def test_heading_that_skips_a_level(checked: Checked) -> None:
    """In the body of a post."""
    checked.post("wind", "## Two\n\n#### Four")
    found = one(checked.of(CheckKind.HEADING_SKIPPED))
    assert (found.file, '"Four"' in found.what) == ("content/posts/wind.md", True)


def test_time_that_lies_ahead(checked: Checked, load: Callable[[Path], None], line_of: Line) -> None:
    """Published already by a clock that ran ahead, though its time has not come."""
    path = checked.post("wind", published="2026-01-01T00:00:00Z")
    load(checked.folder)
    database = open_database(load_settings(checked.folder).store)
    execute(database, "UPDATE version SET published_at = 1924992000000000 WHERE slug = 'wind'")  # in 2031
    database.close()
    found = one(checked.of(CheckKind.DATE_AHEAD))
    assert (found.file, found.line) == ("content/posts/wind.md", line_of(path, "published:"))


def test_page_of_the_api_is_named_by_entry(
    checked: Checked, load: Callable[[Path], None], remove_file: Callable[[Path, str], None]
) -> None:
    """An entry without a file is told by what it is, or by the address of its page."""
    checked.post("wind", "[There](/there/)")
    load(checked.folder)
    remove_file(checked.folder, "content/posts/wind.md")
    found = one(checked.of(CheckKind.LINK_BROKEN))
    assert (found.file, found.url, found.where) == ("", "/blog/wind/", "/blog/wind/")


def test_removed_html_is_found_in_files_that_did_not_change(checked: Checked, load: Callable[[Path], None]) -> None:
    """Every check names it, with the line, and the way to keep it; all kinds are listed."""
    checked.post("form", "Text.\n\n<form>a</form>\n" + "".join(f"<a{number}>" for number in range(8)))
    load(checked.folder)
    found = checked.of(CheckKind.TEXT)
    assert len(found) == 9
    assert found[0].file == "content/posts/form.md"
    assert (found[0].severity, "The tag <form> was removed" in found[0].what) == (Severity.WARNING, True)
    assert "trust_html" in found[0].remedy
    assert len({each.line for each in found}) == 2


def test_removed_html_is_found_in_fields(checked: Checked, load: Callable[[Path], None]) -> None:
    """Of pages, items and posts, with place and line; a body in Markdown is named once."""
    fields = [{"slug": "text", "type": "wysiwyg"}]
    for name in ("schema/page_types/guide.yaml", "schema/collections/team.yaml", "schema/post.yaml"):
        checked.write(name, {"fields": fields})
    removed = "<p>Text.</p><form>a</form>"
    checked.write("content/pages/guide/knots.yaml", {"title": "Knots", "fields": {"text": removed}})
    checked.write("content/pages/_single/plain.md", front(title="Plain", format="html") + removed)
    checked.write("content/collections/team.yaml", [{"id": 7, "fields": {"text": removed}}])
    checked.post("form", fields={"text": removed})
    load(checked.folder)
    found = checked.of(CheckKind.TEXT)
    assert sorted((each.file, each.place, each.line is not None) for each in found) == [
        ("content/collections/team.yaml", "[0].fields.text", True),
        ("content/pages/_single/plain.md", "body", True),
        ("content/pages/guide/knots.yaml", "fields.text", True),
        ("content/posts/form.md", "fields.text", True),
    ]


def test_fields_of_posts_are_checked(checked: Checked, load: Callable[[Path], None]) -> None:
    """Pictures without alt text, and references to entries that readers do not see."""
    checked.write("schema/post.yaml", {"fields": [
        {"slug": "photo", "type": "media"}, {"slug": "guide", "type": "reference", "targets": ["page:*"]},
    ]})  # fmt: skip
    checked.write("content/pages/_single/plan.md", front(title="Plan", status="draft") + "Text.")
    checked.post("form", fields={"photo": "media/sea.png", "guide": "plan"})
    load(checked.folder)
    found = [one(checked.of(kind)) for kind in (CheckKind.ALT_MISSING, CheckKind.REFERENCE_TO_DRAFT)]
    assert [(each.file, each.what.partition(" ")[0]) for each in found] == [
        ("content/posts/form.md", "photo"),
        ("content/posts/form.md", "refers"),
    ]


def test_texts_of_a_new_site_are_named_until_they_are_replaced(tmp_path: Path) -> None:
    """Each at its line: name and description of the site, name and biography of its author, the page about it."""
    make_site(tmp_path / "new", NewSite())
    settings = load_settings(tmp_path / "new")
    found = check_site(settings, NOW, CheckOptions()).findings
    assert [(each.file, each.line, each.severity) for each in found if each.kind == CheckKind.PLACEHOLDER] == [
        ("content/authors.yaml", 2, Severity.WARNING),
        ("content/authors.yaml", 4, Severity.WARNING),
        ("content/pages/_single/about.md", 8, Severity.WARNING),
        ("site.toml", 3, Severity.WARNING),
        ("site.toml", 5, Severity.WARNING),
    ]
    make_site(tmp_path / "named", NewSite("Tide", "Ann Ray"))
    for path, old, new in (
        ("site.toml", "Notes, and a few pages.", "On the sea"),
        ("content/authors.yaml", "Say who you are in a sentence or two.", "Ann sails."),
        ("content/pages/_single/about.md", "Replace it with", "We wrote"),
    ):
        file = tmp_path / "named" / path
        file.write_text(file.read_text().replace(old, new))
    found = check_site(load_settings(tmp_path / "named"), NOW, CheckOptions()).findings
    assert [each for each in found if each.kind == CheckKind.PLACEHOLDER] == []
