"""What is kept beside the body of a post, worked out anew."""

from sitecms.actions.operations.verify.finding import Finding, FindingKind
from sitecms.actions.writing.save_post import worked_out
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import derived_columns


def column_findings(session: Session) -> list[Finding]:
    """Columns that do not go with their body. A digest that does not may mean that the body itself was changed."""
    found = []
    for post_id, slug, held, body in derived_columns.each_post(session):
        right = worked_out(body)
        wrong = [name for name in held if held[name] != right[name]]
        if wrong:
            hint = "; the body may have been changed by other hands, so look at it" if "body_digest" in wrong else ""
            what = f"{', '.join(wrong)} not worked out from its body{hint}"
            found.append(Finding(FindingKind.COLUMN_STALE, f"post {slug} (id {post_id})", what, "", True))
    return found


def mend_columns(transaction: Transaction) -> None:
    """Work them all out anew; only what is wrong is written."""
    for post_id, _slug, held, body in derived_columns.each_post(transaction):
        right = worked_out(body)
        if held != right:
            derived_columns.set_columns(transaction, post_id, right)
