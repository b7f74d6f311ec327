"""Tables of a Ghost export as records."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson

from sitecms.content.author import Author as AuthorFacts
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.errors import InvalidRequest
from sitecms.importing.formats.times import read_time, zone_of
from sitecms.importing.html.addresses import replace_addresses
from sitecms.importing.html.tree import parse, to_html
from sitecms.importing.reader import Lookup, ReaderOptions
from sitecms.importing.readers.ghost.cards import replace_cards
from sitecms.importing.readers.ghost.documents import document_html
from sitecms.importing.readers.ghost.redirects import NAMES, read_redirects
from sitecms.importing.records import (
    Author,
    Entry,
    Format,
    Kind,
    Media,
    Note,
    NoteKind,
    Place,
    Record,
    Redirect,
    Site,
    Term,
)
from sitecms.importing.source import Source, SourceFile

Row = Mapping[str, Any]
MAX_EXPORT_BYTES = 1024 * 1024 * 1024
_URL_MARK = "__GHOST_URL__"
_CONTENT = re.compile(r"(?:^|/)content/(?:images|media|files)/(?!size/)(.+)$")
_SIZED = re.compile(r"(/content/images/)(?:size/w\d+(?:h\d+)?/)?(?:format/\w+/)?")
_PARTS = {":slug": "{slug}", ":year": "{year}", ":month": "{month}", ":day": "{day}"}
_NEVER_TAKEN = ("members", "newsletters", "products", "offers", "snippets", "integrations", "webhooks", "comments")


def detect(source: Source) -> bool:
    """Return whether the source holds an export of Ghost."""
    return next(_exports(source), None) is not None


def _exports(source: Source) -> Iterator[SourceFile]:
    for file in source.with_suffix(".json"):
        if file.name.rsplit("/", 1)[-1].lower() not in NAMES:
            beginning = file.beginning()
            if b'"exported_on"' in beginning or (b'"data"' in beginning and b'"posts"' in beginning):
                yield file


class GhostReader:
    """Reader of Ghost exports (see the package)."""

    def __init__(self) -> None:
        self._media: frozenset[str] = frozenset()

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield the records of all exports in the source."""
        media = {f"/{key}": file.name for file in source.files if (key := _media_key(file.name))}
        self._media = frozenset(media)
        for key, name in media.items():
            yield Media(key, options.old_url.rstrip("/") + key if options.old_url else "", name, _media_path(key))
        has_export = False
        for file in _exports(source):
            for tables in _tables(file):
                has_export = True
                yield from _Export(file, tables, options).records()
        if not has_export:
            raise InvalidRequest(f"{source} has no export of Ghost: a JSON file with meta and data.")
        if not options.old_url:
            remedy = "name it with --old-url, so that absolute links and pictures on it are found"
            yield Note(NoteKind.SETTING, "a Ghost export does not contain the address of its site", remedy=remedy)
        yield Redirect("/rss/", "/rss.xml")
        yield from read_redirects(source)

    def finish(self, entry: Entry, lookup: Lookup) -> Entry:
        """Return the entry with its body in plain HTML."""

        def report(card: str) -> None:
            lookup.note(Note(NoteKind.UNKNOWN_BLOCK, card, entry.place))

        body = entry.body
        if not body.strip():
            try:
                body = document_html(entry.data.get("mobiledoc"), entry.data.get("lexical"), report)
            except ValueError as error:
                lookup.note(Note(NoteKind.SKIPPED, f"a body that cannot be read: {error}", entry.place))
        root = parse(_unmarked(body))
        replace_cards(root, report)
        replace_addresses(root, lambda address, _use: self._local_address(address))
        featured_image = self._local_address(_unmarked(entry.featured_image))
        return replace(entry, body=to_html(root), format=Format.HTML, featured_image=featured_image)

    def _local_address(self, address: str) -> str:
        original = _SIZED.sub(r"\1", address)
        path = original[original.find("/content/") :] if "/content/" in original else ""
        return f"media:{path}" if path in self._media else original


def _media_key(name: str) -> str:
    found = _CONTENT.search(name)
    return found[0].lstrip("/") if found else ""


def _media_path(key: str) -> str:
    return key.split("/", 3)[3]


def _unmarked(text: str) -> str:
    return text.replace(_URL_MARK, "")


def _tables(file: SourceFile) -> Iterator[Mapping[str, list[Row]]]:
    """Yield the tables of an export, with `db` around them or not. Raises InvalidRequest for anything else."""
    try:
        data = orjson.loads(file.read(MAX_EXPORT_BYTES))
    except ValueError as error:
        raise InvalidRequest(f"{file.name} is not valid JSON: {error}. Export it again from Ghost.") from error
    wrapped = data.get("db") if isinstance(data, dict) else None
    for part in wrapped if isinstance(wrapped, list) else [data]:
        tables = part.get("data") if isinstance(part, dict) else None
        if not isinstance(tables, dict) or not isinstance(tables.get("posts"), list):
            raise InvalidRequest(f"{file.name} has no posts in data; it is not an export of Ghost.")
        yield {
            name: [row for row in rows if isinstance(row, dict)]
            for name, rows in tables.items()
            if isinstance(rows, list)
        }


class _Export:
    """The tables of one export."""

    def __init__(self, file: SourceFile, tables: Mapping[str, list[Row]], options: ReaderOptions) -> None:
        self._file, self._tables, self._options = file, tables, options
        self._settings = {str(row.get("key")): row.get("value") for row in self._rows("settings")}
        self._users = {str(row.get("id")): row for row in self._rows("users")}
        self._tags = {str(row.get("id")): row for row in self._rows("tags")}
        self._meta = {str(row.get("post_id")): row for row in self._rows("posts_meta")}
        self._post_tags = self._linked("posts_tags", "tag_id")
        self._post_authors = self._linked("posts_authors", "author_id")

    def records(self) -> Iterator[Record]:
        """Yield the records, the site first."""
        yield self._site()
        for row in self._users.values():
            yield self._author(row)
        for row in self._tags.values():
            if not _is_internal(row):
                old_url = f"/tag/{row.get('slug')}/"
                yield Term(TermKind.TAG, _text(row, "name"), _text(row, "slug"), old_url, "", _text(row, "description"))
        for row in self._rows("posts"):
            yield from self._entry(row)
        for table in _NEVER_TAKEN:
            if count := len(self._rows(table)):
                yield Note(NoteKind.LEFT_OUT, table, count=count)

    def _rows(self, table: str) -> list[Row]:
        return self._tables.get(table, [])

    def _linked(self, table: str, column: str) -> dict[str, list[str]]:
        """Return the ids that a table links to each post, in their order."""
        found: dict[str, list[str]] = {}
        for row in sorted(self._rows(table), key=lambda each: int(each.get("sort_order") or 0)):
            found.setdefault(str(row.get("post_id")), []).append(str(row.get(column)))
        return found

    def _site(self) -> Site:
        setting = self._settings.get
        locale = str(setting("locale") or setting("lang") or setting("default_locale") or setting("defaultLang") or "")
        return Site(
            name=str(setting("title") or ""),
            url=self._options.old_url,
            description=str(setting("description") or ""),
            locale=re.split(r"[_-]", locale)[0].lower(),
            timezone=str(setting("timezone") or setting("active_timezone") or setting("activeTimezone") or ""),
            permalink=self._permalink(),
        )

    def _permalink(self) -> str:
        pattern = str(self._settings.get("permalinks") or "/:slug/")
        for name, part in _PARTS.items():
            pattern = pattern.replace(name, part)
        return pattern if ":" not in pattern and "{slug}" in pattern else "/{slug}/"

    def _author(self, row: Row) -> Author:
        first, _, last = _text(row, "name").rpartition(" ")
        picture = _SIZED.sub(r"\1", _unmarked(_text(row, "profile_image") or _text(row, "image")))
        facts = AuthorFacts(
            slug=_text(row, "slug"),
            first_name=first or last,
            last_name=last if first else "",
            bio=_text(row, "bio"),
            facebook_url=_profile(row, "facebook", "https://www.facebook.com/"),
            instagram_url=_profile(row, "instagram", "https://www.instagram.com/"),
            linkedin_url=_profile(row, "linkedin", "https://www.linkedin.com/in/"),
            twitter_handle=_text(row, "twitter").removeprefix("@"),
            profile_image=picture,
        )
        return Author(_author_key(row), facts, f"/author/{facts.slug}/")

    def _entry(self, row: Row) -> Iterator[Record]:
        is_page = row.get("type") == "page" or str(row.get("page", "0")).lower() in ("1", "true")
        place = Place(f"{self._file.name}: {'page' if is_page else 'post'} {_text(row, 'slug') or _text(row, 'title')}")
        try:
            times = {name: _time(row.get(name)) for name in ("published_at", "updated_at", "created_at")}
        except ValueError as error:
            yield Note(NoteKind.DATE, f"a time that cannot be read: {error}", place)
            times = {}
        post_id = str(row.get("id"))
        tags = [self._tags[each] for each in self._post_tags.get(post_id, ()) if each in self._tags]
        for tag in tags:
            if _is_internal(tag):
                yield Note(NoteKind.TERM, f"internal tag {_text(tag, 'name')} left out", place)
        authors = self._post_authors.get(post_id) or [str(row.get("author_id") or row.get("author") or "")]
        status, hidden_as = self._status(row)
        if row.get("email_only") or self._meta.get(post_id, {}).get("email_only") or row.get("status") == "sent":
            status = Status.DRAFT
            yield Note(NoteKind.DRAFT, "it was sent by e-mail only", place, "publish it to show it on the site")
        for name in ("codeinjection_head", "codeinjection_foot"):
            if _text(row, name).strip():
                yield Note(NoteKind.LEFT_OUT, f"{name} of a post", place, "put it into a template of the site")
        entry = self._plain_entry(row, place, status, hidden_as)
        yield replace(
            entry,
            kind=Kind.PAGE if is_page else Kind.POST,
            published_at=times.get("published_at"),
            updated_at=times.get("updated_at"),
            created_at=times.get("created_at"),
            authors=tuple(_author_key(self._users[each]) for each in authors if each in self._users),
            tags=tuple(_text(tag, "name") for tag in tags if not _is_internal(tag)),
            old_url=self._old_url(_text(row, "slug"), times.get("published_at"), is_page=is_page),
        )

    def _plain_entry(self, row: Row, place: Place, status: Status, hidden_as: str) -> Entry:
        """Return the entry with what stands in its own row and in posts_meta."""
        meta = {**row, **{name: value for name, value in self._meta.get(str(row.get("id")), {}).items() if value}}
        return Entry(
            key=f"ghost:{_text(row, 'uuid') or row.get('id')}",
            kind=Kind.POST,
            title=_text(row, "title"),
            place=place,
            slug=_text(row, "slug"),
            status=status,
            hidden_as=hidden_as,
            summary=_text(row, "custom_excerpt"),
            seo_title=_text(meta, "meta_title"),
            meta_description=_text(meta, "meta_description"),
            featured_image=_text(row, "feature_image") or _text(row, "image"),
            featured_image_alt=_text(meta, "feature_image_alt"),
            body=_text(row, "html"),
            format=Format.OWN,
            guid=str(row.get("id") or ""),
            data={} if _text(row, "html").strip() else {name: row.get(name) for name in ("lexical", "mobiledoc")},
        )

    def _status(self, row: Row) -> tuple[Status, str]:
        status = {"published": Status.PUBLISHED, "scheduled": Status.SCHEDULED}.get(_text(row, "status"), Status.DRAFT)
        is_public = _text(row, "visibility") in ("", "public") or self._options.members == "public"
        if status is Status.DRAFT or is_public:
            return status, ""
        return Status.DRAFT, "members"

    def _old_url(self, slug: str, published_at: datetime | None, *, is_page: bool) -> str:
        """Return the path of an entry; "" for one that never had an address."""
        if not slug or (published_at is None and not is_page):
            return ""
        pattern = "/{slug}/" if is_page or published_at is None else self._permalink()
        if published_at is not None and "{year}" in pattern:
            local = published_at.astimezone(zone_of(self._site().timezone) or UTC)
            pattern = pattern.replace("{year}", f"{local:%Y}").replace("{month}", f"{local:%m}")
            pattern = pattern.replace("{day}", f"{local:%d}")
        return pattern.replace("{slug}", slug)


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else "" if value is None else str(value)


def _profile(row: Row, name: str, prefix: str) -> str:
    value = _text(row, name).strip().lstrip("@")
    return value if not value or value.startswith("http") else prefix + value


def _author_key(row: Row) -> str:
    return _text(row, "slug") or str(row.get("id"))


def _is_internal(tag: Row) -> bool:
    return _text(tag, "visibility") == "internal" or _text(tag, "name").startswith("#")


def _time(value: object) -> datetime | None:
    """Return a time in UTC from ISO text, text in UTC or milliseconds. Raises ValueError for anything else."""
    if value in (None, "", 0):
        return None
    if isinstance(value, int | float) or (isinstance(value, str) and value.isdigit()):
        try:
            return datetime.fromtimestamp(int(value) / 1000, UTC)
        except (OverflowError, OSError) as error:
            raise ValueError(str(value)) from error
    found = read_time(str(value))
    if found is None:
        raise ValueError(str(value))
    return found
