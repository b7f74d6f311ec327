"""Forms of entries of every kind, beside what another locale has, and what their buttons do."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from flask import Response
from msgspec.structs import astuple, replace

from sitecms.actions.editing.copies import duplicate
from sitecms.actions.editing.edited import Edited
from sitecms.actions.editing.entries import (
    Form,
    Outcome,
    Saved,
    Target,
    as_rich_text,
    create,
    delete,
    discard,
    keep_file,
    save,
)
from sitecms.actions.editing.history import base_of
from sitecms.actions.editing.reviews import approve_for_later
from sitecms.content.entry import FIELDS
from sitecms.content.kinds import AUTHOR, FORMAT, HTML, MARKDOWN, EntryKind
from sitecms.content.user import Action
from sitecms.errors import Forbidden, InvalidFields, InvalidInput, NotFound, SitecmsError, Stale
from sitecms.messages import N_, text_of
from sitecms.store.entries.load_conflicts import find_conflicts
from sitecms.store.entries.revisions import last_change
from sitecms.store.entries.trash import find_last_part
from sitecms.studio.conflicts import (
    BLOCK,
    NOT_CHOSEN,
    ConflictPage,
    MergedForm,
    choose_typed,
    conflict_page,
    merge_typed,
    open_conflict,
)
from sitecms.studio.entry_form import (
    Typed,
    read_form,
    shown_values,
    tidied,
    typed_values,
    values_of_typed,
    with_chosen_picture,
)
from sitecms.studio.entry_place import (
    NEW_FORMS,
    STORED_FORMS,
    EntryPlace,
    get_place,
    number_of,
    route_action,
    undo_value,
)
from sitecms.studio.field_form import is_editable, set_picture, typed_group
from sitecms.studio.load_conflicts import KEEP, TAKE_BACK, with_former
from sitecms.studio.other_locale import texts_of_locale
from sitecms.studio.row_buttons import add_pictures, rearrange
from sitecms.studio.sent_form import check_complete, shown_time
from sitecms.studio.text_comparison import comparison_in
from sitecms.studio.text_format import BUTTON as FORMAT_BUTTON
from sitecms.studio.text_format import changed_format, format_of_new, remember_format
from sitecms.studio.texts import _
from sitecms.studio.views.deleted_entries import unless_deleted
from sitecms.studio.views.entry_page import ShownForm, entry_page, form_address, rich_text_question
from sitecms.studio.views.picture_choice import Chosen, choose_picture
from sitecms.studio.views.reviews import BUTTON as REVIEW_BUTTON
from sitecms.studio.views.reviews import act_on_review
from sitecms.studio.views.translations import variant_in
from sitecms.studio.views.unsaved import ended
from sitecms.studio.visit import Route, Visit, check_sent, chosen_time, redirect, wait_until_applied

NO_BUTTON = N_("Press one of the buttons of the form.")
CHANGED_SCHEMA = N_(
    "The declaration of the fields changed since you opened the form. What you typed is kept; send it again."
)
MENU_ELSEWHERE = N_("The menu is edited as a whole, under Site, Menu. Nothing was changed.")
NO_PICTURE = "no-picture"
COPY_FROM = "copy-from:"
LEFT_OUT = "left_out"
_TARGETS = {
    "save": Target.DRAFT, "publish": Target.PUBLISH, "schedule": Target.SCHEDULE, "unschedule": Target.UNSCHEDULE,
    "unpublish": Target.UNPUBLISH,
}  # fmt: skip
_OF_NEW = (Target.DRAFT, Target.PUBLISH, Target.SCHEDULE)
_SAID = {
    Target.DRAFT: "saved", Target.PUBLISH: "published", Target.SCHEDULE: "scheduled",
    Target.UNSCHEDULE: "unscheduled", Target.UNPUBLISH: "unpublished",
}  # fmt: skip


def show(kind: EntryKind, visit: Visit, **names_in_path: str) -> Response:
    """Show the form of an entry, or of a new one."""
    place = get_place(visit, kind, **names_in_path)
    if place.is_menu and place.edited is None:
        return redirect(place.list_address)
    typed = shown_values(place, format_of_new(visit))
    if place.edited is None and AUTHOR in typed:
        typed[AUTHOR] = visit.user.author or visit.studio.runtime.settings.owner
    zone, edited = visit.studio.runtime.settings.zone, place.edited
    scheduled_at = shown_time(edited.scheduled_at if edited else None, zone)
    published_at = shown_time(edited.published_at if edited else None, zone)
    response = entry_page(visit, place, ShownForm(typed, scheduled_at=scheduled_at, published_at=published_at))
    chooses_format = place.edited is None and visit.query(FORMAT)
    return remember_format(response, str(typed[FORMAT])) if chooses_format and FORMAT in typed else response


def send(kind: EntryKind, visit: Visit, **names_in_path: str) -> Response:
    """Do what the pressed button says, or show the form again with what was typed."""
    place = get_place(visit, kind, **names_in_path)
    check_complete(visit.request.form)
    base = _base(visit, place)
    seen = shown_values(place, format_of_new(visit)) if base is None else base
    form = ShownForm(seen, scheduled_at=visit.field("scheduled_at"), sent=visit.request.form)
    form = replace(form, published_at=visit.field("published_at"))
    try:
        if place.is_menu:
            raise Forbidden(_(MENU_ELSEWHERE))
        typed, not_chosen = choose_typed(visit.request.form, place, seen, read_form(visit.request.form, place, seen))
        form = replace(form, typed=typed)
        if not_chosen and place.edited is not None and visit.field("revision") == place.edited.revision:
            merged = open_conflict(visit.request.form, place, typed, not_chosen)
            form = replace(form, conflict=_conflict(visit, place, merged, None))
        if visit.field("do").startswith(KEEP):
            return _keep_file(visit, place, form)
        picture = choose_picture(visit, form_address(visit, place))
        if isinstance(picture, Response):
            return picture
        if (changed := _changed(visit, place, form, seen, picture)) is not None:
            return entry_page(visit, place, changed)
        if visit.field("schema") not in ("", place.digest):
            refused = _refused(place, _merged(visit, place, form), InvalidFields({FIELDS: [_(CHANGED_SCHEMA)]}))
            return entry_page(visit, place, refused)
        if form.conflict is not None:
            raise InvalidFields({name.partition(BLOCK)[0]: [_(NOT_CHOSEN)] for name in not_chosen})
        check_sent(visit)
        typed, dropped = tidied(place, form.typed)
        return ended(visit, _with_note(_act(visit, place, replace(form, typed=typed)), dropped))
    except Stale:
        if place.edited is not None:
            place = get_place(visit, kind, **names_in_path)
        form = replace(_merged(visit, place, form), status=412)
    except (InvalidInput, Forbidden) as error:
        form = _refused(place, form, error)
    return entry_page(visit, place, form)


def _changed(visit: Visit, place: EntryPlace, form: ShownForm, seen: Typed, picture: Chosen | None) -> ShownForm | None:
    """Return the form as the button changes what it shows; None for buttons that do more."""
    button, typed = visit.field("do"), form.typed
    if button.startswith(TAKE_BACK):
        return replace(form, typed=_taken_back(visit, place, typed))
    if picture is not None and not picture.is_for_list:
        return replace(form, typed=_with_picture(place, typed, picture), opened=picture.name)
    if button == NO_PICTURE and place.properties.has_body:
        return replace(form, typed={**typed, "featured_image": "", "featured_image_alt": ""})
    if button.startswith(COPY_FROM):
        return replace(form, typed=_copied_from(visit, place, typed, button.removeprefix(COPY_FROM)))
    rearranged = (
        rearrange(visit.request.form, button)
        if picture is None
        else add_pictures(visit.request.form, picture.name, map(astuple, picture.pictures))
    )
    if rearranged is None:
        return None
    typed, _ = choose_typed(rearranged.form, place, seen, read_form(rearranged.form, place, seen))
    return replace(form, typed=typed, opened=rearranged.opened, sent=rearranged.form)


def _with_picture(place: EntryPlace, typed: Typed, picture: Chosen) -> Typed:
    """Return the typed values with the picture that was chosen, if one was."""
    if not picture.address:
        return typed
    if place.properties.has_body and not picture.name.startswith(f"{FIELDS}."):
        return with_chosen_picture(typed, picture.name, picture.address, picture.alt)
    fields = dict(typed[FIELDS])
    set_picture(fields, picture.name, (picture.address, picture.alt), place.specs, place.schema)
    return {**typed, FIELDS: fields}


def _taken_back(visit: Visit, place: EntryPlace, typed: Typed) -> Typed:
    """Return the form with a value that a file replaced; nothing is saved by it."""
    conflict_id, edited = number_of(visit.field("do").removeprefix(TAKE_BACK)), place.edited
    with visit.studio.runtime.database.reading() as session:
        conflicts = find_conflicts(session, place.kind, edited.id, place.locale) if edited else ()
    conflict = next((each for each in conflicts if each.id == conflict_id), None)
    return (with_former(place, typed, conflict) if conflict else None) or typed


def _keep_file(visit: Visit, place: EntryPlace, form: ShownForm) -> Response:
    """Forget that a file replaced a value; what was typed stays in the form."""
    if place.edited is None:
        raise NotFound(_("Not found."))
    keep_file(visit.editing, place.edited, number_of(visit.field("do").removeprefix(KEEP)))
    if form.typed != shown_values(place):
        return entry_page(visit, place, form)
    return ended(visit, redirect(place.path, **place.query, said="file-kept"))


def _copied_from(visit: Visit, place: EntryPlace, typed: Typed, locale: str) -> Typed:
    """Return the form with the translatable values that the entry has in another locale; nothing is saved by it."""
    other = variant_in(visit, place, locale)
    if other is None:
        return typed
    specs = [spec for spec in place.specs if spec.translatable and is_editable(spec, place.schema)]
    values = typed_values(place, other.values)
    texts = {name: values[name] for name in texts_of_locale(place)}
    if FORMAT in values:
        texts[FORMAT] = values[FORMAT]
    return {**typed, **texts, FIELDS: {**typed[FIELDS], **typed_group(values[FIELDS], specs, place.schema)}}


def _base(visit: Visit, place: EntryPlace) -> Typed | None:
    """Return the typed values that the form of a stored entry began with, or None."""
    if place.edited is None:
        return None
    with visit.studio.runtime.database.reading() as session:
        values = base_of(session, place.edited, visit.field("revision"))
    return None if values is None else typed_values(place, {**place.edited.values, **values})


def _merged(visit: Visit, place: EntryPlace, form: ShownForm) -> ShownForm:
    """Return the form of an entry that was changed since it was opened."""
    if place.edited is None:
        return form
    base = _base(visit, place)
    typed, merged = merge_typed(place, base, form.typed)
    return replace(form, typed=typed, conflict=_conflict(visit, place, merged, base))


def _conflict(visit: Visit, place: EntryPlace, merged: MergedForm, base: Typed | None) -> ConflictPage:
    entry_id = place.edited.id if place.edited else 0
    with visit.studio.runtime.database.reading() as session:
        last = last_change(session, place.kind, entry_id, place.locale)
    return conflict_page(merged, base, place, last, comparison_in(visit, place), visit.user.name)


def _refused(place: EntryPlace, form: ShownForm, error: SitecmsError) -> ShownForm:
    """Return the form with the errors; what was typed stays."""
    errors = dict(error.messages) if isinstance(error, InvalidFields) else {_whole(place): [text_of(error)]}
    if "title" in errors and not place.edited and not form.typed.get("slug"):
        errors.pop("slug", None)  # the slug of a new entry is made of its title
    return replace(form, errors=errors, status=403 if isinstance(error, Forbidden) else 400)


def _whole(place: EntryPlace) -> str:
    """Return the place of errors that concern the form as a whole."""
    return "title" if "title" in place.properties.names else FIELDS


def _act(visit: Visit, place: EntryPlace, form: ShownForm) -> Response:
    """Do what the pressed button says. Raises InvalidFields, LimitReached, Forbidden, NotFound and Stale."""
    button, edited, context, values = visit.field("do"), place.edited, visit.editing, values_of_typed(place, form.typed)
    if button.startswith(FORMAT_BUTTON) if edited is None else button == "to-rich-text":
        return _change_format(visit, place, form)
    if button.startswith(REVIEW_BUTTON):
        return act_on_review(visit, place, form, values)
    if edited is None:
        return _create(visit, place, values)
    revision = visit.field("revision")
    match button:
        case "delete":
            delete(context, edited, revision)
            return redirect(place.list_address, said="deleted", undo=undo_value(place.kind, edited.id))
        case "delete-locale":
            delete(context, edited, revision, place.locale)
            return redirect(
                place.path, locale=_other_locale(visit, place, edited), said="deleted", undo=_undo_locale(visit, edited)
            )
        case "discard":
            saved = discard(context, edited, revision)
            return redirect(place.path, **place.query, said=saved.outcome.value)
        case "copy":
            return _show_new(visit, place, duplicate(context, edited, values), "copied")
        case "ask-rich-text":
            return rich_text_question(visit, place)
        case _ if button in _TARGETS:
            return _save(visit, place, edited, values)
    raise InvalidFields({_whole(place): [_(NO_BUTTON)]})


def _with_note(response: Response, dropped: int) -> Response:
    """Return the response; the page that it leads to says how many empty blocks were left out."""
    if dropped and response.location:
        response.location += f"{'&' if '?' in response.location else '?'}{LEFT_OUT}={dropped}"
    return response


def _save(visit: Visit, place: EntryPlace, edited: Edited, values: Mapping[str, Any]) -> Response:
    target = _TARGETS[visit.field("do")]
    at = chosen_time(visit, edited.scheduled_at) if target is Target.SCHEDULE else None
    saved = save(visit.editing, edited, Form(values, visit.field("revision"), at, _chosen_date(visit, edited)), target)
    said = _SAID[target] if saved.outcome is Outcome.WRITTEN else saved.outcome.value
    is_applied = not saved.write_id or wait_until_applied(visit, saved.write_id)[0]
    if target is Target.SCHEDULE and at is not None:
        approve_for_later(visit.editing, edited, at)
    beside = {"beside": visit.asked("beside")} if visit.asked("beside") else {}
    return redirect(place.path, **place.query, **beside, said=said if is_applied else "waiting")


def _chosen_date(visit: Visit, edited: Edited | None = None) -> datetime | None:
    """Return another date of publication than the stored one, None if the form names none. Raises InvalidFields."""
    stored = edited.published_at if edited else None
    if not visit.field("published_at"):
        return None
    chosen = chosen_time(visit, stored, "published_at")
    return None if chosen == stored else chosen


def _create(visit: Visit, place: EntryPlace, values: Mapping[str, Any]) -> Response:
    """Create what the form has, in the state that the button says."""
    target = _TARGETS.get(visit.field("do"))
    if target not in _OF_NEW or target is None or isinstance(place.entry, Edited):
        raise InvalidFields({_whole(place): [_(NO_BUTTON)]})
    at = chosen_time(visit) if target is Target.SCHEDULE else None
    saved = create(visit.editing, place.entry, Form(values, scheduled_at=at, published_at=_chosen_date(visit)), target)
    response = _show_new(visit, place, saved, "created" if target is Target.DRAFT else _SAID[target])
    chose_format = FORMAT in values and visit.field(FORMAT)
    return remember_format(response, str(values[FORMAT])) if chose_format else response


def _show_new(visit: Visit, place: EntryPlace, saved: Saved, said: str) -> Response:
    """Lead to the form of an entry that was created."""
    is_applied, entry_id = wait_until_applied(visit, saved.write_id)
    if not is_applied:
        return redirect(place.list_address, said="waiting")
    asks = visit.asked("asks")
    query = {**place.query, "said": said, **({"asks": asks} if asks and place.edited is None else {})}
    return redirect(f"{place.list_address}{entry_id}/", **query)


def _change_format(visit: Visit, place: EntryPlace, form: ShownForm) -> Response:
    """Show the form with its text in another format; nothing is saved by it."""
    button, typed = visit.field("do"), form.typed
    text_format = changed_format(visit, button, str(typed["body"])) if place.edited is None else HTML
    if text_format == HTML and typed[FORMAT] == MARKDOWN:
        typed = as_rich_text(visit.editing, place.entry, typed)
    response = entry_page(visit, place, replace(form, typed={**typed, FORMAT: text_format}))
    return remember_format(response, text_format) if place.edited is None else response


def _other_locale(visit: Visit, place: EntryPlace, edited: Edited) -> str:
    """Return a locale that the entry still has, if it has several."""
    left = [code for code in visit.studio.runtime.settings.locales if code in edited.locales and code != place.locale]
    return (left or [place.locale])[0]


def _undo_locale(visit: Visit, edited: Edited) -> str:
    """Return the locale that was just deleted, as the form that restores it names it."""
    with visit.studio.runtime.database.reading() as session:
        return undo_value(edited.kind, find_last_part(session, edited.kind, edited.id) or edited.id)


_VIEWS = (("GET", show), ("POST", send))
ROUTES = tuple(
    Route(method, path, partial(view, kind), route_action(kind, Action.CREATE))
    for kind, path in NEW_FORMS.items()
    for method, view in _VIEWS
) + tuple(
    Route(method, path, unless_deleted(partial(view, kind), kind), route_action(kind, action))
    for kind, path in STORED_FORMS.items()
    for (method, view), action in zip(_VIEWS, (Action.READ_PUBLISHED, Action.EDIT), strict=True)
)
