"""Proof of old addresses against a built site."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli
from sitecms.errors import ConfigurationError
from sitecms.importing.old_urls import BuiltSite, UrlOutcome
from tests.support.processor_time import best_seconds


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site that was built, with redirects of both files."""
    (tmp_path / "public/2012/03/post").mkdir(parents=True)
    (tmp_path / "public/2012/03/post/index.html").write_text("x")
    (tmp_path / "public/old.html").write_text("x")
    (tmp_path / "public/_redirects").write_text(
        "# x\n/elder/ /2012/03/post/ 301\n/loop/ /loop/ 301\n/lost/ /none/ 301\n"
    )
    rules = '- {from: "/?p=1", to: /2012/03/post/}\n- {from: /a/*, to: /2012/03/*}\n- {from: /gone/, gone: true}\n'
    (tmp_path / "redirects.yaml").write_text(rules + "- {from: /shop/, to: https://shop.example/}\n")
    (tmp_path / "site.toml").write_text('name = "Tide"\n')
    return tmp_path


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("https://old.example/2012/03/post/", UrlOutcome.KEPT),
        ("https://old.example/2012/03/post", UrlOutcome.KEPT),
        ("https://old.example/old.html", UrlOutcome.KEPT),
        ("https://old.example/elder/", UrlOutcome.REDIRECTED),
        ("https://old.example/elder", UrlOutcome.REDIRECTED),
        ("https://old.example/?p=1&utm=x", UrlOutcome.REDIRECTED),
        ("https://old.example/a/post/", UrlOutcome.REDIRECTED),
        ("https://old.example/shop/", UrlOutcome.REDIRECTED),
        ("https://old.example/a/none/", UrlOutcome.GONE),
        ("https://old.example/gone/", UrlOutcome.GONE),
        ("https://old.example/lost/", UrlOutcome.GONE),
        ("https://old.example/loop/", UrlOutcome.GONE),
        ("https://old.example/2012/03/none/", UrlOutcome.GONE),
        ("https://old.example/../../etc/passwd", UrlOutcome.GONE),
    ],
)
def test_every_address_has_an_outcome(url: str, outcome: UrlOutcome, site: Path) -> None:
    """Kept, redirected to something that is there, or gone."""
    assert BuiltSite(site, site / "public").check(url).outcome is outcome


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("https://old.example/blog/2012/03/post/", UrlOutcome.KEPT),
        ("https://old.example/blog/elder/", UrlOutcome.REDIRECTED),
        ("https://old.example/blog/?p=1", UrlOutcome.REDIRECTED),
        ("https://old.example/blog", UrlOutcome.KEPT),
        ("https://old.example/2012/03/post/", UrlOutcome.GONE),
    ],
)
def test_a_site_below_a_path_answers_there(url: str, outcome: UrlOutcome, site: Path) -> None:
    """Addresses of the redirect files hold the base path, files of the output folder do not."""
    (site / "public/index.html").write_text("x")
    (site / "public/_redirects").write_text("/blog/elder/ /blog/2012/03/post/ 301\n")
    assert BuiltSite(site, site / "public", "/blog").check(url).outcome is outcome


def test_rules_of_queries_are_found_at_once(site: Path) -> None:
    """A blog has a rule `/?p=N` for each post. Of rules that match, the one with most parameters counts."""
    other = '- {from: "/list/?p=7&x=1", gone: true}\n- {from: "/list/?p=7", to: /2012/03/post/}\n'

    def built_with(count: int) -> BuiltSite:
        rules = [f'- {{from: "/?p={number}", to: /2012/03/post/}}\n' for number in range(count)]
        (site / "redirects.yaml").write_text("".join(rules) + other)
        return BuiltSite(site, site / "public")

    few, built = built_with(100), built_with(5_000)
    urls = [f"https://old.example/?p={number}" for number in range(100)]
    bound = 10 * best_seconds(lambda: [few.check(url) for url in urls])  # for 50 times the rules
    assert best_seconds(lambda: [built.check(url) for url in urls]) < bound
    assert {built.check(url).outcome for url in urls} == {UrlOutcome.REDIRECTED}
    assert built.check("https://old.example/list?p=7").outcome is UrlOutcome.REDIRECTED
    assert built.check("https://old.example/list/?x=1&p=7").outcome is UrlOutcome.GONE
    assert built.check("https://old.example/?p=9999").outcome is UrlOutcome.GONE


def test_the_command_names_what_is_gone(site: Path) -> None:
    """A sitemap of sitemaps is followed; the exit code is 1 if an address is gone."""
    (site / "index.xml").write_text(
        "<sitemapindex><sitemap><loc>https://old.example/posts.xml</loc></sitemap></sitemapindex>"
    )
    locations = "".join(f"<url><loc>https://old.example{path}</loc></url>" for path in ("/2012/03/post/", "/never/"))
    (site / "posts.xml").write_text(f"<urlset>{locations}</urlset>")
    found = CliRunner().invoke(cli, ["import", "urls", str(site), "--sitemap", str(site / "index.xml")])
    assert found.exit_code == 1
    assert found.output.splitlines() == [
        "gone: https://old.example/never/",
        "2 old addresses: 1 kept, 0 redirected, 1 gone",
    ]


def test_a_site_that_is_not_built_says_so(tmp_path: Path) -> None:
    """The command to build it is named."""
    with pytest.raises(ConfigurationError, match="sitecms build"):
        BuiltSite(tmp_path, tmp_path / "public")
