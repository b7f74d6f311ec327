"""Comparison of the values of two versions for people: formatted text as readers see it, all else as plain text."""

import re
from collections.abc import Callable, Mapping
from functools import partial

from markupsafe import Markup, escape
from msgspec import Struct

from sitecms.actions.editing.markdown_body import render_body, resolver_of
from sitecms.content.kinds import EntryKind
from sitecms.content.media import MEDIA_NAME
from sitecms.errors import InvalidFields
from sitecms.messages import N_
from sitecms.store.entries.authors import find_authors
from sitecms.studio.entry_place import EntryPlace
from sitecms.studio.formatted_diff import Side, compare_formatted
from sitecms.studio.formatted_text import ADDED, REMOVED, formatted, mark_change
from sitecms.studio.text_diff import Piece, PieceKind, compare_texts
from sitecms.studio.texts import _
from sitecms.studio.value_texts import FieldText, Texts
from sitecms.studio.visit import Visit

_WORDS = Markup('<pre class="words">{}</pre>')
_WIDE = re.compile("<(?:table|math)")
_META = Markup('<p class="meta">{}</p>')
_NOTHING = FieldText("")
_CHANGES = {PieceKind.REMOVED: REMOVED, PieceKind.ADDED: ADDED}
_LOOKS_THE_SAME = N_("It looks the same. What differs in its source:")


class ComparedField(Struct, frozen=True):
    """One field of two versions: its label, and the comparison as HTML; "" for no text."""

    label: str
    html: Markup


class TextComparison(Struct, frozen=True):
    """What the texts of one entry are compared with: names of authors by slug, and what renders Markdown."""

    authors: Mapping[str, str]
    render: Callable[[str], str]

    def compare(self, label: str, before: Texts, after: Texts, side: Side = Side.BOTH) -> ComparedField:
        """Return the texts of one field compared; the parts of a component or row that differ have their labels."""
        html = Markup("")
        for part in dict.fromkeys((*after, *before)):
            old, new = before.get(part, _NOTHING), after.get(part, _NOTHING)
            if old == new and before != after:
                continue
            if compared := self._compared(old, new, side):
                html += _META.format(part) + compared if part else compared
        return ComparedField(label, html)

    def compare_all(self, before: Texts, after: Texts) -> tuple[ComparedField, ...]:
        """Return the fields that differ between two versions, by the texts of their fields."""
        labels = dict.fromkeys((*after, *before))
        pairs = ((label, before.get(label, _NOTHING), after.get(label, _NOTHING)) for label in labels)
        return tuple(self.compare(label, {"": old}, {"": new}) for label, old, new in pairs if old != new)

    def show(self, text: FieldText) -> Markup:
        """Return one text as readers see it, and the small version of a picture whose address it is."""
        html = self._html(text) if text.text else None
        if html is not None:
            return _boxed(formatted(html))
        first, _, rest = text.text.partition("\n")
        if match := MEDIA_NAME.fullmatch(first):
            picture = Markup('<img src="/studio/media/{}/thumbnail/" alt="" loading="lazy">').format(match[1])
            return picture + _WORDS.format(rest) if rest else picture
        return _WORDS.format(text.text) if text.text else Markup("")

    def _compared(self, old: FieldText, new: FieldText, side: Side) -> Markup:
        if old == new:
            return self.show(new)
        before, after = self._html(old, new.format), self._html(new, old.format)
        if before is None or after is None:
            return _plain(old.text, new.text, side)
        html = compare_formatted(before, after, side)
        return _boxed(html) if html else _META.format(_(_LOOKS_THE_SAME)) + _plain(old.text, new.text, side)

    def _html(self, text: FieldText, other_format: str = "") -> str | None:
        """Return formatted text as HTML; None for plain text, and for Markdown with errors."""
        match text.format or (other_format if not text.text else ""):
            case "html":
                return text.text
            case "markdown":
                try:
                    return self.render(text.text)
                except InvalidFields:
                    return None
        return None


def comparison_in(visit: Visit, place: EntryPlace) -> TextComparison:
    """Return the comparison of texts of an entry."""
    entry = (place.kind, place.edited.id) if place.edited else None
    authors: Mapping[str, str] = {}
    if place.properties.has_author:
        with visit.studio.runtime.database.reading() as session:
            authors = {author.slug: author.name for author in find_authors(session)}
    return TextComparison(authors, partial(_render, visit, place.locale, entry))


def _render(visit: Visit, locale: str, entry: tuple[EntryKind, int] | None, text: str) -> str:
    runtime = visit.studio.runtime
    with runtime.database.reading() as session:
        return render_body(runtime.settings, text, locale, resolver_of(session, entry))


def _boxed(html: str) -> Markup:
    """Return formatted text in a box, which keys can scroll where something in it may be wider than the window."""
    reached = Markup(' tabindex="0" role="group"') if _WIDE.search(html) else ""
    return Markup('<div class="formatted words"{}>{}</div>').format(reached, Markup(html))  # noqa: S704 - sanitised


def _plain(before: str, after: str, side: Side) -> Markup:
    pieces = compare_texts(before, after)
    html = Markup("").join(_piece(piece, side) for piece in pieces)
    return _WORDS.format(html) if html else html


def _piece(piece: Piece, side: Side) -> Markup:
    if piece.kind is PieceKind.SKIPPED:
        return Markup('<span class="skipped"> … </span>')
    change = _CHANGES.get(piece.kind)
    if change is None:
        return escape(piece.text)
    return Markup(mark_change(change, escape(piece.text))) if change in side.value else Markup("")  # noqa: S704 - escaped
