"""An entry in one file: what the file says of it, and its text below front matter, as the store has them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from sitecms.actions.exporting.entry_files import (
    DRAFT,
    Values,
    drafts_over,
    main_versions,
    written_locales,
)
from sitecms.actions.post_like_keys import at_top, post_like_keys
from sitecms.actions.syncing.media_places import MediaPlaces
from sitecms.actions.syncing.merged_values import ValueMerge, put
from sitecms.actions.syncing.site_files import SiteFiles
from sitecms.actions.syncing.whole_entries import WholeEntry
from sitecms.actions.syncing.written_form import new_form
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.fields import type_of
from sitecms.content.kinds import BODY, FORMAT, HTML, KINDS, MARKDOWN
from sitecms.content.schema import FieldSpec
from sitecms.documents.comparison import is_same

_UNSET: tuple[object, ...] = (None, "", [], {})


class _Text(NamedTuple):
    """The text below front matter; a format of "" is that which the front matter says."""

    format: str
    text: str


class _Form(NamedTuple):
    """An entry as a file writes it: values by key and locale, those of drafts, names that it has once, and its text."""

    values: Values
    names: Mapping[str, Any]
    draft: Values
    text: _Text


class EntryMerge(Struct, frozen=True):
    """The change of an entry from what a file says, `old`, to what the store has, `new`; None for a new file."""

    site: SiteFiles
    media: MediaPlaces
    specs: Sequence[FieldSpec]
    new: WholeEntry
    old: WholeEntry | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """The locales by which a file may write values, () if the entry is in one."""
        return written_locales(self.new.first.kind, self.site.settings.locales)

    def in_locales(self, locales: Collection[str] | None = None) -> dict[str, Entry]:
        """Return the version of the store that files have, by locale, in these locales of the site or in all."""
        return self._within(main_versions(self.new.versions, self.codes), locales)

    def merged(
        self,
        written: Mapping[str, Any],
        body: str | None,
        locales: Collection[str] | None = None,
        *,
        is_part: bool = False,
    ) -> tuple[dict[str, Any], str]:
        """Return the data and the text of a file as the store has the entry in these locales.

        The text is None in a file that has none. `is_part`: the file is one of several, with the names of its locale.
        """
        locale = next(iter(self.in_locales(locales)))
        old, new = (
            self._form(each, locales, locale, is_part=is_part, has_text=body is not None)
            for each in (self.old or self.new, self.new)
        )
        slugs, keys = [spec.slug for spec in self.specs], post_like_keys(self.specs)
        data = ValueMerge(self.site, self.codes, slugs, keys).merged(written, old.values, new.values)
        body = self._with_text(data, body or "", old.text, new.text)
        for key in dict.fromkeys((*old.names, *new.names)):
            was, now = old.names.get(key), new.names.get(key)
            if not is_same(was, now):
                put(data, key, now)
        if isinstance(data.get(DRAFT), dict) and new.draft:
            data[DRAFT] = ValueMerge(self.site, self.codes, ()).merged(data[DRAFT], old.draft, new.draft)
        elif isinstance(data.get(DRAFT), dict):
            del data[DRAFT]
        return data, body

    def new_entry(self) -> dict[str, Any]:
        """Return the data of an entry in a new place; it is in a locale of the site."""
        writer = self.site.writer(self.media, omits_unset=True)
        return new_form(writer.facts(self.new.versions, self.new.original, with_drafts=False) or {}, self.site)

    def new_text_file(self, locale: str, *, is_part: bool = False) -> tuple[dict[str, Any], str]:
        """Return front matter and text of a new file of one locale."""
        form = self._form(self.new, (locale,), locale, is_part=is_part, has_text=True, omits_unset=True)
        values = {key: each[locale] for key, each in form.values.items() if each[locale] not in _UNSET}
        (text_format, text), is_body = form.text, KINDS[self.new.first.kind].has_body
        format_of_text = {FORMAT: HTML} if text_format == HTML and (text or not is_body) else {}
        is_ended = is_body and (text_format == HTML or text.endswith("\n"))  # in HTML a line end would be content
        data = at_top({**form.names, **values, **format_of_text}, post_like_keys(self.specs), self.codes)
        return new_form(data, self.site), text + "\n" * (not is_ended)

    def _form(
        self,
        entry: WholeEntry,
        locales: Collection[str] | None,
        locale: str,
        *,
        is_part: bool,
        has_text: bool,
        omits_unset: bool = False,
    ) -> _Form:
        """Return the form of an entry in these locales; the names of a part, and the text, are of one of them."""
        writer = self.site.writer(self.media, omits_unset=omits_unset)
        main, over = (self._within(of(entry.versions, self.codes), locales) for of in (main_versions, drafts_over))
        if not self.codes:  # a file may be read in another locale than that of the store: both are one value
            main = {locale: next(iter(main.values()))}
        values = writer.values(main, self.specs)
        text = self._take_text(entry, values, locale) if has_text else _Text("", "")
        names = writer.names(entry.first, locale if is_part else "", entry.original)
        if not self.codes:  # all is of its one locale
            values, names = {**values, **{key: {locale: name} for key, name in names.items()}}, {}
        return _Form(values, names, writer.values(over, self.specs, is_over=True) if over else {}, text)

    def _take_text(self, entry: WholeEntry, values: Values, locale: str) -> _Text:
        """Return the text of an entry: its body, or the field of that name, which the values lose."""
        first = entry.first
        if KINDS[first.kind].has_body and first.markdown is not None:
            return _Text(MARKDOWN, self.media.markdown(first.markdown))
        if KINDS[first.kind].has_body:
            return _Text(HTML, self.media.html(first.body))
        spec = next((spec for spec in self.specs if spec.slug == BODY), None)
        text = values[FIELDS].get(locale, {}).pop(BODY, "")
        return _Text(HTML if spec is not None and type_of(spec).is_html else "", str(text))

    def _with_text(self, data: dict[str, Any], body: str, old: _Text, new: _Text) -> str:
        """Return the text of a file as the store has it; rich text is HTML there, as its front matter then says."""
        is_html = new.format == HTML
        if old == new or (not is_html and old.format == new.format and old.text.strip("\n") == new.text.strip("\n")):
            return body
        if is_html:
            data[FORMAT] = HTML
        elif old.format == HTML:
            data.pop(FORMAT, None)
        if KINDS[self.new.first.kind].has_body:
            return new.text
        inner = body.strip("\n")
        start = body[: len(body) - len(body.lstrip("\n"))] if inner else ""
        end = body[len(body.rstrip("\n")) :] if inner else "\n"
        return start + new.text.strip("\n") + end

    def _within(self, versions: Mapping[str, Entry], locales: Collection[str] | None) -> dict[str, Entry]:
        """Return the versions in these locales, all of an entry that is in one locale."""
        return {code: each for code, each in versions.items() if not self.codes or locales is None or code in locales}
