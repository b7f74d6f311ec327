"""Redirects lead from every old address to the present one, and never replace a page."""

import re
from datetime import UTC, datetime

import pytest
from msgspec.structs import asdict, replace

from sitecms.content.addresses import OwnAddresses
from sitecms.content.entry import Entry
from sitecms.content.former_addresses import AddressSettings, FormerAddress
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.redirect_files import plan_redirect_files
from sitecms.site.plan.redirect_sources import LinkableEntries, LinkableEntry, linkable_entries
from sitecms.site.plan.redirects import Redirects, find_redirects
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from tests.support.entries import an_entry

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def post(number: int, slug: str, *aliases: str) -> Entry:
    addresses = OwnAddresses(aliases={"en": aliases})
    return an_entry(EntryKind.POST, number, NOON, slug=slug, title=slug.title(), addresses=addresses)


def former(number: int, slug: str, locale: str = "en") -> FormerAddress:
    return FormerAddress(EntryKind.POST, "", locale, "", slug, NOON, number)


def found(site: SiteSettings, posts: list[Entry], addresses: list[FormerAddress], **live: str) -> Redirects:
    shown = {f"blog/{each.slug}/index.html": f"post {each.slug}" for each in posts} | live
    return find_redirects(linkable(site, *posts), addresses, Routes(site), lambda path: shown.get(path, ""))


def linkable(site: SiteSettings, *posts: Entry) -> LinkableEntries:
    path = Routes(site).path
    return LinkableEntries(tuple(LinkableEntry(each, path(each), each.title) for each in posts))


def page_at(moment: datetime) -> Entry:
    return an_entry(EntryKind.PAGE, 1, NOON, type="guide", slug="now", title="Now", published_at=moment)


def pairs(redirects: Redirects) -> dict[str, str]:
    return {each.path: each.target for each in redirects.found}


def test_every_former_slug_redirects_to_the_post(site: SiteSettings) -> None:
    """This holds however often the slug changed, and from any locale."""
    redirects = found(site, [post(1, "now")], [former(1, "a"), former(1, "b"), former(1, "c", "es"), former(1, "now")])
    assert pairs(redirects) == dict.fromkeys(["/blog/a/", "/blog/b/", "/es/blog/c/"], "/blog/now/")
    assert redirects.notes == ()


def test_a_former_slug_leads_to_its_last_holder(site: SiteSettings) -> None:
    """Addresses come in the order in which they were given up, the last one first."""
    posts = [post(1, "ebb"), post(2, "flow")]
    assert pairs(found(site, posts, [former(2, "sea"), former(1, "sea")])) == {"/blog/sea/": "/blog/flow/"}


def test_an_alias_comes_before_a_former_slug(site: SiteSettings) -> None:
    """Of two equal aliases that of the newest post is used, and the other is noted."""
    posts = [post(3, "new", "/blog/a/", "/old"), post(2, "older", "/old/")]
    redirects = found(site, posts, [former(2, "a")])
    assert pairs(redirects) == {"/blog/a/": "/blog/new/", "/old/": "/blog/new/"}
    (note,) = redirects.notes
    assert note == (
        "the redirect from /old/ to the post older is left out: /old/ is the redirect from /old/ to the post new"
    )


def test_an_alias_never_replaces_a_page(site: SiteSettings) -> None:
    """It is left out, and the note names the page."""
    redirects = found(site, [post(1, "now", "/about/")], [], **{"about/index.html": "page */about (en)"})
    assert pairs(redirects) == {}
    assert redirects.notes == (
        "the redirect from /about/ to the post now is left out: /about/ is the page */about (en)",
    )


def test_an_alias_outside_of_the_site_is_left_out(site: SiteSettings) -> None:
    """The owner gets a note."""
    redirects = found(site, [post(1, "now", "/../up/")], [])
    assert pairs(redirects) == {}
    assert redirects.notes == (
        "the redirect from /../up/ to the post now is left out: the address contains an empty part, . or ..",
    )


def test_an_alias_with_a_dot_in_its_last_part_is_the_folder_of_a_page(site: SiteSettings) -> None:
    """It was the address of a page; only endings of documents on the web make a file."""
    aliases = ("/releases/1.2.0", "/john.doe", "/node.js", "/old.html", "/index.php", "/feed.xml")
    redirects = found(site, [post(1, "now", *aliases)], [])
    assert [each.path for each in redirects.found] == [
        "/feed.xml", "/index.php", "/john.doe/", "/node.js/", "/old.html", "/releases/1.2.0/",
    ]  # fmt: skip


HOSTILE = ("/a b/", '/q"uote/', "/back\\slash/", "/star*/", "/:slug/", "/$uri/", "/日本/", "/semi;{}/", "/pct%/")


@pytest.mark.parametrize("url", ["https://tide.example", "https://x.example/mag"])
def test_redirect_files_have_one_redirect_in_each_line(site: SiteSettings, url: str) -> None:
    """Special characters in addresses are escaped."""
    settings = replace(site, url=url)
    redirects = find_redirects(
        linkable(settings, post(1, "日"), post(2, "now", *HOSTILE)),
        [former(1, "alt")],
        Routes(settings),
        lambda _path: "",
    )
    hosted, nginx = (job.read().decode() for job in plan_redirect_files(redirects.found, Routes(settings)))
    prefix = settings.base_path
    lines = [line for line in hosted.splitlines() if not line.startswith("#")]
    assert len(lines) == len(redirects.found) == len(HOSTILE) + 1
    for line in lines:
        assert re.fullmatch(rf"{prefix}/[!-)+-9;-~]* {prefix}/blog/[!-)+-9;-~]* 301", line), line
    assert f"{prefix}/star%2A/ {prefix}/blog/now/ 301" in lines
    assert f"{prefix}/blog/alt/ {prefix}/blog/%E6%97%A5/ 301" in lines
    entries = re.findall(r'^"((?:[^"\\]|\\.)*)" "([^"$]*)";$', nginx, re.MULTILINE)
    paths = [prefix + each.path for each in redirects.found]
    either = [form for path in paths for form in dict.fromkeys((path, path.rstrip("/")))]
    assert [re.sub(r"\\(.)", r"\1", source) for source, _ in entries] == either
    assert {target for _, target in entries} == {f"{prefix}/blog/now/", f"{prefix}/blog/%E6%97%A5/"}


def test_without_redirects_there_are_no_files(site: SiteSettings) -> None:
    """A site without old addresses has no redirect files."""
    assert plan_redirect_files((), Routes(site)) == ()


def test_a_former_time_zone_without_the_day_of_a_page_costs_its_redirect_alone(site: SiteSettings) -> None:
    """The others stay."""
    permalinks = asdict(site.permalinks) | {"page": "/{year}/{slug}/"}
    former = AddressSettings(permalinks, {}, "Asia/Tokyo", "en")
    last_hour = datetime(9999, 12, 31, 23, 30, tzinfo=UTC)
    pages = (page_at(last_hour), replace(page_at(NOON), id=2, slug="then"))
    snapshot = Snapshot({EntryKind.PAGE: pages}, ContentSchema(), (), (), (), {}, former_settings=(former,))
    moved = linkable_entries(snapshot, Routes(site)).moved
    assert [(each.path, each.target) for each in moved] == [("/2026/then/", "/guide/then/")]
