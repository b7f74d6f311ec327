"""Waiting for the result of a write that a form has sent."""

import time

from sitecms.content.change import WriteStatus
from sitecms.errors import InvalidFields
from sitecms.store.writes.writes import get_write
from sitecms.studio.visit import Visit

WAIT_SECONDS, POLL_SECONDS = 2.0, 0.02


def wait_until_applied(visit: Visit, write_id: str) -> tuple[bool, int]:
    """Send the write to a worker, and wait for two seconds at most; return whether it is applied, and its entry's id.

    Raises InvalidFields with the errors of a write that was rejected or failed.
    """
    visit.studio.hint(write_id)
    end = time.monotonic() + WAIT_SECONDS
    while True:
        with visit.studio.runtime.database.reading() as session:
            write = get_write(session, write_id)
        if write.status is WriteStatus.APPLIED:
            return True, write.entry_id
        if write.status is not WriteStatus.ACCEPTED:
            raise InvalidFields(write.errors)
        if time.monotonic() > end:
            return False, write.entry_id
        time.sleep(POLL_SECONDS)
