"""Exports of Substack."""

import zipfile
from html import escape
from pathlib import Path
from typing import Any

from sitecms.documents import read_yaml
from tests.importing.imported import Imported, import_export

HEADER = "post_id,post_date,is_published,email_sent_at,type,audience,title,subtitle,podcast_url\n"
SUBSCRIBE = '<p class="button-wrapper"><a class="button primary" href="https://tide.substack.com/subscribe?"><span>Go</span></a></p>'


def _import(tmp_path: Path, rows: str, members: str = "draft", **texts: str) -> Imported:
    with zipfile.ZipFile(tmp_path / "substack.zip", "w") as archive:
        archive.writestr("posts.csv", HEADER + rows)
        archive.writestr("email_list.tide.csv", "email\nreader@tide.example\n")
        for name, text in texts.items():
            archive.writestr(f"posts/{name}.html", text)
    return import_export(tmp_path, tmp_path / "substack.zip", members=members)


def test_posts_pages_and_drafts(tmp_path: Path) -> None:
    """Title, subtitle and time come from the table, the text from its file; addresses stay below /p/."""
    rows = (
        "12.slack,2019-07-26T20:48:19.814Z,TRUE,,newsletter,everyone,&#x201C;Slack&#x201D;,It&#x2019;s calm,\n"
        "13.about,2019-07-26T20:48:19.814Z,TRUE,,page,everyone,About,,\n"
        "14.later,2019-07-26T20:48:19.814Z,FALSE,,newsletter,everyone,Later,,\n"
    )
    site = _import(
        tmp_path, rows, **{"12.slack": f"<p>Text.</p>{SUBSCRIBE}", "13.about": "<p>A</p>", "14.later": "<p>L</p>"}
    )
    found = site.post("slack")
    assert (found.data["title"], found.data["summary"]) == ("“Slack”", "It’s calm")
    assert found.data["published"].startswith("2019-07-26T20:48:19")
    assert "Go" not in found.body
    assert site.page("about").data["title"] == "About"
    assert site.post("later").data["status"] == "draft"
    settings = (tmp_path / "site/site.toml").read_text()
    assert 'url = "https://tide.substack.com"' in settings
    assert 'post = "/p/{slug}/"' in settings
    rules: Any = read_yaml(tmp_path / "site/redirects.yaml")
    assert {"from": "/feed/", "to": "/rss.xml"} in rules
    written = "".join(path.read_text() for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert "reader@tide.example" not in written
    assert any("lists of subscribers" in subject for _kind, subject in site.report.notes)


def test_posts_for_paying_readers(tmp_path: Path) -> None:
    """They become drafts, unless all are to be public."""
    rows = "12.slack,2019-07-26T20:48:19.814Z,TRUE,,newsletter,only_paid,Slack,,\n"
    site = _import(tmp_path, rows, **{"12.slack": "<p>Text.</p>"})
    assert site.post("slack").data["status"] == "draft"
    (tmp_path / "b").mkdir()
    public = _import(tmp_path / "b", rows, members="public", **{"12.slack": "<p>Text.</p>"})
    assert public.post("slack").data["status"] == "published"


def test_podcast_begins_with_its_player(tmp_path: Path) -> None:
    """The sound file stands before the text."""
    rows = "12.talk,2019-07-26T20:48:19.814Z,TRUE,,podcast,everyone,Talk,,https://tide.example/talk.mp3\n"
    site = _import(tmp_path, rows, **{"12.talk": "<p>Notes.</p>"})
    body = site.post("talk").body
    assert body.index("talk.mp3") < body.index("Notes.")
    assert "<audio" in body


def test_embeds_become_plain_html(tmp_path: Path) -> None:
    """Pictures with their originals, videos, messages, other posts, quotations and formulas."""
    picture = escape('{"src":"https://substack-post-media.s3.amazonaws.com/public/images/a.png","alt":"A boat"}')
    video = escape('{"videoId":"v1"}')
    tweet = escape('{"url":"https://twitter.com/ann/status/1","full_text":"Low water.","name":"Ann"}')
    text = (
        '<div class="captioned-image-container"><figure><a class="image-link" href="https://substackcdn.com/image/fetch/x">'
        f'<div class="image2-inset"><img src="https://substackcdn.com/image/fetch/w_1/x" data-attrs="{picture}">'
        "</div></a><figcaption>C</figcaption></figure></div>"
        f'<div class="youtube-wrap" data-attrs="{video}"></div>'
        f'<div class="tweet" data-attrs="{tweet}"></div><div class="pullquote"><p>Pulled.</p></div>'
        '<div class="subscription-widget-wrap"><form>Sign up</form></div><div><p>Inner.</p></div>'
    )
    rows = "12.slack,2019-07-26T20:48:19.814Z,TRUE,,newsletter,everyone,Slack,,\n"
    site = _import(tmp_path, rows, **{"12.slack": text})
    body = site.post("slack").body
    assert "substackcdn.com" not in body
    assert "A boat" in body
    assert "/embed/v1" in body
    assert "Low water." in body
    assert "Pulled." in body
    assert "Sign up" not in body
    assert "Inner." in body


def test_a_missing_text_is_reported(tmp_path: Path) -> None:
    """The post stays, empty, with a line."""
    site = _import(tmp_path, "12.slack,2019-07-26T20:48:19.814Z,TRUE,,newsletter,everyone,Slack,,\n")
    assert any(subject == "a post without a text in the export" for _kind, subject in site.report.notes)
    assert site.post("slack").data["title"] == "Slack"


def test_the_author_of_all_posts_stays_with_a_later_run(tmp_path: Path) -> None:
    """The export names nobody, so the site's name is the author, of a text that changes afterwards, too."""
    rows = "".join(f"{n}.t{n},2019-07-26T20:48:19.814Z,TRUE,,newsletter,everyone,T{n},,\n" for n in (12, 13))
    site = _import(tmp_path, rows, **{"12.t12": "<p>Low.</p>", "13.t13": "<p>High.</p>"})
    before = site.post("t12").data
    site = _import(tmp_path, rows, **{"12.t12": "<p>Lower.</p>", "13.t13": "<p>High.</p>"})
    assert "Lower" in site.post("t12").body
    assert site.post("t12").data == before


def test_a_long_cell_and_a_short_row(tmp_path: Path) -> None:
    """A cell may be longer than the csv module expects, and a row may end early."""
    rows = f"12.slack,2019-07-26T20:48:19.814Z,TRUE,,newsletter,everyone,{'x' * 200_000},,\n13.short,2019\n"
    site = _import(tmp_path, rows, **{"12.slack": "<p>Text.</p>", "13.short": "<p>Short.</p>"})
    assert site.post("slack").body.strip() == "Text."
    assert site.post("short").data["status"] == "draft"
