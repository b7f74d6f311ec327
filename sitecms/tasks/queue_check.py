"""The queue of a site on a server: whether it can be reached from here."""

from collections.abc import Iterator

from sitecms.actions.operations.doctor import Examined, Outcome
from sitecms.errors import ConfigurationError
from sitecms.settings.site import SiteSettings
from sitecms.tasks.queue import QueueKind, open_queue, queue_address, queue_kind
from sitecms.tasks.queue_watch import QueueWatch

REMEDY = "Writes are accepted and applied all the same, a second later; see to the server, and to url under [queue]."


def examine_queue(settings: SiteSettings) -> Iterator[Examined]:
    """Nothing where it is a file of this machine."""
    if queue_kind(settings) is QueueKind.SQLITE:
        return
    try:
        queue = open_queue(settings, None, only_looks=True)
    except ConfigurationError as error:
        yield Examined("queue", Outcome.FAULT, str(error), "Install it, or leave url under [queue] empty.")
        return
    state = QueueWatch(settings, lambda: queue).look()
    queue.storage.close()
    where = queue_address(settings)
    if state.length is None:
        yield Examined("queue", Outcome.WARNING, f"{where} cannot be reached: {state.problem}", REMEDY)
    else:
        yield Examined("queue", Outcome.OK, f"{where} can be reached")
