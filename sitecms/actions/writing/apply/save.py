"""Storage of what a write creates or changes: a post, a page, or items."""

from collections.abc import Mapping, Set
from typing import TypeAlias

from sitecms.actions.writing.accept.known_entries import PAGE_TAKEN
from sitecms.actions.writing.apply.application import Application
from sitecms.actions.writing.apply.changed_post import changed_post
from sitecms.actions.writing.request_fields import Merged
from sitecms.actions.writing.save_entry import save_page, save_post
from sitecms.content.change import EntryKind, ItemChange, Origin, PageChange
from sitecms.content.references import PageTarget
from sitecms.content.revision import ChangeCause
from sitecms.content.status import Status, Version
from sitecms.content.writes import Save
from sitecms.errors import InvalidFields, NotFound
from sitecms.store.database import Transaction
from sitecms.store.entries import items, pages, version_changes
from sitecms.store.entries.references import rename_target
from sitecms.store.entries.working_copies import delete_copy

ID_TAKEN = "A file of the site folder took the id {id} meanwhile; send the item again."
_ENTRY_GONE = "The {kind} was deleted before this write was applied."

SavedVersion: TypeAlias = tuple[int, str, Status]
"""Entry id, locale and status of a version that a write saved."""


def save_entries(
    transaction: Transaction, application: Application, body: str | None, cause: ChangeCause
) -> tuple[SavedVersion, ...]:
    """Store the entries of a write; return the versions that were saved. `body` is that of `prepare_body`.

    Raises InvalidFields where what was sent is no longer valid, NotFound where the entry was deleted.
    """
    kind = application.write.kind
    if kind is EntryKind.POST:
        return (_save_post(transaction, application, body, cause),)
    saved: list[SavedVersion] = []
    errors: dict[str, list[str]] = {}
    save_versions = _save_page if kind is EntryKind.PAGE else _save_item
    place = _place_page if kind is EntryKind.PAGE else _place_items
    place(transaction, application)
    for entry, merged, problems in application.all_merged():
        errors |= problems
        if not errors:
            saved += save_versions(transaction, application, entry.id, merged, cause)
    if errors:
        raise InvalidFields(errors)
    return tuple(saved)


def _save_post(
    transaction: Transaction, application: Application, body: str | None, cause: ChangeCause
) -> SavedVersion:
    write, change = application.write, changed_post(application, body)
    save_post(
        transaction, change, owner=application.settings.owner, origin=Origin.API, at=application.at,
        new_id=write.entry_id if application.is_creation else None, cause=cause,
        ends_markdown=write.save.ends_markdown,
    )  # fmt: skip
    if write.save.ends_copy:
        delete_copy(transaction, write.entry_id)
    return write.entry_id, change.locale, change.status


def _place_page(transaction: Transaction, application: Application) -> None:
    """Create the page without versions, or check that it exists."""
    save, page_id = application.save, application.write.entry_id
    if not application.is_creation:
        if pages.find_page_title(transaction, page_id) is None:
            raise NotFound(_ENTRY_GONE.format(kind="page"))
        return
    if pages.find_page_id(transaction, save.type, save.slug) is not None:
        raise InvalidFields({"slug": [PAGE_TAKEN.format(slug=save.slug)]})
    pages.insert_page(transaction, save.type, save.slug, save.title or "", Origin.API, application.at, page_id)


def _place_items(transaction: Transaction, application: Application) -> None:
    """Create the items without versions, or check that the item exists."""
    collection = application.save.type or ""
    for item_id in application.write.entry_ids:
        if not application.is_creation:
            if not items.item_exists(transaction, item_id, (collection,)):
                raise NotFound(_ENTRY_GONE.format(kind="item"))
            continue
        if items.find_collection_of(transaction, item_id) is not None:
            raise InvalidFields({"id": [ID_TAKEN.format(id=item_id)]})
        items.insert_item(transaction, collection, Origin.API, application.at, item_id)


def _save_page(
    transaction: Transaction, application: Application, page_id: int, merged: Merged, cause: ChangeCause
) -> tuple[SavedVersion, ...]:
    """Store the page under its new names; return what readers see otherwise now."""
    save, named = application.save, pages.find_page_title(transaction, page_id)
    if named is None:
        raise NotFound(_ENTRY_GONE.format(kind="page"))
    page_type, slug, title, titles = named
    new_slug, locales = save.new_slug or slug, {each.locale for each in merged.versions}
    new_title, new_titles = title, titles
    if not application.is_creation:
        new_title, new_titles = _retitled(title, titles, save, locales, application.settings.default_locale)
    if new_slug != slug and pages.find_page_id(transaction, page_type, new_slug) is not None:
        raise InvalidFields({"slug": [PAGE_TAKEN.format(slug=new_slug)]})
    change = PageChange(page_id, page_type, new_slug, new_title, merged.versions, titles=new_titles)
    save_page(transaction, change, application.schema, origin=Origin.API, at=application.at, cause=cause)
    saved = dict(merged.saved)
    if (new_slug, new_title, new_titles) != (slug, title, titles):
        rename_target(transaction, PageTarget(page_type, slug), PageTarget(page_type, new_slug))
        live = (each.locale for each in merged.versions if each.version is Version.LIVE)
        saved = {**dict.fromkeys(live, Status.PUBLISHED), **saved}  # what readers see of them has changed, too
    return tuple((page_id, locale, status) for locale, status in saved.items())


def _retitled(
    title: str, titles: Mapping[str, str], save: Save, locales: Set[str], default_locale: str
) -> tuple[str, Mapping[str, str]]:
    """Return the title and those of locales after a write: a title given in a further locale is that locale's."""
    if not save.title:
        return title, titles
    locale = save.locale or default_locale
    if locale == default_locale or locales == {locale}:
        return save.title, {name: text for name, text in titles.items() if name != locale}
    return title, {**titles, locale: save.title}


def _save_item(
    transaction: Transaction, application: Application, item_id: int, merged: Merged, cause: ChangeCause
) -> tuple[SavedVersion, ...]:
    change = ItemChange(item_id, application.save.type or "", merged.versions)
    version_changes.save_entry(transaction, change, Origin.API, application.at, cause)
    return tuple((item_id, locale, status) for locale, status in merged.saved)
