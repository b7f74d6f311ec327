"""Storage of what a write creates or changes: a post, a page, or items."""

from typing import TypeAlias

from sitecms.actions.writing.apply.application import ENTRY_GONE, Application
from sitecms.actions.writing.apply.changes import made_entries
from sitecms.actions.writing.names import TAKEN, find_stored
from sitecms.actions.writing.save import SaveContext, save_entry
from sitecms.content.change import Origin
from sitecms.content.kinds import KINDS
from sitecms.content.revision import ChangeCause
from sitecms.content.status import Status
from sitecms.errors import InvalidFields, NotFound
from sitecms.store.database import Transaction
from sitecms.store.entries import entry_state
from sitecms.store.entries.entry_rows import insert_entry
from sitecms.store.entries.references import rename_target
from sitecms.store.entries.working_copies import delete_copy

ID_TAKEN = "A file of the site folder took the id {id} meanwhile; send the {kind} again."

SavedVersion: TypeAlias = tuple[int, str, Status]
"""Entry id, locale and status of a version that a write saved."""


def save_entries(
    transaction: Transaction, application: Application, body: str | None, cause: ChangeCause
) -> tuple[SavedVersion, ...]:
    """Store the entries of a write; return the versions that were saved. `body` is that of `prepare_body`.

    Raises InvalidFields where what was sent is no longer valid, NotFound where the entry was deleted.
    """
    owner, saved = application.settings.owner, list[SavedVersion]()
    context = SaveContext(transaction, Origin.API, application.at, cause, owner, application.schema)
    _place(transaction, application)
    for made in made_entries(application, body):
        applied = save_entry(context, made.change)
        saved += [(applied.id, locale, status) for locale, status in made.saved.items()]
        if made.renamed:
            rename_target(transaction, *made.renamed)
    if application.save.ends_copy:
        delete_copy(transaction, application.write.entry_id)
    return tuple(saved)


def _place(transaction: Transaction, application: Application) -> None:
    """Create the entries without versions, so that these can refer to each other, or check that they exist."""
    save, kind = application.save, application.write.kind
    for entry_id in application.write.entry_ids:
        if not application.is_creation:
            if not entry_state.is_there(transaction, kind.value, entry_id):
                raise NotFound(ENTRY_GONE.format(kind=kind))
            continue
        if entry_state.exists(transaction, kind, entry_id):
            raise InvalidFields({"id": [ID_TAKEN.format(id=entry_id, kind=kind)]})
        if KINDS[kind].has_versions:
            own: dict[str, object] = {"type": save.type or ""}
            if KINDS[kind].has_slug:
                own |= {"slug": save.slug, "title": save.title or ""}
                if find_stored(transaction, kind, save.type, save.slug) is not None:
                    raise InvalidFields({"slug": [TAKEN.format(kind=kind, slug=save.slug)]})
            insert_entry(transaction, kind, own, (Origin.API, application.at), entry_id)
