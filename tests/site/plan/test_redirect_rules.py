"""Rules of redirects.yaml: read with errors at their lines, sorted out, and written for servers and as pages."""

from pathlib import Path

import pytest

from sitecms.errors import InvalidFiles
from sitecms.site.plan.redirect_files import HOSTED, NGINX_MAPS, NGINX_SERVER
from sitecms.site.plan.redirect_rules import CheckedRules, RuleIndex, check_rules, read_rules
from tests.support.sites import ExampleSite

RULES = """\
- {from: /old-shop, to: /blog/ebb/}
- {from: /feed/, to: /rss.xml, status: 302}
- {from: "/?p=12", to: /blog/calm/}
- {from: "/?cat=3&p=12", to: /blog/flow/}
- {from: /archive/*, to: /blog/*}
- {from: /forum/*, to: "https://forum.example/a?b=c#d"}
- {from: /private/, gone: true}
- {from: /caf%C3%A9.php, to: /about/#team, status: 308}
"""
LIVE = {"about/index.html": "page */about (en)", "blog/ebb/index.html": "post ebb", "index.html": "the home page"}


def rules_of(folder: Path, text: str) -> CheckedRules:
    """Return the rules of a file beside these pages."""
    (folder / "redirects.yaml").write_text(text, encoding="utf-8")
    return check_rules(read_rules(folder), LIVE, LIVE.__contains__, {"/alias/": "/about/"})


@pytest.mark.parametrize(("request_for", "target"), [
    ("/old-shop", "/blog/ebb/"), ("/old-shop/", "/blog/ebb/"), ("/Old-Shop/", ""), ("/feed/?x=1", "/rss.xml"),
    ("/?p=12", "/blog/calm/"), ("/?x=1&p=12", "/blog/calm/"), ("/?p=12&cat=3", "/blog/flow/"), ("/?p=13", ""),
    ("/archive/a/b%20c/", "/blog/*"), ("/archive", ""), ("/forum/", "https://forum.example/a?b=c#d"),
    ("/caf%c3%a9.php", "/about/#team"),
])  # fmt: skip
def test_the_first_rule_that_fits_a_request_is_found(tmp_path: Path, request_for: str, target: str) -> None:
    """Queries come before exact addresses and these before prefixes; case counts, the form of encoding does not."""
    (tmp_path / "redirects.yaml").write_text(RULES, encoding="utf-8")
    found = RuleIndex(read_rules(tmp_path)).find(request_for)
    assert (found.to if found else "") == target


@pytest.mark.parametrize(("rule", "problem"), [
    ("{from: old/, to: /a/}", 'is "old/"'), ("{from: /a/}", "leads nowhere"), ("{from: /a/, to: b}", 'is "b"'),
    ("{from: /a/, to: /b/, gone: true}", "marks the page as gone"), ("{to: /a/}", "is missing"),
    ("{from: /a*b/, to: /c/}", "has a * that is not at its end"), ("{from: /a/, to: /b/*}", "does not end with one"),
    ("{from: /../a/, to: /b/}", "contains an empty part"), ("{from: '/a/*?b=1', to: /b/}", "both * and a query"),
    ("{from: /a/, to: /b/, status: 303}", "is 303"), ("{from: /a/, target: /b/}", "is not a known key"),
])  # fmt: skip
def test_invalid_rules_are_errors_with_their_line(tmp_path: Path, rule: str, problem: str) -> None:
    """Nothing is built with such a file."""
    (tmp_path / "redirects.yaml").write_text(f"- {{from: /x/, to: /y/}}\n- {rule}\n", encoding="utf-8")
    with pytest.raises(InvalidFiles) as raised:
        read_rules(tmp_path)
    (error,) = raised.value.errors
    assert problem in error.problem
    assert (error.file, error.line) == ("redirects.yaml", 2)


@pytest.mark.parametrize(("rules", "kept", "problem"), [
    ("- {from: /about/, to: /blog/ebb/}", 0, "hides page */about (en)"),
    ("- {from: /blog/*, to: /about/}", 0, "hides post ebb"),
    ("- {from: /*, to: /about/}", 0, "hides page */about (en)"),
    ("- {from: /alias, to: /about/}", 0, "is a former address of /about/ already"),
    ("- {from: /a/, to: /about/}\n- {from: /a, gone: true}", 1, "repeats line 1"),
    ("- {from: /a/, to: /a/}", 0, "leads back to itself"),
    ("- {from: /a/*, to: /a/b/*}", 0, "leads back to itself"),
    ("- {from: /b/, to: /a/, status: 302}\n- {from: /a/, to: /about/}", 2, "leads to /a/, which leads on to /about/"),
    ("- {from: /b/, to: /alias/}", 1, "which leads on to /about/"),
    ("- {from: /b/, to: /nothing/}", 1, "which the site does not have"),
])  # fmt: skip
def test_faults_of_rules_are_found(tmp_path: Path, rules: str, kept: int, problem: str) -> None:
    """Rules that hide a page, repeat another one or lead in a circle are left out."""
    found = rules_of(tmp_path, rules)
    assert len(found.rules) == kept
    assert [problem in fault.problem for fault in found.errors] == [True]
    assert all(fault.line for fault in found.errors)


def test_rules_in_a_circle_are_all_left_out(tmp_path: Path) -> None:
    """Each is reported at its line."""
    found = rules_of(tmp_path, "- {from: /a/, to: /b/}\n- {from: /b/, to: /a/}\n- {from: /c/, to: /about/}\n")
    assert [rule.path for rule in found.rules] == ["/c/"]
    assert [fault.line for fault in found.errors] == [1, 2]


def test_rules_are_written_for_hosts_and_nginx_and_as_pages(example: ExampleSite) -> None:
    """Pages stand for rules of one address; the others are counted in a note."""
    example.settings_are(url="https://x.example/mag")
    example.write("redirects.yaml", RULES)
    report = example.make()
    lines = [line for line in example.text(HOSTED).splitlines() if not line.startswith("#")]
    assert lines == [
        "/mag/ cat=3 p=12 /mag/blog/flow/ 301!", "/mag/ p=12 /mag/blog/calm/ 301!",
        "/mag/old-shop/ /mag/blog/ebb/ 301", "/mag/feed/ /mag/rss.xml 302", "/mag/private/ /mag/404.html 410",
        "/mag/caf%C3%A9.php /mag/about/#team 308",
        "/mag/archive/* /mag/blog/:splat 301", "/mag/forum/* https://forum.example/a?b=c#d 301",
    ]  # fmt: skip
    assert '<meta http-equiv="refresh" content="0; url=/mag/blog/ebb/">' in example.text("old-shop/index.html")
    assert 'href="https://x.example/mag/rss.xml"' in example.text("feed/index.html")
    assert not {"private/index.html", "café.php"} & example.tree().keys()
    maps, server = example.text(NGINX_MAPS), example.text(NGINX_SERVER)
    assert '"/mag/?p=12" "/mag/blog/calm/";' in maps
    assert '"/mag/private/" "1";' in maps
    assert server.count("return 410;") == 1
    (note,) = (note for note in report.notes if "redirects.yaml" in note)
    assert note.startswith("redirects.yaml: 6 rules need a web server")
    assert "old-shop" not in example.text("sitemap.xml")
    assert example.tree() == example.clean_tree()


def test_a_build_notes_faults_and_keeps_pages(example: ExampleSite) -> None:
    """A rule never replaces a page."""
    example.make()
    before = example.text("about/index.html")
    example.write("redirects.yaml", "- {from: /about/, to: /blog/}\n")
    report = example.make()
    assert example.text("about/index.html") == before
    assert [note for note in report.notes if note.startswith("redirects.yaml:1")] == [
        "redirects.yaml:1 /about/: hides page */about (en), so it is left out (remove the rule, or move the page)"
    ]
    assert HOSTED not in example.tree()


def test_an_address_below_a_page_that_is_a_file_redirects_without_a_page(example: ExampleSite) -> None:
    """A folder cannot be where a file is: web servers get the rule, and the build goes on."""
    example.post("calm", "Text.", published="2026-02-01T08:00:00Z", path="/old.html", aliases=["/old.html/amp/"])
    example.write("redirects.yaml", "- {from: /old.html/print/, to: /old.html}\n")
    example.make()
    assert "old.html" in example.tree()
    hosted = example.text(HOSTED)
    assert "/old.html/print/ /old.html 301" in hosted
    assert "/old.html/amp/ /old.html 301" in hosted


def test_the_longest_prefix_comes_first_for_nginx_whatever_the_statuses(example: ExampleSite) -> None:
    """Rules with one status share a map only if no other prefix stands between them."""
    rules = ("/a/*, to: /c/*", "/f/, to: /g/", "/a/b/*, to: /d/*, status: 302", "/a/b/c/*, to: /e/*")
    example.write("redirects.yaml", "".join(f"- {{from: {rule}}}\n" for rule in rules))
    example.make()
    keys = [line.split('"')[1] for line in example.text(NGINX_MAPS).splitlines() if line.startswith("  ")]
    assert [key.partition("(")[0] for key in keys] == ["/f/", "/f", "~^/a/b/c/", "~^/a/b/", "~^/a/"]
    server = [line for line in example.text(NGINX_SERVER).splitlines() if line.startswith("if")]
    assert [line.partition("return ")[2][:3] for line in server] == ["301", "301", "302", "301"]


def test_redirects_of_one_file_share_its_page(example: ExampleSite) -> None:
    """Web servers know both addresses; no file is written where a folder is."""
    aliases = ["/a/", "/a/index.html", "/b.html/c/", "/b.html"]
    example.post("calm", "Nothing.", published="2026-02-01T08:00:00Z", aliases=aliases)
    rules = ("/a/index.html", "/d/index.html", "/d/", "/e.html", "/e.html/f/", "/b.html/c")
    example.write("redirects.yaml", "".join(f"- {{from: {path}, to: /about/}}\n" for path in rules))
    example.make()
    assert "url=/blog/calm/" in example.text("a/index.html")
    assert {"b.html", "d/index.html", "e.html"} <= example.tree().keys()
    listed = [line.split()[0] for line in example.text(HOSTED).splitlines()]
    assert {*aliases, "/d/", "/d/index.html", "/e.html", "/e.html/f/"} <= set(listed)
    assert example.tree() == example.clean_tree()
