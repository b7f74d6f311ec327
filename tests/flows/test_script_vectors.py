"""Attacks in every text field, through the API, into the built site: a real HTML parser finds nothing active.

The attacks are those of tests/content/script_vectors.txt, and addresses that run something. Every field of posts,
authors, terms, pages of each type, and items is given at least a hundred of them.
"""

import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import html5lib
import orjson
import pytest
from flask.testing import FlaskClient
from PIL import Image

from sitecms.actions.loading import load_site
from sitecms.content.author import Author
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.token import Scope
from sitecms.documents import UNFIT
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.entries.authors import save_author
from sitecms.store.entries.media_files import save_media
from sitecms.store.site_state.documents import load_content_schema
from sitecms.web.service import create_app
from tests.support.reading import select

Element = ElementTree.Element
ENOUGH = 100
POSTS, TERMS, ITEMS, ENTRIES = 64, 25, 22, 14
AT_ONCE = 8  # in one text: one must not hide the next
ADDRESSES = (
    "javascript:alert(1)", " javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)",
    "java\nscript:alert(1)", "javascript\t:alert(1)", "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)", "vbscript:msgbox(1)", "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=", "data:image/svg+xml,<svg onload=alert(1)>", "blob:https://evil.example/x",
    "feed:javascript:alert(1)", "view-source:javascript:alert(1)", "jar:javascript:alert(1)!/", "file:///etc/passwd",
    '"><script>alert(1)</script>', "' onmouseover='alert(1)", '/x" onclick="alert(1)',
    'https://x.example/"><svg onload=alert(1)>',
)  # fmt: skip
PROBE = {
    "slug": "probe",
    "name": "Probe",
    "fields": [
        *({"slug": kind, "type": kind} for kind in ("short_text", "long_text", "wysiwyg", "html", "date", "number")),
        {"slug": "dropdown", "type": "dropdown", "options": [{"label": "A", "value": "a"}]},
        {"slug": "color", "type": "color"},
        {"slug": "media", "type": "media"},
        {"slug": "one", "type": "reference", "targets": ["team"]},
        {"slug": "some", "type": "reference", "targets": ["team", "questions"], "many": True},
        {"slug": "rows", "type": "repeater", "fields": [
            {"slug": "text", "type": "short_text"}, {"slug": "html", "type": "html"},
            {"slug": "image", "type": "media"},
        ]},
        {"slug": "hero", "type": "component", "component": "hero"},
        {"slug": "parts", "type": "component_picker",
         "components": ["hero", "quote", "call-to-action", "text-block", "image-figure"]},
    ],
}  # fmt: skip
NEVER = {
    "applet", "base", "button", "embed", "frame", "frameset", "math", "noscript", "object", "param", "portal",
    "template", "textarea", "xmp", "plaintext", "isindex", "marquee", "bgsound", "layer", "foreignobject",
}  # fmt: skip
LINKING = {"href", "src", "srcset", "poster", "cite", "action", "formaction", "data", "background", "ping", "content"}
OF_THEME = {("button", "to-scheme"), ("button", "data-copy"), ("template", "_words")}
"""Buttons and the template of the theme, by a class, attribute or id that content cannot have."""
THEME_DATA = {"data-pagefind-body", "data-pagefind-ignore", "data-pagefind-meta"}
SCHEMES = {"http", "https", "mailto", "tel"}
FRAME = re.compile(r"https://(www\.youtube(-nocookie)?\.com/|player\.vimeo\.com/|www\.google\.com/maps/embed)[^@\\]*")


def read_vectors() -> list[str]:
    """Read the vectors without the characters that the API refuses."""
    path = Path(__file__).parents[1] / "content" / "text" / "script_vectors.txt"
    escape = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|[ntr0])")
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return [UNFIT.sub("", escape.sub(lambda match: match[0].encode().decode("unicode_escape"), line)) for line in lines]


VECTORS = read_vectors()
NOWHERE = [attack for attack in (*VECTORS, *ADDRESSES) if not attack.startswith("https:")]


class Attacks:
    """Gives each field, by its name, one attack after another, and counts them."""

    def __init__(self) -> None:
        self.given: Counter[str] = Counter()
        self._next: Counter[str] = Counter()

    def text(self, field: str, longest: int | None = None) -> str:
        """As many of the next attacks as fit, eight at most."""
        longest = longest or 10_000
        found = ""
        for _ in range(AT_ONCE):
            vector = VECTORS[self._next[field] % len(VECTORS)]
            if len(vector) > longest:
                self._next[field] += 1
                continue
            if len(found) + len(vector) + 1 > longest:
                break
            found += f"{vector}\n" if longest > 255 else f"{vector} "
            self._next[field] += 1
            self.given[field] += 1
        return found.strip() or "x"

    def address(self, field: str) -> str:
        """The next address that runs something."""
        self._next[field] += 1
        return ADDRESSES[self._next[field] % len(ADDRESSES)]


class Newsroom:
    """Writes through the API; media are our own file, as no other host can be asked."""

    def __init__(self, client: FlaskClient, secret: str, schema: ContentSchema, image: str) -> None:
        self.attacks = Attacks()
        self.image = image
        self._client = client
        self._headers = {"Authorization": f"Token {secret}"}
        self._schema = schema

    def send(self, method: str, path: str, body: object = None) -> Any:
        """One request."""
        data = None if body is None else orjson.dumps(body)
        return self._client.open(path, method=method, data=data, headers=self._headers, content_type="application/json")

    def write(self, path: str, body: object) -> None:
        """A new entry, which must be accepted."""
        answered = self.send("POST", path, body)
        assert answered.status_code == 202, answered.text

    def read(self, path: str) -> Any:
        """What a read answers."""
        answered = self.send("GET", path)
        assert answered.status_code == 200, answered.text
        return answered.get_json()

    def fields(self, place: str, specs: tuple[FieldSpec, ...]) -> dict[str, object]:
        """A value for each field, with attacks wherever a text can stand."""
        values = {spec.slug: self._value(f"{place}.{spec.slug}", spec) for spec in specs}
        return {slug: value for slug, value in values.items() if value is not None}

    def _value(self, place: str, spec: FieldSpec) -> object:
        attacks, components = self.attacks, self._schema.components
        match spec.type:
            case "short_text" if spec.slug in ("url", "link"):
                return attacks.address(place)
            case "short_text" | "long_text" | "wysiwyg" | "html":
                return attacks.text(place)
            case "media":
                return {"url": self.image, "alt": attacks.text(f"{place.partition('.')[0]} alt", 255)}
            case "component":
                return self.fields(f"{place}", components[spec.component].fields)
            case "component_picker":
                return [
                    {"type": slug, "fields": self.fields(f"{place}:{slug}", components[slug].fields)}
                    for slug in spec.components
                ]
            case "repeater":
                return [self.fields(place, spec.fields) for _ in range(2)]
            case "dropdown":
                return spec.options[0].value
        simple: dict[str, object] = {
            "number": 1, "date": "2026-03-01", "color": "#aabbcc", "checkbox": True,
        }  # fmt: skip
        return simple.get(spec.type)

    def post(self, number: int, authors: int) -> None:
        """A post with attacks in all its texts, its slug, and the names of its terms."""
        text = self.attacks.text
        self.write("/v2/posts/", {
            "title": text("title", 200), "slug": f"{number} {text('slug', 90)}", "status": "published",
            "body": text("body"), "summary": text("summary", 2000), "seo_title": text("seo_title", 100),
            "meta_description": text("meta_description"), "featured_image": self.image,
            "featured_image_alt": text("alt", 250), "author": {"slug": f"author-{number % authors}"},
            "categories": [text("category", 250)] if number < TERMS else [],
            "tags": [text("tag", 250)] if number < TERMS else [],
        })  # fmt: skip


@pytest.fixture
def image(runtime: Runtime) -> str:
    """A file of the media library that the store knows."""
    buffer = io.BytesIO()
    Image.new("RGB", (4, 3), "teal").save(buffer, "PNG")
    media = open_library(runtime.settings).add(buffer.getvalue(), "x.png", runtime.clock())
    runtime.database.write(save_media, media)
    return media.url


@pytest.fixture
def newsroom(runtime: Runtime, repo: Path, make_token: Callable[..., str], image: str) -> Newsroom:
    """The site has the schema of the sample site, its lengths unlimited, and a page type with every kind of field."""
    folder = runtime.settings.folder
    shutil.copytree(repo / "sample_site" / "schema", folder / "schema")
    for path in (folder / "schema").rglob("*.yaml"):
        path.write_text(re.sub(r", m(ax|in)_length: \d+", "", path.read_text("utf-8")), "utf-8")
    (folder / "schema/page_types/probe.yaml").write_text(json.dumps(PROBE), "utf-8")
    assert load_site(runtime.database, runtime.settings, runtime.clock()).errors == ()
    schema = runtime.database.read(load_content_schema)
    client = create_app(runtime, hint=lambda _id: None).test_client()
    return Newsroom(client, make_token("w", Scope.WRITE), schema, image)


def make_authors(newsroom: Newsroom, runtime: Runtime) -> int:
    """Authors come from files alone; how many there are."""
    text, address, count = newsroom.attacks.text, newsroom.attacks.address, 25
    with runtime.database.writing() as transaction:
        for number in range(count):
            named = ("first_name", "last_name", "bio", "title", "email")
            names: dict[str, Any] = {name: text(f"author.{name}") for name in named}
            urls: dict[str, Any] = {
                name: address(f"author.{name}")
                for name in ("linkedin_url", "facebook_url", "pinterest_url", "instagram_url", "profile_image")
            }
            author = Author(f"author-{number}", **names, **urls, twitter_handle=text("author.twitter_handle"))
            save_author(transaction, author)
    return count


def write_everything(newsroom: Newsroom, runtime: Runtime, schema: ContentSchema) -> None:
    """Entries of all kinds, until each field was given enough."""
    authors = make_authors(newsroom, runtime)
    for number in range(POSTS):
        newsroom.post(number, authors)
    for key, collection in schema.collections.items():
        for _ in range(13 if key == "menu" else ITEMS):  # a menu is on every page
            fields = newsroom.fields(key, collection.fields)
            newsroom.write("/v2/content/", {"key": key, "status": "published", "fields": fields})
    for number in range(ENTRIES):
        for name, page_type in schema.page_types.items():
            fields = newsroom.fields(name, page_type.fields)
            title = newsroom.attacks.text("page title", 200)
            page = {"page_type": name, "title": title, "slug": f"{name}-{number}", "status": "published"}
            newsroom.write("/v2/pages/", {**page, "fields": fields})
        fields = {"body": newsroom.attacks.text("single"), "description": newsroom.attacks.text("description")}
        page = {"page_type": "*", "title": f"Single {number}", "slug": f"single-{number}", "status": "published"}
        newsroom.write("/v2/pages/", {**page, "fields": fields})
    assert {field: count for field, count in newsroom.attacks.given.items() if count < ENOUGH} == {}


def html_of(text: str) -> Element:
    """As a browser reads a whole page."""
    root: Element = html5lib.parse(text, treebuilder="etree", namespaceHTMLElements=False)
    return root


def inside(root: Element) -> Iterator[Element]:
    """All elements."""
    yield from (element for element in root.iter() if isinstance(element.tag, str))


def active_attributes(element: Element) -> Iterator[str]:
    """What in an element's attributes runs, submits elsewhere or frames a stranger."""
    for full_name, value in element.attrib.items():
        name = str(full_name).rpartition("}")[2].lower()
        address = re.sub(r"[\x00-\x20]", "", value).lower()
        scheme = re.match(r"([a-z][a-z0-9+.-]*):", address)
        if name.startswith("data-pagefind-") and name not in THEME_DATA:
            yield f"{element.tag} {name}={value}"
        if name.startswith("on") or name in ("srcdoc", "formaction", "autofocus", "background", "ping"):
            yield f"{element.tag} {name}={value}"
        if name == "style" and re.search(r"url\(|expression|import|script", value, re.IGNORECASE):
            yield f"style {value}"
        if name in LINKING and element.tag != "meta" and scheme and scheme[1] not in SCHEMES:
            yield f"{element.tag} {name}={value}"
        if element.tag == "iframe" and name == "src" and not FRAME.fullmatch(value):
            yield f"frame of {value}"


def active_in_page(root: Element, files: set[str]) -> list[str]:
    """What a page runs beyond the theme's own: data blocks, files of the site, and forms that stay on it."""
    found: list[str] = []
    head = root.find("head")
    ids = Counter(element.get("id") or "" for element in inside(root))
    found += [f"the theme's id {name} is repeated" for name, count in ids.items() if name[:1] == "_" and count > 1]
    in_head = {id(element) for element in inside(head)} if head is not None else set()
    for element in inside(root):
        tag = element.tag.lower()
        found += active_attributes(element)
        if tag in NEVER:
            marks = {element.get("class"), element.get("id"), *element.keys()}
            found += [] if any((tag, mark) in OF_THEME for mark in marks) else [f"<{tag}>"]
        elif tag == "script" and element.get("type") == "application/ld+json":
            json.loads(element.text or "")
        elif tag == "script" and (element.text or (element.get("src") or "").lstrip("/") not in files):
            found.append(f"<script src={element.get('src')}>{element.text}")
        elif tag in ("link", "meta", "style", "title") and id(element) not in in_head:
            found.append(f"<{tag}> in the body")
        elif tag == "link" and element.get("rel") == "stylesheet" and (element.get("href") or "")[1:] not in files:
            found.append(f"style sheet {element.get('href')}")
        elif tag == "meta" and element.get("http-equiv"):
            found.append(f"meta {element.get('http-equiv')}")
        elif tag == "form" and not re.match(r"/(?!/)", element.get("action") or ""):
            found.append(f"form {element.get('action')}")
    return found


def active_in_html(text: str) -> list[str]:
    """What is active in a piece of HTML that a reader shows within a page of its own."""
    fragment: Element = html5lib.parseFragment(text, treebuilder="etree", namespaceHTMLElements=False)
    tags = NEVER | {"script", "style", "link", "meta", "form", "input", "select", "svg", "title"}
    found = [f"<{element.tag}>" for element in inside(fragment) if element.tag in tags]
    return found + [part for element in inside(fragment) for part in active_attributes(element)]


def html_of_feed(path: Path) -> Iterator[str]:
    """The texts of a feed that its readers show as HTML."""
    if path.suffix == ".json":
        for item in json.loads(path.read_bytes())["items"]:
            yield item.get("content_html", "")
            assert item["url"].startswith("https://tide.example/")
        return
    for element in ElementTree.fromstring(path.read_bytes()).iter():
        name = element.tag.rpartition("}")[2]
        if (name in ("encoded", "description") and element.get("type") != "plain") or element.get("type") == "html":
            yield element.text or ""
        for attribute in ("href", "src", "url"):
            assert re.match(r"https?://", element.get(attribute, "https://")), element.attrib
        if name in ("link", "loc", "url", "icon", "logo") and element.text and element.text.strip():
            assert element.text.startswith("https://tide.example"), element.text


def html_fields(specs: tuple[FieldSpec, ...], values: dict[str, Any], schema: ContentSchema) -> Iterator[str]:
    """The HTML fields of an entry as the API answers them."""
    for spec in specs:
        value = values.get(spec.slug)
        if not value:
            continue
        if spec.type in ("wysiwyg", "html"):
            yield value
        elif spec.type == "component":
            yield from html_fields(schema.components[spec.component].fields, value, schema)
        elif spec.type == "repeater":
            for row in value:
                yield from html_fields(spec.fields, row, schema)
        elif spec.type == "component_picker":
            for part in value:
                yield from html_fields(schema.components[part["type"]].fields, part["fields"], schema)


@pytest.mark.slow
@pytest.mark.sqlite_only("what is written and built does not depend on the engine")
def test_nothing_active_is_built(
    newsroom: Newsroom, runtime: Runtime, apply_all: Callable[[], int], tmp_path: Path
) -> None:
    """Pages, feeds, sitemaps and the answers of the API: no attack is anything but text."""
    schema = runtime.database.read(load_content_schema)
    write_everything(newsroom, runtime, schema)
    apply_all()
    assert select(runtime.database, "SELECT status, count(*) FROM write WHERE status <> 'applied' GROUP BY 1") == []
    output = tmp_path / "public"
    assert build_site(runtime.database, runtime.settings, output, BuildOptions(jobs=2)).failed == {}
    files = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    pages = [output / name for name in files if name.endswith(".html")]
    assert len(pages) > 150
    for path in pages:
        assert active_in_page(html_of(path.read_text("utf-8")), files) == [], path
    feeds = [output / name for name in files if name.endswith((".xml", "feed.json"))]
    assert len(feeds) >= 3
    for path in feeds:
        for text in html_of_feed(path):
            assert active_in_html(text) == [], path
    check_answers(newsroom, schema)


def check_answers(newsroom: Newsroom, schema: ContentSchema) -> None:
    """The HTML that the API answers, feeds among it."""
    texts = [post["body"] for post in newsroom.read("/v2/posts/?page_size=100")["data"]]
    for name, page_type in schema.page_types.items():
        for page in newsroom.read(f"/v2/pages/{name}/?page_size=100")["data"]:
            texts += html_fields(page_type.fields, page["fields"], schema)
    for key, collection in schema.collections.items():
        for item in newsroom.read(f"/v2/content/{key}/?page_size=100")["data"][key]:
            texts += html_fields(collection.fields, item, schema)
    texts += [page["fields"]["body"] for page in newsroom.read("/v2/pages/*/?page_size=100")["data"]]
    assert len(texts) > 100
    assert sum(bool(text) for text in texts) > 50
    for text in texts:
        assert active_in_html(text) == [], text
    for kind in ("rss", "atom"):
        feed = ElementTree.fromstring(newsroom.read(f"/v2/feeds/{kind}/")["data"])
        for element in feed.iter():
            html = element.tag.rpartition("}")[2] in ("encoded", "description") or element.get("type") == "html"
            if html and element.get("type") != "plain":
                assert active_in_html(element.text or "") == [], kind


@pytest.mark.parametrize("field", ["dropdown", "color", "one", "date", "number", "media"])
def test_fields_that_are_no_texts_refuse_attacks(newsroom: Newsroom, field: str) -> None:
    """A choice, a colour, a reference, a date, a number and an address of media are 400 under their name."""
    page = {"page_type": "probe", "title": "Probe", "slug": "probe", "status": "published"}
    for attack in NOWHERE:
        answered = newsroom.send("POST", "/v2/pages/", {**page, "fields": {field: attack}})
        assert answered.status_code == 400, attack
        assert any(field in name for name in answered.get_json()), answered.text


def test_an_image_is_no_attack(newsroom: Newsroom) -> None:
    """The address of a featured image, and an author who is named by an attack, are 400."""
    for attack in NOWHERE:
        answered = newsroom.send("POST", "/v2/posts/", {"title": "x", "featured_image": attack, "author": attack})
        assert set(answered.get_json()) == {"featured_image", "author"}, attack
