"""An export that is loaded into an empty store gives the store that was exported."""

import json
import re
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from PIL import Image

from sitecms.actions.exporting.entry_files import schema_files
from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading import load_site
from sitecms.actions.syncing.write_back import write_back
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.author import Author
from sitecms.content.change import EntryChange, Origin, Times, VersionChange
from sitecms.content.entry import Entry
from sitecms.content.field_value import Fields
from sitecms.content.fields import RawReference
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MEDIA_NAME, MediaFile
from sitecms.content.references import ItemTarget, Target
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status, Version
from sitecms.content.term import Term, TermKind
from sitecms.content.text.html import sanitize
from sitecms.content.text.media_links import ResolvedImage, resolve_media
from sitecms.content.text.removed_markup import ReportDropped
from sitecms.content.validation import clean_fields
from sitecms.media.library import open_library
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import authors, media_files, terms
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.opening import open_database
from sitecms.store.site_state import documents
from sitecms.store.site_state.file_changes import ListKind, note_file_change
from tests.support.changes import post_change
from tests.support.pictures import image_bytes

FEW, MANY = 10, settings().max_examples // 3
BEGUN = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG_AFTER = datetime(2026, 6, 1, tzinfo=UTC)
FAR_AHEAD = datetime(2040, 1, 1, tzinfo=UTC)
CHARACTERS = "aZ7 '\"#:&<{\\ßü海😀\u2028"
"""Those of `st.text` would depend on the modules that other tests have imported: it draws their constants."""
SITE_TOML = 'name = "Tide"\nlocales = ["en", "es", "de"]\nowner = "ann"\n'
SCHEMA = ContentSchema.from_json(
    {
        "collections": [
            {
                "key": "team",
                "fields": [
                    {"slug": "name", "type": "short_text"},
                    {"slug": "bio", "type": "wysiwyg"},
                    {"slug": "photo", "type": "media"},
                    {"slug": "mentor", "type": "reference", "targets": ["team"]},
                ],
            }
        ],
        "components": [
            {"slug": "hero", "fields": [{"slug": "title", "type": "short_text"}, {"slug": "image", "type": "media"}]},
            {"slug": "quote", "fields": [{"slug": "text", "type": "long_text"}, {"slug": "n", "type": "number"}]},
        ],
        "page_types": [
            {
                "slug": "guide",
                "fields": [
                    {"slug": "en", "type": "short_text", "help": "A slug that is a locale too"},
                    {"slug": "text", "type": "long_text"},
                    {"slug": "born", "type": "date"},
                    {"slug": "active", "type": "checkbox"},
                    {"slug": "hero", "type": "component", "component": "hero"},
                    {"slug": "body", "type": "component_picker", "components": ["hero", "quote"]},
                    {"slug": "steps", "type": "repeater", "fields": [{"slug": "title", "type": "short_text"}]},
                    {"slug": "who", "type": "reference", "targets": ["team"], "many": True},
                ],
            }
        ],
    }
)

texts = st.one_of(
    st.sampled_from(
        ["", "no", "1", "2026-01-01", "a: b", "- a\n- b", "a\n---\nb\n", " led by spaces ", "\ttab", "x\r\ny"]
    ),
    st.lists(st.sampled_from(CHARACTERS), max_size=12).map("".join),
)
names = texts.map(str.strip).filter(lambda text: text.isprintable() and bool(text))
moments = st.integers(0, 5).map(lambda number: BEGUN + timedelta(hours=number, microseconds=number % 2))
media_numbers = st.integers(0, 4)
PARTS = (
    "<p>Text &amp; more.</p>", "<pre><code>/media/x and media/y\n\n---\n</code></pre>", "<p>line\n\nline</p>\n",
    '<p><img src="{0}" alt="x"></p>', '<p><a href="{1}">file</a> <img src="{0}" srcset="{0} 1x, {2} 2x"></p>',
    '<p><img src="https://far.example/x.png"></p>',
)  # fmt: skip
bodies = st.lists(st.tuples(st.sampled_from(PARTS), media_numbers), max_size=3)
statuses = st.sampled_from(list(Status))
posts = st.fixed_dictionaries(
    {
        "locale": st.sampled_from(["en", "en", "es", "de"]),
        "title": names,
        "status": statuses,
        "of": st.none() | st.integers(0, 6),
        "author": st.sampled_from(["ann", "bo"]),
        "categories": st.lists(st.sampled_from(["Sea", "sea-2", "Über", "Night sky"]), unique=True, max_size=3),
        "tags": st.lists(st.sampled_from(["m", "M n", "海"]), unique=True, max_size=2),
        "image": st.none() | media_numbers,
        "summary": texts,
        "aliases": st.sampled_from([(), ("/old/",), ("/a/", "/b/c/")]),
        "body": bodies,
        "times": st.tuples(moments, moments, moments),
    }
)
fields = st.fixed_dictionaries(
    {
        "en": texts,
        "text": st.one_of(texts, st.sampled_from(["![x]({0})", "[f]({1}) `{0}`", "# {0}\n\n![x][r]\n\n[r]: {0}\n"])),
        "born": st.sampled_from([None, "2026-01-01T08:00:00"]),
        "active": st.booleans(),
        "hero": st.sampled_from([None, {"title": "T"}, {"title": "", "image": {"url": "{0}", "alt": "a"}}]),
        "body": st.sampled_from(
            [[], [{"type": "quote", "fields": {"text": "q {0}", "n": 1.5}}], [{"hero": {"title": "x"}}]]
        ),
        "steps": st.sampled_from([[], [{"title": "one"}, {"title": ""}]]),
        "who": st.lists(st.integers(0, 2), max_size=2),
    }
)
versions = st.lists(
    st.tuples(
        st.sampled_from(["en", "es", "de"]), statuses, fields, st.none() | fields, st.tuples(moments, moments, moments)
    ),
    min_size=1, max_size=3, unique_by=lambda version: version[0],
)  # fmt: skip
stores = st.fixed_dictionaries(
    {
        "posts": st.lists(posts, max_size=7),
        "pages": st.lists(st.tuples(st.sampled_from(["guide", ""]), names, versions), max_size=3),
        "items": st.lists(st.tuples(texts, versions), max_size=3),
        "names": st.lists(
            st.sampled_from(["sea.png", "the sea.png", "Sea.PNG", "ebb#1.png", ".x.png", "ü,1.png"]),
            min_size=4,
            max_size=4,
        ),
    }
)


class Everything:
    """A lookup that knows the items there are, and takes media as they are stored."""

    zone = UTC

    def __init__(self, made: "Maker") -> None:
        self._made = made

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:  # noqa: ARG002
        return ItemTarget("team", raw) if isinstance(raw, int) and raw in self._made.item_ids else None

    def media(self, url: str, report: Callable[[str], None]) -> str | None:  # noqa: ARG002
        return url

    def html(self, text: str, report: ReportDropped) -> str:  # noqa: ARG002
        return self._made.html(text)

    def markdown(self, text: str, report: Callable[[str], None]) -> str:  # noqa: ARG002
        return text


class Maker:
    """Makes one generated store through the verbs that save."""

    def __init__(self, site: SiteSettings, original_names: list[str]) -> None:
        self.database = open_database(site.store_path, create=True)
        library = open_library(site)
        self.media: list[MediaFile] = []
        for number, name in enumerate(original_names):
            self.media.append(library.add(image_bytes(Image.new("RGB", (2 + number, 3), "navy"), "PNG"), name, BEGUN))
        self.media.append(library.add(b"%PDF-1.4 paper", "paper.pdf", BEGUN))
        self.item_ids: list[int] = []

    def filled(self, value: Any, number: int = 0) -> Any:
        """The value with addresses of media in it: {0} an image, {1} the paper, {2} another image."""
        if isinstance(value, str):
            image, other = self.media[number % 4].url, self.media[(number + 1) % 4].url
            return value.replace("{0}", image).replace("{1}", self.media[4].url).replace("{2}", other)
        if isinstance(value, dict):
            return {key: self.filled(held, number) for key, held in value.items()}
        return [self.filled(held, number) for held in value] if isinstance(value, list) else value

    def html(self, text: str) -> str:
        """Return the HTML as the store keeps it: sanitised, images with their sizes."""
        sizes = {media.url: ResolvedImage(media.url, media.width, media.height) for media in self.media}
        return resolve_media(sanitize(text), sizes.get)

    def make(self, plan: dict[str, Any]) -> None:
        with self.database.writing() as transaction:
            documents.save_content_schema(transaction, SCHEMA)
            for media in self.media:
                media_files.save_media(transaction, media)
            authors.save_author(transaction, Author("bo", "Bo", profile_image=self.media[0].url, bio="a\nb"))
            authors.save_author(transaction, Author("ann"))
            for slug, name in (("sea", "Sea"), ("sea-2", "sea-2"), ("other", "other"), ("uber", "Über")):
                terms.save_terms(transaction, TermKind.CATEGORY, [Term(TermKind.CATEGORY, slug, name)])
            self._posts(transaction, plan["posts"])
            self.item_ids = [3 + 2 * number for number in range(len(plan["items"]))]
            for number, (name, given_versions) in enumerate(plan["items"]):
                mentor = self.item_ids[0] if number else None
                raw = {"name": name, "bio": self.filled("<p>{0}</p><img src='{0}'>"), "mentor": mentor}
                changes = self._versions(given_versions, "team", raw)
                item = EntryChange(EntryKind.ITEM, self.item_ids[number], "team", changes)
                save_entry(SaveContext(transaction, Origin.API, BEGUN, schema=SCHEMA), item)
            for number, (page_type, title, given_versions) in enumerate(plan["pages"]):
                change = EntryChange(
                    EntryKind.PAGE,
                    0,
                    page_type,
                    self._versions(given_versions, page_type),
                    f"p{number}",
                    title,
                )
                save_entry(SaveContext(transaction, Origin.API, BEGUN, schema=SCHEMA), change)

    def _posts(self, transaction: Transaction, plan: list[dict[str, Any]]) -> None:
        slugs: list[str] = []
        taken: set[tuple[str, str]] = set()
        for number, post in enumerate(plan):
            of = slugs[post["of"]] if post["of"] is not None and post["of"] < len(slugs) else ""
            root = of and self._root(transaction, of)
            if (root, post["locale"]) in taken:
                of, root = "", ""
            slug = f"post-{number}" if number % 2 else f"ünï-{number}"
            body = self.html("".join(self.filled(part, at) for part, at in post["body"]))
            image = "" if post["image"] is None else self.media[post["image"] % 4].url
            change = post_change(
                post["locale"], slug, post["title"], post["status"], translation_of=of, author=post["author"],
                categories=tuple(post["categories"]), tags=tuple(post["tags"]), featured_image=image,
                summary=post["summary"], body=body, aliases=post["aliases"],
                times=times_of(post["status"], post["times"]),
            )  # fmt: skip
            save_entry(SaveContext(transaction, Origin.API, BEGUN, owner="ann"), change)
            slugs.append(slug)
            taken.add((root or slug, post["locale"]))

    def _root(self, transaction: Transaction, slug: str) -> str:
        rows = transaction.sql(
            "SELECT slug FROM entry WHERE kind = 'post' AND id = (SELECT group_id FROM entry WHERE slug = ?)", slug
        )
        return str(rows[0][0])

    def _versions(self, plan: list[Any], kind: str, raw: Fields | None = None) -> tuple[VersionChange, ...]:
        changes = []
        for number, (locale, status, given_fields, draft, times) in enumerate(plan):
            live = status is Status.PUBLISHED
            values = self._clean(raw or given_fields, kind, number)
            version = Version.LIVE if live else Version.DRAFT
            changes.append(VersionChange(locale, version, status, values, times_of(status, times)))
            if live and draft is not None:
                over = self._clean({**raw, "name": "Draft"} if raw else draft, kind, number + 1)
                state = Status.SCHEDULED if draft["active"] else Status.DRAFT
                when = replace(times_of(state, times), published_at=None)
                changes.append(VersionChange(locale, Version.DRAFT, state, over, when))
        return tuple(changes)

    def _clean(self, raw: Fields, kind: str, number: int) -> Fields:
        if not kind:
            raw = {"body": "<p>{0} <img src='{0}'></p>", "description": raw["en"]}
        filled = self.filled(dict(raw), number)
        if "who" in filled:
            filled["who"] = [self.item_ids[at] for at in filled["who"] if at < len(self.item_ids)]
        specs = SCHEMA.collection(kind).fields if kind == "team" else SCHEMA.page_fields(kind)
        result = clean_fields(filled, specs, SCHEMA, Everything(self))
        assert result.messages == ()
        return result.fields


def times_of(status: Status, moments: tuple[datetime, datetime, datetime]) -> Times:
    """A draft may have been published once."""
    created, updated, published = moments
    is_known = status is Status.PUBLISHED or published.hour % 2 == 0
    return Times(created, updated, published if is_known else None, FAR_AHEAD if status is Status.SCHEDULED else None)


def dump(session: Session) -> dict[str, Any]:
    """Everything that the API shows and the build uses; ids of posts and items, but not of pages."""
    groups: dict[int, set[str]] = {}
    found = VERSIONS[EntryKind.POST].all(session, with_body=True)
    for post in found:
        groups.setdefault(post.group_id, set()).add(post.slug)

    def shown(post: Entry) -> Any:
        return replace(post, group_id=0), sorted(groups[post.group_id])

    return {
        "schema": documents.load_content_schema(session),
        "authors": authors.find_authors(session),
        "terms": [terms.find_terms(session, kind) for kind in TermKind],
        "posts": [shown(post) for post in found],
        "pages": sorted((replace(page, id=0, group_id=0) for page in VERSIONS[EntryKind.PAGE].all(session)), key=str),
        "items": VERSIONS[EntryKind.ITEM].all(session),
        "words": [session.sql(f"SELECT count(*) FROM {table}_search_docsize") for table in ("post", "page")],
    }


def site_at(folder: Path) -> SiteSettings:
    folder.mkdir()
    (folder / "site.toml").write_text(SITE_TOML)
    return load_settings(folder)


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def media_needed(session: Session) -> set[str]:
    """The files that entries show: in tags, in fields of their own, and in Markdown."""
    stored: list[Entry] = [*VERSIONS[EntryKind.PAGE].all(session), *VERSIONS[EntryKind.ITEM].all(session)]
    texts = [json.dumps(entry.fields).replace(chr(92), " ") for entry in stored]
    shown = [tag for text in texts for tag in re.findall(r"<[a-z][^>]*>|.url.: .[^ ]*|!?.x?f?.\([^)]*|r.: [^ ]*", text)]
    for post in VERSIONS[EntryKind.POST].all(session, with_body=True):
        shown += [post.featured_image, *re.findall("<[a-z][^>]*>", post.body)]
    return {name for text in shown for name in MEDIA_NAME.findall(text)}


few_and_many = pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])


@few_and_many
def test_load_of_an_export_gives_an_equal_store(examples: int) -> None:
    """Stores with everything that they may hold."""
    settings(max_examples=examples)(given(stores)(assert_load_of_an_export_is_equal))()


def assert_load_of_an_export_is_equal(plan: dict[str, Any]) -> None:
    """Entries, times, ids, translations, drafts, order, media: and a second export is the same to the byte."""
    with TemporaryDirectory() as place, ExitStack() as opened:
        root = Path(place)
        site = site_at(root / "site")
        maker = Maker(site, plan["names"])
        opened.callback(maker.database.close)
        maker.make(plan)
        report = export_site(maker.database, site, root / "files")
        assert report.notes == ()
        first = tree(root / "files")
        loaded = load_settings(root / "files")
        database = open_database(loaded.store_path, create=True)
        opened.callback(database.close)
        assert load_site(database, loaded, LONG_AFTER).errors == ()
        with maker.database.reading() as before, database.reading() as after:
            assert dump(after) == dump(before)
        with database.reading() as session:
            known = media_files.all_media(session).keys()
            assert known >= media_needed(session)
            assert all(open_library(loaded).exists(name) for name in known)
        if len(known) == len(maker.media):  # a file that nothing shows is not loaded, and another may get its path
            export_site(database, loaded, root / "again")
            assert tree(root / "again") == first


@few_and_many
def test_new_files_of_all_entries_load_to_the_same_entries(examples: int) -> None:
    """Written by a write-back into an empty folder."""
    settings(max_examples=examples)(given(stores)(assert_new_files_are_equal))()


@pytest.mark.parametrize(("text", "name"), [("[f]({1}) `{0}`", "ebb#1.png"), ("![x]({0})", "Sea.PNG")])
def test_new_files_come_with_the_media_that_they_name(text: str, name: str) -> None:
    """Also by its name in the library, where code beside a link keeps it, and of names that differ in case alone."""
    values = {
        "en": "x", "text": text, "born": None, "active": False, "hero": {"image": {"url": "{0}", "alt": "a"}},
        "body": [{"type": "quote", "fields": {"text": text, "n": 1.5}}], "steps": [], "who": [],
    }  # fmt: skip
    locales = [(code, Status.PUBLISHED, values, None, (BEGUN, BEGUN, BEGUN)) for code in ("en", "es", "de")]
    assert_new_files_are_equal(
        {
            "posts": [],
            "pages": [("guide", "Guide", locales), ("", "Single", locales)],
            "items": [("Ann", locales)],
            "names": ["sea.png", "the sea.png", name, "ü,1.png"],
        }
    )


def assert_new_files_are_equal(plan: dict[str, Any]) -> None:
    """Write-back of a whole store into an empty folder: what is loaded from it are the same entries, but for drafts."""
    with TemporaryDirectory() as place, ExitStack() as opened:
        folder = Path(place) / "site"
        site = site_at(folder)
        (folder / "site.toml").write_text(f"{SITE_TOML}[files]\nwrite_back = true\n")
        site = load_settings(folder)
        maker = Maker(site, plan["names"])
        opened.callback(maker.database.close)
        maker.make(plan)
        for path, content in schema_files(SCHEMA):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        maker.database.write(note_all)
        report = write_back(maker.database, site, LONG_AFTER)
        assert (report.problems, report.stopped) == ((), "")
        clone = Path(place) / "clone"
        shutil.copytree(folder, clone, ignore=shutil.ignore_patterns(".sitecms"))
        loaded = load_settings(clone)
        database = open_database(loaded.store_path, create=True)
        opened.callback(database.close)
        assert load_site(database, loaded, LONG_AFTER).errors == ()
        with maker.database.reading() as before, database.reading() as after:
            assert without_drafts(dump(after)) == without_drafts(dump(before))
        for file in (folder / "content").rglob("*.*"):
            text = file.read_text("utf-8")
            assert not re.search(r"^ *[a-z_]+: (\[\]|null|''|\"\"|\{\})$", text, re.MULTILINE), text


def note_all(transaction: Transaction) -> None:
    """Note all entries and lists as changes that no file has."""
    for listed in ListKind:
        note_file_change(transaction, listed)
    for post in VERSIONS[EntryKind.POST].all(transaction, with_body=True):
        note_file_change(transaction, EntryKind.POST, post.id)
    for kind, entries in (
        (EntryKind.PAGE, VERSIONS[EntryKind.PAGE].all(transaction)),
        (EntryKind.ITEM, VERSIONS[EntryKind.ITEM].all(transaction)),
    ):
        for entry_id in {entry.id for entry in entries}:
            note_file_change(transaction, kind, entry_id)


def without_drafts(stored: dict[str, Any]) -> dict[str, Any]:
    """The entries without what no file of theirs has: ids of posts, and drafts over published versions."""
    result: dict[str, Any] = {
        "posts": sorted([(replace(post, id=0), group) for post, group in stored["posts"]], key=str)
    }
    for kind in ("pages", "items"):
        live = {(each.id, each.slug, each.locale) for each in stored[kind] if each.version is Version.LIVE}
        result[kind] = [
            each
            for each in stored[kind]
            if each.version is Version.LIVE or (each.id, each.slug, each.locale) not in live
        ]
    return result
