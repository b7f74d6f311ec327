"""Texts that the API accepts are unchanged after an export and a load."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading import load_site
from sitecms.actions.writing.accept import Caller
from sitecms.content.author import Author
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MediaFile
from sitecms.content.schema import ContentSchema
from sitecms.content.token import Scope
from sitecms.documents import unfit_character
from sitecms.errors import InvalidFields
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.database import Database
from sitecms.store.entries import authors
from sitecms.store.opening import open_database
from sitecms.store.site_state import documents
from sitecms.store.writes.tokens import find_tokens, insert_token
from tests.actions.exporting.test_laws import BEGUN, LONG_AFTER, dump, site_at
from tests.support.writes import Writes, worker_of, write_context

FIELDS = [
    {"slug": "short", "type": "short_text", "searchable": True},
    {"slug": "long", "type": "long_text"},
    {"slug": "rich", "type": "wysiwyg"},
    {"slug": "code", "type": "html"},
    {"slug": "image", "type": "media"},
    {"slug": "n", "type": "number"},
]
PART = {"slug": "part", "fields": [{"slug": "text", "type": "long_text"}, {"slug": "rich", "type": "html"}]}
NESTED = [
    *FIELDS,
    {"slug": "part", "type": "component", "component": "part"},
    {"slug": "parts", "type": "component_picker", "components": ["part"]},
    {"slug": "rows", "type": "repeater", "fields": FIELDS[:2]},
]
SCHEMA = ContentSchema.from_json(
    {
        "collections": [{"key": "team", "fields": NESTED}],
        "components": [PART],
        "page_types": [{"slug": "guide", "fields": NESTED}],
    }
)
UNFIT = "\x00\x01\x08\x0b\x0c\x1f\x7f\ufffe\uffff"
FRAGMENTS = (
    *"\n\r\t \x80\x85\x9f\xa0\xad\u2028\u2029\ufeff\u200b\u202e\U0001f600\U0001fffe\U0010ffff'\"\\:#-?|>&*!%@`{}[],=~<",
    *UNFIT, "---", "\n---\n", "...", "\n...\n", "\r\n", "  led", "trail  ", "\n\n", ": ", " #", "- a\n- b", "a: b",
    "no", "null", "~", "1e3", "0x1f", "12:30", "2026-01-01", "<<", "{{ x }}", "{% raw %}", "&#1;", "&#127;", "&#13;",
    "&#xFFFF;", "&amp;", "<p>x</p>", "<pre>\n\nx\r</pre>", "x" * 300, "word " * 60, "ä", "a\u0308", "汉字", "אב",
    "\\x01", "\\N", "%YAML 1.2",
)  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=6).map("".join)
lines = texts.map(lambda text: f"{text[:80]}x")
names = texts.map(lambda text: f"a{text[:100]}b")
posts = st.fixed_dictionaries(
    {"title": lines},
    optional={
        "body": texts, "summary": texts, "seo_title": texts.map(lambda text: text[:100]), "meta_description": texts,
        "featured_image_alt": texts.map(lambda text: text[:250]), "status": st.sampled_from(["draft", "published"]),
        "categories": st.lists(names, max_size=3), "tags": st.lists(names, max_size=3), "slug": lines,
    },
)  # fmt: skip
flat = {
    "short": texts, "long": texts, "rich": texts, "code": texts, "n": st.floats(-1e9, 1e9),
    "image": texts.map(lambda text: {"url": "", "alt": text[:250]}),
}  # fmt: skip
parts = st.fixed_dictionaries({"text": texts, "rich": texts})
nested = {
    **flat, "part": parts, "parts": st.lists(parts.map(lambda fields: {"type": "part", "fields": fields}), max_size=2),
    "rows": st.lists(st.fixed_dictionaries({"short": texts, "long": texts}), max_size=2),
}  # fmt: skip
pages = st.fixed_dictionaries(
    {"title": lines, "slug": lines, "fields": st.fixed_dictionaries({}, optional=nested)},
    optional={"page_type": st.just("guide"), "status": st.sampled_from(["draft", "published"])},
)
single = {"body": texts, "description": texts}
items = st.fixed_dictionaries(
    {"key": st.just("team"), "fields": st.lists(st.fixed_dictionaries({}, optional=nested), min_size=1, max_size=2)}
)


class Service:
    """A site whose writes are accepted and applied as the API and its workers do it."""

    def __init__(self, site: SiteSettings) -> None:
        self.database: Database = open_database(site.store_path, create=True)
        with self.database.writing() as transaction:
            documents.save_content_schema(transaction, SCHEMA)
            authors.save_author(transaction, Author("ann"))
            insert_token(transaction, "all", Scope.WRITE, "digest", BEGUN, None)
        context = write_context(self.database, site, lambda: BEGUN)
        caller = Caller(self.database.read(find_tokens)[0])
        self.writes = Writes(context, caller, worker_of(context, _no_media))

    def send(self, kind: EntryKind, body: dict[str, Any]) -> None:
        """Accept the write and apply it; refused is what holds an unfit character, and nothing else."""
        if "page_type" not in body and "slug" in body and "fields" in body:
            body = {**body, "fields": {name: body["fields"].get(key, "") for name, key in SINGLE.items()}}
        try:
            write_id = self.writes.create(kind, body)
        except InvalidFields as error:
            messages = [text for texts in error.messages.values() for text in texts]
            assert any(map(unfit_character, _strings(body))) or _is_taken(messages), messages
            return
        assert not any(map(unfit_character, _strings(body)))
        assert self.writes.apply(write_id).status == "applied"


SINGLE = {"body": "rich", "description": "short"}


def _no_media(url: str, *_: object) -> MediaFile:
    raise AssertionError(url)


def _strings(value: object) -> set[str]:
    """Every text in the value."""
    if isinstance(value, str):
        return {value}
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for each in held for text in _strings(each)}


def _is_taken(texts: list[str]) -> bool:
    """Return whether the write was refused for a slug that another entry of the example has."""
    return all("already exists" in text for text in texts)


EVERY = "".join(FRAGMENTS).translate(dict.fromkeys(map(ord, UNFIT)))


@pytest.mark.slow
@given(st.lists(posts, max_size=2), st.lists(pages, max_size=2), st.lists(items, max_size=2))
@example([{"title": "a\x7fb"}, {"title": "ok", "body": "\uffff", "tags": ["\x01a"]}], [], [])
@example(
    [{"title": EVERY[:150], "body": EVERY, "summary": EVERY[:1500], "tags": [f"a{EVERY[:200]}"]}],
    [{"title": "x", "slug": "x", "page_type": "guide", "fields": {"short": EVERY, "long": EVERY, "rich": EVERY}}],
    [{"key": "team", "fields": [{"short": EVERY, "code": EVERY}]}],
)
@settings(max_examples=settings().max_examples // 3)
def test_what_the_api_takes_comes_back_from_an_export(
    sent_posts: list[dict[str, Any]], sent_pages: list[dict[str, Any]], sent_items: list[dict[str, Any]]
) -> None:
    """All keys of posts, pages and items, and names of terms: the loaded store equals the exported one."""
    with TemporaryDirectory() as place:
        root = Path(place)
        site = site_at(root / "site")
        service = Service(site)
        for kind, bodies in zip(EntryKind, (sent_posts, sent_pages, sent_items), strict=True):
            for body in bodies:
                service.send(kind, body)
        assert export_site(service.database, site, root / "files").notes == ()
        loaded = load_settings(root / "files")
        database = open_database(loaded.store_path, create=True)
        assert load_site(database, loaded, LONG_AFTER).errors == ()
        with service.database.reading() as before, database.reading() as after:
            assert dump(after) == dump(before)
        service.database.close()
        database.close()


@pytest.mark.parametrize("text", [*UNFIT[1:]], ids=ascii)
def test_unfit_characters_are_refused_everywhere(tmp_path: Path, text: str) -> None:
    """400 under the key, and an error of `load` with its place, by one rule."""
    service = Service(site_at(tmp_path / "site"))
    sign = f"Must not hold the control character U+{ord(text):04X}."
    page = {"title": "x", "slug": "x", "page_type": "guide"}
    sent: list[tuple[EntryKind, dict[str, Any], str]] = [
        (EntryKind.POST, {"title": text}, "title"),
        (EntryKind.POST, {"title": "x", "body": text}, "body"),
        (EntryKind.POST, {"title": "x", "tags": [f"a{text}"]}, "tags"),
        (EntryKind.PAGE, {**page, "fields": {"part": {"text": text}}}, "part.text"),
        (EntryKind.ITEM, {"key": "team", "fields": [{"short": text}]}, "short"),
    ]
    for kind, body, place in sent:
        with pytest.raises(InvalidFields) as refused:
            service.writes.create(kind, body)
        assert refused.value.messages == {place: [sign]}
    service.database.close()
