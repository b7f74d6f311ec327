"""Client of a `/v2` read API, and its lists as records."""

import time
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any
from urllib.parse import quote, urlencode

import orjson
from msgspec.structs import fields, replace

from sitecms.content.author import Author
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.errors import FetchFailed, InvalidRequest
from sitecms.importing.formats.times import read_time
from sitecms.importing.reader import Answer, Fetcher, ReaderOptions, RecordLookup
from sitecms.importing.readers.hosted.inference import (
    Declarations,
    Evidence,
    ReferenceTarget,
    as_record,
    is_media,
    item_key,
    page_key,
    read_uri,
    see_all,
)
from sitecms.importing.records import AuthorRecord, EntryRecord, Kind, Note, NoteKind, Place, Record, Site, TermRecord
from sitecms.importing.source import Source
from sitecms.web_address import split_address

SINGLE = "*"
SINGLE_PAGE_FIELDS = frozenset({"body", "description", "image"})
COMMON_WORDS = ("the", "a", "and", "of", "de", "der", "la", "en")
_AUTHOR_FIELDS = frozenset(field.name for field in fields(Author) if field.type is str)
_ENTRY_SWITCHES = {"levels": 1, "alt_media_text": 1}
PAGE_SIZE = 100
MAX_PAUSE_SECONDS = 60.0
MAX_ATTEMPTS = 5
Json = Mapping[str, Any]


class ApiClient:
    """Client of one account. Without preview it returns published versions, with preview the newest ones."""

    def __init__(self, base: str, token: str, fetch: Fetcher, max_calls: int) -> None:
        path = split_address(base).path.rstrip("/")
        self._base = base.rstrip("/") if path.endswith("/v2") else base.rstrip("/") + "/v2"
        self._headers = {"Authorization": f"Token {token}", "Accept": "application/json"}
        self._fetch, self._max_calls = fetch, max_calls
        self.calls = 0

    def find(self, path: str, **parameters: object) -> Json | None:
        """Return the answer at a path; None for status 404. Raises InvalidRequest for any other status but 200."""
        given = {name: value for name, value in parameters.items() if value not in ("", None)}
        address = f"{self._base}/{quote(path, safe='/*,')}?{urlencode(given)}"
        for attempt in range(1, MAX_ATTEMPTS + 1):
            self._count_call()
            answer = self._answer(address)
            if answer.status == 200:
                return _object(answer, address)
            if answer.status == 404:
                return None
            if answer.status not in (429, 502, 503, 504) or attempt == MAX_ATTEMPTS:
                break
            time.sleep(_pause(answer, attempt))
        raise InvalidRequest(_problem(answer, address))

    def count(self, path: str, **parameters: object) -> int:
        """Return the number of entries of a list; 0 if there is no such list."""
        answer = self.find(path, page_size=1, **parameters)
        meta = answer.get("meta") if answer else None
        return int(meta.get("count") or 0) if isinstance(meta, dict) else 0

    def pages(self, path: str, **parameters: object) -> Iterator[Json]:
        """Yield the answers with all pages of a list. Pages become smaller where an answer would exceed its limit."""
        offset, size = 0, PAGE_SIZE
        while True:
            try:
                answer = self.find(path, limit=size, offset=offset, **parameters)
            except InvalidRequest:
                if size == 1:
                    raise
                size = max(1, size // 2)
                continue
            if answer is None:
                return
            yield answer
            offset += size
            meta = answer.get("meta") or {}
            if offset >= int(meta.get("count") or 0):
                return

    def entries(self, path: str, **parameters: object) -> Iterator[Json]:
        """Yield the entries of a list, whose data are an array."""
        for answer in self.pages(path, **parameters):
            data = answer.get("data")
            yield from (entry for entry in data if isinstance(entry, dict)) if isinstance(data, list) else ()

    def _answer(self, address: str) -> Answer:
        try:
            return self._fetch(address, self._headers)
        except FetchFailed as failed:
            where = split_address(address).netloc
            remedy = "A private address has to be named in [media] allow_hosts, in site.toml of the new site."
            raise InvalidRequest(f"{where} cannot be read: {failed.reason}. {remedy}") from failed

    def _count_call(self) -> None:
        self.calls += 1
        if self.calls > self._max_calls:
            raise InvalidRequest(
                f"The import needs more than {self._max_calls} calls, and accounts have a monthly limit. Allow more "
                "with --max-calls."
            )


def _object(answer: Answer, address: str) -> Json:
    try:
        data = orjson.loads(answer.body)
    except ValueError as error:
        raise InvalidRequest(f"{address} did not return JSON; is it the address of the API?") from error
    if not isinstance(data, dict):
        raise InvalidRequest(f"{address} did not return a JSON object; is it the address of the API?")
    return data


def _pause(answer: Answer, attempt: int) -> float:
    """Return the seconds to wait before the next attempt. Raises InvalidRequest if the service asks for too many."""
    pause = answer.headers.get("retry-after", "")
    seconds = float(pause) if pause.isdigit() else 2.0**attempt
    if seconds > MAX_PAUSE_SECONDS:
        raise InvalidRequest(
            f"The service asks to wait {seconds:.0f} seconds; the account's limit may be reached. Import again later: "
            "what is written stays."
        )
    return seconds


def _problem(answer: Answer, address: str) -> str:
    where = address.partition("?")[0]
    if answer.status in (401, 403):
        return f"{where} refused the token ({answer.status}). Put a read token into SITECMS_IMPORT_TOKEN."
    detail = answer.body[:200].decode("utf-8", errors="replace")
    return f"{where} answered {answer.status}: {detail}"


def detect(source: Source) -> bool:
    """Return whether the source is the address of an API."""
    return bool(source.urls) and not source.paths


class HostedReader:
    """Reader of a hosted account. Its schema is inferred: the API states neither types nor collections."""

    def read(self, source: Source, options: ReaderOptions) -> Iterator[Record]:
        """Yield posts, pages, items, authors and terms in all given locales, and what was inferred."""
        if len(source.urls) != 1:
            raise InvalidRequest("Name one address, such as https://api.account.example/v2/")
        base = source.urls[0]
        parts = split_address(base)
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise InvalidRequest(f"{base} is not an https:// address; the token would be readable on the way.")
        if not options.token:
            raise InvalidRequest("The API needs a read token: put it into SITECMS_IMPORT_TOKEN.")
        if options.fetch is None:
            raise InvalidRequest("A hosted account cannot be read without a network.")
        client = ApiClient(base, options.token, options.fetch, options.max_calls)
        account = _Account(client, options, base)
        yield account.plan()
        yield from account.records()
        yield Note(NoteKind.OTHER, f"{client.calls} calls of the API were made", Place(base))

    def finish(self, entry: EntryRecord, lookup: RecordLookup) -> EntryRecord:  # noqa: ARG002 - the interface
        """Return the entry as it is: bodies are HTML."""
        return entry


reader = HostedReader


class _Account:
    """One account while it is read. Page types and collections are discovered through references."""

    def __init__(self, client: ApiClient, options: ReaderOptions, base: str) -> None:
        self._client, self._options, self._base = client, options, base
        self._locales = options.locales or (options.locale,)
        self._page_types = list(dict.fromkeys((SINGLE, *options.page_types)))
        self._collections = list(dict.fromkeys(options.collections))
        self._evidence: dict[tuple[Kind, str], dict[str, Evidence]] = {}
        self._sites: dict[str, None] = {}
        self._media_hosts: dict[str, None] = {}

    def plan(self) -> Note:
        """Return a note with the number of calls that the import will take at least."""
        lists = ["posts/", *(f"pages/{name}/" for name in self._page_types)]
        lists += [f"content/{name}/" for name in self._collections]
        entries = sum(self._client.count(name, locale=locale) for name in lists for locale in self._locales)
        calls = 2 * (entries // PAGE_SIZE + len(lists) * len(self._locales)) + len(COMMON_WORDS) + 3
        remedy = "accounts count them by month; --max-calls limits them"
        return Note(NoteKind.OTHER, f"about {calls} calls of the API for {entries} entries", Place(self._base), remedy)

    def records(self) -> Iterator[Record]:
        """Yield all records."""
        for author in self._client.entries("authors/"):
            yield _author(author)
        for path, kind in (("categories/", TermKind.CATEGORY), ("tags/", TermKind.TAG)):
            for term in self._client.entries(path):
                yield TermRecord(kind, _text(term, "name"), _text(term, "slug"))
        for locale in self._locales:
            yield from self._posts(locale)
        yield from self._pages_and_items()
        yield from self._declarations()
        url = self._options.old_url or next(iter(self._sites), "")
        yield Site(url=url, locale=self._locales[0], locales=self._locales[1:], media_hosts=tuple(self._media_hosts))
        remedy = "name further ones with --page-types and --collections"
        yield Note(NoteKind.OTHER, "collections and page types that nothing refers to cannot be found", remedy=remedy)

    def _posts(self, locale: str) -> Iterator[Record]:
        """Yield the posts of a locale. A post has one version: the published one, or its draft."""
        live: dict[str, Json] = {}
        for data in self._client.entries("posts/", locale=locale, **_ENTRY_SWITCHES):
            live[_text(data, "slug")] = data
            yield from self._post(data, locale, Status.PUBLISHED)
        for data in self._client.entries("posts/", locale=locale, preview=1, **_ENTRY_SWITCHES):
            slug = _text(data, "slug")
            if slug not in live:
                status = Status.SCHEDULED if data.get("status") == "scheduled" else Status.DRAFT
                yield from self._post(data, locale, status)
            elif _without_times(data) != _without_times(live[slug]):
                remedy = "publish it there before the import, or copy its text"
                yield Note(NoteKind.LEFT_OUT, "newer draft of a published post", Place(f"{locale} {slug}"), remedy)

    def _post(self, data: Json, locale: str, status: Status) -> Iterator[Record]:
        slug = _text(data, "slug")
        url = _text(data, "url")
        if split_address(url).netloc:
            self._sites["://".join(split_address(url)[:2])] = None
        self._see_media(_text(data, "featured_image"))
        author = data.get("author")
        if isinstance(author, dict):
            yield _author(author)
        if values := _content(data):
            self._find_references(values)
            see_all(self._evidence.setdefault((Kind.POST, ""), {}), values)
        terms = {name: tuple(_text(term, "name") for term in data.get(name) or ()) for name in ("categories", "tags")}
        published = _text(data, "scheduled") if status is Status.SCHEDULED else ""
        yield EntryRecord(
            key=self._post_key(slug, locale),
            kind=Kind.POST,
            title=_text(data, "title"),
            place=Place(f"{self._base} posts/{slug}/"),
            slug=slug,
            old_url=url,
            status=status,
            published_at=read_time(published or _text(data, "published"), UTC),
            created_at=read_time(_text(data, "created"), UTC),
            updated_at=read_time(_text(data, "updated"), UTC),
            authors=(_text(author, "slug"),) if isinstance(author, dict) else (),
            categories=terms["categories"],
            tags=terms["tags"],
            summary=_text(data, "summary"),
            seo_title=_text(data, "seo_title"),
            meta_description=_text(data, "meta_description"),
            featured_image=_text(data, "featured_image"),
            featured_image_alt=_text(data, "featured_image_alt"),
            body=_text(data, "body"),
            fields={name: as_record(value) for name, value in values.items() if value is not None},
            locale=locale,
            translation_of=self._original(slug, locale),
        )

    def _post_key(self, slug: str, locale: str) -> str:
        return f"hosted:post:{slug}:{locale or self._locales[0]}"

    def _original(self, slug: str, locale: str) -> str:
        """Return the key of the variant in the default locale of a post in another one; "" if there is none."""
        default = self._locales[0]
        if locale == default:
            return ""
        answer = self._client.find(f"posts/{slug}/", locale=default, preview=1)
        data = answer.get("data") if answer else None
        return self._post_key(_text(data, "slug"), default) if isinstance(data, dict) else ""

    def _pages_and_items(self) -> Iterator[Record]:
        """Yield the entries of all page types and collections, including those that are discovered meanwhile."""
        for word in COMMON_WORDS:
            for locale in self._locales:
                answer = self._client.find("pages/search/", query=word, page_size=PAGE_SIZE, locale=locale)
                for page in (answer or {}).get("data") or ():
                    self._discover(ReferenceTarget(_text(page, "page_type") or SINGLE, slug=_text(page, "slug")))
        done: set[tuple[Kind, str]] = set()
        while waiting := [each for each in self._lists() if each not in done]:
            for kind, group in waiting:
                done.add((kind, group))
                before = len(self._evidence)
                yield from self._list(kind, group)
                if len(self._evidence) == before and group != SINGLE:
                    remedy = "its name is wrong, or it is empty: without an entry, its fields are not known"
                    yield Note(NoteKind.SKIPPED, f"{kind} list {group} has no entries", remedy=remedy)

    def _lists(self) -> list[tuple[Kind, str]]:
        pages = [(Kind.PAGE, name) for name in self._page_types]
        return [*pages, *((Kind.ITEM, name) for name in self._collections)]

    def _discover(self, target: ReferenceTarget) -> None:
        known = self._collections if target.id else self._page_types
        if target.group not in known:
            known.append(target.group)

    def _list(self, kind: Kind, group: str) -> Iterator[Record]:
        """Yield the live and draft versions of a list in all locales, in the order of the preview."""
        path = f"pages/{group}/" if kind is Kind.PAGE else f"content/{group}/"
        mains: set[str] = set()
        for locale in self._locales:
            live = {self._key(kind, group, data): data for data in self._entries(path, group, locale, preview=0)}
            for data in self._entries(path, group, locale, preview=1):
                key = self._key(kind, group, data)
                shown = live.get(key)
                entry = self._entry(kind, group, shown or data, locale, Status.PUBLISHED if shown else Status.DRAFT)
                if key in mains:
                    entry = replace(entry, key=f"{key}:{locale}", translation_of=key)
                mains.add(key)
                yield entry
                if shown and _content(shown) != _content(data):
                    draft = self._entry(kind, group, data, locale, Status.DRAFT)
                    yield replace(draft, key=f"{key}:{locale}:draft", draft_of=key)

    def _entries(self, path: str, group: str, locale: str, preview: int) -> Iterator[Json]:
        for answer in self._client.pages(path, locale=locale, preview=preview, **_ENTRY_SWITCHES):
            data = answer.get("data")
            entries = data.get(group) if isinstance(data, dict) else data
            yield from (entry for entry in entries or () if isinstance(entry, dict))

    def _key(self, kind: Kind, group: str, data: Json) -> str:
        if kind is Kind.PAGE:
            return page_key(group, _text(data, "slug"))
        meta = data.get("meta")
        return item_key(group, meta.get("id") if isinstance(meta, dict) else "")

    def _entry(self, kind: Kind, group: str, data: Json, locale: str, status: Status) -> EntryRecord:
        values = _content(data)
        self._find_references(values)
        plain = group == SINGLE and set(values) <= SINGLE_PAGE_FIELDS
        if not plain:
            name = f"{SINGLE}{_text(data, 'slug')}" if group == SINGLE else group
            see_all(self._evidence.setdefault((kind, name), {}), values)
        key = self._key(kind, group, data)
        image = values.get("image") if plain else None
        return EntryRecord(
            key=key,
            kind=kind,
            title=_text(data, "name") if kind is Kind.PAGE else "",
            place=Place(f"{self._base} {key}"),
            group="" if group == SINGLE else group,
            slug=_text(data, "slug") if kind is Kind.PAGE else "",
            status=status,
            published_at=read_time(_text(data, "published"), UTC),
            updated_at=read_time(_text(data, "updated"), UTC),
            body=_text(values, "body") if plain else "",
            meta_description=_text(values, "description") if plain else "",
            featured_image=_text(image, "url") if isinstance(image, dict) else "",
            featured_image_alt=_text(image, "alt") if isinstance(image, dict) else "",
            fields={} if plain else {name: as_record(value) for name, value in values.items() if value is not None},
            locale=locale,
            item_id=data["meta"].get("id") if kind is Kind.ITEM and isinstance(data.get("meta"), dict) else None,
        )

    def _find_references(self, value: Any) -> None:
        if target := read_uri(value):
            self._discover(target)
        elif isinstance(value, list | tuple):
            for each in value:
                self._find_references(each)
        elif isinstance(value, Mapping):
            if is_media(value):
                self._see_media(_text(value, "url"))
            for each in value.values():
                self._find_references(each)

    def _see_media(self, url: str) -> None:
        """Remember the host of a media file, whose other files are imported too."""
        if host := split_address(url).hostname:
            self._media_hosts[host] = None

    def _declarations(self) -> Iterator[Record]:
        seen = self._evidence
        named = [(kind, group) for kind, group in seen if group and SINGLE not in group]
        targets = [group if kind is Kind.ITEM else f"page:{group}" for kind, group in named]
        declarations = Declarations(targets)
        for (kind, group), evidence in seen.items():
            if kind is Kind.POST:
                yield declarations.post(evidence)
            elif kind is Kind.ITEM:
                yield declarations.collection(group, evidence)
            else:
                is_single = group.startswith(SINGLE)
                yield declarations.page_type(group.removeprefix(SINGLE), evidence, is_single=is_single)
        yield from declarations.components()


def _content(data: Json) -> dict[str, Any]:
    """Return the fields of a post, page or item."""
    fields = data.get("fields") if "meta" not in data else {name: each for name, each in data.items() if name != "meta"}
    return dict(fields) if isinstance(fields, dict) else {}


def _without_times(data: Json) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in ("updated", "published", "created", "status")}


def _author(data: Json) -> AuthorRecord:
    known: dict[str, Any] = {name: _text(data, name) for name in _AUTHOR_FIELDS}
    return AuthorRecord(_text(data, "slug"), Author(**known))


def _text(data: Any, name: str) -> str:
    value = data.get(name) if isinstance(data, Mapping) else None
    return value if isinstance(value, str) else ""
