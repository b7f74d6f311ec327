"""Buttons of the form of a page or item: save, publish, schedule, unpublish, discard, copy and delete."""

from collections.abc import Mapping
from typing import Any

from flask import Response

from sitecms.actions.editing import entries as editing
from sitecms.actions.editing.entries import Aim, EditedEntry
from sitecms.actions.editing.entry_copies import discard, duplicate
from sitecms.actions.references import target_of
from sitecms.content.change import EntryKind
from sitecms.content.status import Status
from sitecms.errors import InvalidFields
from sitecms.studio.entry_place import Place, create_body, names_of
from sitecms.studio.field_form import Typed, changed_fields
from sitecms.studio.visit import Visit, chosen_time, redirect
from sitecms.studio.written import wait_until_applied

_AIMS = {
    "save": Aim.DRAFT, "publish": Aim.PUBLISH, "schedule": Aim.SCHEDULE, "unschedule": Aim.UNSCHEDULE,
    "unpublish": Aim.UNPUBLISH,
}  # fmt: skip
_SAID = {
    Aim.PUBLISH: "published", Aim.SCHEDULE: "scheduled", Aim.UNSCHEDULE: "unscheduled", Aim.UNPUBLISH: "unpublished",
}  # fmt: skip


def change(visit: Visit, place: Place, edited: EditedEntry, typed: Typed) -> Response:
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
            discard(context, user, edited, place.locale, revision)
            return redirect(address, locale=place.locale, said="discarded")
        case "copy":
            return _copy(visit, place, edited, typed)
        case _ if button in _AIMS:
            return _save(visit, place, edited, changed_fields(place.shown, typed), _AIMS[button])
    raise InvalidFields({"fields": ["Press one of the buttons of the form."]})


def _save(visit: Visit, place: Place, edited: EditedEntry, changed: Mapping[str, Any], aim: Aim) -> Response:
    accepted = editing.save(
        visit.studio.writes, visit.user, edited, changed, place.locale, visit.field("revision"), aim,
        names_of(visit, edited), scheduled_at=chosen_time(visit) if aim is Aim.SCHEDULE else None,
    )  # fmt: skip
    address = f"{place.list_address}{edited.id}/"
    if accepted is None:
        return redirect(address, locale=place.locale, said="unchanged")
    is_applied, _entry_id = wait_until_applied(visit, accepted.write_id)
    said = _SAID.get(aim) or ("draft-saved" if edited.live else "saved")
    return redirect(address, locale=place.locale, said=said if is_applied else "waiting")


def _other_locale(visit: Visit, place: Place, edited: EditedEntry) -> str:
    """Return a locale that the entry still has, if it has several."""
    left = [code for code in visit.studio.runtime.settings.locales if code in edited.locales and code != place.locale]
    return (left or [place.locale])[0]


def _copy(visit: Visit, place: Place, edited: EditedEntry, typed: Typed) -> Response:
    fields = create_body(visit, {**edited.fields, **changed_fields(place.shown, typed)})["fields"]
    accepted = duplicate(visit.studio.writes, visit.user, edited, fields, place.locale)
    is_applied, entry_id = wait_until_applied(visit, accepted.write_id)
    if not is_applied:
        return redirect(place.list_address, said="waiting")
    return redirect(f"{place.list_address}{entry_id}/", locale=place.locale, said="copied")


def create(visit: Visit, place: Place, typed: Typed) -> Response:
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


def uri_of(edited: EditedEntry) -> str:
    """Return the URI by which references name an entry."""
    return target_of(edited.any_version).uri
