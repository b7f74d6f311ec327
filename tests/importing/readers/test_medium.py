"""Archives of Medium."""

import zipfile
from pathlib import Path
from typing import Any

from sitecms.documents import read_toml, read_yaml
from tests.importing.imported import Imported, import_export

TITLE = '<h3 class="graf graf--h3 graf--leading graf--title">Slack water</h3>'
LINK = '<a href="https://medium.com/@ann/other-aaaa11112222?source=x" class="markup--anchor" target="_blank">other</a>'


def _story(
    title: str = "Slack water",
    body: str = f"{TITLE}<p>Text.</p>",
    *,
    subtitle: str = "",
    number: str = "abcdef123456",
    time: str = "2018-08-11T11:23:34.123Z",
    host: str = "medium.com/@ann",
) -> str:
    summary = f'<section data-field="subtitle" class="p-summary">{subtitle}</section>' if subtitle else ""
    published = (
        f'<p>By <a href="https://medium.com/@ann" class="p-author h-card">Ann Ray</a> on <time class="dt-published" '
        f'datetime="{time}">then</time></p><p><a class="p-canonical" href="https://{host}/slack-water-{number}">C</a>'
    )
    return (
        f'<html><body><article class="h-entry"><header><h1 class="p-name">{title}</h1></header>{summary}<section '
        f'data-field="body" class="e-content"><section class="section"><div class="section-divider"><hr class='
        f'"section-divider"></div><div class="section-content">{body}</div></section></section><footer>'
        f'<p><a href="https://medium.com/tag/sea" class="p-tag">Sea</a></p>{published if time else ""}</footer>'
        "</article></body></html>"
    )


def _import(tmp_path: Path, **stories: str) -> Imported:
    with zipfile.ZipFile(tmp_path / "medium.zip", "w") as archive:
        for name, story in stories.items():
            archive.writestr(f"posts/{name}.html", story)
        archive.writestr(
            "profile/profile.html",
            '<section class="h-card"><h3 class="p-name">Ann Ray</h3><a class="u-url" href="https://medium.com/@ann">@ann'
            "</a><li>Email address: ann@tide.example</li></section>",
        )
    return import_export(tmp_path, tmp_path / "medium.zip")


def test_a_story_with_its_facts(tmp_path: Path) -> None:
    """Title, subtitle, time, tags and author; what is repeated in the text is dropped once."""
    body = f'{TITLE}<h4 class="graf graf--subtitle">Calm</h4><h3>Part</h3><p class="graf">Text.</p>'
    site = _import(tmp_path, **{"2018-08-11_Slack-water-abcdef123456": _story(body=body, subtitle="Calm")})
    found = site.post("slack-water")
    assert (found.data["title"], found.data["summary"]) == ("Slack water", "Calm")
    assert found.data["published"].startswith("2018-08-11T11:23:34")
    assert (found.data["author"], found.data["tags"]) == ("ann-ray", ["Sea"])
    assert found.body.count("Slack water") == 0
    assert found.body.count("Calm") == 0
    assert "Part" in found.body
    assert "Text." in found.body
    assert "graf" not in found.body
    authors: Any = read_yaml(tmp_path / "site/content/authors.yaml")
    assert [author["first_name"] for author in authors] == ["Ann"]
    assert read_toml(tmp_path / "site/site.toml")["name"] == "Ann Ray"
    written = "".join(path.read_text() for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert "ann@tide.example" not in written
    assert any("medium.com cannot be kept" in subject for _kind, subject in site.report.notes)


def test_drafts_and_responses(tmp_path: Path) -> None:
    """A story without time is a draft; an answer to a story of others is left out and counted."""
    response = _story("I agree", "<p>I agree with this.</p>", number="bbbb11112222")
    site = _import(tmp_path, draft_Slack_abcdef123456=_story(time=""), I_agree_bbbb11112222=response)
    assert site.post("slack-water").data["status"] == "draft"
    assert len(list((tmp_path / "site/content/posts").iterdir())) == 1
    assert any(subject == "responses to stories" for _kind, subject in site.report.notes)


def test_markup_of_medium_becomes_plain(tmp_path: Path) -> None:
    """Code with line elements, gists, embedded links, quotations, section breaks and links between stories."""
    body = (
        f"{TITLE}<pre class='graf' data-code-block-lang='python'><span>if a &lt; b:<br>    run()</span></pre>"
        "<figure class='graf--iframe'><script src='https://gist.github.com/ann/1.js'></script></figure>"
        "<div class='graf--mixtapeEmbed'><a href='https://b.example/'><strong>Title B</strong><br>b.example</a></div>"
        f"<blockquote class='graf'>Said.</blockquote><p>See {LINK}.</p>"
        "<figure><div class='aspectRatioPlaceholder'><img class='graf-image' src='https://cdn-images-1.medium.com/max/800/"
        "1*a.jpeg'></div><figcaption>Caption</figcaption></figure>"
    )
    other = _story("Other", "<h3>x</h3><p>y</p>", number="aaaa11112222").replace("/slack-water-", "/other-")
    site = _import(tmp_path, Slack_abcdef123456=_story(body=body), Other_aaaa11112222=other)
    text = site.post("slack-water").body
    assert "if a < b:\n    run()" in text.replace("&lt;", "<")
    assert "https://gist.github.com/ann/1" in text
    assert "Title B" in text
    assert "Said." in text
    assert "/blog/other/" in text or "/other/" in text
    assert "medium.com/@ann/other" not in text
    assert "Caption" in text


def test_own_domain_keeps_addresses(tmp_path: Path) -> None:
    """Stories that were published under an own domain stay at their addresses."""
    site = _import(tmp_path, Slack_abcdef123456=_story(host="blog.tide.example"))
    assert 'url = "https://blog.tide.example"' in (tmp_path / "site/site.toml").read_text()
    data = site.post("slack-water").data
    assert "/slack-water-abcdef123456/" in (data.get("path", ""), *data.get("aliases", ()))


def test_copies_with_one_id_are_all_kept(tmp_path: Path) -> None:
    """No story is lost where two files name the same address."""
    _import(tmp_path, A_abcdef123456=_story("A", "<h3>A</h3><p>One.</p>"), B_abcdef123456=_story("B", "<h3>B</h3>"))
    assert len(list((tmp_path / "site/content/posts").iterdir())) == 2
