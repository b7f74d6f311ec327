"""Events of entries for plug-ins: each event that webhooks have too, once it is stored; and what they add to messages.

The events of a transaction are told after its commit, by the process that made it. An error of a plug-in is reported,
and costs nothing else: what happened is stored.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from sitecms.content.field_value import FieldValue
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.plugins.values import EntryChange
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Database

SAVED, PUBLISHED, PAYLOAD = "entry_saved", "entry_published", "webhook_payload"
_PUBLISHED = frozenset({
    EventKind.POST_PUBLISHED, EventKind.VARIANT_PUBLISHED, EventKind.PAGE_PUBLISHED, EventKind.ITEM_PUBLISHED,
})  # fmt: skip
_ITEM_ID = re.compile(r"_id=(\d+)")


def tell_plugins(database: Database, settings: SiteSettings, report: Callable[[str], object]) -> None:
    """Let the plug-ins of the site hear of every change of an entry in the store; `report` gets their errors."""
    plugins = settings.plugins
    if not (plugins.has(SAVED) or plugins.has(PUBLISHED)):
        return

    def listen(events: Sequence[Event]) -> None:
        for event in events:
            change = _change_of(event, settings.default_locale)
            if change is None:
                continue
            problems = plugins.tell(SAVED, change=change)
            problems += plugins.tell(PUBLISHED, change=change) if event.kind in _PUBLISHED else ()
            for problem in problems:
                report(f"{change.event} of {change.kind} {change.slug}: {problem}")

    database.listener = listen


def _change_of(event: Event, default_locale: str) -> EntryChange | None:
    """Return the change of an entry; None for the event of a write that failed."""
    kind, data = event.kind.value, event.data
    locale = str(data.get("locale") or default_locale)
    match kind.partition(".")[0]:
        case "post":
            return EntryChange(kind, "post", int(str(data["_id"])), str(data["id"]), locale)
        case "page":
            return EntryChange(kind, "page", int(str(data["buttercms_id"])), str(data["id"]), locale)
        case "collectionitem":
            number = _ITEM_ID.search(str(data["itemid"]))
            return EntryChange(kind, "item", int(number[1]) if number else 0, str(data["id"]), locale)
    return None


def with_payload(
    body: Mapping[str, FieldValue], plugins: SitePlugins, report: Callable[[str], object]
) -> Mapping[str, object]:
    """Return the body of a message with the keys that plug-ins add to its data; those of the API stay."""
    event, data = body["webhook"], body["data"]
    if not plugins.has(PAYLOAD) or not isinstance(event, dict) or not isinstance(data, dict):
        return body
    added: dict[str, object] = {}
    for result, problem in plugins.attempts(PAYLOAD, event=str(event["event"]), data=dict(data)):
        if problem:
            report(problem)
        elif isinstance(result, Mapping):
            added.update(result)
    return {**body, "data": {**added, **data}}
