"""Backups of Blogger, and feeds of Google Takeout."""

from pathlib import Path
from typing import Any

import pytest

from sitecms.documents import read_toml, read_yaml
from sitecms.importing.readers.blogger import original
from tests.importing.imported import Imported, import_export

KIND = "http://schemas.google.com/blogger/2008/kind#"
PICTURE = (
    '<div class="separator"><a href="https://1.bp.blogspot.com/-x/boat/s1600/boat.jpg"><img '
    'src="https://1.bp.blogspot.com/-x/boat/s320/boat.jpg"></a></div>'
)


def _entry(number: int = 1, kind: str = "post", content: str = "&lt;p&gt;Text.&lt;/p&gt;", more: str = "") -> str:
    return (
        f"<entry><id>tag:blogger.com,1999:blog-9.post-{number}</id><published>2012-03-04T10:00:00.000+01:00</published>"
        "<updated>2012-03-05T10:00:00.000+01:00</updated>"
        f"<category scheme='http://schemas.google.com/g/2005#kind' term='{KIND}{kind}'/>"
        "<category scheme='http://www.blogger.com/atom/ns#' term='Sea'/>"
        f"<title type='text'>Post {number}</title><content type='html'>{content}</content>"
        f"<link rel='alternate' type='text/html' href='https://tide.example/2012/03/slack-{number}.html'/>"
        f"<author><name>Ann Ray</name><email>ann@tide.example</email></author>{more}</entry>"
    )


def _import(tmp_path: Path, *entries: str) -> Imported:
    text = (
        "<?xml version='1.0' encoding='UTF-8'?><feed xmlns='http://www.w3.org/2005/Atom' "
        "xmlns:app='http://purl.org/atom/app#' xmlns:thr='http://purl.org/syndication/thread/1.0' "
        "xmlns:blogger='http://schemas.google.com/blogger/2018'>" + "".join(entries) + "</feed>"
    )
    (tmp_path / "blog.xml").write_text(text)
    return import_export(tmp_path, tmp_path / "blog.xml")


def test_a_post_with_its_facts(tmp_path: Path) -> None:
    """Time in UTC, labels as tags, the id in feeds, the old address with its ending; no e-mail address."""
    site = _import(tmp_path, _entry())
    data = site.post("slack-1").data
    assert (data["title"], data["published"], data["tags"]) == ("Post 1", "2012-03-04T09:00:00Z", ["Sea"])
    assert data["guid"] == "tag:blogger.com,1999:blog-9.post-1"
    settings = (tmp_path / "site/site.toml").read_text()
    assert 'post = "/{year}/{month}/{slug}.html"' in settings or data["path"] == "/2012/03/slack-1.html"
    assert 'url = "https://tide.example"' in settings
    written = "".join(path.read_text() for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert "ann@tide.example" not in written
    rules: Any = read_yaml(tmp_path / "site/redirects.yaml")
    assert any(rule["to"] == "/atom.xml" for rule in rules)


def test_drafts_pages_and_comments(tmp_path: Path) -> None:
    """Drafts stay drafts, pages become pages, comments no posts."""
    draft = "<app:control><app:draft>yes</app:draft></app:control>"
    site = _import(tmp_path, _entry(1, more=draft), _entry(2, "page"), _entry(3, "comment"), _entry(4, "template"))
    assert site.post("slack-1").data["status"] == "draft"
    assert site.page("slack-2").data["title"] == "Post 2"
    assert len(list((tmp_path / "site/content/posts").iterdir())) == 1


def test_feed_of_takeout(tmp_path: Path) -> None:
    """Kind, state and file name stand in elements of Blogger's own."""
    entry = _entry().replace(f"<category scheme='http://schemas.google.com/g/2005#kind' term='{KIND}post'/>", "")
    entry = entry.replace("</entry>", "<blogger:type>POST</blogger:type><blogger:status>LIVE</blogger:status></entry>")
    trashed = entry.replace("post-1<", "post-2<").replace("LIVE", "SOFT_TRASHED")
    site = _import(tmp_path, entry, trashed)
    assert site.post("slack-1").data["status"] == "published"
    assert any(subject == "entries in the trash" for _kind, subject in site.report.notes)
    assert len(list((tmp_path / "site/content/posts").iterdir())) == 1


def test_pictures_lose_their_size_and_their_link(tmp_path: Path) -> None:
    """The original is taken, and a link to the same picture goes."""
    site = _import(tmp_path, _entry(content=PICTURE.replace("<", "&lt;")))
    body = site.post("slack-1").body
    assert "s320" not in body
    assert "s1600" not in body
    assert body.count("boat.jpg") == 1


@pytest.mark.parametrize(
    ("address", "plain"),
    [
        ("https://1.bp.blogspot.com/-x/s320/a.jpg", "https://1.bp.blogspot.com/-x/s0/a.jpg"),
        (
            "https://blogger.googleusercontent.com/img/a/AVvX=s640",
            "https://blogger.googleusercontent.com/img/a/AVvX=s0",
        ),
        ("https://lh3.googleusercontent.com/AVvX=w640-h480-p", "https://lh3.googleusercontent.com/AVvX=s0"),
        ("https://other.example/s320/a.jpg", "https://other.example/s320/a.jpg"),
    ],
)
def test_addresses_of_originals(address: str, plain: str) -> None:
    """Sizes stand in the path or at its end."""
    assert original(address) == plain


def test_a_feed_of_the_blog_is_read(tmp_path: Path) -> None:
    """Its entries name no kind; their id does."""
    category = f"<category scheme='http://schemas.google.com/g/2005#kind' term='{KIND}post'/>"
    site = _import(tmp_path, _entry().replace(category, ""))
    assert site.post("slack-1").data["title"] == "Post 1"


def test_the_title_of_the_feed_is_the_name_of_the_site(tmp_path: Path) -> None:
    """Also where the file has no settings of the blog."""
    _import(tmp_path, "<title type='text'>Slack &amp; tide</title>", _entry())
    assert read_toml(tmp_path / "site/site.toml")["name"] == "Slack & tide"
