"""WordPress exports: what each fact of an export becomes."""

import gzip
import secrets
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sitecms.documents import FrontMatter, read_front_matter, read_toml, read_yaml
from sitecms.errors import InvalidRequest
from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.records import NoteKind
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.building import import_and_build
from tests.importing.wxr import HEAD, TAIL, export, item

LINKED = MediaOptions(MediaChoice.LINK)
SECRET = "Z3cret"


def _import(folder: Path, text: str, **options: Any) -> ImportReport:
    path = folder / "export.xml"
    path.write_text(text, encoding="utf-8")
    return import_site(folder / "site", [str(path)], ImportOptions(media=LINKED, **options))


def _post(folder: Path, name: str = "post-1") -> FrontMatter:
    return read_front_matter(folder / f"site/content/posts/{name}.md")


def _body(folder: Path, content: str, **options: Any) -> str:
    _import(folder, export(item(1, content=content, **options)))
    return _post(folder).body.strip()


def _rules(folder: Path) -> dict[str, str]:
    """Return the targets of redirects.yaml by address; "" for a page that is gone."""
    return {rule["from"]: rule.get("to", "") for rule in _list(folder / "site/redirects.yaml")}


def _list(path: Path) -> list[dict[str, Any]]:
    found = read_yaml(path)
    assert isinstance(found, list)
    return found


def _subjects(report: ImportReport, kind: NoteKind) -> set[str]:
    return {subject for each, subject in report.notes if each is kind}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("One.\nTwo.\n\nThree.", "One.\\\nTwo.\n\nThree."),
        (
            "<!-- wp:paragraph --><p>One.</p><!-- /wp:paragraph --><!-- wp:heading --><h2>Two</h2><!-- /wp:heading -->",
            "One.\n\n## Two",
        ),
        ('[caption id="a" width="3"]<img src="/a.gifx" alt="A"> A <b>b</b>[/caption]', "<figure>"),
        ('[caption caption="Old"]<img src="/x/a.php" alt="A">[/caption]', '![A](https://old.example/x/a.php "Old")'),
        ("Before\n\nhttps://www.youtube.com/watch?v=abcdefghijk\n\nAfter", 'https://www.youtube-nocookie.com/embed/abcdefghijk'),
        ("[youtube=https://youtu.be/abcdefghijk]", "https://www.youtube-nocookie.com/embed/abcdefghijk"),
        ('[code language="php"]\n&lt;?php [x] &amp;amp;\n[/code]', "```php\n<?php [x] &amp;\n```"),
        ("<pre>a\n  https://x.example\n</pre>", "```\na\n  https://x.example\n```"),
        ('<pre lang="xml" line="1">\n<a>\n\n<b c="1"/> &lt;\n</a></pre>', '```xml\n<a>\n\n<b c="1"/> <\n</a>\n```'),
        ('<pre lang="c">if (a<b && c) &quot;</pre>', '```c\nif (a<b && c) "\n```'),
        ('<pre lang="c" escaped="true">&lt;b&gt; &amp;amp;</pre>', "```c\n<b> &amp;\n```"),
        ('<pre lang="python"><span class="k">def</span> x &lt; 1</pre>', "```python\ndef x < 1\n```"),
        ("[perl]\nmy @a = [0];\n[/perl]", "```perl\nmy @a = [0];\n```"),
        ("[ccnLe_php]\n$a = 1;\n[/ccnLe_php]", "```php\n$a = 1;\n```"),
        ("Say [[gallery]] and [a-z] and [0].", "Say \\[gallery\\] and \\[a-z\\] and \\[0\\]."),
        ("<pre>[gallery]\n\nx</pre>", "```\n[gallery]\n\nx\n```"),
        (
            '<!-- wp:embed {} --><div class="wp-block-embed__wrapper">\nhttps://x.example/p\n</div><!-- /wp:embed -->',
            "<https://x.example/p>",
        ),
        ('[contact-form-7 id="3"]', '<!-- [contact-form-7 id="3"] -->'),
        ("[recent-tides]", "<!-- [recent-tides] -->"),
        ("[fancy]One **x**[/fancy] rest", "One \\*\\*x\\*\\*<!-- [fancy]…[/fancy] --> rest"),
        ("[fancy a='1']\nOne <b>x</b>\n\nTwo\n[/fancy]", "'1'] -->\n\nOne **x**\n\nTwo\n\n<!-- [/fancy] -->"),
        ("[warning title='Mind']Wet[/warning]", "::: warning Mind\n\nWet\n\n:::"),
        ("[note]Wet[/note]", "::: note\n\nWet\n\n:::"),
        ("[spoiler title='The end']Wet[/spoiler]", "::: details The end\n\nWet\n\n:::"),
        ('[cce lang="diff"]\n- a\n+   b\n[/cce]', "```diff\n- a\n+   b\n```"),
        ('[my_lines lang="sh"]\nif x\n  then y\n[/my_lines]', "```sh\nif x\n  then y\n```"),
        ("[my_lines]\nif x\n  then y\n[/my_lines]", "```\nif x\n  then y\n```"),
        ("[youtube https://www.youtube.com/watch?v=abcdefghijk]", "youtube-nocookie.com/embed/abcdefghijk"),
        ("[youtube https://www.youtube.com/watch?v=abcdefghijk&w=640]", "youtube-nocookie.com/embed/abcdefghijk"),
        ("[googlemaps https://www.google.com/maps/d/embed?mid=ABC&w=640]", "/maps/d/embed?mid=ABC&w=640"),
        ("Add:\n<code>\none &amp;\ntwo three\n</code>", "Add:\n\n```\none &\ntwo three\n```"),
        ("<code>[Unit]\n  After=net\n</code> end", "```\n[Unit]\n  After=net\n```\n\nend"),
        ("<p>Add <code>one<br>two</code></p>", "Add\n\n```\none\ntwo\n```"),
        ("<p>Add <code>one</code></p>", "Add `one`"),
        ("Add:\n\n<code><pre>\n&lt;b>one&lt;/b>\n</pre></code>\n\nend", "Add:\n\n```\n<b>one</b>\n```\n\nend"),
        ('<pre>\n[source language="c"]\na <b> c;\n\nd;\n[/source]\n</pre>', "```c\na <b> c;\n\nd;\n```"),
        ('<pre lang="php"><?php\necho "<pre>$a";\n</pre>', '```php\n<?php\necho "<pre>$a";\n```'),
        ('<code lang="PHP">\n<?php\necho "<b>$a</b>";\n</code>', '```PHP\n<?php\necho "<b>$a</b>";\n```'),
        ('Use <code lang="html"><b></code> or', "Use `<b>` or"),
        ("Low.\n\n[nggallery id=50]\n\nHigh.", "Low.\n\n<!-- [nggallery id=50] -->\n\nHigh."),
        ("If [let x=5] holds", "If \\[let x=5\\] holds"),
        ('[a_row][a_text kind="x"]Low.', "<!-- [a_row] -->"),
        ("Low.[/a_text][/a_row][a_row]\nHigh.", "Low.<!-- [/a_text] --><!-- [/a_row] --><!-- [a_row] -->"),
        ("Write [/code] at the end, and [a-z][0-9]", "Write \\[/code\\] at the end, and \\[a-z\\]\\[0-9\\]"),
        ("a<!--more-->b", "a\n\nb"),
        ('<!-- wp:social-link {"url":"https://x.example/me","service":"mastodon"} /-->', "[mastodon](https://x.example/me)"),
    ],
)  # fmt: skip
def test_bodies(tmp_path: Path, content: str, expected: str) -> None:
    """Classic text, blocks and shortcodes become what they show."""
    assert expected in _body(tmp_path, content)


def _attachment(number: int, alt: str = "", *, parent: int = 0) -> str:
    meta = {"_wp_attachment_image_alt": alt} if alt else {}
    text = item(number, kind="attachment", status="inherit", name=f"p{number}", meta=meta)
    address = f"https://old.example/wp-content/uploads/p{number}.jpg"
    text = text.replace("</item>", f"<wp:attachment_url>{address}</wp:attachment_url></item>")
    return text.replace("<wp:post_parent>0", f"<wp:post_parent>{parent}")


def test_galleries_are_pictures_with_captions(tmp_path: Path) -> None:
    """By ids, or all that are attached to the entry."""
    files = "".join(_attachment(number, f"Alt {number}", parent=1) for number in (5, 6))
    _import(tmp_path, export(item(1, content='[gallery ids="6"]'), item(2, content='[gallery id="1"]'), files))
    assert _post(tmp_path).body.strip() == "![Alt 6](https://old.example/wp-content/uploads/p6.jpg)"
    assert _post(tmp_path, "post-2").body.count("![Alt") == 2


def test_links_to_the_old_site_lead_to_the_new_one(tmp_path: Path) -> None:
    """By address, by `?p=N`, with http, www and a fragment."""
    links = " ".join(
        f'<a href="{url}">x</a>'
        for url in ("http://www.old.example/2012/03/post-2#top", "https://old.example/?p=2", "/2012/03/post-2/")
    )
    _import(tmp_path, export(item(1, content=f"<p>{links}</p>"), item(2)))
    assert _post(tmp_path).body.strip() == ("[x](/2012/03/post-2/#top) [x](/2012/03/post-2/) [x](/2012/03/post-2/)")


@pytest.mark.parametrize(
    ("status", "extra", "expected"),
    [
        ("publish", "", "published"),
        ("private", "", "draft"),
        ("pending", "", "draft"),
        ("draft", "", "draft"),
        ("publish", f"<wp:post_password>{SECRET}</wp:post_password>", "draft"),
    ],
)
def test_nothing_hidden_is_published(tmp_path: Path, status: str, extra: str, expected: str) -> None:
    """Private and protected entries become drafts, and the password is nowhere."""
    report = _import(tmp_path, export(item(1, status=status, extra=extra)))
    assert _post(tmp_path).data["status"] == expected
    assert (expected == "draft" and status != "draft") == bool(_subjects(report, NoteKind.DRAFT))
    assert all(SECRET.encode() not in path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file())


def test_comments_are_counted_or_kept_without_addresses(tmp_path: Path) -> None:
    """E-mail and IP address of people who commented are never written."""
    comment = (
        "<wp:comment><wp:comment_id>9</wp:comment_id><wp:comment_author>Bo</wp:comment_author>"
        "<wp:comment_author_email>bo@mail.example</wp:comment_author_email>"
        "<wp:comment_author_IP>203.0.113.9</wp:comment_author_IP>"
        "<wp:comment_date_gmt>2012-03-05 10:00:00</wp:comment_date_gmt>"
        "<wp:comment_content>Nice.</wp:comment_content><wp:comment_approved>1</wp:comment_approved></wp:comment>"
    )
    report = _import(tmp_path, export(item(1, extra=comment)), comments=tmp_path / "comments.jsonl")
    assert report.counts["comments", "read"] == 1
    kept = (tmp_path / "comments.jsonl").read_text()
    assert '"name":"Bo"' in kept
    texts = [path.read_text() for path in (tmp_path / "site").rglob("*") if path.is_file() and path.suffix != ".png"]
    assert not any("mail.example" in text or "203.0.113.9" in text for text in (kept, *texts))
    assert not any("ann@old.example" in text for text in texts)


def test_times_without_utc_get_the_offset_of_the_others(tmp_path: Path) -> None:
    """Drafts were never published, so their UTC time is empty; the zone comes from the other posts."""
    summer = item(2, local="2012-07-04 10:00:00", utc="2012-07-04 08:00:00")
    draft = item(3, status="draft", local="2012-07-05 10:00:00", utc="0000-00-00 00:00:00")
    _import(tmp_path, export(item(1), summer, draft))
    assert _post(tmp_path, "post-3").data["created"] == "2012-07-05T08:00:00Z"
    assert read_toml(tmp_path / "site/site.toml")["timezone"] == "Europe/Berlin"


def test_former_slugs_and_short_addresses_lead_on(tmp_path: Path) -> None:
    """`_wp_old_slug` becomes an alias, `?p=N` a redirect, an attachment's page one to its entry."""
    page = item(5, kind="attachment", status="inherit", link="https://old.example/2012/03/post-1/pic/")
    page = page.replace("<wp:post_parent>0", "<wp:post_parent>1")
    _import(tmp_path, export(item(1, meta={"_wp_old_slug": "%E6%BD%AE-1", "_wp_old_date": "2011-12-31"}), page))
    assert _post(tmp_path).data["aliases"] == ["/2011/12/post-1/", "/2012/03/潮-1/"]
    found = _rules(tmp_path)
    assert found["/?p=1"] == found["/2012/03/post-1/pic/"] == "/2012/03/post-1/"


def test_lists_and_feeds_lead_on(tmp_path: Path) -> None:
    """Days, months, feeds of the site and of terms, and terms without posts, whose lists the new site has not."""
    channel = "".join(
        f"<wp:category><wp:term_id>{number}</wp:term_id><wp:category_nicename>{slug}</wp:category_nicename>"
        f"<wp:category_parent>{parent}</wp:category_parent><wp:cat_name>{slug}</wp:cat_name></wp:category>"
        for number, (slug, parent) in enumerate([("sea", ""), ("tide", "sea"), ("low", "tide"), ("dry", "")], 1)
    )
    _import(tmp_path, export(item(1, terms=[("category", "low", "low")]), channel=channel))
    found = _rules(tmp_path)
    assert (found["/feed/"], found["/?feed=atom"], found["/page/*"]) == ("/rss.xml", "/atom.xml", "/blog/")
    assert found["/2012/03/"] == found["/2012/03/04/"] == "/2012/"
    assert (found["/category/sea/tide/low/feed/"], found["/?cat=3"]) == ("/category/low/rss.xml", "/category/low/")
    assert found["/category/dry/"] == found["/?cat=4"] == found["/category/sea/tide/"] == "/blog/"
    assert {"slug": "low", "name": "low", "aliases": ["/category/sea/tide/low/"]} in _list(
        tmp_path / "site/content/categories.yaml"
    )


def test_links_between_posts_show_the_permalinks_of_plain_addresses(tmp_path: Path) -> None:
    """A site without pretty permalinks exports `/?p=1`; the addresses of its former links and slugs lead on."""
    links = "".join(f'<a href="https://old.example/2012/03/{name}">x</a>' for name in ("post-2", "post-3/", "other"))
    plain = [item(number, link=f"https://old.example/?p={number}") for number in (2, 3)]
    first = item(1, content=f"<p>{links}</p>", link="https://old.example/?p=1", meta={"_wp_old_slug": "elder"})
    _import(tmp_path, export(first, *plain))
    assert read_toml(tmp_path / "site/site.toml")["permalinks"]["post"] == "/{year}/{month}/{slug}/"
    assert "[x](/2012/03/post-2/)[x](/2012/03/post-3/)[x](https://old.example/2012/03/other)" in _post(tmp_path).body
    assert _post(tmp_path).data["aliases"] == ["/2012/03/elder/"]
    assert _rules(tmp_path)["/?p=2"] == "/2012/03/post-2/"
    assert _rules(tmp_path)["/?m=201203"] == "/2012/"


def test_titles_and_descriptions_of_plug_ins(tmp_path: Path) -> None:
    """Variables are filled in; a text with unknown ones is left out."""
    meta = {"_yoast_wpseo_title": "%%title%% %%sep%% %%sitename%%", "rank_math_description": "About."}
    _import(tmp_path, export(item(1, "Slack", meta=meta), item(2, meta={"_yoast_wpseo_title": "%%ct_x%%"})))
    assert _post(tmp_path).data["seo_title"] == "Slack - Old Tide"
    assert _post(tmp_path).data["meta_description"] == "About."
    assert "seo_title" not in _post(tmp_path, "post-2").data


def test_custom_types_become_page_types(tmp_path: Path) -> None:
    """With the fields that plug-ins keep as meta."""
    boat = item(1, kind="boat", meta={"length": "12", "_length": "field_1"}, link="https://old.example/boat/post-1/")
    _import(tmp_path, export(boat))
    declared = read_yaml(tmp_path / "site/schema/page_types/boat.yaml")
    assert isinstance(declared, dict)
    assert [field["slug"] for field in declared["fields"]] == ["body", "description", "image", "length"]
    assert read_front_matter(tmp_path / "site/content/pages/boat/post-1.md").data["fields"]["length"] == "12"


def test_orders_and_forms_are_left_out(tmp_path: Path) -> None:
    """Data of customers is no content."""
    report = _import(tmp_path, export(item(1), item(2, kind="shop_order"), item(3, kind="feedback")))
    assert _subjects(report, NoteKind.LEFT_OUT) >= {"items of type shop_order", "items of type feedback"}
    assert not (tmp_path / "site/schema").exists()


def test_unknown_things_are_reported_by_name(tmp_path: Path) -> None:
    """Shortcodes, blocks and meta that nobody knows, with their place."""
    content = '[fancy_box]x[/fancy_box]<!-- wp:latest-posts {"n":3} /-->'
    report = _import(tmp_path, export(item(1, content=content, meta={"mood": "calm"})))
    assert _subjects(report, NoteKind.UNKNOWN_SHORTCODE) == {"[fancy_box]"}
    assert _subjects(report, NoteKind.UNKNOWN_BLOCK) == {"wp:latest-posts"}
    assert _subjects(report, NoteKind.UNKNOWN_META) == {"mood"}
    assert report.notes[NoteKind.UNKNOWN_META, "mood"].places[0].line


def test_parts_in_an_archive_are_one_export(tmp_path: Path) -> None:
    """An attachment of one part serves a post of another; gzip is unpacked."""
    with zipfile.ZipFile(tmp_path / "parts.zip", "w") as archive:
        archive.writestr("old.000.xml", export(item(1, meta={"_thumbnail_id": "5"})))
        archive.writestr("old.001.xml.gz", gzip.compress(export(_attachment(5)).encode()))
    import_site(tmp_path / "site", [str(tmp_path / "parts.zip")], ImportOptions(media=LINKED))
    assert _post(tmp_path).data["featured_image"] == "https://old.example/wp-content/uploads/p5.jpg"


def test_a_truncated_file_needs_partial(tmp_path: Path) -> None:
    """What came before the end is taken only if asked for."""
    text = HEAD + item(1) + item(2)[:200]
    with pytest.raises(InvalidRequest, match="--partial"):
        _import(tmp_path, text)
    assert not (tmp_path / "site").exists()
    _import(tmp_path, text, reader=ReaderOptions(is_partial=True))
    assert _post(tmp_path).data["title"] == "A post"


def test_a_truncated_archive_needs_partial(tmp_path: Path) -> None:
    """A download of export.xml.gz that broke off is an error, or gives its whole items."""
    items = (item(number, content=secrets.token_hex(20_000)) for number in range(1, 30))
    path = tmp_path / "export.xml.gz"
    path.write_bytes(gzip.compress(export(*items).encode())[:-200_000])
    with pytest.raises(InvalidRequest, match=r"export\.xml is cut off.*--partial"):
        import_site(tmp_path / "site", [str(path)], ImportOptions(media=LINKED))
    options = ImportOptions(media=LINKED, reader=ReaderOptions(is_partial=True))
    assert 1 < import_site(tmp_path / "site", [str(path)], options).counts["posts", "written"] < 29


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x "y">]><rss xmlns:wp="http://wordpress.org/export/1.2/"></rss>',
        "<!-- http://wordpress.org/export/1.2/ --><html><rss><body>Error</body></html>",
        HEAD + "<item><title>x</item>" + TAIL,
    ],
)
def test_what_is_no_export_is_one_clear_error(tmp_path: Path, text: str) -> None:
    """DOCTYPE, an error page, broken XML: an error that names the file, and nothing written."""
    with pytest.raises(InvalidRequest, match=r"export\.xml"):
        _import(tmp_path, text)
    assert not (tmp_path / "site").exists()


def test_dirty_files_are_repaired_with_a_place(tmp_path: Path) -> None:
    """Control characters, HTML entities, a bare & and an unescaped ]]> do not stop an import."""
    text = export(item(1, "A &nbsp;& B", content="x \x01y ]]> z"))
    report = _import(tmp_path, text)
    assert _post(tmp_path).body.strip() == "x y \\]\\]> z"
    assert _post(tmp_path).data["title"] == "A & B"
    assert len(_subjects(report, NoteKind.REPAIRED)) == 4
    assert all(":" in str(group.places[0]) for (kind, _), group in report.notes.items() if kind is NoteKind.REPAIRED)


def test_terms_that_only_items_name_keep_their_addresses(tmp_path: Path) -> None:
    """Some exports list no terms of the channel; the usual addresses of WordPress hold."""
    terms = [("category", "sea-life", "Sea"), ("post_tag", "moon", "Moon")]
    link = '<p><a href="https://old.example/tag/moon">Moon</a></p>'
    _import(tmp_path, export(item(1, content=link, terms=terms)))
    assert read_yaml(tmp_path / "site/content/categories.yaml") == [{"slug": "sea-life", "name": "Sea"}]
    permalinks = read_toml(tmp_path / "site/site.toml")["permalinks"]
    assert (permalinks["category"], permalinks["tag"]) == ("/category/{slug}/", "/tag/{slug}/")
    assert "[Moon](/tag/moon/)" in _post(tmp_path).body


@pytest.mark.parametrize("plugin", ["polylang", "wpml"])
def test_translations_of_a_post_are_one_post_in_several_locales(tmp_path: Path, plugin: str) -> None:
    """Polylang has terms for languages and groups, WPML meta keys; neither becomes a tag or a field."""

    def post(number: int, language: str) -> str:
        if plugin == "polylang":
            terms = [("language", language, language.upper()), ("post_translations", "pll_5f", "pll_5f")]
            return item(number, name=f"tide-{language}", terms=terms)
        meta = {"_wpml_import_language_code": language, "_wpml_import_translation_group": "7"}
        return item(number, name=f"tide-{language}", meta=meta)

    (tmp_path / "wp.xml").write_text(export(post(1, "fr"), post(2, "en"), item(3)))
    report = import_site(tmp_path / "site", [str(tmp_path / "wp.xml")], ImportOptions())
    french = read_front_matter(tmp_path / "site/content/posts/fr/tide-fr.md").data
    assert (french["locale"], french["translation_of"]) == ("fr", "tide-en")
    assert not {"tags", "fields"} & french.keys()
    assert "translation_of" not in read_front_matter(tmp_path / "site/content/posts/tide-en.md").data
    assert 'locales = ["en", "fr"]' in (tmp_path / "site/site.toml").read_text()
    assert not [subject for kind, subject in report.notes if kind is NoteKind.UNKNOWN_META]


def test_translations_of_a_page_are_one_page(tmp_path: Path) -> None:
    """Whichever of them stands first in the file; links to each lead to its locale."""
    pages = [
        item(number, f"Title {language}", kind="page", name=f"about-{language}", terms=terms, link=link)
        for number, language, link in (
            (1, "fr", "https://old.example/fr/a-propos/"),
            (2, "en", "https://old.example/about/"),
        )
        for terms in [[("language", language, language), ("post_translations", "pll_1", "pll_1")]]
    ]
    (tmp_path / "wp.xml").write_text(export(*pages, item(3)))
    import_and_build(tmp_path / "site", tmp_path / "wp.xml")
    assert (tmp_path / "site/public/about/index.html").is_file()
    assert len(list((tmp_path / "site/public/fr").glob("*/index.html"))) >= 1
