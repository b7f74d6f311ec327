"""Examination of a queue that is kept on a server."""

from collections.abc import Iterator

from sitecms.errors import ConfigurationError
from sitecms.findings import Finding, error, ok, warning
from sitecms.settings.site import SiteSettings
from sitecms.tasks.queue import QueueKind, open_queue, queue_address, queue_kind
from sitecms.tasks.queue_watch import QueueWatch

QUEUE_REMEDY = "check the server, and url under [queue]; until then writes are applied about a second later"


def examine_queue(settings: SiteSettings) -> Iterator[Finding]:
    """Check that the queue can be reached; yield nothing for one in a file of this machine."""
    if queue_kind(settings) is QueueKind.SQLITE:
        return
    try:
        queue = open_queue(settings, None, only_looks=True)
    except ConfigurationError as problem:
        yield error("queue", str(problem), "install it, or leave url under [queue] empty")
        return
    state = QueueWatch(settings, lambda: queue).look()
    queue.storage.close()
    where = queue_address(settings)
    if state.length is None:
        yield warning("queue", f"{where} cannot be reached: {state.problem}", QUEUE_REMEDY)
    else:
        yield ok("queue", f"{where} can be reached")
