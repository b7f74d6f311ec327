"""What every field type does: clean a value someone sent into the form in which it is stored."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

from sitecms.content.field_value import Fields, FieldValue, stored_media
from sitecms.content.references import Target
from sitecms.content.schema.types import ContentSchema, FieldSpec
from sitecms.content.text.removed_markup import Dropped, ReportDropped
from sitecms.documents import Step, place_of


@dataclass(frozen=True, slots=True)
class ItemMatch:
    """The item of a collection whose fields have these values: `{key: team, where: {name: Ann}}`."""

    collection: str
    where: Fields


RawReference: TypeAlias = int | str | Target | ItemMatch
"""An item's id, a page's slug, a target named in full, or an item by its values."""


class Lookup(Protocol):
    """What cleaning must ask of the world: the store for an API write, the site folder for a load."""

    def find_reference(self, targets: tuple[str, ...], raw: RawReference) -> Target | None:
        """The one entry that is meant among the targets (`FieldSpec.targets`), or None if there is none."""

    def media(self, url: str) -> str | None:
        """The address to store: `/media/<digest>.jpg` for `media/x.jpg`; others as they are; None: no such file."""

    def html(self, text: str, report: ReportDropped) -> str:
        """Return the sanitised HTML, and report removed markup. Its own result does not change."""

    def markdown(self, text: str, report: Callable[[str], None]) -> str:
        """The Markdown with its links and images in `media/` resolved; what is missing is reported."""


class Message(NamedTuple):
    """One thing wrong with a value, and where: ("body", 2, "fields", "text")."""

    path: tuple[Step, ...]
    text: str

    @property
    def place(self) -> str:
        """`body[2].fields.text`."""
        return place_of(self.path)


class FieldWarning(NamedTuple):
    """Markup that was removed from a value, and the place of the value."""

    path: tuple[Step, ...]
    dropped: Dropped

    @property
    def place(self) -> str:
        """`body[2].fields.text`."""
        return place_of(self.path)


@dataclass(frozen=True, slots=True)
class Context:
    """Where in the entry we are, what is stored there now, and who can be asked.

    `current` is the value that is stored here, None if there is none; `is_settled` is False while it is not known
    what will be stored by then. A partial update keeps the fields that are not sent. `alts` are the alt texts of
    the media in the stored list that this is an entry of; `is_listed` says that it is, or is in, such an entry. All
    contexts of one cleaning share `messages` and
    `warnings`.
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

    def at(self, *steps: Step, current: FieldValue = None) -> "Context":
        """The context of a value within this one."""
        return replace(self, path=(*self.path, *steps), current=current)

    def entry(self, number: int) -> "Context":
        """Return the context of an entry of the list here: lists are replaced whole.

        Its stored value is the entry that has the same place now.
        """
        stored = self.current if isinstance(self.current, list) else []
        here = self.at(number, current=stored[number] if number < len(stored) else None)
        return replace(here, is_partial=False, is_listed=True, alts=self.alts or dict(stored_media(stored)))

    def report(self, text: str) -> None:
        """Notes that the value here is wrong."""
        self.messages.append(Message(self.path, text))

    def warn(self, dropped: Dropped) -> None:
        """Note markup that was removed from the value here."""
        self.warnings.append(FieldWarning(self.path, dropped))


class Field(ABC):
    """One field type. It has no state: what differs from field to field stands in the FieldSpec."""

    empty: ClassVar[FieldValue]

    @abstractmethod
    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """The value as stored; what is wrong is reported to the context, and gives the empty value.

        None and "" mean unset. Cleaning a stored value gives the same value.
        """

    def empty_of(self, spec: FieldSpec) -> FieldValue:  # noqa: ARG002 - some types differ by their spec
        """How an unset field of this kind is stored."""
        return self.empty


def check_length(value: str | list[FieldValue], spec: FieldSpec, context: Context) -> None:
    """Reports a text or list that is longer or shorter than declared; an empty one is unset, not short."""
    unit = "characters" if isinstance(value, str) else "entries"
    if spec.max_length is not None and len(value) > spec.max_length:
        context.report(f"Ensure this field has no more than {spec.max_length} {unit}; it has {len(value)}.")
    if value and spec.min_length is not None and len(value) < spec.min_length:
        context.report(f"Ensure this field has at least {spec.min_length} {unit}; it has {len(value)}.")


def as_table(value: object) -> Mapping[str, object] | None:
    """The value if it is a table with text keys."""
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None
