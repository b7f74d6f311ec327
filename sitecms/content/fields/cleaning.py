"""The context of cleaning a sent value: its place in the entry, look-ups, messages and warnings."""

from collections.abc import Callable, Mapping
from datetime import tzinfo
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.field_value import Fields, FieldValue, stored_media
from sitecms.content.references import Target
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.documents import Step, place_of, unfit_character
from sitecms.messages import N_, Text

if TYPE_CHECKING:
    from sitecms.content.text.removed_markup import Dropped, ReportDropped


LONG_TEXT = N_("Ensure this field has no more than %(limit)s characters; it has %(length)s.")
LONG_LIST = N_("Ensure this field has no more than %(limit)s entries; it has %(length)s.")
SHORT_TEXT = N_("Ensure this field has at least %(limit)s characters; it has %(length)s.")
SHORT_LIST = N_("Ensure this field has at least %(limit)s entries; it has %(length)s.")


class ItemMatch(Struct, frozen=True):
    """The item of a collection whose fields have these values: `{key: team, where: {name: Ann}}`."""

    collection: str
    where: Fields


RawReference: TypeAlias = int | str | Target | ItemMatch
"""An item's id, a page's slug, a target named in full, or an item by its values."""


class Lookup(Protocol):
    """Look-ups that cleaning needs: in the store for an API write, in the site folder for a load."""

    @property
    def zone(self) -> tzinfo:
        """The time zone of the site."""

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """Return the one entry that is meant among the targets (`FieldSpec.targets`), or None."""

    def media(self, url: str, report: Callable[[str], None]) -> str | None:
        """Return the address to store, `/media/<digest>.jpg` for `media/x.jpg`; report why there is none: None."""

    def html(self, text: str, report: "ReportDropped") -> str:
        """Return the sanitised HTML, and report removed markup. Sanitised HTML comes back unchanged."""

    def markdown(self, text: str, report: Callable[[str], None]) -> str:
        """Return the Markdown with its links and images in `media/` resolved; report missing files."""


class Message(NamedTuple):
    """An error in a value, and its place: ("body", 2, "fields", "text")."""

    path: tuple[Step, ...]
    text: str

    @property
    def place(self) -> str:
        """The place as text: `body[2].fields.text`."""
        return place_of(self.path)


class FieldWarning(NamedTuple):
    """Markup that was removed from a value, and the place of the value."""

    path: tuple[Step, ...]
    dropped: "Dropped"

    @property
    def place(self) -> str:
        """The place as text: `body[2].fields.text`."""
        return place_of(self.path)


class CleanHtml(NamedTuple):
    """HTML that differs from what was sent once it is cleaned, and the place of the value as it was sent."""

    path: tuple[Step, ...]
    text: str


class Context(Struct, frozen=True):
    """The place in the entry, the value stored there, and the look-ups.

    `current` is the value that is stored here, None if there is none; `is_settled` is False while waiting writes may
    change it. A partial update keeps the fields that are not sent. `alts` are the alt texts of the media in the stored
    list around this value; `is_listed` is True inside an entry of a list. All contexts of one cleaning share
    `messages`, `warnings` and `html`.
    """

    schema: ContentSchema
    lookup: Lookup
    path: tuple[Step, ...] = ()
    current: FieldValue = None
    is_partial: bool = False
    is_settled: bool = True
    alts: Mapping[str, str] = field(default_factory=dict)
    is_listed: bool = False
    messages: list[Message] = field(default_factory=list)
    warnings: list[FieldWarning] = field(default_factory=list)
    html: list[CleanHtml] = field(default_factory=list)

    def at(self, *steps: Step, current: FieldValue = None) -> "Context":
        """Return the context of a value within this one."""
        return replace(self, path=(*self.path, *steps), current=current)

    def entry(self, number: int) -> "Context":
        """Return the context of an entry of the list here: lists are replaced as a whole.

        Its stored value is the entry that has the same place now.
        """
        stored = self.current if isinstance(self.current, list) else []
        here = self.at(number, current=stored[number] if number < len(stored) else None)
        return replace(here, is_partial=False, is_listed=True, alts=self.alts or dict(stored_media(stored)))

    def report(self, text: str) -> None:
        """Note an error in the value here."""
        self.messages.append(Message(self.path, text))

    def warn(self, dropped: "Dropped") -> None:
        """Note markup that was removed from the value here."""
        self.warnings.append(FieldWarning(self.path, dropped))


def check_length(value: str | list[FieldValue], spec: FieldSpec, context: Context) -> None:
    """Report a text or list that is longer or shorter than declared; an empty one is unset, not short."""
    is_text = isinstance(value, str)
    if spec.max_length is not None and len(value) > spec.max_length:
        template = LONG_TEXT if is_text else LONG_LIST
        context.report(Text(template, limit=spec.max_length, length=len(value)))
    if value and spec.min_length is not None and len(value) < spec.min_length:
        template = SHORT_TEXT if is_text else SHORT_LIST
        context.report(Text(template, limit=spec.min_length, length=len(value)))


def as_table(value: object) -> Mapping[str, object] | None:
    """Return the value if it is a table with text keys."""
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


def read_text(value: object, context: Context) -> str:
    """Return the text, "" if unset; report other values and unfit characters (`documents.UNFIT`)."""
    if value is None:
        return ""
    if not isinstance(value, str):
        context.report(N_("Must be text."))
        return ""
    if unfit := unfit_character(value):
        context.report(Text("Must not hold the control character %(character)s.", character=unfit))
        return ""
    return value
