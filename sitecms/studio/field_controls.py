"""Controls of a form of fields: one for each field, with its options, errors, rows and buttons.

The options of references are the entries that they may name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.fields import shown_type, type_of
from sitecms.content.references import PAGE_TARGET_PREFIX, SINGLE_PAGES, ItemTarget, PageTarget, parse_target
from sitecms.content.schema import ContentSchema, FieldSpec, readable
from sitecms.errors import PluginFailed
from sitecms.plugins.values import FieldInput
from sitecms.store.database import Session
from sitecms.store.listings.entries import EntryFilter, find_targets, label_of_item, label_of_page
from sitecms.studio.field_form import ROOT, Typed, fields_in

Choices = Callable[[FieldSpec, Any], Sequence[tuple[str, str]]]
"""Returns URI and label of the entries that a reference with a typed value may name, those of the value included."""


DrawInput = Callable[[FieldInput], str]


class Group(Struct, frozen=True):
    """Controls of one component, or of one row of a list; `component` is the slug in a component picker."""

    name: str
    title: str
    controls: "tuple[Control, ...]"
    component: str = ""


class Control(Struct, frozen=True):
    """One field as the form shows it. `options` are those of a dropdown or a reference, `groups` what it holds.

    `additions` are the rows that may be added: value of the button, and label. `drawn` is the HTML of the input that a
    plug-in draws, "" for none.
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

    @property
    def type(self) -> str:
        """The built-in type as which the field is shown."""
        return shown_type(self.spec)

    @property
    def label(self) -> str:
        """The name of the field for people."""
        return self.spec.name or self.spec.slug


def controls_of(
    typed: Typed,
    specs: Sequence[FieldSpec],
    schema: ContentSchema,
    choices: Choices,
    errors: Mapping[str, Sequence[str]],
    path: str = ROOT,
) -> tuple[Control, ...]:
    """Return the controls of fields; `errors` are by the names of controls, `choices` those of a reference."""
    return tuple(_controls(typed, specs, schema, choices, errors, path))


def _controls(
    typed: Typed,
    specs: Sequence[FieldSpec],
    schema: ContentSchema,
    choices: Choices,
    errors: Mapping[str, Sequence[str]],
    path: str,
) -> Iterator[Control]:
    for spec in specs:
        name, value = f"{path}.{spec.slug}", typed.get(spec.slug)
        shown = shown_type(spec)
        groups: tuple[Group, ...] = ()
        additions: tuple[tuple[str, str], ...] = ()
        options: Sequence[tuple[str, str]] = ()
        if shown == "component":
            groups = (
                Group(name, "", controls_of(value or {}, fields_in(spec, schema), schema, choices, errors, name)),
            )
        elif shown == "repeater":
            groups = tuple(
                Group(here, "", controls_of(row, spec.fields, schema, choices, errors, here))
                for here, row in ((f"{name}.{number}", row) for number, row in enumerate(value or ()))
            )
            additions = ((f"add:{name}", "Add a row"),)
        elif shown == "component_picker":
            groups = tuple(_picked(f"{name}.{n}", row, schema, choices, errors) for n, row in enumerate(value or ()))
            components = [schema.components[slug] for slug in spec.components if slug in schema.components]
            additions = tuple((f"add:{name}:{each.slug}", f"Add {each.name or each.slug}") for each in components)
        elif shown == "dropdown":
            options = [(option.value, option.label) for option in spec.options]
        elif shown == "reference":
            options = choices(spec, value)
        hint = " ".join(filter(None, (spec.help, _hint(spec))))
        yield Control(name, spec, value, tuple(_errors_at(errors, name)), hint, options, groups, additions)


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
    shared = "" if spec.translatable else "The same in all languages."
    return " ".join(filter(None, (hint, "Required." if spec.required else "", shared)))


def _picked(
    name: str, row: Mapping[str, Any], schema: ContentSchema, choices: Choices, errors: Mapping[str, Sequence[str]]
) -> Group:
    component = schema.component(row["type"])
    controls = controls_of(row["fields"], component.fields, schema, choices, errors, f"{name}.fields")
    return Group(name, component.name or component.slug, controls, component.slug)


def _errors_at(errors: Mapping[str, Sequence[str]], name: str) -> Iterator[str]:
    """Yield the errors of the control, also those of a place within its value that has no control of its own."""
    for place, messages in errors.items():
        if place in (name, f"{name}.url", f"{name}.alt"):
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
            links.append(("Single Page", "/studio/pages/new/single/"))
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
