"""`sitecms move-media`: there and back, cut off in the middle, and every byte of it."""

from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from sitecms.actions.operations.moves import move_media
from sitecms.actions.operations.verify.verify import verify_store
from sitecms.clock import now
from sitecms.errors import MediaUnusable
from sitecms.media.library import MediaLibrary, open_library
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings
from tests.support import command_line
from tests.support.object_storage import SECRET, FaultyProxy, ObjectServer, collect_sockets
from tests.support.sites import ExampleSite

run = partial(command_line.run, "move-media")


def at(settings: SiteSettings, url: str) -> SiteSettings:
    return replace(settings, media=replace(settings.media, url=ServiceUrl(url)))


def contents(library: MediaLibrary) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in library.each(library.names()) if path}


def test_there_and_back(example: ExampleSite, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both places are equal, the old one is unchanged, the next steps are printed, and a second run copies nothing."""
    example.load()
    before = contents(open_library(example.settings))
    told = run(example.folder, "--to", bucket)
    assert told.exit_code == 0, told.output
    assert "Copied 2 media files of Tide" in told.output
    assert f'[media]\n  url = "{bucket}"' in told.output
    assert SECRET not in told.output
    assert contents(open_library(example.settings)) == before == contents(open_library(at(example.settings, bucket)))
    assert "Copied 0 media files" in run(example.folder, "--to", bucket).output
    monkeypatch.setenv("SITECMS_MEDIA_URL", bucket)
    assert verify_store(example.settings, now()).findings == ()
    again = run(example.folder, "--to", bucket)
    assert (again.exit_code, "is there already" in again.output) == (3, True)
    for path in example.settings.media_dir.iterdir():
        path.unlink()
    back = run(example.folder, "--to", "folder")
    assert "remove url from [media]" in back.output
    monkeypatch.delenv("SITECMS_MEDIA_URL")
    assert contents(open_library(example.settings)) == before


def test_an_interrupted_copy_continues(example: ExampleSite, bucket: str, object_server: ObjectServer) -> None:
    """The credentials end while files are copied: those that were copied are not copied again."""
    for number in range(100):
        example.image(f"media/{number}.png", size=(number + 1, 1))
    example.post("many", "\n".join(f"![x](media/{number}.png)" for number in range(100)), status="draft")
    example.load()
    proxy = FaultyProxy(object_server.port)
    through = ServiceUrl(bucket.replace(str(object_server.port), str(proxy.port)))
    stop = 50

    def tick(_phase: str, done: int, _total: int) -> None:
        if done >= stop:
            proxy.fail(status="403 Forbidden")

    with pytest.raises(MediaUnusable):
        move_media(example.settings, through, tick)
    proxy.heal()
    arrived = len(open_library(at(example.settings, bucket)).names())
    assert 0 < arrived < 102
    report = move_media(example.settings, through)
    assert (report.copied, report.present) == (102 - arrived, 102)
    assert contents(open_library(example.settings)) == contents(open_library(at(example.settings, bucket)))
    proxy.close()
    collect_sockets()


def test_damaged_files_are_reported_and_repaired(example: ExampleSite, bucket: str) -> None:
    """A damaged source file is not copied; a damaged target file is copied again."""
    example.load()
    library, there = open_library(example.settings), open_library(at(example.settings, bucket))
    before = contents(library)
    first, second = library.names()
    there.storage.replace(first, before[first])
    client = there.storage.client._s3  # type: ignore[attr-defined]
    key = f"{there.storage.bucket.prefix}media/{first}"  # type: ignore[attr-defined]
    client.put_object(Bucket="tide-media", Key=key, Body=before[first][::-1])
    (library.folder / second).write_bytes(b"other")
    told = run(example.folder, "--to", bucket)
    assert told.exit_code == 1
    assert f"media {second}: has other content" in told.output
    assert contents(there) == {first: before[first]}


@pytest.mark.parametrize("place", ["http://tide/a", f"s3://key:{SECRET}@tide/a", "s3://tide/a?x=1", ""])
def test_a_wrong_address_is_a_usage_error(example: ExampleSite, place: str, tmp_path: Path) -> None:
    """The message does not show the address."""
    told = run(example.folder, "--to", place)
    assert told.exit_code == 2
    assert SECRET not in told.output
