"""Pages: one YAML or Markdown file each, or one Markdown file for each locale."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import EntryWriter, FormerPaths, file_name
from sitecms.actions.loading.reading.bodies import BODY
from sitecms.actions.loading.reading.files import SINGLE_PAGES_FOLDER, ContentFile, page_name
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.actions.post_like_keys import at_top, post_like_keys
from sitecms.actions.syncing.edits import Edit, NotWritten, Plan, removed_files
from sitecms.actions.syncing.media_places import place_media
from sitecms.actions.syncing.site_files import SiteFiles
from sitecms.actions.syncing.versions_in_file import (
    DRAFT,
    FIELDS,
    TITLE,
    Forms,
    drafts_over,
    forms_of,
    main_versions,
    merged,
    of_file,
    without_draft,
)
from sitecms.actions.syncing.written_form import new_form
from sitecms.content.addresses import ANY_LOCALE, OwnAddresses
from sitecms.content.change import EntryChange
from sitecms.content.entry import Entry
from sitecms.content.fields import type_of
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import FieldSpec
from sitecms.documents import read_front_matter, read_yaml
from sitecms.documents.comparison import is_same
from sitecms.documents.reading import FENCE
from sitecms.documents.rewriting import BYTE_ORDER_MARK, rewrite_front_matter, rewrite_yaml
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.file_changes import note_file_change
from sitecms.store.site_state.loaded_files import LoadedFile

_ADDRESSES = ("path", "aliases")


class _PageInFile(Struct, frozen=True):
    """A page as its files have it: what was read, and the locales in each file, by path."""

    change: EntryChange
    locales: Mapping[str, tuple[str, ...]]
    media: FileMedia


def plan_page(site: SiteFiles, session: Session, page_id: int, loaded: LoadedFile | None, keep_as: str) -> Plan:
    """Return the edits that make the files of a page say what the store has; those that go are kept as `keep_as`."""
    versions = VERSIONS[EntryKind.PAGE].of(session, (page_id,))
    file = site.current(loaded) if loaded else None
    if not versions:
        paths = (file.path, *file.variants) if file else ()
        edits = tuple(Edit(path, (site.folder / path).read_bytes(), None) for path in paths)
        return Plan(edits, keep_as=keep_as, gone=loaded.path if loaded else "")
    first = versions[0]
    if first.type and first.type not in site.schema.page_types:
        raise NotWritten(f"the page type {first.type} is not declared")
    versions = tuple(FormerPaths(session, site.settings, (), versions).entries(versions))
    if loaded is not None and file is not None:
        return _change(site, session, versions, loaded, file)
    return _addition(site, session, versions, keep_as)


def _addition(site: SiteFiles, session: Session, versions: Sequence[Entry], keep_as: str) -> Plan:
    first = versions[0]
    kept = removed_files(site.settings.state_dir, keep_as)
    media = place_media(session, site.folder, map(_text, versions), None)
    path = f"content/pages/{first.type or SINGLE_PAGES_FOLDER}/{file_name(first.slug)}.yaml"
    facts = site.writer(media, omits_unset=True).page_facts(versions, "", with_drafts=False)
    if facts is None:
        raise NotWritten("it is in no locale of the site")
    files = kept or {path: rewrite_yaml("", new_form(facts, site)).encode()}
    edits = []
    for place, data in files.items():
        there = site.check_free(session, place)
        edits.append(Edit(place, there, data if there is None else there))

    def finish(transaction: Transaction) -> None:
        if kept:  # they say what they said before the deletion
            note_file_change(transaction, first.kind, first.id)

    row = partial(_row, site, next(iter(files)), None, versions)
    drafts = frozenset({first.id} if drafts_over(versions, site.settings.locales) else ())
    return Plan(tuple(edits), media.copies(), keep_as, row=row, finish=finish, with_drafts=drafts)


def _text(version: Entry) -> str:
    return orjson.dumps(dict(version.fields)).decode()


def _read(
    site: SiteFiles, session: Session, file: ContentFile, loaded: LoadedFile | None, versions: Sequence[Entry]
) -> _PageInFile:
    """Read the files of a page as a load does. Raises InvalidFiles."""
    read = site.read(session, file, loaded, [*map(_text, versions)])
    (raw,) = read.entries
    (changes,) = site.versions(session, read, (raw,))
    change = raw.change(versions[0].id, changes)
    locales: dict[str, tuple[str, ...]] = dict.fromkeys((file.path, *file.variants), ())
    for version in raw.versions:
        path = version.origin.path if version.origin else file.path
        locales[path] = (*locales[path], version.change.locale)
    return _PageInFile(change, locales, read.media)


def _row(
    site: SiteFiles, path: str, loaded: LoadedFile | None, versions: Sequence[Entry], session: Session
) -> LoadedFile | None:
    file = site.find(path, loaded)
    if file is None:
        return None
    there = _read(site, session, file, loaded, versions)
    return site.record(file.path, loaded, ((versions[0].kind.value, versions[0].id),), there.media.used)


def _change(
    site: SiteFiles, session: Session, versions: Sequence[Entry], loaded: LoadedFile, file: ContentFile
) -> Plan:
    there = _read(site, session, file, loaded, versions)
    first, codes = versions[0], site.settings.locales
    shape = replace(first, slug=there.change.slug, addresses=there.change.addresses or OwnAddresses())
    old = tuple(
        replace(each, title=there.change.titles.get(each.locale, str(there.change.title)))
        for each in of_file(shape, there.change.versions, loaded.loaded_at)
    )
    media = place_media(session, site.folder, map(_text, (*versions, *old)), loaded)
    specs = site.schema.page_fields(first.type, first.slug)
    page = _PageFiles(site, site.writer(media), site.writer(media, omits_unset=True), specs, old, versions)
    new_locales = [
        code for code in main_versions(versions, codes) if not any(code in of for of in there.locales.values())
    ]
    places = dict(there.locales)
    if new_locales and file.path.endswith(".md"):
        places |= {_sibling(site, file.path, code): (code,) for code in new_locales}
    elif new_locales:
        places[file.path] = (*places[file.path], *new_locales)
    edits = []
    for path, locales in places.items():
        before = (site.folder / path).read_bytes() if path in there.locales else site.check_free(session, path)
        edits.append(Edit(path, before, page.file(path, before, locales, is_whole=len(places) == 1)))
    left = [edit.path for edit in edits if edit.after is not None]
    if not left:
        raise NotWritten("it is in no locale of the site")
    main = file.path if file.path in left else left[0]
    return Plan(
        tuple(edits),
        media.copies(),
        keep_as=f"{first.kind}-{first.id}",
        row=partial(_row, site, main, loaded, versions),
        gone=file.path if main != file.path else "",
        with_drafts=frozenset({first.id} if drafts_over(versions, codes) else ()),
    )


def _sibling(site: SiteFiles, path: str, locale: str) -> str:
    """Return the path of the Markdown file of a page in another locale."""
    stem, _own = page_name(path, site.settings.locales)
    return f"{path.rpartition('/')[0]}/{stem}.{locale}.md"


class _PageFiles(Struct, frozen=True):
    """The change of a page from the versions that its files have to those of the store."""

    site: SiteFiles
    writer: EntryWriter
    new_writer: EntryWriter
    specs: Sequence[FieldSpec]
    old: Sequence[Entry]
    new: Sequence[Entry]

    def file(self, path: str, before: bytes | None, locales: Sequence[str], *, is_whole: bool) -> bytes | None:
        """Return the new bytes of a file, which has these locales of the page; None if none of them is left."""
        stored = {
            code: page for code, page in main_versions(self.new, self.site.settings.locales).items() if code in locales
        }
        if not stored:
            return None
        if before is None:
            return self._new_file(stored)
        written: Any
        if path.endswith(".md"):
            front = read_front_matter(self.site.folder / path, path)
            written, body = dict(front.data), front.body
        else:
            written, body = read_yaml(self.site.folder / path, path), ""
        old, new = self._forms(self.old, locales), self._forms(self.new, locales)
        if path.endswith(".md"):
            data, body = self._with_body(written, body, old, new, next(iter(stored)))
        else:
            data = merged(written, old, new, self.site, post_like_keys(self.specs))
        data = self._with_names(data, next(iter(stored)), is_whole=is_whole)
        data = self._with_draft(data, locales)
        text = before.decode("utf-8")
        if path.endswith(".md"):
            return rewrite_front_matter(text, data, body).encode()
        mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
        return (mark + rewrite_yaml(text.removeprefix(mark), data)).encode()

    def _forms(self, versions: Sequence[Entry], locales: Sequence[str]) -> Forms:
        main = main_versions(versions, self.site.settings.locales)
        return forms_of({code: page for code, page in main.items() if code in locales}, self.specs, self.writer)

    def _with_body(
        self, written: Mapping[str, Any], body: str, old: Forms, new: Forms, locale: str
    ) -> tuple[dict[str, Any], str]:
        """Return front matter and text of a Markdown file; rich text is HTML there."""
        before, after = old[FIELDS].get(locale, {}), new[FIELDS][locale]
        was, now = before.pop(BODY, ""), after.pop(BODY, "")
        data = merged(written, old, new, self.site, post_like_keys(self.specs))
        if is_same(was, now):
            return data, body
        spec = next((spec for spec in self.specs if spec.slug == BODY), None)
        if spec is not None and type_of(spec).is_html:
            data["format"] = "html"
        inner = body.strip("\n")
        start = body[: len(body) - len(body.lstrip("\n"))] if inner else ""
        end = body[len(body.rstrip("\n")) :] if inner else "\n"
        return data, f"{start}{str(now).strip(chr(10))}{end}"

    def _with_names(self, data: dict[str, Any], locale: str, *, is_whole: bool) -> dict[str, Any]:
        """Return the data with slug and addresses; of one file among several, those of its locale."""
        old, new = self.old[0], self.new[0]
        if old.slug != new.slug:
            data["slug"] = new.slug
        pages = [each if is_whole else _in_locale(each, locale) for each in (old, new)]
        before, after = map(self.writer.addresses, pages)
        for name in _ADDRESSES:
            if is_same(before.get(name), after.get(name)):
                continue
            value = after.get(name)
            if not is_whole and isinstance(value, dict):
                value = value.get(locale)
            if value:
                data[name] = value
            else:
                data.pop(name, None)
        return data

    def _with_draft(self, data: dict[str, Any], locales: Sequence[str]) -> dict[str, Any]:
        """Return the data with the draft that the file has, as the store has it; other drafts stay in the store."""
        codes = self.site.settings.locales
        written, stored = (
            {code: page for code, page in drafts_over(each, codes).items() if code in locales}
            for each in (self.old, self.new)
        )
        data = without_draft(data, stored.keys())
        if DRAFT in data and isinstance(data[DRAFT], dict):
            old, new = (forms_of(each, self.specs, self.writer, is_over=True) for each in (written, stored))
            for forms in (old, new):
                forms[TITLE] = {}
            data[DRAFT] = merged(data[DRAFT], old, new, self.site)
        return data

    def _new_file(self, stored: Mapping[str, Entry]) -> bytes:
        """Return a new Markdown file of one locale beside those of others."""
        ((locale, page),) = stored.items()
        forms = forms_of(stored, self.specs, self.new_writer)
        facts = {name: values[locale] for name, values in forms.items() if values.get(locale) is not None}
        fields = dict(facts.pop(FIELDS, {}))
        body = str(fields.pop(BODY, ""))
        spec = next((spec for spec in self.specs if spec.slug == BODY), None)
        if spec is not None and type_of(spec).is_html:
            facts["format"] = "html"
        own = self.writer.addresses(_in_locale(page, locale))
        names = {name: value[locale] if isinstance(value, dict) else value for name, value in own.items()}
        entry = {"slug": page.slug, **names, **facts, FIELDS: fields}
        data = new_form(at_top(entry, post_like_keys(self.specs), self.site.settings.locales), self.site)
        return f"{FENCE}\n{rewrite_yaml('', data)}{FENCE}\n{body}\n".encode()


def _in_locale(page: Entry, locale: str) -> Entry:
    """Return the page with its addresses in one locale alone."""
    own = page.addresses
    paths = {code: path for code, path in own.paths.items() if code == locale}
    aliases = {code: listed for code, listed in own.aliases.items() if code in (locale, ANY_LOCALE)}
    return replace(page, addresses=OwnAddresses(paths, aliases))
