"""Rows of one Ghost export as records."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson
from msgspec.structs import replace

from sitecms.content.author import Author, split_name
from sitecms.content.exchange import ENTRY_TABLE, SITE_TABLE, CarriedEntry, read_carried
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.importing.formats.times import read_time
from sitecms.importing.menus import links_of, menu_records
from sitecms.importing.reader import ReaderOptions, guarded
from sitecms.importing.readers.own_export import OwnExport
from sitecms.importing.records import (
    AuthorRecord,
    BodyFormat,
    EntryRecord,
    Kind,
    Note,
    NoteKind,
    Place,
    Record,
    RedirectRecord,
    Site,
    TermRecord,
)
from sitecms.importing.source import SourceFile

Row = Mapping[str, Any]
Tables = Mapping[str, list[Row]]
URL_MARK = "__GHOST_URL__"
_SIZED = re.compile(r"(/content/images/)(?:size/w\d+(?:h\d+)?/)?(?:format/\w+/)?")
_PARTS = {":slug": "{slug}", ":year": "{year}", ":month": "{month}", ":day": "{day}"}
_ORDER = re.compile(r"[0-9]{1,9}")
_NEVER_TAKEN = ("members", "newsletters", "products", "offers", "snippets", "integrations", "webhooks", "comments")


def strip_markers(text: str) -> str:
    """Return a text with addresses from the root of the site in place of those that Ghost marks."""
    return text.replace(URL_MARK, "")


def strip_size(address: str) -> str:
    """Return the address of the original of a picture."""
    return _SIZED.sub(r"\1", address)


class ExportTables:
    """The tables of one export."""

    def __init__(self, file: SourceFile, tables: Tables, options: ReaderOptions, own_export: OwnExport) -> None:
        self._file, self._tables, self._options, self._own = file, tables, options, own_export
        self._settings = {str(row.get("key")): row.get("value") for row in self._rows("settings")}
        self._users = {str(row.get("id")): row for row in self._rows("users")}
        self._tags = {str(row.get("id")): row for row in self._rows("tags")}
        self._meta = {str(row.get("post_id")): row for row in self._rows("posts_meta")}
        self._post_tags = self._linked("posts_tags", "tag_id")
        self._post_authors = self._linked("posts_authors", "author_id")
        self._held = {str(row.get("post_id")): facts for row in self._rows(ENTRY_TABLE) if (facts := read_carried(row))}
        for row in self._rows(SITE_TABLE):
            own_export.add_site(row)

    def records(self) -> Iterator[Record]:
        """Yield the records, the site first."""
        yield self._site()
        for row in self._users.values():
            yield self._author(row)
        for row in self._tags.values():
            if not _is_internal(row):
                old_url, name = f"/tag/{row.get('slug')}/", _text(row, "name")
                for kind in self._kinds(name):
                    yield self._own.term(
                        TermRecord(kind, name, _text(row, "slug"), old_url, "", _text(row, "description"))
                    )
                    if self._held:
                        yield RedirectRecord(old_url, f"{kind.value}:{name}")
                yield RedirectRecord(f"{old_url}rss/", f"feed:tag:{_text(row, 'name')}")
        for row in self._rows("posts"):
            yield from guarded(self._entry(row, self._held.get(str(row.get("id")))), self._place(row))
        for row in self._rows(ENTRY_TABLE):
            if isinstance(row.get("row"), dict) and (held := read_carried(row)):
                yield from guarded(self._entry(row["row"], held), self._place(row["row"]))
        if not self._rows(SITE_TABLE):
            yield from menu_records(links_of(_navigation(self._settings.get("navigation"))), Place())
        for table in _NEVER_TAKEN:
            if count := len(self._rows(table)):
                yield Note(NoteKind.LEFT_OUT, table, count=count)

    def _kinds(self, name: str) -> tuple[TermKind, ...]:
        """Return the kinds of term that a tag is: a tag, unless posts of our own export have it as a category."""
        is_category = any(name in facts.categories for facts in self._held.values())
        is_tag = not is_category or any(name in facts.tags for facts in self._held.values())
        return (*((TermKind.CATEGORY,) if is_category else ()), *((TermKind.TAG,) if is_tag else ()))

    def _rows(self, table: str) -> list[Row]:
        return self._tables.get(table, [])

    def _linked(self, table: str, column: str) -> dict[str, list[str]]:
        """Return the ids that a table links to each post, in their order."""
        names: dict[str, list[str]] = {}
        for row in sorted(self._rows(table), key=_sort_order):
            names.setdefault(str(row.get("post_id")), []).append(str(row.get(column)))
        return names

    def _site(self) -> Site:
        setting = self._settings.get
        locale = str(setting("locale") or setting("lang") or setting("default_locale") or setting("defaultLang") or "")
        return Site(
            name=str(setting("title") or ""),
            url=self._options.old_url,
            description=str(setting("description") or ""),
            locale=re.split(r"[_-]", locale)[0].lower(),
            timezone=str(setting("timezone") or setting("active_timezone") or setting("activeTimezone") or ""),
            permalink="" if self._held else self._permalink(),
        )

    def _permalink(self) -> str:
        pattern = str(self._settings.get("permalinks") or "/:slug/")
        for name, part in _PARTS.items():
            pattern = pattern.replace(name, part)
        return pattern if ":" not in pattern and "{slug}" in pattern else "/{slug}/"

    def _author(self, row: Row) -> AuthorRecord:
        first, last = split_name(_text(row, "name"))
        picture = strip_size(strip_markers(_text(row, "profile_image") or _text(row, "image")))
        facts = Author(
            slug=_text(row, "slug"),
            first_name=first,
            last_name=last,
            bio=_text(row, "bio"),
            facebook_url=_profile(row, "facebook", "https://www.facebook.com/"),
            instagram_url=_profile(row, "instagram", "https://www.instagram.com/"),
            linkedin_url=_profile(row, "linkedin", "https://www.linkedin.com/in/"),
            twitter_handle=_text(row, "twitter").removeprefix("@"),
            profile_image=picture,
        )
        return self._own.author(AuthorRecord(_author_key(row), facts, f"/author/{facts.slug}/"))

    def _entry(self, row: Row, facts: CarriedEntry | None) -> Iterator[Record]:
        is_page, place = _is_page(row), self._place(row)
        try:
            times = {name: _time(row.get(name)) for name in ("published_at", "updated_at", "created_at")}
        except ValueError as error:
            yield Note(NoteKind.DATE, f"a time that cannot be read: {error}", place)
            times = {}
        post_id = str(row.get("id"))
        tags = [self._tags[each] for each in self._post_tags.get(post_id, ()) if each in self._tags]
        for tag in tags:
            if _is_internal(tag) and not facts:
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
        entry = replace(
            entry,
            kind=Kind.PAGE if is_page else Kind.POST,
            published_at=times.get("published_at"),
            updated_at=times.get("updated_at"),
            created_at=times.get("created_at"),
            authors=tuple(_author_key(self._users[each]) for each in authors if each in self._users),
            tags=tuple(_text(tag, "name") for tag in tags if not _is_internal(tag)),
            old_url=self._old_url(_text(row, "slug"), times.get("published_at"), is_page=is_page),
        )
        if facts:
            entry, notes = self._restored(entry, facts)
            yield from notes
        yield entry

    def _place(self, row: Row) -> Place:
        kind = "page" if _is_page(row) else "post"
        return Place(f"{self._file.name}: {kind} {_text(row, 'slug') or _text(row, 'title')}")

    def _restored(self, entry: EntryRecord, facts: CarriedEntry) -> tuple[EntryRecord, tuple[Note, ...]]:
        """Return an entry of our own export; it keeps its address there, and that in Ghost leads to it."""
        former = (entry.old_url,) if entry.old_url and facts.path else ()
        tags = entry.tags
        entry, notes = self._own.restored(replace(entry, former_urls=former), facts)
        if entry.kind is Kind.POST and {*facts.categories, *facts.tags} == {*tags}:
            entry = replace(entry, categories=facts.categories, tags=facts.tags)
        is_public = entry.status is not Status.DRAFT
        return replace(entry, old_url=facts.path if is_public else ""), notes

    def _plain_entry(self, row: Row, place: Place, status: Status, hidden_as: str) -> EntryRecord:
        """Return the entry with what stands in its own row and in posts_meta."""
        meta = {**row, **{name: value for name, value in self._meta.get(str(row.get("id")), {}).items() if value}}
        return EntryRecord(
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
            format=BodyFormat.OWN,
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
            local = published_at.astimezone(self._options.zone(self._site().timezone))
            pattern = pattern.replace("{year}", f"{local:%Y}").replace("{month}", f"{local:%m}")
            pattern = pattern.replace("{day}", f"{local:%d}")
        return pattern.replace("{slug}", slug)


def _sort_order(row: Row) -> int:
    number = _text(row, "sort_order")
    return int(number) if _ORDER.fullmatch(number) else 0


def _is_page(row: Row) -> bool:
    return row.get("type") == "page" or str(row.get("page", "0")).lower() in ("1", "true")


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
    moment = read_time(str(value), UTC)
    if moment is None:
        raise ValueError(str(value))
    return moment


def _navigation(value: Any) -> Any:
    """Return the entries of the main navigation, which stand in the settings as JSON."""
    try:
        return orjson.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None
