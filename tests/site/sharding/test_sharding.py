"""Shards: they make the site that one machine would build, or the build that finishes reports the problem."""

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sitecms.errors import ConfigurationError, OutputRefused
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.site.output.manifest import read_manifest
from sitecms.site.plan.plan import make_plan
from sitecms.site.sharding.render_shard import ShardPartition, render_shard
from sitecms.site.sharding.shard import Shard, parse_shard
from sitecms.site.sharding.shard_manifest import read_shard_manifest
from sitecms.site.snapshot import take_snapshot
from sitecms.site.theme.theme import load_theme
from tests.site.sharding.conftest import Machine, another_machine, finish, published, shard

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks

SAMPLE = Path(__file__).parents[3] / "sample_site"


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """The folder of all shards."""
    return tmp_path / "shards"


@pytest.fixture(scope="module")
def sample(
    tmp_path_factory: pytest.TempPathFactory, open_works: Callable[[Path], "SiteWorks"]
) -> Iterator["SiteWorks"]:
    """The sample site, loaded and built by one machine; with compressed copies, without search."""
    folder = tmp_path_factory.mktemp("sharding") / "site"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns(".sitecms", "public"))
    settings = folder / "site.toml"
    settings.write_text(
        settings.read_text("utf-8") + '\n[search]\nenabled = false\n[delivery]\nprecompress = ["gz"]\n', "utf-8"
    )
    works = open_works(folder)
    works.load()
    assert works.build(jobs=2).failed == {}
    yield works
    works.database.close()


@pytest.mark.parametrize("count", [2, *(pytest.param(count, marks=pytest.mark.slow) for count in (1, 3, 7))])
def test_shards_of_machines_that_share_nothing_make_the_same_site(
    sample: "SiteWorks", shards: Path, tmp_path: Path, open_works: Callable[[Path], "SiteWorks"], count: int
) -> None:
    """Pages, images, share images and manifest are equal, byte for byte; the next build finds nothing to do."""
    crew = [another_machine(sample, tmp_path / f"machine-{number}", open_works) for number in range(count)]
    made = [shard(works, number, count, shards) for number, works in enumerate(crew, 1)]
    assert all(report.failed == {} for report in made)
    last = crew[-1]
    shutil.rmtree(last.settings.derived_dir)
    assert finish(last, shards).failed == {}
    assert published(last.public) == published(sample.public)
    again = last.build()
    assert (again.written, again.pruned) == (0, 0)
    for works in crew:
        works.database.close()


def test_shards_that_know_all_images_leave_nothing_to_render(
    sample: "SiteWorks", shards: Path, tmp_path: Path, open_works: Callable[[Path], "SiteWorks"]
) -> None:
    """Each derives the images of its pages first; then every page comes from one shard."""
    crew = [another_machine(sample, tmp_path / f"machine-{number}", open_works) for number in range(3)]
    for number, works in enumerate(crew, 1):
        shard(works, number, 3, shards, images_only=True)
    derived = [{path.name for path in works.settings.derived_dir.glob("*-*")} for works in crew]
    wanted = {path.name for path in sample.settings.derived_dir.glob("*-*")}
    assert set().union(*derived) == wanted
    assert all(len(each) < len(wanted) * 0.7 for each in derived)
    sheets: dict[str, str] = {}
    for number, works in enumerate(crew, 1):
        shard(works, number, 3, shards)
        pages = read_shard_manifest(shards / f"{number}-of-3", Shard(number, 3)).pages
        assert not sheets.keys() & pages.keys()
        sheets |= {path: made.split()[0] for path, made in pages.items()}
        works.database.close()
    made = {path: each.fingerprint for path, each in read_manifest(sample.public).outputs.items() if not each.step}
    assert sheets.items() <= made.items()
    assert {path for path in made if path.endswith(".html")} <= sheets.keys()


def test_every_page_belongs_to_one_shard(works: "SiteWorks") -> None:
    """This holds for any number of shards, also for more than posts."""
    works.load()
    with works.database.reading() as session:
        snapshot = take_snapshot(session)
    pages = make_plan(snapshot, works.settings, load_theme(works.folder, works.settings.theme)).pages
    for count in (1, 2, 5, 50):
        division = ShardPartition(snapshot, works.settings, count)
        owners = [[n for n in range(1, count + 1) if division.contains(Shard(n, count), job)] for job in pages]
        assert all(len(each) == 1 for each in owners)
        assert count > 5 or len({each[0] for each in owners}) == count


def test_shards_render_only_changed_pages(works: "SiteWorks", machine: Machine, shards: Path) -> None:
    """Published pages stay, deleted ones are pruned, and the result is that of one machine."""
    works.make()
    everything = len([path for path in works.tree() if path.endswith(".html")])
    works.post("ebb", "Out it went.", published="2026-02-03T08:00:00Z", author="ann-ray", categories=["Tides"])
    works.remove("content/posts/calm.md")
    works.load(prune=True)
    made = [shard(works, number, 2, shards) for number in (1, 2)]
    assert 0 < sum(report.made for report in made) < everything
    assert sum(report.current for report in made) > 0
    report = finish(works, shards)
    assert report.failed == {}
    assert "blog/calm/index.html" not in works.tree()
    other = machine()
    other.build()
    assert published(works.public) == published(other.public)


def test_a_killed_shard_can_be_run_again(works: "SiteWorks", shards: Path) -> None:
    """The shards are not published before; half a shard does no harm."""
    works.load()

    def killed(_phase: str, done: int, _all: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    shard(works, 1, 2, shards)
    with pytest.raises(KeyboardInterrupt):
        render_shard(
            works.database, works.settings, works.public, Shard(2, 2), shards, BuildOptions(jobs=1, progress=killed)
        )
    with pytest.raises(ConfigurationError, match=r"2/2 is not complete: .*Run it again: sitecms build --shard 2"):
        finish(works, shards)
    assert not works.public.exists()
    shard(works, 2, 2, shards)
    finish(works, shards)
    assert works.tree() == works.clean_tree()


def test_a_shard_is_not_rendered_twice_at_once(works: "SiteWorks", shards: Path) -> None:
    """The second process is refused."""
    works.load()
    shard(works, 1, 1, shards)
    with (shards / "1-of-1" / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        with pytest.raises(OutputRefused, match="Another process renders this shard"):
            shard(works, 1, 1, shards)


def test_two_builds_that_finish_at_once_publish_one_site(works: "SiteWorks", shards: Path) -> None:
    """One waits for the other, and finds nothing to do."""
    works.load()
    for number in (1, 2):
        shard(works, number, 2, shards)
    written: list[int] = []

    def run() -> None:
        written.append(finish(works, shards).written)
        works.database.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(written)[0] == 0
    assert sorted(written)[1] > 0
    assert works.tree() == works.clean_tree()


def refused(works: "SiteWorks", shards: Path) -> str:
    """Return the message of the error that prevents publishing."""
    with pytest.raises(ConfigurationError) as caught:
        finish(works, shards)
    assert not works.public.exists()
    return str(caught.value)


def test_shards_of_another_snapshot_are_refused(works: "SiteWorks", machine: Machine, shards: Path) -> None:
    """The message names the shard and its change; another copy of the store is refused too."""
    works.load()
    other = machine()
    shard(works, 1, 2, shards)
    works.post("new")
    works.load()
    shard(works, 2, 2, shards)
    assert "The shard 1/2 was built from change " in refused(works, shards)
    other.post("newer")
    other.load()
    shard(other, 1, 2, shards)
    assert "1/2 was built from another store, or another copy of it" in refused(works, shards)


def test_shards_of_other_settings_or_another_theme_are_refused(works: "SiteWorks", shards: Path) -> None:
    """The message names the difference."""
    works.load()
    moved = replace(works.settings, url="https://elsewhere.example")
    render_shard(works.database, moved, works.public, Shard(1, 1), shards, BuildOptions(jobs=1))
    assert "The shard 1/1 was built with other settings (site.toml, --base-url)" in refused(works, shards)
    shard(works, 1, 1, shards)
    works.write("templates/post.html", "{{ post.card.title }}")
    assert "built with another theme" in refused(works, shards)


def test_missing_or_invalid_shards_are_named(works: "SiteWorks", shards: Path) -> None:
    """No shards, some of them, those of two builds, and an unknown folder."""
    works.load()
    assert "There are no shards in" in refused(works, shards)
    shard(works, 2, 3, shards)
    assert "lacks the shards 1/3, 3/3" in refused(works, shards)
    shard(works, 1, 2, shards)
    assert "several builds, *-of-2 and *-of-3" in refused(works, shards)
    shutil.rmtree(shards / "2-of-3")
    (shards / "2-of-2").mkdir()
    assert "The shard 2/2 is not complete" in refused(works, shards)
    (shards / "2-of-2" / "shard.json").write_text('{"pages": []}', "utf-8")
    assert "cannot be read as the manifest of a shard" in refused(works, shards)
    shutil.copy(shards / "1-of-2" / "shard.json", shards / "2-of-2")
    assert "is that of another shard" in refused(works, shards)


def test_a_damaged_page_fails_only_that_page(works: "SiteWorks", shards: Path) -> None:
    """The message names the shard, and the page published before stays."""
    works.make()
    works.write("templates/post.html", "<p>{{ post.card.title }}</p>")
    shard(works, 1, 1, shards)
    pages = shards / "1-of-1" / "pages" / "blog"
    (pages / "ebb" / "index.html").write_bytes(b"<p>Eb")
    (pages / "flow" / "index.html").unlink()
    before = works.text("blog/ebb/index.html")
    report = finish(works, shards)
    assert list(report.failed) == ["blog/ebb/index.html", "blog/flow/index.html"]
    assert "its file in shard 1/1 is damaged" in report.failed["blog/ebb/index.html"]
    assert "shard 1/1 no longer has it" in report.failed["blog/flow/index.html"]
    assert works.text("blog/ebb/index.html") == before
    assert works.text("blog/gale/index.html") == "<p>Gale</p>"


def test_page_that_a_shard_cannot_render_is_reported_twice(works: "SiteWorks", shards: Path) -> None:
    """The shard reports it, and so does the build that finishes, which tries it again."""
    works.load()
    works.write("templates/post.html", "{{ post.card.title }}{{ 1 // (post.card.title != 'Ebb') }}")
    assert list(shard(works, 1, 1, shards).failed) == ["blog/ebb/index.html"]
    assert list(finish(works, shards).failed) == ["blog/ebb/index.html"]


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "1/", "-1/2", "1/2/3", "01/2", "1/2 ", "1/5000", "x"])
def test_only_a_number_and_a_count_name_a_shard(text: str) -> None:
    """The numbers start at 1 and end with the count."""
    assert parse_shard(text) is None
    assert parse_shard("2/3") == Shard(2, 3)


def test_shards_are_rendered_by_several_processes(works: "SiteWorks", shards: Path) -> None:
    """This is the same as in other builds."""
    works.load()
    options = BuildOptions(jobs=2)
    render_shard(works.database, works.settings, works.public, Shard(1, 1), shards, options)
    build_site(works.database, works.settings, works.public, replace(options, shards=shards))
    assert works.tree() == works.clean_tree()
