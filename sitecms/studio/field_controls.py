"""Controls of a form of fields: one for each field, with its options, errors, rows and buttons.

The options of references are the entries that they may name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any

from markupsafe import Markup
from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.fields import shown_type, type_of
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, parse_target
from sitecms.content.schema import ContentSchema, FieldSpec, readable
from sitecms.content.term import TERM_FIELDS, TermKind
from sitecms.content.text.html import plain_text
from sitecms.errors import PluginFailed
from sitecms.plugins.values import FieldInput
from sitecms.store.database import Session
from sitecms.store.listings.entries import EntryFilter, find_targets, label_of_item, label_of_page
from sitecms.studio.field_form import AREAS, ORIGIN, ROOT, ROWS, Typed, fields_in, label_of_field
from sitecms.studio.row_buttons import NEW_ROW, chooses_before, opened_name
from sitecms.studio.sent_form import Form
from sitecms.studio.texts import _

LINE_LENGTH = 120
_PARTS = frozenset({"component", *ROWS})
_NAMING = frozenset({"short_text", *AREAS})
Choices = Callable[[FieldSpec, Any], Sequence[tuple[str, str]]]
"""Returns URI and label of the entries that a reference with a typed value may name, those of the value included."""
DrawInput = Callable[[FieldInput], str]


class Beside(Struct, frozen=True):
    """The value of a field in another locale as HTML; `note` says what is missing or outdated, "" for nothing."""

    name: str
    locale: str
    html: Markup
    note: str = ""


class Group(Struct, frozen=True):
    """Controls of one component, or of one row of a list, which folds to a line.

    `component` is the slug in a component picker, `origin` the number that the row had when the form was opened ("" of
    a new one). `is_needed` if people have to see it, `is_open` if it is not folded at first, `is_target` if the pressed
    button was about it, `has_choices` if it shows what may be added before it. The line shows the first of its `texts`,
    and the first of its `pictures`.
    """

    name: str
    title: str
    controls: "tuple[Control, ...]"
    component: str = ""
    origin: str = ""
    errors: tuple[str, ...] = ()
    is_needed: bool = False
    is_open: bool = False
    is_target: bool = False
    has_choices: bool = False

    @property
    def has_errors(self) -> bool:
        """True if something in it has to be corrected."""
        return bool(self.errors) or any(control.has_errors for control in self.controls)

    @property
    def notes(self) -> int:
        """The number of values in it that are missing or outdated in a locale."""
        return sum(control.notes for control in self.controls)

    @property
    def texts(self) -> tuple["Control", ...]:
        """The controls whose texts may name it."""
        return tuple(control for control in self.controls if control.type in _NAMING)

    @property
    def pictures(self) -> tuple["Control", ...]:
        """The controls whose pictures may show it."""
        return tuple(control for control in self.controls if control.type == "media")

    @property
    def text(self) -> str:
        """The text that names it, as people read it; "" for none."""
        values = (control.line for control in (*self.texts, *self.controls))
        return next(filter(None, values), "")

    @property
    def picture(self) -> str:
        """The address of the picture that shows it, "" for none."""
        return next((str(control.value["url"]) for control in self.pictures if control.value["url"]), "")


class Control(Struct, frozen=True):
    """One field as the form shows it. `options` are those of a dropdown or a reference, `groups` what it holds.

    `additions` are the rows that may be added: value of the button, and label. `drawn` is the HTML of the input that a
    plug-in draws, "" for none. `is_target` if the pressed button was about it. `beside` is the value of another locale
    that is shown with it.
    """

    name: str
    spec: FieldSpec
    value: Any
    errors: tuple[str, ...] = ()
    hint: str = ""
    options: Sequence[tuple[str, str]] = ()
    groups: tuple[Group, ...] = ()
    additions: tuple[tuple[str, str], ...] = ()
    drawn: str = ""
    is_target: bool = False
    beside: Beside | None = None

    @property
    def type(self) -> str:
        """The built-in type as which the field is shown."""
        return shown_type(self.spec)

    @property
    def label(self) -> str:
        """The name of the field for people."""
        return label_of_field(self.spec)

    @property
    def has_parts(self) -> bool:
        """True if it is a component or a list of rows, which fold."""
        return self.type in _PARTS

    @property
    def has_errors(self) -> bool:
        """True if it or something in it has to be corrected."""
        return bool(self.errors) or any(group.has_errors for group in self.groups)

    @property
    def notes(self) -> int:
        """The number of values in it that are missing or outdated in a locale."""
        return bool(self.beside and self.beside.note) + sum(group.notes for group in self.groups)

    @property
    def is_needed(self) -> bool:
        """True if people have to see it, or something in it."""
        return self.has_errors or any(group.is_needed or group.has_choices for group in self.groups)

    @property
    def line(self) -> str:
        """The value as one line of text; "" where it has none."""
        match self.type:
            case "repeater":
                text = " · ".join(filter(None, (group.text for group in self.groups)))
            case "component_picker":
                text = " · ".join(group.title for group in self.groups)
            case "wysiwyg" | "html":
                text = plain_text(str(self.value))
            case "media":
                text = str(self.value["alt"])
            case "dropdown" | "reference" if isinstance(self.value, str):
                text = dict(self.options).get(self.value, "")
            case "component":
                text = self.groups[0].text
            case _:
                text = self.value if isinstance(self.value, str) else ""
        return shorten(" ".join(text.split()), LINE_LENGTH, placeholder="…")

    @property
    def picture_list(self) -> str:
        """The name of the media field that each of its rows begins with, for which several are chosen; "" for none."""
        first = self.spec.fields[0] if self.type == "repeater" and self.spec.fields else None
        return f"{self.name}{NEW_ROW}{first.slug}" if first and shown_type(first) == "media" else ""

    def insertions(self, number: int) -> tuple[tuple[str, str], ...]:
        """Return value and label of the buttons that add a row before the one of that number."""
        separator = "::" if self.type == "repeater" else ":"
        return tuple((f"{value}{separator}{number}", label) for value, label in self.additions)


class FormState(Struct, frozen=True):
    """The context in which the controls of a form are made, beside typed values.

    `errors` are by the names of controls, `choices` those of a reference. `opened` is the row or field that the pressed
    button was about (`row_buttons`), `sent` the form that came with it, None for a form that is opened. Components of a
    new entry, `is_new`, are not folded. `beside` are values of another locale by the names of controls, `terms` returns
    the names of the terms of a kind.
    """

    schema: ContentSchema
    choices: Choices
    errors: Mapping[str, Sequence[str]]
    opened: str = ""
    sent: Form | None = None
    is_new: bool = False
    beside: Mapping[str, Beside] = field(default_factory=dict)
    terms: Callable[[TermKind], Sequence[str]] = lambda _kind: ()

    def group(self, name: str, title: str, controls: tuple[Control, ...], component: str = "") -> Group:
        """Return the group of that name, open if something in it has errors or was asked for."""
        target = opened_name(self.opened)
        has_choices = chooses_before(self.opened, name)
        number = name.rpartition(".")[2]
        origin = number if self.sent is None else self.sent.get(f"{name}.{ORIGIN}", number)
        errors = tuple(_errors_at(self.errors, name))
        group = Group(
            name, title, controls, component, origin, errors, is_open=self.is_new, is_target=target == name,
            has_choices=has_choices,
        )  # fmt: skip
        is_asked_for = f"{target}.".startswith(f"{name}.") and not has_choices
        return replace(group, is_needed=is_asked_for or group.has_errors)


def controls_of(typed: Typed, specs: Sequence[FieldSpec], state: FormState, path: str = ROOT) -> tuple[Control, ...]:
    """Return the controls of fields."""
    return tuple(_control(f"{path}.{spec.slug}", typed.get(spec.slug), spec, state) for spec in specs)


def _control(name: str, value: Any, spec: FieldSpec, state: FormState) -> Control:
    schema, shown = state.schema, shown_type(spec)
    groups: tuple[Group, ...] = ()
    additions: tuple[tuple[str, str], ...] = ()
    options: Sequence[tuple[str, str]] = ()
    match shown:
        case "component":
            groups = (state.group(name, "", controls_of(value or {}, fields_in(spec, schema), state, name)),)
        case "repeater":
            rows = [(f"{name}.{number}", row) for number, row in enumerate(value or ())]
            groups = tuple(state.group(here, "", controls_of(row, spec.fields, state, here)) for here, row in rows)
            additions = ((f"add:{name}", _("Add a row")),)
        case "component_picker":
            groups = tuple(_picked(f"{name}.{number}", row, state) for number, row in enumerate(value or ()))
            components = [schema.components[slug] for slug in spec.components if slug in schema.components]
            additions = tuple(
                (f"add:{name}:{each.slug}", _("Add %(component)s", component=each.name or each.slug))
                for each in components
            )
        case "dropdown":
            options = [(option.value, option.label) for option in spec.options]
        case "reference":
            options = state.choices(spec, value)
        case "terms":
            options = [(term, term) for term in state.terms(TERM_FIELDS[spec.slug])]
    return Control(
        name, spec, value, tuple(_errors_at(state.errors, name)), " ".join(filter(None, (spec.help, _hint(spec)))),
        options, groups, additions, is_target=state.opened == name, beside=state.beside.get(name),
    )  # fmt: skip


def with_inputs(controls: Iterable[Control], inputs: Mapping[str, DrawInput]) -> tuple[Control, ...]:
    """Return the controls with the inputs that plug-ins draw, by type of field; one that fails leaves the usual one."""
    return tuple(_with_input(control, inputs) for control in controls)


def _with_input(control: Control, inputs: Mapping[str, DrawInput]) -> Control:
    groups = tuple(replace(each, controls=with_inputs(each.controls, inputs)) for each in control.groups)
    draw, drawn, hint = inputs.get(control.spec.type), "", control.hint
    if draw:
        places = [f"{control.name}-problem"] if control.errors else []
        places += [f"{control.name}-help"] if hint else []
        is_required, name = control.spec.required, control.name
        try:
            drawn = Markup(draw(FieldInput(name, name, control.value, control.label, is_required, " ".join(places))))  # noqa: S704
        except PluginFailed as error:
            hint = f"{hint} ({error})".strip()
    return replace(control, groups=groups, drawn=drawn, hint=hint)


def _hint(spec: FieldSpec) -> str:
    input_hint = type_of(spec).input_hint
    is_shown = spec.own_type or spec.type in ("number", "color", "html")
    hint = f"{input_hint[:1].upper()}{input_hint[1:]}." if is_shown else ""
    shared = "" if spec.translatable else _("The same in all languages.")
    return " ".join(filter(None, (hint, _("Required.") if spec.required else "", shared)))


def _picked(name: str, row: Mapping[str, Any], state: FormState) -> Group:
    component = state.schema.component(row["type"])
    controls = controls_of(row["fields"], component.fields, state, f"{name}.fields")
    return state.group(name, component.name or component.slug, controls, component.slug)


def _errors_at(errors: Mapping[str, Sequence[str]], name: str) -> Iterator[str]:
    """Yield the errors of the control, also those of a place within its value that has no control of its own."""
    for place, messages in errors.items():
        if place in (name, f"{name}.url", f"{name}.alt", f"{name}.type"):
            yield from messages


def control_name(place: str) -> str:
    """Return the name of the control of an error's place: `fields.steps.0.title` for `steps[0].title`."""
    return f"{ROOT}.{place.replace('[', '.').replace(']', '')}"


def reference_choices(session: Session, schema: ContentSchema, locale: str, *, published_only: bool) -> Choices:
    """Return the function that returns the entries which a reference may name; each target is read once.

    A list of very many entries is cut; those that the value names are in it all the same, if the user may see them.
    references.js asks for others by their words.
    """
    choices_of_targets: dict[str, dict[str, str]] = {}
    entry_filter = EntryFilter(published_only=published_only)

    def choices(spec: FieldSpec, value: Any) -> list[tuple[str, str]]:
        for target in spec.targets:
            if target not in choices_of_targets:
                choices_of_targets[target] = dict(find_choices(session, schema, locale, target, entry_filter))
        listed = [each for target in spec.targets for each in choices_of_targets[target].items()]
        uris = [uri for uri in (value if isinstance(value, list) else [value]) if uri]
        cut = [uri for uri in uris if not any(uri in choices_of_targets[target] for target in spec.targets)]
        labels = ((uri, _label(session, schema, locale, uri, published_only=published_only)) for uri in cut)
        return [*listed, *((uri, label) for uri, label in labels if label)]

    return choices


def _label(session: Session, schema: ContentSchema, locale: str, uri: str, *, published_only: bool) -> str:
    """Return the label of an entry that lists leave out; "" if it does not exist, or is not to be shown."""
    match parse_target(uri):
        case PageTarget(page_type, slug):
            return label_of_page(session, page_type, slug, published_only=published_only)
        case ItemTarget(key, item_id) if key in schema.collections:
            collection = schema.collections[key]
            return label_of_item(session, collection, item_id, locale, published_only=published_only)
    return ""


def reference_targets(specs: Iterable[FieldSpec], schema: ContentSchema) -> frozenset[str]:
    """Return the targets of the references among the fields, those inside rows and components included."""
    targets: set[str] = set()
    for spec in specs:
        targets |= set(spec.targets) | reference_targets(fields_in(spec, schema), schema)
    return frozenset(targets)


def creations(targets: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return name and address of the form of a new entry for each target of a reference."""
    links = []
    for target in targets:
        page_type = target.removeprefix(PAGE_TARGET_PREFIX)
        if page_type == target:
            links.append((readable(target), f"/studio/collections/{target}/new/"))
        elif page_type == SINGLE_PAGES:
            links.append((_("Single Page"), "/studio/pages/new/single/"))
        else:
            links.append((readable(page_type), f"/studio/pages/new/{page_type}/"))
    return tuple(links)


def find_choices(
    session: Session, schema: ContentSchema, locale: str, target: str, entry_filter: EntryFilter
) -> Iterator[tuple[str, str]]:
    """Yield URI and label of each wanted entry of one target of a reference; none of an unknown one."""
    page_type = target.removeprefix("page:")
    if page_type != target:
        own_type = "" if page_type == "*" else page_type
        for _id, slug, label in find_targets(session, own_type, None, locale, entry_filter):
            yield PageTarget(own_type, slug).uri, label
    elif target in schema.collections:
        for item_id, _slug, label in find_targets(session, "", schema.collections[target], locale, entry_filter):
            yield ItemTarget(target, item_id).uri, label
