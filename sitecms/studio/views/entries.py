"""Pages and items: forms of their fields beside what another locale has, and what the buttons of the forms do."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from flask import Response
from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.actions.editing import entries as editing
from sitecms.actions.editing.copies import duplicate
from sitecms.actions.editing.entries import EditedEntry, Target
from sitecms.actions.editing.history import base_of_entry
from sitecms.actions.editing.source_files import find_source
from sitecms.actions.references import target_of
from sitecms.content.change import EntryKind
from sitecms.content.page import Page
from sitecms.content.status import Status
from sitecms.content.user import Action
from sitecms.errors import Forbidden, InvalidFields, InvalidInput, SitecmsError, Stale
from sitecms.store.entries.revisions import last_change
from sitecms.studio.conflicts import BLOCK, NOT_CHOSEN, ConflictPage, MergedForm, choose, conflict_page, merge, parts_in
from sitecms.studio.entry_place import (
    NEW_FORMS,
    STORED_FORMS,
    EntryPlace,
    PlaceOf,
    create_body,
    names_of,
    public_address,
    stored_place,
)
from sitecms.studio.field_controls import control_name, controls_of, reference_choices
from sitecms.studio.field_form import (
    Typed,
    change_rows,
    changed_fields,
    is_editable,
    read_fields,
    set_picture,
    typed_group,
)
from sitecms.studio.post_form import check_complete, shown_time
from sitecms.studio.value_texts import labels_of, text_of_field
from sitecms.studio.views.deleted_entries import unless_deleted
from sitecms.studio.views.picture_choice import choose_picture
from sitecms.studio.views.unsaved import ended, offers
from sitecms.studio.visit import Route, Visit, check_sent, chosen_time, redirect, shown_revision, wait_until_applied

_CHANGED_SCHEMA = (
    "The declaration of the fields changed since you opened the form. What you typed is kept; send it again."
)
_OTHER_NAME = (
    'It is "{name}" now, since somebody else changed it. Yours is in the field: press the button again to keep it.'
)
_NAMES = ("title", "slug")
_PLAIN = (*_NAMES, "fields", "scheduled_at")
_COPY_FROM = "copy-from:"
_AIMS = {
    "save": Target.DRAFT, "publish": Target.PUBLISH, "schedule": Target.SCHEDULE, "unschedule": Target.UNSCHEDULE,
    "unpublish": Target.UNPUBLISH,
}  # fmt: skip
_SAID = {
    Target.PUBLISH: "published", Target.SCHEDULE: "scheduled", Target.UNSCHEDULE: "unscheduled",
    Target.UNPUBLISH: "unpublished",
}  # fmt: skip


class _Form(Struct, frozen=True):
    """The form as it is shown. `names` are those of a page, `names_before` those that the form began with."""

    typed: Typed
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(_NAMES, ""))
    names_before: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(_NAMES, ""))
    scheduled_at: str = ""
    conflict: ConflictPage | None = None
    status: int = 200


def _stored_names(place: EntryPlace) -> dict[str, str]:
    page = place.edited.named_version if place.edited else None
    return {name: getattr(page, name) if isinstance(page, Page) else "" for name in _NAMES}


def show(place_of: PlaceOf, visit: Visit, **names_in_path: str) -> Response:
    """Show the form of a page or item, or of a new one."""
    place = place_of(visit, **names_in_path)
    names, version = _stored_names(place), place.edited.shown if place.edited else None
    scheduled_at = shown_time(version.scheduled_at if version else None, visit.studio.runtime.settings.zone)
    return _page(visit, place, _Form(place.shown, names=names, names_before=names, scheduled_at=scheduled_at))


def send(place_of: PlaceOf, visit: Visit, **names_in_path: str) -> Response:
    """Do what the pressed button says, or show the form again with what was typed."""
    place = place_of(visit, **names_in_path)
    form, button = visit.request.form, visit.field("do")
    check_complete(form)
    base = _base(visit, place)
    seen = place.shown if base is None else base
    form_values = _sent(visit, place, seen)
    try:
        typed, not_chosen = choose(form, seen, read_fields(form, place.specs, place.schema, seen), place.texts)
        form_values = replace(form_values, typed=typed)
        if not_chosen and place.edited is not None and visit.field("revision") == place.edited.revision:
            form_values = replace(
                form_values, conflict=_conflict(visit, place, _unchosen(visit, place, typed, not_chosen), None)
            )
        picture = choose_picture(visit, f"{visit.request.path}?locale={place.locale}")
        if isinstance(picture, Response):
            return picture
        if picture is not None:
            if picture.address:
                set_picture(typed, picture.name, (picture.address, picture.alt), place.specs, place.schema)
            return _page(visit, place, form_values)
        if button.startswith(_COPY_FROM):
            return _page(visit, place, _copied(place, form_values, button.removeprefix(_COPY_FROM)))
        if change_rows(typed, button, place.specs, place.schema):
            return _page(visit, place, form_values)
        if visit.field("schema") != place.digest:
            refused = _refused(_merged(visit, place, form_values), InvalidFields({"fields": [_CHANGED_SCHEMA]}))
            return _page(visit, place, refused)
        if form_values.conflict is not None:
            raise InvalidFields({name.partition(BLOCK)[0]: [NOT_CHOSEN] for name in not_chosen})
        check_sent(visit)
        if place.edited is None:
            return ended(visit, _create(visit, place, form_values.typed))
        return ended(visit, _change(visit, place, place.edited, typed))
    except Stale:
        if place.edited is not None:
            place = stored_place(visit, place.kind, str(place.edited.id), place.owner)
        form_values = replace(_merged(visit, place, form_values), status=412)
    except (InvalidInput, Forbidden) as error:
        form_values = _refused(form_values, error)
    return _page(visit, place, form_values)


def _unchosen(visit: Visit, place: EntryPlace, typed: Typed, names: tuple[str, ...]) -> MergedForm:
    """Return the conflict of a form in which these fields were not chosen."""
    return MergedForm(dict(typed), (), names, parts_in(visit.request.form, place.texts))


def _sent(visit: Visit, place: EntryPlace, typed: Typed) -> _Form:
    """Return the form as it was sent, with these typed values."""
    form, stored = visit.request.form, _stored_names(place)
    names = {name: form.get(name, stored[name]) for name in _NAMES}
    before = {name: form.get(f"{name}_before", stored[name]) for name in _NAMES}
    return _Form(typed, names=names, names_before=before, scheduled_at=visit.field("scheduled_at"))


def _copied(place: EntryPlace, form_values: _Form, locale: str) -> _Form:
    """Return the form with the translatable values that the entry has in another locale; nothing is saved by it."""
    other = place.edited.in_locale(locale) if place.edited else None
    if other is None:
        return form_values
    specs = [spec for spec in place.specs if spec.translatable and is_editable(spec, place.schema)]
    return replace(form_values, typed={**form_values.typed, **typed_group(other.fields, specs, place.schema)})


def _base(visit: Visit, place: EntryPlace) -> dict[str, Any] | None:
    """Return the typed values that the form of a stored entry began with, or None."""
    if place.edited is None:
        return None
    with visit.studio.runtime.database.reading() as session:
        fields = base_of_entry(session, place.edited, place.locale, visit.field("revision"))
    return None if fields is None else typed_group(fields, place.specs, place.schema)


def _merged(visit: Visit, place: EntryPlace, form_values: _Form) -> _Form:
    """Return the form of an entry that was changed since it was opened."""
    if place.edited is None:
        return form_values
    base, stored = _base(visit, place), _stored_names(place)
    merged = merge(base, place.shown, form_values.typed, [spec.slug for spec in place.specs], place.texts)
    names, errors = dict(form_values.names), {}
    for name in _NAMES:
        if names[name] == form_values.names_before[name]:
            names[name] = stored[name]
        elif stored[name] not in (form_values.names_before[name], names[name]):
            errors[name] = [_OTHER_NAME.format(name=stored[name])]
    conflict = _conflict(visit, place, merged, base)
    return replace(form_values, typed=merged.values, names=names, names_before=stored, errors=errors, conflict=conflict)


def _conflict(visit: Visit, place: EntryPlace, merged: MergedForm, base: Typed | None) -> ConflictPage:
    specs = {spec.slug: spec for spec in place.specs}
    entry_id = place.edited.id if place.edited else 0
    with visit.studio.runtime.database.reading() as session:
        last = last_change(session, place.kind, entry_id, place.locale)
    return conflict_page(
        merged, base, place.shown, last=last, user_name=visit.user.name,
        text_of=lambda slug, value: text_of_field(value, specs[slug], place.schema),
        label_of=lambda slug: specs[slug].name or slug,
    )  # fmt: skip


def _refused(form_values: _Form, error: SitecmsError) -> _Form:
    errors = error.messages if isinstance(error, InvalidFields) else {"fields": [str(error)]}
    status = 403 if isinstance(error, Forbidden) else 400
    return replace(form_values, errors=errors, status=status)


def _beside(visit: Visit, place: EntryPlace) -> tuple[str, dict[str, str]]:
    """Return the locale that is shown beside the form, "" for none, and its texts by the names of controls."""
    locale = visit.asked("beside")
    other = place.edited.in_locale(locale) if place.edited and locale != place.locale else None
    if other is None:
        return "", {}
    typed = typed_group(other.fields, place.specs, place.schema)
    specs = [spec for spec in place.specs if spec.translatable]
    return locale, {control_name(spec.slug): text_of_field(typed[spec.slug], spec, place.schema) for spec in specs}


def _page(visit: Visit, place: EntryPlace, form: _Form) -> Response:
    with visit.studio.runtime.database.reading() as session:
        references = reference_choices(session, place.schema, place.locale, published_only=False)
        controls = controls_of(form.typed, place.specs, place.schema, references, form.errors)
    edited, default = place.edited, visit.studio.runtime.settings.default_locale
    revision = shown_revision(visit, edited.revision, is_stale=form.conflict is not None) if edited else ""
    beside, texts = _beside(visit, place)
    is_answer = edited is not None and bool(visit.query("asks"))
    return visit.page(
        "entry.html", status=form.status, place=place, form=form, controls=controls, edited=edited,
        labels=labels_of(controls), conflict=form.conflict,
        hidden=[spec for spec in place.specs if not is_editable(spec, place.schema)],
        summary_errors={name if name in _PLAIN else control_name(name): errors for name, errors in form.errors.items()},
        revision=revision, list_address=place.list_address, default_locale=default, beside=beside, texts=texts,
        is_scheduled=bool(edited and edited.shown and edited.shown.status is Status.SCHEDULED),
        answer=(visit.query("asks"), _uri_of(edited), edited.title) if edited and is_answer else None,
        source=find_source(visit.studio.runtime.database, place.kind, edited.id) if edited else None,
        public_address=public_address(visit, edited.live) if edited else "",
        unsaved=offers(
            visit, lambda values: all(values.get(name, form.names[name]) == form.names[name] for name in _NAMES)
            and read_fields(values, place.specs, place.schema, form.typed) == form.typed,
        ),
    )  # fmt: skip


def _change(visit: Visit, place: EntryPlace, edited: EditedEntry, typed: Typed) -> Response:
    """Do what the pressed button says with a stored entry. Raises InvalidFields, Forbidden, NotFound and Stale."""
    context, user, button, revision = visit.studio.writes, visit.user, visit.field("do"), visit.field("revision")
    address = f"{place.list_address}{edited.id}/"
    match button:
        case "delete":
            editing.delete(context, user, edited, revision)
            return redirect(place.list_address, said="deleted")
        case "delete-locale":
            editing.delete(context, user, edited, revision, place.locale)
            return redirect(address, locale=_other_locale(visit, place, edited), said="deleted")
        case "discard":
            editing.discard(context, user, edited, place.locale, revision)
            return redirect(address, locale=place.locale, said="discarded")
        case "copy":
            return _copy(visit, place, edited, typed)
        case _ if button in _AIMS:
            return _save(visit, place, edited, changed_fields(place.shown, typed), _AIMS[button])
    raise InvalidFields({"fields": ["Press one of the buttons of the form."]})


def _save(visit: Visit, place: EntryPlace, edited: EditedEntry, changed: Mapping[str, Any], target: Target) -> Response:
    stored_at = edited.shown.scheduled_at if edited.shown else None
    accepted = editing.save(
        visit.studio.writes, visit.user, edited, changed, place.locale, visit.field("revision"), target,
        names_of(visit, edited), scheduled_at=chosen_time(visit, stored_at) if target is Target.SCHEDULE else None,
    )  # fmt: skip
    address = f"{place.list_address}{edited.id}/"
    if accepted is None:
        return redirect(address, locale=place.locale, said="unchanged")
    is_applied, _entry_id = wait_until_applied(visit, accepted.write_id)
    said = _SAID.get(target) or ("draft-saved" if edited.live else "saved")
    return redirect(address, locale=place.locale, said=said if is_applied else "waiting")


def _other_locale(visit: Visit, place: EntryPlace, edited: EditedEntry) -> str:
    """Return a locale that the entry still has, if it has several."""
    left = [code for code in visit.studio.runtime.settings.locales if code in edited.locales and code != place.locale]
    return (left or [place.locale])[0]


def _copy(visit: Visit, place: EntryPlace, edited: EditedEntry, typed: Typed) -> Response:
    fields = create_body(visit, {**edited.fields, **changed_fields(place.shown, typed)})["fields"]
    accepted = duplicate(visit.studio.writes, visit.user, edited, fields, place.locale)
    is_applied, entry_id = wait_until_applied(visit, accepted.write_id)
    if not is_applied:
        return redirect(place.list_address, said="waiting")
    return redirect(f"{place.list_address}{entry_id}/", locale=place.locale, said="copied")


def _create(visit: Visit, place: EntryPlace, typed: Typed) -> Response:
    """Create what the form has, in the state that the button says. Raises InvalidFields, LimitReached, Forbidden."""
    context, user = visit.studio.writes, visit.user
    statuses = {"save": Status.DRAFT, "publish": Status.PUBLISHED, "schedule": Status.SCHEDULED}
    if visit.field("do") not in statuses:
        raise InvalidFields({"fields": ["Press one of the buttons of the form."]})
    status = statuses[visit.field("do")]
    at = chosen_time(visit) if status is Status.SCHEDULED else None
    body = create_body(visit, typed)
    if place.kind is EntryKind.PAGE:
        accepted = editing.create_page(context, user, place.page_type, body, place.locale, status, at)
    else:
        accepted = editing.create_item(context, user, place.owner, body["fields"], place.locale, status, at)
    is_applied, entry_id = wait_until_applied(visit, accepted.write_id)
    if not is_applied:
        return redirect(place.list_address, said="waiting")
    said = {Status.DRAFT: "created", Status.PUBLISHED: "published", Status.SCHEDULED: "scheduled"}[status]
    asks = visit.asked("asks")
    query = {"locale": place.locale, "said": said, **({"asks": asks} if asks else {})}
    return redirect(f"{place.list_address}{entry_id}/", **query)


def _uri_of(edited: EditedEntry) -> str:
    """Return the URI by which references name an entry."""
    return target_of(edited.any_version).uri


_VIEWS = (("GET", show), ("POST", send))
ROUTES = tuple(
    Route(method, path, partial(view, place_of), Action.EDIT_PAGES)
    for path, place_of in NEW_FORMS
    for method, view in _VIEWS
) + tuple(
    Route(method, path, unless_deleted(partial(view, place_of), kind, id_name), Action.EDIT_PAGES)
    for (path, place_of), kind, id_name in zip(
        STORED_FORMS, (EntryKind.PAGE, EntryKind.ITEM), ("page_id", "item_id"), strict=True
    )
    for method, view in _VIEWS
)
