"""Publication of versions that are due; `publish_scheduled` finds them."""

from collections.abc import Iterable
from datetime import datetime

import structlog
from msgspec.structs import replace

from sitecms.actions.writing.entry_events import EventCause, record_saved
from sitecms.actions.writing.free_addresses import AddressRule
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.clock import format_timestamp
from sitecms.content.change import Origin, Times, VersionChange, change_of_version, change_of_versions
from sitecms.content.entry import Entry
from sitecms.content.revision import ChangeCause, ChangeSource
from sitecms.content.status import Status, Version
from sitecms.content.term import TERM_FIELDS
from sitecms.errors import InvalidFields
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.due_entries import DueVersion
from sitecms.store.entries.entry_state import origin_of, set_origin, versions_of
from sitecms.store.entries.terms import some_terms, terms_of_versions
from sitecms.store.entries.working_copies import delete_copy, unschedule_copy
from sitecms.store.maintenance.media_usage import entry_label
from sitecms.store.site_state.documents import load_content_schema

NOT_PUBLISHED = "The post was unpublished."
_log = structlog.get_logger("sitecms.schedule")


def publish_due(transaction: Transaction, due: Iterable[DueVersion], settings: SiteSettings, cause: EventCause) -> int:
    """Give these versions their status and times, rows in the search index, an entry in the history, and an event.

    Those whose address another entry has stay as they are. Returns the number of the others.
    """
    rule, count = AddressRule(transaction, load_content_schema(transaction), settings), 0
    for each in due:
        if not _occupant(rule, each):  # after those before it, which may have come to its address
            count += 1
            _publish(transaction, each, cause)
    return count


def held_back(session: Session, due: Iterable[DueVersion], settings: SiteSettings) -> dict[DueVersion, str]:
    """Return each due version that is not published since another entry has its address, with who that is.

    It is published as soon as the address is free.
    """
    rule = AddressRule(session, load_content_schema(session), settings)
    occupants = {each: _occupant(rule, each) for each in due}
    return {each: occupant for each, occupant in occupants.items() if occupant}


def text_of(session: Session, due: DueVersion, occupant: str) -> str:
    """Return the text that names a version that is held back."""
    label, time = entry_label(session, due.kind, due.entry_id), format_timestamp(due.scheduled_at)
    return f"{label}, {due.locale}, was to be published at {time}, but {occupant}"


def _occupant(rule: AddressRule, due: DueVersion) -> str:
    """Return who has the address that a due version gets by its publication; "" if it is free or its own already."""
    versions = versions_of(rule.session, due.kind, due.entry_id)
    published_at = _published_at(versions, due)
    published = replace(
        _version(versions, due), version=Version.LIVE, status=Status.PUBLISHED, published_at=published_at
    )
    new = rule.newly_published([published], versions)
    return rule.occupant_for(published) if new else ""


def _version(versions: Iterable[Entry], due: DueVersion) -> Entry:
    (version,) = (each for each in versions if (each.locale, each.version) == (due.locale, due.version))
    return version


def _published_at(versions: Iterable[Entry], due: DueVersion) -> datetime:
    """Return the first publication of what readers see, else the time of the schedule."""
    live = (each for each in versions if each.is_live and each.locale == due.locale)
    return next((each.published_at for each in live if each.published_at), due.scheduled_at)


def _publish(transaction: Transaction, due: DueVersion, cause: EventCause) -> None:
    """Publish a version.

    Scheduled changes of a post stay a draft, and a line of the log says why, if the post was unpublished, or if they
    are no longer valid.
    """
    versions = versions_of(transaction, due.kind, due.entry_id)
    origin = origin_of(transaction, due.kind, due.entry_id)
    version = _version(versions, due)
    if version.saved_by and not any(each.is_live for each in versions):
        _refuse(transaction, due, NOT_PUBLISHED)
        return
    times = Times(updated_at=due.scheduled_at, published_at=_published_at(versions, due))
    stored = _stored(transaction, due, version)
    published = replace(stored, version=Version.LIVE, status=Status.PUBLISHED, times=times)
    others = (change_of_version(each) for each in versions if each.locale != due.locale)
    context = SaveContext(transaction, Origin.API, cause.at, ChangeCause(ChangeSource.SCHEDULE))
    try:
        save_entry(context, change_of_versions(version, (published, *others)))
    except InvalidFields as error:
        _refuse(transaction, due, error.messages)
        return
    if version.saved_by:
        delete_copy(transaction, due.entry_id)
    else:  # its file, if it has one, says the same
        set_origin(transaction, due.kind, due.entry_id, Origin(origin))
    record_saved(transaction, due.kind, due.entry_id, due.locale, Status.PUBLISHED, cause)


def _stored(session: Session, due: DueVersion, version: Entry) -> VersionChange:
    """Return the change that stores a version as it is, with the spelling that it has of the names of its terms."""
    spelt = terms_of_versions(session, (due.id,)).get(due.id, {})
    names = {(term.kind, term.name): spelt[each] for each, term in some_terms(session, spelt).items()}
    terms = {
        name: tuple(names.get((kind, term.name)) or term.name for term in getattr(version, name))
        for name, kind in TERM_FIELDS.items()
    }
    return replace(change_of_version(version), **terms)


def _refuse(transaction: Transaction, due: DueVersion, errors: object) -> None:
    """Keep scheduled changes as a draft, and say why in the log."""
    unschedule_copy(transaction, due.entry_id)
    _log.warning("scheduled_changes_refused", kind=due.kind.value, id=due.entry_id, errors=errors)
