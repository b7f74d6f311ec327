"""The sample site, built: what a visitor, a feed reader and a search engine find."""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit
from xml.etree import ElementTree

import feedparser
import html5lib
import pytest

from sitecms.content.entry import Entry
from sitecms.content.status import Status
from sitecms.content.text.html import plain_text
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.store.entries.bodies import bodies_of
from tests.support.sites import ExampleSite

pytestmark = pytest.mark.sqlite_only("what is built of a database is compared in test_deploy_moved")
HOST = "https://hedgerow.example"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
XHTML_LINK = "{http://www.w3.org/1999/xhtml}link"
LINKS = {
    "a": ("href",), "link": ("href",), "img": ("src", "srcset"), "source": ("src", "srcset"), "script": ("src",),
    "video": ("src", "poster"), "audio": ("src",), "iframe": ("src",), "use": ("href",), "meta": ("content",),
    "template": ("data-lightbox",),
}  # fmt: skip


class Document(HTMLParser):
    """Elements of a page in order, as (tag, attributes)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    @cached_property
    def ids(self) -> Counter[str]:
        return Counter(attributes["id"] for _, attributes in self.elements if "id" in attributes)

    def all(self, tag: str, **where: str) -> list[dict[str, str]]:
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and all(attributes.get(key) == value for key, value in where.items())
        ]


@dataclass(frozen=True)
class Built:
    """The sample site: its content, and every file of its output."""

    settings: SiteSettings
    snapshot: Snapshot
    example: ExampleSite
    files: dict[str, bytes]
    bodies: Mapping[int, str]

    @cached_property
    def pages(self) -> dict[str, Document]:
        return {path: Document(data.decode()) for path, data in self.files.items() if path.endswith(".html")}

    def file_of(self, url: str) -> str:
        """The file that a web server answers for a root-relative address."""
        path = unquote(urlsplit(url).path)
        return path[1:] + "index.html" if path.endswith("/") else path[1:]


@pytest.fixture(scope="module")
def built(
    repo: Path,
    tmp_path_factory: pytest.TempPathFactory,
    open_example: Callable[[Path], ExampleSite],
    lend_derived: Callable[[Path], None],
) -> Iterator[Built]:
    """A copy of the sample site, loaded and built without an error."""
    folder = tmp_path_factory.mktemp("sample") / "site"
    shutil.copytree(repo / "sample_site", folder, ignore=shutil.ignore_patterns(".sitecms", "public"))
    lend_derived(folder)
    example = open_example(folder)
    example.now = datetime(2026, 4, 15, 12, tzinfo=UTC)  # after the last post
    report = example.make()
    assert report.written == len(example.tree())
    with example.database.reading() as session:
        snapshot = take_snapshot(session)
        bodies = bodies_of(session, [post.id for post in snapshot.posts])
    yield Built(load_settings(folder), snapshot, example, example.tree(), bodies)
    example.database.close()


def own_address(path: str) -> str:
    return f"{HOST}/{quote(path.removesuffix('index.html'))}"


def addresses(document: Document) -> Iterator[str]:
    """Every address that a page names."""
    for tag, attributes in document.elements:
        for name in LINKS.get(tag, ()):
            value = attributes.get(name, "")
            if tag == "meta" and not value.startswith(("/", "http")):
                continue
            if value:
                yield from (part.split()[0] for part in value.split(",")) if name == "srcset" else [value]


def test_every_internal_link_leads_to_a_file_and_every_anchor_to_an_element(built: Built) -> None:
    """In pages: links, pictures, stylesheets, feeds, canonical and shared addresses."""
    broken, seen = [], 0
    for path, document in built.pages.items():
        for address in addresses(document):
            whole = urljoin(own_address(path), address)
            if not whole.startswith(HOST + "/"):
                continue
            seen += 1
            target = built.file_of(whole.removeprefix(HOST))
            fragment = unquote(urlsplit(whole).fragment)
            if target not in built.files or (fragment and fragment not in built.pages[target].ids):
                broken.append((path, address))
    assert broken == []
    assert seen > 3000


def test_addresses_in_stylesheets_lead_to_files(built: Built) -> None:
    """Fonts and pictures of the theme."""
    for path, data in built.files.items():
        if path.endswith(".css"):
            for address in re.findall(r"url\(([^)]+)\)", data.decode()):
                assert built.file_of(urljoin("/" + path, address.strip("\"'"))) in built.files, address


def test_every_file_is_named_somewhere(built: Built) -> None:
    """No picture or asset is published that nothing shows, but the script of players and tabs that texts may have."""
    named = {
        built.file_of(urljoin(own_address(path), address).removeprefix(HOST))
        for path, document in built.pages.items()
        for address in addresses(document)
    }
    published = {path for path in built.files if path.startswith(("media/", "assets/"))}
    assert {path for path in published - named if not re.fullmatch(r"assets/text\.[0-9a-f]+\.js", path)} == set()


def test_nothing_that_is_not_published_leaves_a_trace(built: Built) -> None:
    """No title, slug or sentence of a draft, a scheduled post or a draft over a live page, in any file."""
    with built.example.database.reading() as session:
        hidden = session.sql(
            "SELECT title, slug, html, summary FROM version JOIN version_body ON version_id = id "
            "WHERE status != 'published'"
        )
        versions = session.sql(
            "SELECT entry_id, locale, version = 'draft', fields_json FROM version WHERE kind = 'page'"
        )
    assert len(hidden) == 2
    words: list[str] = []
    for title, slug, body, summary in hidden:
        sentences = [text for text in re.split(r"(?<=[.!?])\s|\n", plain_text(body)) if len(text) > 40]
        assert len(sentences) > 5
        words += [title, slug, summary, *sentences]
    live = {(page, locale): fields for page, locale, is_draft, fields in versions if not is_draft}
    drafts = [(page, locale, fields) for page, locale, is_draft, fields in versions if is_draft]
    over = [(fields, live[page, locale]) for page, locale, fields in drafts if (page, locale) in live]
    assert len(over) == 1
    for draft, shown in over:
        said, published = (set(re.split(r"(?<=[.!?])\s|\\n|\"", str(text))) for text in (draft, shown))
        new = {text.strip() for text in said - published if len(text.strip()) > 30}
        assert new
        words += sorted(new)
    everything = b"\n".join(path.encode() + b"\n" + data for path, data in built.files.items())
    assert [word for word in words if word.encode() in everything] == []


def test_every_page_is_valid_html(built: Built) -> None:
    """html5lib in strict mode finds nothing; one h1 each, ids once, headings skip no level downwards."""
    for path, document in built.pages.items():
        html5lib.HTMLParser(strict=True).parse(built.files[path].decode())
        assert len(document.all("h1")) == 1, path
        assert [name for name, count in document.ids.items() if count > 1] == [], path
        levels = [int(tag[1]) for tag, _ in document.elements if re.fullmatch(r"h[1-6]", tag)]
        assert all(after <= before + 1 for before, after in pairwise(levels)), (path, levels)


def test_every_picture_has_words_and_a_size(built: Built) -> None:
    """So that it can be read aloud, and nothing moves when it arrives."""
    pictures = [(path, each) for path, document in built.pages.items() for each in document.all("img")]
    assert len(pictures) > 200
    for path, each in pictures:
        assert "alt" in each, (path, each)
        assert int(each.get("width", 0)) > 0, (path, each)
        assert int(each.get("height", 0)) > 0, (path, each)
    posts = [each for path, each in pictures if re.match(r"(es/)?blog/[^/]+/index", path) and "/media/" in each["src"]]
    unsaid = Counter(each["src"] for each in posts if not each["alt"])
    portraits = {author.profile_image for author in built.snapshot.authors}
    assert set(unsaid) <= portraits  # beside the author's name


def test_every_page_says_its_language_and_its_address(built: Built) -> None:
    """`lang` by its folder; canonical is its own address, that of the target for one that leads on; or none."""
    for path, document in built.pages.items():
        (html,) = document.all("html")
        assert html["lang"] == ("es" if path.startswith("es/") else "en"), path
        canonical = [link["href"] for link in document.all("link", rel="canonical")]
        leads_on = document.all("meta", **{"http-equiv": "refresh"})
        own = own_address(path.removesuffix("landing-page/home/index.html") + "index.html" if leads_on else path)
        assert canonical == ([] if path.endswith(("404.html", "search/index.html")) else [own]), path
        assert len(document.all("title")) == 1
        if canonical and not leads_on:
            (description,) = document.all("meta", name="description")
            assert description["content"], path


def test_alternates_in_other_languages_are_mutual(built: Built) -> None:
    """Each names itself, its variants, and the default; each variant says the same."""
    alternates = {
        own_address(path): {
            link["hreflang"]: link["href"] for link in document.all("link", rel="alternate") if "hreflang" in link
        }
        for path, document in built.pages.items()
        if not path.endswith("404.html")
    }
    translated = {address: links for address, links in alternates.items() if links}
    assert len(translated) >= 2 * (6 + 2)
    for address, links in translated.items():
        assert links.keys() == {"en", "es", "x-default"}, address
        assert address in links.values()
        assert links["x-default"] == links["en"]
        assert alternates[links["en"]] == alternates[links["es"]] == links


@pytest.mark.parametrize("path", ["rss.xml", "atom.xml", "es/rss.xml", "es/atom.xml"])
def test_feeds_are_well_formed_and_complete(built: Built, path: str) -> None:
    """Newest first, whole text, dates and authors; only whole addresses, each with a page behind it."""
    feed = feedparser.parse(built.files[path])
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version == ("rss20" if "rss" in path else "atom10")
    locale = "es" if path.startswith("es/") else "en"
    posts = [post for post in built.snapshot.posts if post.locale == locale][:20]
    assert [entry.title for entry in feed.entries] == [post.title for post in posts]
    assert feed.feed.language == locale
    for entry, post in zip(feed.entries, posts, strict=True):
        assert built.file_of(entry.link.removeprefix(HOST)) in built.pages
        assert entry.link == entry.id
        assert post.published_at is not None
        assert entry.published_parsed[:6] == post.published_at.timetuple()[:6]
        assert entry.summary == post.summary
        content = entry.content[0].value
        said = plain_text(content).replace("↩︎", "").split()  # the reader of feeds takes other marks of footnotes away
        assert said == plain_text(built.bodies[post.id]).split()
        for address in addresses(Document(content)):
            assert re.match(r"https?://|mailto:|#", address), address
            if address.startswith(HOST):
                assert built.file_of(address.removeprefix(HOST)) in built.files
    for element in ElementTree.fromstring(built.files[path]).iter():
        for name in ("href", "url"):
            assert element.get(name, HOST).startswith("https://")
        if element.tag.rpartition("}")[2] in ("link", "guid", "id", "uri") and element.text and element.text.strip():
            assert element.text.startswith(HOST)


def test_the_sitemap_lists_every_page_once(built: Built) -> None:
    """Every page with an address of its own, and nothing else; variants as the pages themselves name them."""
    root = ElementTree.fromstring(built.files["sitemap.xml"])
    listed = [entry.findtext(f"{SITEMAP}loc") for entry in root.findall(f"{SITEMAP}url")]
    assert len(listed) == len(set(listed))
    assert {str(address) for address in listed} == {
        link["href"]
        for document in built.pages.values()
        for link in document.all("link", rel="canonical")
        if not document.all("meta", name="robots", content="noindex")
    }
    for entry in root.findall(f"{SITEMAP}url"):
        address = str(entry.findtext(f"{SITEMAP}loc"))
        document = built.pages[built.file_of(address.removeprefix(HOST))]
        named = {link["hreflang"]: link["href"] for link in document.all("link", rel="alternate") if "hreflang" in link}
        assert {each.get("hreflang"): each.get("href") for each in entry.findall(XHTML_LINK)} == named
        changed = entry.findtext(f"{SITEMAP}lastmod")
        assert changed is None or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z", changed)


def test_robots_may_read_everything_and_find_the_sitemap(built: Built) -> None:
    """Two groups of lines, no more."""
    assert built.files["robots.txt"].decode().strip().split("\n\n") == [
        "User-agent: *\nAllow: /", f"Sitemap: {HOST}/sitemap.xml",
    ]  # fmt: skip


def test_a_second_build_of_the_sample_site_writes_nothing(built: Built) -> None:
    """Loading again changes nothing either."""
    assert built.example.load().loaded == ()
    report = built.example.build()
    assert (report.written, report.pruned, report.stale) == (0, 0, {})


def test_two_processes_build_the_same_sample_site(built: Built) -> None:
    """Byte for byte."""
    folder = built.example.folder.with_name("two")
    assert built.example.build(folder, jobs=2).failed == {}
    assert built.example.tree(folder) == built.files


def test_the_sample_site_shows_what_a_site_can_be(built: Built) -> None:
    """The acceptance list of its issue: posts, variants, authors, terms, and the odd cases."""
    snapshot = built.snapshot
    english = [post for post in snapshot.posts if post.locale == "en"]
    spanish = [post for post in snapshot.posts if post.locale == "es"]
    assert len(english) >= 24
    assert len(spanish) == 6
    groups = {post.group_id: post for post in english}
    assert all(groups[post.group_id].slug != post.slug for post in spanish)
    for post in snapshot.posts:
        assert 300 <= len(plain_text(built.bodies[post.id]).split()) <= 900 or post.slug == "七十二候", post.slug
    assert (len(snapshot.authors), len(snapshot.categories), len(snapshot.tags)) == (3, 5, 12)
    assert {post.author.slug for post in english} == {author.slug for author in snapshot.authors}
    used = {term.slug for post in english for term in post.categories + post.tags}
    assert used == {term.slug for term in snapshot.categories + snapshot.tags}
    with built.example.database.reading() as session:
        states = Counter(
            row[0] for row in session.sql("SELECT status FROM version WHERE kind = 'post' AND version = 'live'")
        )
    assert (states[Status.DRAFT.value], states[Status.SCHEDULED.value]) == (1, 1)
    assert max(Counter(post.published_at for post in english).values()) >= 2
    assert any(re.fullmatch(r"[一-鿿]+", post.title) for post in english)
    assert any(not post.tags and not post.featured_image for post in english)
    bodies = "".join(built.bodies[post.id] for post in english)
    for part in ("<h2", "<ul>", "<ol>", "<table>", "<blockquote>", "<pre", "<figure", "footnotes", 'href="/blog/'):
        assert part in bodies, part


def test_the_sample_site_has_pages_and_collections_of_every_kind(built: Built) -> None:
    """A landing page with component, picker and repeater, another type, Single Pages, references of each shape."""
    schema, pages = built.snapshot.schema, built.snapshot.pages
    types = Counter(page.type for page in pages if page.locale == "en")
    assert types[""] == 4
    assert types["landing-page"] == 1
    assert set(types) >= {"landing-page", "guide"}
    kinds = {spec.type for spec in schema.page_fields("landing-page")}
    assert kinds >= {"component", "component_picker", "repeater", "reference", "dropdown", "checkbox"} - {"media"}
    shapes = {
        (spec.many, tuple(spec.targets))
        for collection in schema.collections.values()
        for spec in collection.fields
        if spec.type == "reference"
    }
    assert {many for many, _ in shapes} == {True, False}
    assert {"team", "questions", "menu"} <= set(schema.collections)
    mentors = {item.id: item.fields.get("mentor") for item in built.snapshot.items if item.type == "team"}
    seen, here = set(), next(iter(mentors))
    while here not in seen:
        seen.add(here)
        here = int(re.findall(r"_id=(\d+)", str(mentors[here]))[0])
    assert here in seen  # following mentors comes back: a cycle
    assert "media/" in str([page.fields for page in pages])


def test_every_picture_of_the_sample_site_has_a_description(built: Built) -> None:
    """In posts, pages and items alike: each named picture stands beside its alt text."""
    for post in built.snapshot.posts:
        assert not post.featured_image or len(post.featured_image_alt) > 10, post.slug
        for each in Document(built.bodies[post.id]).all("img"):
            assert len(each.get("alt", "")) > 10, post.slug

    def media(value: object) -> Iterator[dict[str, object]]:
        if isinstance(value, dict):
            if "/media/" in str(value.get("url", "")):
                yield value
            for part in value.values():
                yield from media(part)
        elif isinstance(value, list | tuple):
            for part in value:
                yield from media(part)

    entries: list[Entry] = [*built.snapshot.pages, *built.snapshot.items]
    shown = [entry.fields for entry in entries]
    found = [each for fields in shown for each in media(dict(fields))]
    assert len(found) > 20
    assert all(len(str(each.get("alt", ""))) > 10 for each in found)


def test_an_edit_of_one_sample_post_rewrites_what_shows_it(built: Built) -> None:
    """And the result is that of a clean build, byte for byte. (Last in this file: it changes the site.)"""
    example = built.example
    path = example.folder / "content/posts/the-moon-is-late.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^title: .*$", "title: The moon is early", text), encoding="utf-8")
    before = example.tree()
    report = example.make()
    after = example.tree()
    changed = {name for name in after if after[name] != before.get(name)}
    assert report.written == len(changed)
    index = {name for name in before.keys() | after.keys() if name.startswith("pagefind/")}
    assert (before.keys() | after.keys()) - index <= before.keys() & after.keys()
    assert changed & index
    shows = {name for name, data in after.items() if b"The moon is early" in data}
    assert changed - index == shows
    assert after == example.clean_tree()
