"""Exports of Ghost, from 0.x to 6."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.documents import read_front_matter, read_yaml
from sitecms.errors import InvalidRequest
from sitecms.importing.html.tree import parse, to_html
from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.readers.ghost.documents import document_html
from sitecms.importing.readers.ghost.reader import one_path_of, replace_cards
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.building import build
from tests.importing.imported import Imported, import_export
from tests.importing.offline import OFFLINE
from tests.importing.old_host import picture

Row = dict[str, Any]
SECRET = "$2a$10$hash-of-a-password"
PNG = b"\x89PNG\r\n\x1a\n"


def _post(number: int = 1, **values: Any) -> Row:
    slug = values.get("slug", f"post-{number}")
    plain: Row = {
        "id": f"id{number}",
        "uuid": f"uuid-{number}",
        "title": f"Post {number}",
        "slug": slug,
        "html": "<p>Text.</p>",
        "status": "published",
        "visibility": "public",
        "type": "post",
        "created_at": "2021-05-04T07:00:00.000Z",
        "updated_at": "2021-05-06T07:00:00.000Z",
        "published_at": "2021-05-05T07:08:09.000Z",
    }
    return {**plain, **values}


def _export(path: Path, *posts: Row, wrapped: bool = True, **tables: list[Row]) -> str:
    users = [{"id": "1", "slug": "ann", "name": "Ann Ray", "email": "ann@tide.example", "password": SECRET}]
    settings = [{"key": "title", "value": "Tide"}, {"key": "timezone", "value": "Europe/Berlin"}]
    data = {"posts": list(posts), "users": users, "settings": settings, **tables}
    part = {"meta": {"exported_on": 1620000000000, "version": "5.80.0"}, "data": data}
    path.write_text(json.dumps({"db": [part]} if wrapped else part), encoding="utf-8")
    return str(path)


def _import(tmp_path: Path, *sources: str, members: str = "draft") -> Imported:
    return import_export(tmp_path, *map(Path, sources), old_url="https://tide.example", members=members)


def _rules(tmp_path: Path) -> Any:
    return read_yaml(tmp_path / "site/redirects.yaml")


@pytest.mark.parametrize("wrapped", [True, False])
def test_post_with_its_facts(tmp_path: Path, wrapped: bool) -> None:
    """Times, author, public tags, texts for search engines and the id in feeds; with `db` or without."""
    meta: Row = {"post_id": "id1", "meta_title": "For search", "feature_image_alt": "A boat"}
    tags = [{"id": "t1", "name": "Sea", "slug": "sea"}, {"id": "t2", "name": "#imported", "slug": "hash-imported"}]
    linked = [{"post_id": "id1", "tag_id": "t2", "sort_order": 0}, {"post_id": "id1", "tag_id": "t1", "sort_order": 1}]
    authors = [{"post_id": "id1", "author_id": "1", "sort_order": 0}]
    post = _post(custom_excerpt="Short.", feature_image="__GHOST_URL__/content/images/size/w600/2021/05/boat.jpg")
    tables: Mapping[str, list[Row]] = {
        "posts_meta": [meta],
        "tags": tags,
        "posts_tags": linked,
        "posts_authors": authors,
    }
    site = _import(tmp_path, _export(tmp_path / "ghost.json", post, wrapped=wrapped, **tables))
    data = site.post("post-1").data
    assert (data["title"], data["published"], data["author"]) == ("Post 1", "2021-05-05T07:08:09Z", "ann")
    assert (data["tags"], data["summary"], data["seo_title"]) == (["Sea"], "Short.", "For search")
    assert (data["featured_image_alt"], data["guid"]) == ("A boat", "id1")
    assert data["featured_image"].endswith("2021/05/boat.jpg")
    assert "size/w600" not in data["featured_image"]
    assert "internal tag #imported left out" in site.subjects()
    settings = (tmp_path / "site/site.toml").read_text()
    assert 'post = "/{slug}/"' in settings
    assert 'timezone = "Europe/Berlin"' in settings
    assert {"from": "/rss/", "to": "/rss.xml"} in _rules(tmp_path)


def test_nothing_secret_is_written(tmp_path: Path) -> None:
    """Password hashes, keys, members and e-mail addresses are in no file."""
    settings = [{"key": "ghost_private_key", "value": "-----BEGIN RSA PRIVATE KEY-----"}]
    members = [{"email": "reader@tide.example", "name": "A reader"}]
    _import(tmp_path, _export(tmp_path / "ghost.json", _post(), settings=settings, members=members))
    written = "".join(path.read_text() for path in (tmp_path / "site").rglob("*") if path.is_file())
    for secret in (SECRET, "PRIVATE KEY", "reader@tide.example", "ann@tide.example"):
        assert secret not in written


def test_posts_for_members_become_drafts(tmp_path: Path) -> None:
    """`--members public` publishes them; posts sent by e-mail only stay drafts."""
    posts = [_post(1, visibility="paid"), _post(2), _post(3, status="sent")]
    source = _export(tmp_path / "ghost.json", *posts)
    site = _import(tmp_path, source)
    assert [site.post(f"post-{n}").data["status"] for n in (1, 2, 3)] == ["draft", "published", "draft"]
    public = _import(tmp_path / "public", source, members="public")
    assert public.post("post-1").data["status"] == "published"
    assert public.post("post-3").data["status"] == "draft"


def test_first_versions_of_ghost(tmp_path: Path) -> None:
    """Times in milliseconds or as text, `page` as a number, one author, pictures in `image`, dated permalinks."""
    old = {"image": "/content/images/2014/01/a.jpg", "author_id": 1, "published_at": 1388530800000, "type": None}
    posts = [_post(1, **old, page=0), _post(2, page=1, slug="about", published_at="2014-01-02 03:04:05", type=None)]
    settings = [
        {"key": "title", "value": "Tide"},
        {"key": "permalinks", "value": "/:year/:month/:day/:slug/"},
        {"key": "activeTimezone", "value": "Europe/Berlin"},
    ]
    site = _import(tmp_path, _export(tmp_path / "ghost.json", *posts, settings=settings))
    data = site.post("post-1").data
    assert (data["published"], data["author"]) == ("2013-12-31T23:00:00Z", "ann")
    by_pattern = 'post = "/{year}/{month}/{day}/{slug}/"' in (tmp_path / "site/site.toml").read_text()
    assert by_pattern or data["path"] == "/2014/01/01/post-1/"
    assert site.page("about").data["title"] == "Post 2"


def test_pictures_from_the_content_folder_of_a_zip(tmp_path: Path) -> None:
    """Smaller versions in texts lead to the original in the archive."""
    export = _export(
        tmp_path / "ghost.json", _post(html='<p><img src="__GHOST_URL__/content/images/size/w1000/2021/a.png"></p>')
    )
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(export, "blog.ghost.json")
        archive.writestr("content/images/2021/a.png", PNG)
        archive.writestr("content/images/size/w1000/2021/a.png", PNG)
    site = _import(tmp_path, str(tmp_path / "all.zip"))
    assert "size/w1000" not in site.post("post-1").body
    assert "2021/a.png" in site.post("post-1").body


def test_redirect_files(tmp_path: Path) -> None:
    """Plain ones become rules, regular expressions are reported."""
    rules = [{"from": "^/old\\/?$", "to": "/post-1/", "permanent": False}, {"from": "^/(.*)/x$", "to": "/$1/"}]
    (tmp_path / "redirects.json").write_text(json.dumps(rules))
    site = _import(tmp_path, _export(tmp_path / "ghost.json", _post()), str(tmp_path / "redirects.json"))
    assert {"from": "/old/", "to": "/post-1/", "status": 302} in _rules(tmp_path)
    assert any("regular expression" in note for note in site.subjects())


def test_redirects_that_the_site_cannot_have_are_reported(tmp_path: Path) -> None:
    """White space is encoded; what redirects.yaml cannot hold is left out with a line, so that the site builds."""
    rules = [{"from": "/y/", "to": "/two words/"}, {"from": "/x/", "to": "relative"}]
    (tmp_path / "redirects.json").write_text(json.dumps(rules))
    site = _import(tmp_path, _export(tmp_path / "ghost.json", _post()), str(tmp_path / "redirects.json"))
    assert {"from": "/y/", "to": "/two%20words/"} in _rules(tmp_path)
    assert not any(rule["from"] == "/x/" for rule in _rules(tmp_path))
    assert site.subjects()["redirect that redirects.yaml cannot hold"] == 1


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/plain/", "/plain/"),
        ("^\\/a\\/b\\/$", "/a/b/"),
        ("^/a/?$", "/a/"),
        ("/file\\.html", "/file.html"),
        ("^/(a|b)/$", None),
        ("^/a.*", None),
        ("no-slash", None),
    ],
)
def test_expressions_that_match_one_path(written: str, path: str | None) -> None:
    """Anchors, escapes and an optional slash at the end are understood."""
    assert one_path_of(written) == path


def test_cards_become_plain_html() -> None:
    """Bookmarks, callouts, toggles, galleries, files and players; unknown ones are reported and stay."""
    html = (
        '<!--kg-card-begin: html--><figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" '
        'href="https://b.example/"><div class="kg-bookmark-content"><div class="kg-bookmark-title">B</div>'
        '<div class="kg-bookmark-description">About B</div></div><img src="https://b.example/icon.png"></a></figure>'
        '<div class="kg-card kg-callout-card"><div class="kg-callout-emoji">!</div><div class="kg-callout-text">Look'
        '</div></div><div class="kg-card kg-toggle-card"><div class="kg-toggle-heading"><h4 class='
        '"kg-toggle-heading-text">More</h4></div><div class="kg-toggle-content"><p>Inner</p></div></div>'
        '<figure class="kg-card kg-gallery-card"><div class="kg-gallery-row"><div class="kg-gallery-image">'
        '<img src="/a.jpg"></div></div></figure><div class="kg-card kg-audio-card"><audio src="/a.mp3"></audio>'
        '<div class="kg-audio-title">Song</div></div><div class="kg-card kg-signup-card"><form></form></div>'
        '<div class="kg-card kg-odd-card"><p>Odd</p></div>'
    )
    unknown: list[str] = []
    root = parse(html)
    replace_cards(root, unknown.append)
    plain = to_html(root)
    assert '<p><a href="https://b.example/">B</a><br>About B</p>' in plain
    assert "<blockquote><p>! Look</p></blockquote>" in plain
    assert "<details><summary>More</summary><p>Inner</p></details>" in plain
    assert '<figure class="gallery"><img src="/a.jpg"></figure>' in plain
    assert '<audio controls="" src="/a.mp3"></audio><figcaption>Song</figcaption>' in plain
    assert "<p>Odd</p>" in plain
    assert "kg-bookmark" not in plain
    assert sorted(unknown) == ["kg-odd-card", "kg-signup-card"]


def test_lexical_document_as_html() -> None:
    """Formats, links, lists and cards of the present editor, where an export has no HTML."""
    text = {"type": "extended-text", "text": "a < b", "format": 3}
    link = {"type": "link", "url": "/x/", "children": [{"type": "text", "text": "x"}]}
    items = [{"type": "listitem", "children": [{"type": "text", "text": "one"}]}]
    children = [
        {"type": "paragraph", "children": [text, {"type": "linebreak"}, link]},
        {"type": "extended-heading", "tag": "h3", "children": [{"type": "text", "text": "H"}]},
        {"type": "list", "listType": "number", "start": 3, "children": items},
        {"type": "codeblock", "language": "python", "code": "a < b"},
        {"type": "markdown", "markdown": "**bold**"},
        {"type": "image", "src": "/a.jpg", "alt": "A", "caption": "C"},
        {"type": "unheard-of"},
    ]
    unknown: list[str] = []
    html = document_html(None, json.dumps({"root": {"children": children}}), unknown.append)
    assert '<p><em><strong>a &lt; b</strong></em><br><a href="/x/">x</a></p>' in html
    assert "<h3>H</h3>" in html
    assert '<ol start="3"><li>one</li></ol>' in html
    assert '<pre><code class="language-python">a &lt; b</code></pre>' in html
    assert "<p><strong>bold</strong></p>" in html
    assert '<figure><img src="/a.jpg" alt="A"><figcaption>C</figcaption></figure>' in html
    assert unknown == ["kg-unheard-of-card"]


def test_mobiledoc_as_html() -> None:
    """Markups that overlap markers, lists, soft line breaks and cards of the former editor."""
    document = {
        "version": "0.3.1",
        "atoms": [["soft-return", "", {}]],
        "cards": [["hr", {}], ["card-markdown", {"markdown": "*m*"}]],
        "markups": [["a", ["href", "/x/"]], ["em"]],
        "sections": [
            [1, "p", [[0, [0, 1], 0, "one"], [0, [], 2, " two"], [1, [], 0, 0], [0, [], 0, "<end>"]]],
            [3, "ol", [[[0, [], 0, "item"]]]],
            [10, 0],
            [10, 1],
        ],
    }
    html = document_html(json.dumps(document), None, lambda _card: None)
    assert '<p><a href="/x/"><em>one two</em></a><br>&lt;end&gt;</p>' in html
    assert "<ol><li>item</li></ol>" in html
    assert "<hr>" in html
    assert "<p><em>m</em></p>" in html


@pytest.mark.parametrize("text", ["{", "[]", '{"db": [{"meta": {}, "data": {"tags": []}}], "exported_on": 1}'])
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    """One clear error, and no site."""
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InvalidRequest):
        import_site(tmp_path / "site", [str(tmp_path / "x.json")], ImportOptions(media=OFFLINE, kind="ghost"))
    assert not (tmp_path / "site").exists()


def test_pictures_of_an_unknown_host_are_reported_until_its_address_is_given(tmp_path: Path) -> None:
    """A page without --old-url loads without its picture; a second run with it names the picture."""
    html = '<p><img src="/content/images/b.png"></p>'
    page = _post(1, type="page", feature_image="/content/images/2024/a.png", html=html)
    source = _export(tmp_path / "g.json", page)
    options = ImportOptions(media=MediaOptions(MediaChoice.SKIP))
    told = import_site(tmp_path / "site", [source], options)
    (note,) = [group for (_kind, what), group in told.notes.items() if "address of the old site" in what]
    assert (note.count, "--old-url" in note.remedy) == (2, True)
    path = tmp_path / "site/content/pages/_single/post-1.md"
    assert not read_front_matter(path).data.get("fields", {}).get("image")
    import_site(tmp_path / "site", [source], replace(options, reader=ReaderOptions(old_url="https://tide.example")))
    assert read_front_matter(path).data["fields"]["image"] == "https://tide.example/content/images/2024/a.png"


def test_copies_of_pictures_of_an_unknown_host_are_taken(tmp_path: Path) -> None:
    """--media-from needs no address of the old site."""
    (tmp_path / "content/images/2024").mkdir(parents=True)
    (tmp_path / "content/images/2024/a.png").write_bytes(picture("blue"))
    source = _export(tmp_path / "g.json", _post(1, html='<p><img src="/content/images/2024/a.png"></p>'))
    media = MediaOptions(given=(str(tmp_path / "content"),))
    site = import_export(tmp_path, Path(source), media=media)
    assert "media/2024/a.png" in site.post("post-1").body


def test_control_characters_stay_behind(tmp_path: Path) -> None:
    """In names, addresses and texts, as signs or as numbers in HTML: the site loads, and the report says so."""
    tags = [{"id": "t1", "name": "Se\x01a", "slug": "se%05a", "description": ""}]
    linked = [{"post_id": "id1", "tag_id": "t1", "sort_order": "first"}]
    author = {"id": "2", "slug": "bo", "name": "B\x02o Ray"}
    post = _post(html="<p>Lo&#5;w \x0bwater.</p>", author_id="2")
    source = _export(tmp_path / "ghost.json", post, tags=tags, posts_tags=linked, users=[author])
    site = _import(tmp_path, source)
    build(tmp_path / "site")
    assert "Low water." in site.post("post-1").body
    assert site.post("post-1").data["tags"] == ["Sea"]
    assert "control characters removed" in site.subjects()
