"""Checks of stored content: columns, search index, references, states of writes and deliveries."""

from collections.abc import Callable, Iterator

from sitecms.actions.operations.verify.finding import VerifyKind, damage, repairable
from sitecms.actions.references import specs_of
from sitecms.actions.writing.save_entry import derived_columns
from sitecms.content.change import EntryKind
from sitecms.content.references import ItemTarget, Target
from sitecms.content.search_text import searched_text
from sitecms.content.text.html import plain_text
from sitecms.findings import Finding
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries import entry_state, pages, post_rows, posts, references
from sitecms.store.maintenance import invalid_states
from sitecms.store.maintenance.media_usage import entry_label, is_in_trash
from sitecms.store.search.integrity import IndexDifferences, Text, index_differences
from sitecms.store.site_state import documents
from sitecms.store.writes.claims import claim_owners


def column_findings(session: Session) -> Iterator[Finding]:
    """Yield the posts whose derived columns do not match their body.

    A digest that does not match may mean that the body itself was changed outside sitecms.
    """
    for post_id, slug, stored, body in post_rows.each_post(session):
        expected = derived_columns(body)
        wrong = [name for name in stored if stored[name] != expected[name]]
        if wrong:
            hint = "; the body may have been changed outside sitecms, so read it" if "body_digest" in wrong else ""
            what = f"{', '.join(wrong)} does not match the body{hint}"
            yield repairable(VerifyKind.COLUMN_STALE, f"post {slug} (id {post_id})", what)


def repair_columns(transaction: Transaction) -> None:
    """Derive the columns of all posts again; write only those that differ."""
    for post_id, _slug, stored, body in post_rows.each_post(transaction):
        expected = derived_columns(body)
        if stored != expected:
            post_rows.set_columns(transaction, post_id, expected)


def search_findings(database: Database, session: Session) -> Iterator[Finding]:
    """Yield rows of the search index that are missing, superfluous or stale. The session reads the database."""
    yield from _differing_rows("post", index_differences(database, session, "post_search", _post_texts(session)))
    yield from _differing_rows("page", index_differences(database, session, "page_search", _page_texts(session)))


def _post_texts(session: Session) -> Iterator[Text]:
    return ((post_id, title, plain_text(body)) for post_id, title, body in posts.published_texts(session))


def _page_texts(session: Session) -> Iterator[Text]:
    schema = documents.load_content_schema(session)
    for page_id in pages.all_page_ids(session):
        for version_id, page in pages.published_versions(session, page_id).items():
            yield version_id, page.title, searched_text(page.fields, specs_of(page, schema), schema)


def _differing_rows(kind: str, rows: IndexDifferences) -> Iterator[Finding]:
    entry = "post" if kind == "post" else "page version"
    for row in rows.extra:
        yield repairable(VerifyKind.SEARCH_EXTRA, f"{kind}_search row {row}", f"there is no published {entry} {row}")
    for row in rows.missing:
        what = f"the published {entry} {row} is not in the search index"
        yield repairable(VerifyKind.SEARCH_MISSING, f"{kind}_search row {row}", what)
    for row in rows.stale:
        what = f"the search index has other words for the {entry} {row} than it contains"
        yield repairable(VerifyKind.SEARCH_STALE, f"{kind}_search row {row}", what)


def reference_findings(session: Session) -> list[Finding]:
    """Return the references to missing entries that entries outside the trash have."""
    existing = references.all_targets(session)
    findings: dict[tuple[str, int, str], Finding] = {}
    for kind, entry_id, named in references.all_named(session):
        if kind == EntryKind.POST or not entry_state.is_there(session, kind, entry_id):
            continue
        missing = [target for target in named if not isinstance(target, int) and target not in existing]
        for target in sorted(missing, key=lambda each: each.uri):
            where = entry_label(session, EntryKind(kind), entry_id)
            findings[kind, entry_id, target.uri] = _missing_target(session, where, target)
    return [finding for _key, finding in sorted(findings.items())]


def _missing_target(session: Session, where: str, target: Target) -> Finding:
    if isinstance(target, ItemTarget):
        label = f"the item {target.id} of {target.collection}"
    else:
        label = f"the page {target.page_type or '_single'}/{target.slug}"
    if is_in_trash(session, target):
        what, remedy = (
            f"refers to {label}, which is in the trash",
            "restore it (sitecms trash), or change the reference",
        )
    else:
        what, remedy = f"refers to {label}, which does not exist", "change the reference"
    return damage(VerifyKind.REFERENCE_DANGLING, where, what, remedy)


def state_findings(session: Session) -> Iterator[Finding]:
    """Yield writes, deliveries and reservations in states that no operation leads to."""
    for write_id, what in invalid_states.invalid_writes(session):
        yield repairable(VerifyKind.WRITE_IMPOSSIBLE, f"write {write_id}", what)
    for delivery_id, what in invalid_states.invalid_deliveries(session):
        yield repairable(VerifyKind.DELIVERY_IMPOSSIBLE, f"delivery {delivery_id}", what)
    for kind, name, write_id in invalid_states.stale_reservations(session):
        what = f"is reserved for the write {write_id}, which has ended"
        yield repairable(VerifyKind.RESERVATION_LEFT, f"{kind} {name}", what)


def dead_owners(session: Session, is_alive: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the workers that have claimed writes or deliveries and are not alive.

    A running worker takes such claims over by itself.
    """
    return tuple(owner for owner in claim_owners(session) if not is_alive(owner))


def claim_findings(owners: tuple[str, ...]) -> Iterator[Finding]:
    """Yield a finding for each dead worker."""
    for owner in owners:
        what = "has claimed writes or deliveries, and is not running any more"
        yield repairable(VerifyKind.CLAIM_ABANDONED, f"worker {owner}", what)
