"""Reader of files with entries: checks them, renders bodies, takes images into the library.

Fields stay raw here; they are cleaned when references can be looked up.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sitecms.actions.entry_paths import entry_at
from sitecms.actions.loading.reading.bodies import BODY, expanded_html, render_body
from sitecms.actions.loading.reading.file_checks import (
    ALIASES,
    check_slug,
    file_errors,
    read_addresses,
    read_aliases,
    read_own_path,
    read_slug,
)
from sitecms.actions.loading.reading.files import ENTRY_KINDS, ContentFile, FileKind, page_name
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.actions.loading.reading.page_variants import joined_page, untranslatable
from sitecms.actions.loading.reading.post_front_matter import post_data, post_slug
from sitecms.actions.loading.reading.raw import RawEntry, RawVersion
from sitecms.actions.loading.reading.times import at_load, check_schedule, read_status, read_times, schedule_note
from sitecms.actions.post_like_keys import doubled_keys, in_fields, post_like_keys
from sitecms.content.addresses import OwnAddresses
from sitecms.content.change import Times, VersionChange
from sitecms.content.entry import FIELDS
from sitecms.content.fields import type_of
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.locale import Locales
from sitecms.content.schema import FEATURED_IMAGE, ContentSchema, FieldSpec
from sitecms.content.status import Status, Version
from sitecms.content.term import TERM_FIELDS
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import composed, name_of_post_file, slugify
from sitecms.content.validation import split_locales
from sitecms.documents import FrontMatter, Locate, Step, locator, place_of, read_front_matter, read_yaml
from sitecms.errors import FileError, InvalidFields, InvalidFiles
from sitecms.settings.site import SiteSettings

_TIMES = ("published", "created", "updated", "scheduled")
_BY_LOCALE = ("status", *_TIMES)


class EntryReader:
    """Reader of the entries in one file; likely mistakes and removed markup of bodies are added to `notes`.

    Every method raises InvalidFiles with the errors of the file.
    """

    def __init__(self, file: ContentFile, settings: SiteSettings, schema: ContentSchema, media: FileMedia) -> None:
        self._file = file
        self._settings = settings
        self._schema = schema
        self._media = media
        self._locales = Locales(settings.locales, settings.default_locale)
        self._locate: Locate = locator(file.file)
        self.notes: list[str] = []

    @property
    def _kind(self) -> EntryKind:
        return ENTRY_KINDS[self._file.kind]

    def entries(self) -> tuple[RawEntry, ...]:
        """Return the entries in the file, in its order."""
        match self._file.kind:
            case FileKind.POST:
                return (self._post(),)
            case FileKind.PAGE:
                return (self._page(),)
            case _:
                return tuple(self._items())

    def _post(self) -> RawEntry:
        file, settings = self._file, self._settings
        front = read_front_matter(file.file, file.path)
        data, fields = post_data(file, front.data, self._schema, self._locate)
        locale = self._locale(data)
        slug = self._slug_of_post(data)
        aliases = read_aliases(file.path, data.get(ALIASES) or (), self._locate)
        path = read_own_path(file.path, data.get("path") or "", self._locate)
        self._check_terms(data)
        status, times = self._stated(data, locale, data.get("status"), Status.DRAFT)
        self.notes += self._notes_of_post(data, status, times)
        status, times = at_load(self._media.at, status, times, file.dates)
        version = VersionChange(
            locale,
            Version.LIVE,
            status,
            fields,
            times,
            categories=tuple(data.get("categories") or ()),
            tags=tuple(data.get("tags") or ()),
            featured_image=self._media.address(data.get("featured_image") or ""),
            body=render_body(file, front, settings, self._media, locale, self.notes),
            markdown=None if data.get("format") == "html" else front.body,
            author=composed(data.get("author") or ""),
            featured_image_alt=data.get("featured_image_alt") or "",
            summary=data.get("summary") or "",
            seo_title=data.get("seo_title") or "",
            meta_description=data.get("meta_description") or "",
        )
        addresses = OwnAddresses(
            {locale: path} if path else {}, {locale: aliases} if aliases else {}, data.get("guid") or ""
        )
        return RawEntry(
            self._kind, "", (RawVersion(version, (FIELDS,)),), slug, data["title"], data.get("id"),
            bool(data.get("adopt")), addresses, translation_of=composed(data.get("translation_of") or ""),
        )  # fmt: skip

    def _page(self) -> RawEntry:
        """Return the page in the file, and in those of its other locales.

        The body of a Markdown file is its field `body`.
        """
        if not self._file.variants:
            return self._page_in_file()
        pages = {}
        for path in (self._file.path, *self._file.variants):
            part = EntryReader(self._file._replace(path=path, variants=()), self._settings, self._schema, self._media)
            pages[path] = part._page_in_file()
            self.notes += part.notes
        specs = self._schema.page_fields(self._file.group, pages[self._file.path].slug)
        return joined_page(self._file, pages, specs, self._locales)

    def _page_in_file(self) -> RawEntry:
        """Return the page in one file, whose name may end with its locale."""
        file = self._file
        front = read_front_matter(file.file, file.path) if file.file.suffix == ".md" else None
        data = self._checked(dict(front.data) if front else read_yaml(file.file, file.path), "page")
        stem, named = page_name(file.path, self._settings.locales)
        if named:
            data = _of_locale(data, str(data.get("locale") or named))
        slug = read_slug(file.path, data.get("slug"), (stem,), self._locate)
        specs = self._schema.page_fields(file.group, slug)
        data = self._with_keys_in_fields(data, specs, self._owner(slug))
        if front:
            locale = str(data.get("locale") or self._settings.default_locale)
            data["fields"] = {**(data.get("fields") or {}), BODY: self._body(front, specs, locale)}
        versions = self._versions(data, specs, Status.DRAFT)
        addresses = read_addresses(file.path, data, self._locales, self._locate)
        if there := entry_at(self._settings, file.group, slug, addresses.path(self._locales.default)):
            raise self._error(("slug",), f'is "{slug}", and {there} stands at that address', "choose another slug")
        title, titles = self._titles(data["title"], [each.change.locale for each in versions])
        adopt = bool(data.get("adopt"))
        return RawEntry(self._kind, file.group, versions, slug, title, data.get("id"), adopt, addresses, titles)

    def _items(self) -> Iterator[RawEntry]:
        file, collection = self._file, self._schema.collection(self._file.group)
        for number, entry in enumerate(self._checked(read_yaml(file.file, file.path), "items") or ()):
            data = self._with_keys_in_fields(entry, collection.fields, self._owner(), (number,))
            versions = self._versions(data, collection.fields, Status.PUBLISHED, (number,))
            addresses = read_addresses(file.path, entry, self._locales, self._locate, (number,))
            if addresses.paths and not collection.route:
                self.notes.append(f"{file.path}: [{number}] has a path but no page, since the collection has no route")
            yield RawEntry(
                self._kind,
                file.group,
                versions,
                id=entry.get("id"),
                adopt=bool(entry.get("adopt")),
                addresses=addresses,
                place=(number,),
            )

    def _owner(self, slug: str = "") -> tuple[str, str]:
        """Return the page type or collection as messages name it, and the file that declares it."""
        place, group = KINDS[self._kind].schema_place, self._file.group
        if not KINDS[self._kind].has_slug:
            return f"the collection {group}", f"{place}/{group}.yaml"
        return (f"the page type {group}", f"{place}/{group}.yaml") if group else (
            "Single Pages", f"schema/single_pages/{slug}.yaml"
        )  # fmt: skip

    def _with_keys_in_fields(
        self, data: dict[str, Any], specs: Sequence[FieldSpec], owner: tuple[str, str], place: tuple[Step, ...] = ()
    ) -> dict[str, Any]:
        """Return the data with the keys at its top that are fields of its type (`actions.post_like_keys`)."""
        name, file = owner
        declared, slugs, errors = post_like_keys(specs), {spec.slug for spec in specs}, list[FileError]()
        for key in (*TERM_FIELDS, FEATURED_IMAGE):
            if key in data and key not in declared:
                line = f"{key}: true" if key == FEATURED_IMAGE else f"terms: [{key}]"
                remedy = f'write it under "{FIELDS}"' if key in slugs else f'declare "{line}" in {file}'
                errors += self._error((*place, key), f"is not a key of {name}", remedy).errors
        for key in doubled_keys(data, declared, self._locales.codes):
            errors += self._error((*place, key), f'is also given under "{FIELDS}"', "keep one of them").errors
        if errors:
            raise InvalidFiles(errors)
        return in_fields(data, declared, self._locales.codes)

    def _checked(self, data: Any, schema_name: str) -> Any:
        """Return the data of the file if it fits the schema of that name."""
        if errors := file_errors(data, schema_name, self._file.path, self._locate):
            raise InvalidFiles(errors)
        return data

    def _error(self, place: tuple[Step, ...], problem: str, remedy: str = "") -> InvalidFiles:
        return InvalidFiles([FileError(self._file.path, place_of(place), problem, remedy, self._locate(place))])

    def _locale(self, data: Mapping[str, Any]) -> str:
        """Return the locale of a post, or of fields that name none."""
        locale: str = data.get("locale") or self._locales.default
        if locale not in self._locales.codes:
            raise self._error(("locale",), f'is "{locale}"', f"locales: {', '.join(self._locales.codes)}")
        return locale

    def _slug_of_post(self, data: Mapping[str, Any]) -> str:
        """Return the slug of the post; one that the file gives is not replaced by another."""
        given, path = data.get("slug"), self._file.path
        slug = slugify(given, max_bytes=None) if given else post_slug(data, self._file, self._settings)
        return check_slug(path, slug, given or name_of_post_file(path), self._locate)

    def _check_terms(self, data: Mapping[str, Any]) -> None:
        """Check that an address can be made from the name of each term."""
        remedy = "name it with letters or digits"
        errors = [
            error
            for kind in ("categories", "tags")
            for number, name in enumerate(data.get(kind) or ())
            if not base_slug(name)
            for error in self._error((kind, number), f'is "{name}", from which no address can be made', remedy).errors
        ]
        if errors:
            raise InvalidFiles(errors)

    def _notes_of_post(self, data: Mapping[str, Any], status: Status, times: Times) -> Iterator[str]:
        path, zone, at = self._file.path, self._settings.zone, self._media.at
        if status is Status.DRAFT and not data.get("status"):
            today = at.astimezone(zone).date()
            yield f"{path}: is a draft, so it is not shown (add published: {today}, or status: published)"
        elif note := schedule_note(at, status, times, zone):
            yield f"{path}: {note}"

    def _titles(self, written: str | Mapping[str, str], locales: Sequence[str]) -> tuple[str, dict[str, str]]:
        """Return the title of a page, and those of the locales that have another one."""
        if isinstance(written, str):
            return written, {}
        for locale in written:
            if locale not in locales:
                remedy = f"the page is written in {', '.join(locales)}"
                raise self._error(("title", locale), "is a locale without fields", remedy)
        title = written.get(self._locales.default) or next(iter(written.values()))
        return title, {locale: text for locale, text in written.items() if text != title}

    def _body(self, front: FrontMatter, specs: Sequence[FieldSpec], locale: str) -> str:
        """Return Markdown for a Markdown field, else rendered; HTML stays as it is, since its field cleans it."""
        spec = next((spec for spec in specs if spec.slug == BODY), None)
        if spec is None or not type_of(spec).is_html:
            return front.body.strip("\n")
        if front.data.get("format") == "html":
            return expanded_html(self._file, front, self._settings, self._media, locale, self.notes).strip("\n")
        return render_body(self._file, front, self._settings, self._media, locale, self.notes)

    def _stated(
        self, data: Mapping[str, Any], locale: str, status: str | None, otherwise: Status, place: tuple[Step, ...] = ()
    ) -> tuple[Status, Times]:
        """Return status and times as the file states them for this locale."""
        times = read_times(data, self._settings.zone, locale)
        stated = read_status(status, times, otherwise)
        check_schedule(self._file.path, stated, times, self._locate, place)
        return stated, times

    def _versions(
        self, data: Mapping[str, Any], specs: Sequence[FieldSpec], otherwise: Status, place: tuple[Step, ...] = ()
    ) -> tuple[RawVersion, ...]:
        """Return the versions of a page or item; note published times to come, once for locales that say the same."""
        written, draft = data.get("fields") or {}, data.get("draft")
        over = (draft or {}).get("fields") or {}
        by_locale, drafts = self._by_locale(data, written, over, place)
        shared = untranslatable(by_locale, specs, self._locales)
        versions, notes, at = [], dict[str, None](), self._media.at
        for locale, fields in by_locale.items():
            status, times = self._stated(data, locale, _named(data.get("status"), locale), otherwise, place)
            notes[schedule_note(at, status, times, self._settings.zone)] = None
            status, times = at_load(at, status, times, self._file.dates)
            here = (*place, "fields", locale) if fields is not written else (*place, "fields")
            change = VersionChange(locale, KINDS[self._kind].version(status), status, {**fields, **shared}, times)
            version = RawVersion(change, here)
            if draft:
                own = drafts.get(locale)
                draft_here = (*place, "draft", "fields", *((locale,) if own is not over else ()))
                version = self._with_draft(version, data, own, draft_here)
            versions.append(version)
        number = f"[{place[0]}] " if place else ""
        self.notes += (f"{self._file.path}: {number}{note}" for note in notes if note)
        return tuple(versions)

    def _by_locale(
        self, data: Mapping[str, Any], written: Any, over: Any, place: tuple[Step, ...]
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the fields of an entry, and of the draft over it, by locale."""
        written_in = self._locale(data)
        try:
            by_locale = split_locales(written, self._locales, written_in)
            drafts = split_locales(over, self._locales, written_in)
        except InvalidFields as error:
            raise self._error((*place, "fields"), str(error)) from error
        named = {"draft": drafts if data.get("draft") else {}, **{name: data.get(name) for name in _BY_LOCALE}}
        for name, values in named.items():
            if isinstance(values, dict) and (unknown := sorted(values.keys() - by_locale.keys())):
                remedy = f"the entry is written in {', '.join(by_locale)}"
                raise self._error((*place, name, unknown[0]), "is a locale without fields", remedy)
        return by_locale, drafts

    def _with_draft(
        self, version: RawVersion, data: Mapping[str, Any], fields: Any, place: tuple[Step, ...]
    ) -> RawVersion:
        """Return the version with the draft over it; a time that the draft does not set is that of the live version."""
        draft, locale = data["draft"], version.change.locale
        times = read_times({name: draft.get(name, data.get(name)) for name in _TIMES}, self._settings.zone, locale)
        status = Status(_named(draft.get("status"), locale) or Status.DRAFT)
        if fields is not None:
            above = place[: place.index("fields")]
            check_schedule(self._file.path, status, times, self._locate, above)
        over = None if fields is None else VersionChange(locale, Version.DRAFT, status, fields, times)
        return replace(version, draft=over, draft_place=place)


def _of_locale(data: Mapping[str, Any], locale: str) -> dict[str, Any]:
    """Return the data of a file of one locale, whose addresses are those in its locale."""
    own = {name: {locale: data[name]} for name in ("path", ALIASES) if isinstance(data.get(name), str | list)}
    return {**data, "locale": locale, **own}


def _named(values: Any, locale: str) -> Any:
    """Return a value that may be given by locale, for this one."""
    return values.get(locale) if isinstance(values, dict) else values
