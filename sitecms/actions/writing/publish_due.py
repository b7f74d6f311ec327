"""Publication of versions that are due; `publish_scheduled` finds them."""

from collections.abc import Iterable
from datetime import datetime

import structlog
from msgspec.structs import replace

from sitecms.actions.writing.entry_events import EventCause, record_saved
from sitecms.actions.writing.free_addresses import AddressRule
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.actions.writing.scheduled_changes import with_copy
from sitecms.actions.writing.search_rows import index_entry, index_rows, unindex_rows
from sitecms.clock import format_timestamp
from sitecms.content.change import Origin
from sitecms.content.kinds import KINDS, SLUG
from sitecms.content.revision import ChangeCause, ChangeSource
from sitecms.content.status import Status, Version
from sitecms.errors import InvalidFields
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.due_entries import DueVersion
from sitecms.store.entries.entry_rows import publish_version
from sitecms.store.entries.entry_state import entries_of
from sitecms.store.entries.revisions import keep_state, read_state
from sitecms.store.entries.working_copies import delete_copy, find_copy, find_html, unschedule_copy
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
        if _occupant(rule, each):  # after those before it, which may have come to its address
            continue
        count += 1
        if each.version is Version.DRAFT and not KINDS[each.kind].has_versions:
            _publish_copy(transaction, each, cause)
            continue
        unindex_rows(transaction, each.kind, index_rows(transaction, each.kind, each.entry_id))
        _keep(transaction, each, cause.at)
        publish_version(transaction, each.id)
        index_entry(transaction, each.kind, each.entry_id)
        record_saved(transaction, each.kind, each.entry_id, each.locale, Status.PUBLISHED, cause)
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
    stored = entries_of(rule.session, due.kind, [due.entry_id])
    own = [each for each in stored if each.locale == due.locale]
    version = next((each for each in own if each.version is due.version), own[0])
    published = replace(version, version=Version.LIVE, status=Status.PUBLISHED, published_at=due.scheduled_at)
    if not KINDS[due.kind].has_versions and version.is_live:  # its copy is due, which may have another address
        copy = find_copy(rule.session, due.entry_id)
        slug = str(copy.values.get(SLUG, version.slug)) if copy else version.slug
        published = replace(published, slug=slug, published_at=version.published_at)
    new = rule.newly_published([published], own)
    return rule.occupant_for(published) if new else ""


def _publish_copy(transaction: Transaction, due: DueVersion, cause: EventCause) -> None:
    """Publish the scheduled changes of a post.

    They stay a draft, and a line of the log says why, if the post was unpublished, or if they are no longer valid.
    """
    state = read_state(transaction, entries_of(transaction, due.kind, (due.entry_id,), with_body=True))
    if state.copy is None or state.copy.scheduled_at is None:
        return
    if state.versions[0].status is not Status.PUBLISHED:
        unschedule_copy(transaction, due.entry_id)
        _log.warning("scheduled_changes_refused", kind=due.kind.value, id=due.entry_id, errors=NOT_PUBLISHED)
        return
    html = find_html(transaction, due.entry_id)
    context = SaveContext(transaction, Origin.API, state.copy.scheduled_at, ChangeCause(ChangeSource.SCHEDULE))
    try:
        save_entry(context, with_copy(state, state.copy.values, html))
    except InvalidFields as error:
        unschedule_copy(transaction, due.entry_id)
        _log.warning("scheduled_changes_refused", kind=due.kind.value, id=due.entry_id, errors=error.messages)
        return
    delete_copy(transaction, due.entry_id)
    record_saved(transaction, due.kind, due.entry_id, due.locale, Status.PUBLISHED, cause)


def _keep(transaction: Transaction, due: DueVersion, at: datetime) -> None:
    """Keep the state of the entry in the locale that is going to be published."""
    stored = entries_of(transaction, due.kind, (due.entry_id,), with_body=True)
    if versions := [each for each in stored if each.locale == due.locale]:
        cause = ChangeCause(ChangeSource.SCHEDULE)
        keep_state(transaction, read_state(transaction, versions), cause, (Version.LIVE, Status.PUBLISHED), at)
