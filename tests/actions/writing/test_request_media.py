"""Looking for the remote files of a request takes a few seconds at most, however many there are."""

import threading
import time

from sitecms.actions.writing.request_media import MAX_REMOTE, AskedMedia
from sitecms.store.database import Database


def test_probes_that_hang_share_one_budget(store: Database) -> None:
    """Of a hundred addresses that never answer, those without a result in time have no problem."""
    over, begun = threading.Event(), list[str]()

    def probe(url: str) -> str:
        begun.append(url)
        return "It is missing." if "missing" in url or not over.wait(60) else ""

    missing = [f"http://pictures.example/missing-{number}.png" for number in range(2)]
    slow = [f"http://pictures.example/{number}.png" for number in range(MAX_REMOTE - 2)]
    with store.reading() as session:
        media = AskedMedia(session)
        for url in (*missing, *slow):
            assert media.address(url) == url
    started = time.monotonic()
    media.probe(probe, seconds=1.0)
    assert time.monotonic() - started < 20
    assert media.problems == dict.fromkeys(missing, "It is missing.")
    with store.reading() as media.session:
        assert [media.address(url) for url in (missing[0], slow[0])] == [None, slow[0]]
    assert media.problem(missing[0]) == "It is missing."
    over.set()
    time.sleep(0.1)
    assert len(begun) < 20


def test_a_request_without_remote_files_probes_nothing(store: Database) -> None:
    """No thread is started either."""
    asked: list[str] = []

    def probe(url: str) -> str:
        asked.append(url)
        return "It is missing."

    with store.reading() as session:
        media = AskedMedia(session)
    media.probe(probe)
    assert (asked, media.problems) == ([], {})
