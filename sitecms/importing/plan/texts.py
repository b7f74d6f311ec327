"""Texts of entries on the new site: bodies and fields with their addresses replaced, in Markdown or HTML."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.exchange import text_mark
from sitecms.content.text import markdown
from sitecms.importing.html.addresses import Replace, Use, replace_addresses, replace_in_markdown
from sitecms.importing.html.cleaning import clean, without_noise
from sitecms.importing.html.code_lines import use_code_blocks
from sitecms.importing.html.comments import Comments
from sitecms.importing.html.formulas import Formulas
from sitecms.importing.html.tree import Element, parse, to_html
from sitecms.importing.html.verified_markdown import Converted, best_markdown, to_markdown
from sitecms.importing.media.needed_media import SOURCE_SCHEME, NeededMedia, is_media_path, needed_media
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.entries import EntryPlan
from sitecms.importing.plan.old_anchors import with_old_anchors
from sitecms.importing.plan.old_site import OldSite, bare_host, without_query
from sitecms.importing.plan.target import TargetSite
from sitecms.importing.plan.terms import TermPlan
from sitecms.importing.reader import UNFORESEEN, problem_of
from sitecms.importing.records import (
    Address,
    BodyFormat,
    EntryRecord,
    Html,
    Kind,
    Markdown,
    Media,
    MediaValue,
    Note,
    NoteKind,
    Reference,
)
from sitecms.web_address import is_address, join_address, split_address

MAX_ALT_LENGTH = 250
_NO_HOST = "https://no-host.invalid"


class BodyChoice(StrEnum):
    """Format of bodies: Markdown if nothing is lost, else HTML; or always one of them."""

    AUTO = "auto"
    HTML = "html"
    MARKDOWN = "markdown"


class TextNotes(Struct):
    """Results of converting the texts of one entry: notes, media that the texts name, counts of links."""

    notes: list[Note] = field(default_factory=list)
    media: dict[str, NeededMedia] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, number: int = 1) -> None:
        """Add a number to a count of the report."""
        self.counts[name] = self.counts.get(name, 0) + number


class Texts:
    """Conversion of texts. One instance serves all entries; it is also the `RecordLookup` of readers."""

    def __init__(
        self,
        catalogue: Catalogue,
        plan: EntryPlan,
        terms: TermPlan,
        old: OldSite,
        target: TargetSite,
        choice: BodyChoice,
    ) -> None:
        self._catalogue, self._plan, self._terms, self._old, self._target = catalogue, plan, terms, old, target
        self._choice = choice
        self._has_math = "math" in target.extensions
        self._media_by_address = {media.address: key for key, media in catalogue.media.items() if media.address}
        self._media_by_path = {
            path: key
            for key, media in catalogue.media.items()
            if media.address and (path := old.path_of(media.address))
        }
        self._media_pages = {
            path: key for key, media in catalogue.media.items() for url in media.old_urls if (path := old.path_of(url))
        }
        self._hosts = old.hosts | {bare_host(host) for host in catalogue.site.media_hosts}
        self._hosts |= {
            bare_host(split_address(media.address).hostname or "")
            for media in catalogue.media.values()
            if "://" in media.address
        }
        self._resolve: dict[str, Replace] = {}
        self.found = TextNotes()

    def media(self, key: str) -> Media | None:
        """Return the media record with that key."""
        return self._catalogue.media.get(key)

    def children(self, parent: str) -> Iterable[Media]:
        """Yield the media records whose parent is that entry, in the order of the source."""
        return (self._catalogue.media[key] for key in self._catalogue.media_of.get(parent, ()))

    def has_entry(self, key: str) -> bool:
        """Return whether an entry has that key."""
        return key in self._catalogue.entries

    def note(self, note: Note) -> None:
        """Add a line to the report."""
        self.found.notes.append(note)

    def resolve_addresses(self, key: str, resolve: Replace) -> None:
        """Have a reader resolve each address of the entry's body before the planner does."""
        self._resolve[key] = resolve

    def begin(self) -> TextNotes:
        """Forget the entry before; return the new notes."""
        self._resolve.clear()
        self.found = TextNotes()
        return self.found

    def body(self, entry: EntryRecord) -> tuple[str, BodyFormat]:
        """Return the body of a finished entry, and its format.

        A body whose conversion fails stays as it is, with a note.
        """
        try:
            return self._markdown_body(entry) if entry.format is BodyFormat.MARKDOWN else self._html_body(entry)
        except UNFORESEEN as error:
            self.note(unconverted(entry, error))
            return entry.body, entry.format

    def _markdown_body(self, entry: EntryRecord) -> tuple[str, BodyFormat]:
        self.found.count("bodies in Markdown, as they were")
        replaced = replace_in_markdown(entry.body, self._replace_in_body(entry, entry.base or entry.old_url))
        anchored, number = with_old_anchors(replaced, self._catalogue.anchors, self._target.extensions)
        if number:
            self.found.count("headings with the anchor that a link expects", number)
        return anchored, BodyFormat.MARKDOWN

    def _html_body(self, entry: EntryRecord) -> tuple[str, BodyFormat]:
        root = parse(entry.body)
        clean(root, lambda what: self.note(Note(NoteKind.UNKNOWN_TAG, what, entry.place)))
        replace_addresses(root, self._replace_in_body(entry, entry.base or entry.old_url))
        without_noise(root)
        use_code_blocks(root)
        formulas, comments = self._formulas(root, entry.body, entry), Comments(root)
        try:
            converted = self._in_markdown(root, is_exact=entry.is_exact)
        except UNFORESEEN as error:
            self.note(unconverted(entry, error))
            converted = None
        if converted is None:
            self.found.count("bodies in HTML")
            html = formulas.in_html(to_html(root), has_math=self._has_math)
            return comments.in_html(html), BodyFormat.HTML
        self.found.count("bodies in Markdown")
        if converted.raw_blocks:
            self.found.count("HTML blocks within Markdown", converted.raw_blocks)
        return comments.in_markdown(formulas.in_markdown(converted.text)), BodyFormat.MARKDOWN

    def _in_markdown(self, root: Element, *, is_exact: bool) -> Converted | None:
        """Return the tree as Markdown, as far as the choice of formats allows it; None for a body that stays HTML."""
        if self._choice is BodyChoice.HTML:
            return None
        converted = to_markdown(root, extensions=self._target.extensions)
        if self._choice is BodyChoice.MARKDOWN:
            return converted or best_markdown(root)
        return None if converted and is_exact and not self._is_same(converted.text, root) else converted

    def _formulas(self, root: Element, source: str, entry: EntryRecord) -> Formulas:
        """Return the formulas, taken out of the tree; note them where the site does not show them as formulas."""
        formulas = Formulas(root, source)
        if formulas and not self._has_math:
            remedy = "set math = true under [markdown] in site.toml"
            self.note(Note(NoteKind.SETTING, "formulas", entry.place, remedy, len(formulas)))
        return formulas

    def _is_same(self, text: str, root: Element) -> bool:
        """Return whether Markdown renders to the same HTML as the tree, but for white space."""
        rendered = markdown.render(text, extensions=self._target.extensions)
        return text_mark(rendered) == text_mark(to_html(root))

    def fields(self, entry: EntryRecord) -> dict[str, Any]:
        """Return the fields of an entry as files hold them."""
        return {name: self._value(value, entry) for name, value in entry.fields.items()}

    def picture(self, entry: EntryRecord, address: str) -> str:
        """Return the address of a featured or profile image."""
        return self._replace(entry, entry.base or entry.old_url)(address, Use.MEDIA) if address else ""

    def author_picture(self, address: str) -> str:
        """Return the address of the profile image of an author."""
        return self._address(address, Use.MEDIA, EntryRecord("", Kind.POST, ""), self._catalogue.site.url)

    def _value(self, value: Any, entry: EntryRecord) -> Any:
        match value:
            case Html(text):
                return self._html(text, entry)
            case Markdown(text):
                return replace_in_markdown(text, self._replace(entry, entry.base or entry.old_url))
            case Address(text):
                return self._replace(entry, entry.base or entry.old_url)(text, Use.LINK)
            case MediaValue(address, alt):
                url = self.picture(entry, address)
                if len(alt) > MAX_ALT_LENGTH:
                    self.note(Note(NoteKind.TRUNCATED, f"alt texts ({MAX_ALT_LENGTH} characters at most)", entry.place))
                return {"url": url, "alt": alt[:MAX_ALT_LENGTH]} if alt else url
            case Reference(key):
                return self._reference(key, entry)
            case Mapping():
                return {name: self._value(item, entry) for name, item in value.items()}
            case list() | tuple():
                values = [self._value(item, entry) for item in value]
                return [each for item, each in zip(value, values, strict=True) if each is not None or item is None]
        return value

    def _html(self, text: str, entry: EntryRecord) -> str:
        """Return HTML of a field, which stays HTML."""
        root = parse(text)
        clean(root, lambda what: self.note(Note(NoteKind.UNKNOWN_TAG, what, entry.place)))
        replace_addresses(root, self._replace(entry, entry.base or entry.old_url))
        formulas, comments = self._formulas(root, text, entry), Comments(root)
        return comments.in_html(formulas.in_html(to_html(root), has_math=self._has_math))

    def _reference(self, key: str, entry: EntryRecord) -> Any:
        """Return a reference as files write it: an item's id, a page's slug; None if there is no such entry."""
        planned = self._plan.by_key.get(key)
        if planned is None:
            self.note(Note(NoteKind.LINK, f"reference to {key}, which is not in the source", entry.place))
            return None
        if planned.known.kind is Kind.POST:
            self.note(Note(NoteKind.LINK, "reference to a post, which no field can hold", entry.place, "link to it"))
            return None
        if planned.known.kind is Kind.ITEM:
            found = self._catalogue.entry(key)
            return found.item_id if found else None
        return planned.slug

    def _replace(self, entry: EntryRecord, base: str) -> Replace:
        return lambda address, use: self._address(address, use, entry, base)

    def _replace_in_body(self, entry: EntryRecord, base: str) -> Replace:
        resolve = self._resolve.get(entry.key)
        if resolve is None:
            return self._replace(entry, base)

        def replaced(address: str, use: Use) -> str:
            resolved = resolve(address, use)
            new = self._address(resolved, use, entry, base)
            if resolved != address and (needed := self.found.media.get(new)) and not needed.old:
                self.found.media[new] = replace(needed, old=_joined(base, address))
            return new

        return replaced

    def _address(self, address: str, use: Use, entry: EntryRecord, base: str) -> str:
        """Return the new address for one that a text of the entry names."""
        if not address or address.startswith("#"):
            return address
        scheme, _, rest = address.partition(":")
        if scheme == "entry":
            return self._entry_path(rest, entry)
        if scheme == "media":
            record = self._catalogue.media.get(rest)
            if record is None or not (record.address or record.file):
                self.note(Note(NoteKind.MEDIA, "used in a text, but not in the source", entry.place))
                return ""
            return self._media(record.address, record)
        if address.startswith(SOURCE_SCHEME):
            return self._media(address, None)
        if not is_address(address):
            self.note(Note(NoteKind.LINK, f"no address: {address[:100]}", entry.place))
            return address
        absolute = _joined(base, address)
        parts = split_address(absolute)
        if parts.scheme not in ("http", "https", "") or use is Use.FRAME:
            return absolute if parts.scheme else address
        return self._web_address(absolute, use, entry)

    def _web_address(self, url: str, use: Use, entry: EntryRecord) -> str:
        parts = split_address(url)
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        plain = url.partition("#")[0]
        if key := self._media_by_address.get(plain) or self._media_by_path.get(self._old.path_of(plain) or ""):
            return self._media(plain, self._catalogue.media[key]) + fragment
        is_own = not parts.netloc or bare_host(parts.hostname or "") in self._hosts
        if is_own and (use is Use.MEDIA or (is_media_path(parts.path) and not self._find_old(plain))):
            full = plain if parts.netloc else join_address(self._catalogue.site.url or "/", plain)
            return self._media(full, None) + fragment
        if use is Use.MEDIA:
            self.found.count("media on other hosts, linked")
            return url
        if self._old.path_of(plain) is None:
            return url
        return self._internal(plain, fragment, url, entry)

    def _internal(self, plain: str, fragment: str, url: str, entry: EntryRecord) -> str:
        """Return the new address of a link to the old site."""
        address = self._find_old(plain)
        if address.startswith("entry:"):
            self.found.count("internal links replaced")
            return self._plan.by_key[address.removeprefix("entry:")].path + fragment
        if address:
            media = self._catalogue.media[address.removeprefix("media:")]
            return self._media(media.address or f"{SOURCE_SCHEME}{media.file}", media)
        path = self._old.path_of(plain) or ""
        if new := self._plan.variant_paths.get(path):
            self.found.count("internal links replaced")
            return new + fragment
        if path == "/":
            return "/" + fragment
        if new := self._terms.by_old_path.get(path):
            self.found.count("internal links replaced")
            return new + fragment
        for new in (path + "/", path):
            if new in self._plan.paths or new in self._terms.paths or new in self._plan.reserved:
                self.found.count("internal links that stay")
                return new + fragment
        if key := self._plan.by_old_path.get(f"{path}.html"):  # where most servers show the file, too
            self.found.count("internal links replaced")
            return self._plan.by_key[key].path + fragment
        if unquote(path).lstrip("/") in self._catalogue.static:
            self.found.count("internal links that stay")
            return path + fragment
        self.found.count("internal links not resolved")
        self.note(Note(NoteKind.LINK, f"no imported page had the address {path[:200]}", entry.place))
        return url

    def _find_old(self, url: str) -> str:
        """Return `entry:KEY` or `media:KEY` for an old address; "" if nothing known was there."""
        path = self._old.path_of(url)
        if path is None:
            return f"media:{self._media_by_address[url]}" if url in self._media_by_address else ""
        for each in (path, without_query(path)):
            if key := self._plan.by_old_path.get(each):
                return f"entry:{key}"
            if key := self._media_pages.get(each):
                return f"media:{key}"
        return ""

    def _entry_path(self, rest: str, entry: EntryRecord) -> str:
        key, hash_sign, fragment = rest.partition("#")
        planned = self._plan.by_key.get(key)
        if planned is None and key in self._plan.variant_keys:
            return self._plan.variant_keys[key] + hash_sign + fragment
        if planned is None:
            self.note(Note(NoteKind.LINK, f"link to {key}, which is not in the source", entry.place))
            return f"#{fragment}" if hash_sign else "#"
        self.found.count("internal links replaced")
        return planned.path + hash_sign + fragment

    def _media(self, address: str, record: Media | None) -> str:
        if record and record.file:
            address = f"{SOURCE_SCHEME}{record.file}"
        media = needed_media(address, record.path if record else "", is_exact=record is not None)
        self.found.media[media.token] = media
        return media.token


def unconverted(entry: EntryRecord, error: BaseException) -> Note:
    """Return the note for a text that stays as it is, because its conversion failed."""
    return Note(NoteKind.BODY, problem_of(error), entry.place, "it is kept as it was; please report this with the text")


def _joined(base: str, address: str) -> str:
    """Return an address resolved against a base, which may be a path: `../x` above the root is `/x`.

    Without a base, that of a file starts at the root, since a text that names a file that is missing is not loaded.
    """
    if not base and "." not in address.partition("?")[0].rpartition("/")[2].strip("."):
        return address
    base = base or "/"
    if not base.startswith("/"):
        return join_address(base, address)
    return join_address(_NO_HOST + base, address).removeprefix(_NO_HOST)
