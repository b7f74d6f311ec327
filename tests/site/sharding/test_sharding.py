"""Shards and what is made of them: the very site that one machine would have built, or a word about what is wrong."""

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
    """Where shards leave their pages."""
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
    """Pages, images, share images, manifest: to the byte; and the next build finds nothing to do."""
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


def test_shards_that_know_of_all_images_leave_nothing_to_be_made_again(
    sample: "SiteWorks", shards: Path, tmp_path: Path, open_works: Callable[[Path], "SiteWorks"]
) -> None:
    """Each derives those of its own pages; then every page comes from one shard, as the last build wants it."""
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


def test_every_page_is_of_one_shard(works: "SiteWorks") -> None:
    """However many there are, more than posts too."""
    works.load()
    with works.database.reading() as session:
        snapshot = take_snapshot(session)
    pages = make_plan(snapshot, works.settings, load_theme(works.folder, works.settings.theme)).pages
    for count in (1, 2, 5, 50):
        division = ShardPartition(snapshot, works.settings, count)
        owners = [[n for n in range(1, count + 1) if division.contains(Shard(n, count), job)] for job in pages]
        assert all(len(each) == 1 for each in owners)
        assert count > 5 or len({each[0] for each in owners}) == count


def test_after_edits_shards_make_only_what_changed(works: "SiteWorks", machine: Machine, shards: Path) -> None:
    """What is published stays, what went is pruned, and the result is that of one machine."""
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


def test_a_shard_that_was_killed_is_run_again(works: "SiteWorks", shards: Path) -> None:
    """Until then the others are not published; half a shard does no harm."""
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


def test_the_same_shard_is_not_made_twice_at_once(works: "SiteWorks", shards: Path) -> None:
    """Two of them would write over one another."""
    works.load()
    shard(works, 1, 1, shards)
    with (shards / "1-of-1" / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        with pytest.raises(OutputRefused, match="Another process renders this shard"):
            shard(works, 1, 1, shards)


def test_two_that_finish_at_once_are_as_one(works: "SiteWorks", shards: Path) -> None:
    """One waits for the other, and finds nothing left to do."""
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
    """What is said instead of publishing."""
    with pytest.raises(ConfigurationError) as caught:
        finish(works, shards)
    assert not works.public.exists()
    return str(caught.value)


def test_shards_of_another_moment_are_refused(works: "SiteWorks", machine: Machine, shards: Path) -> None:
    """Which of them, and by which change; also another copy that has come as far."""
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
    """Each with what differs."""
    works.load()
    moved = replace(works.settings, url="https://elsewhere.example")
    render_shard(works.database, moved, works.public, Shard(1, 1), shards, BuildOptions(jobs=1))
    assert "The shard 1/1 was built with other settings (site.toml, --base-url)" in refused(works, shards)
    shard(works, 1, 1, shards)
    works.write("templates/post.html", "{{ post.card.title }}")
    assert "built with another theme" in refused(works, shards)


def test_what_is_missing_or_foreign_is_named(works: "SiteWorks", shards: Path) -> None:
    """No shards, not all of them, those of two builds, a folder that is none of ours."""
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


def test_a_damaged_page_fails_alone(works: "SiteWorks", shards: Path) -> None:
    """Cut short or lost on its way here: it is named with its shard, and what was published before stays."""
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


def test_a_page_that_a_shard_cannot_render_is_told_of_twice(works: "SiteWorks", shards: Path) -> None:
    """By the shard, and by the build that finishes, which tries it again."""
    works.load()
    works.write("templates/post.html", "{{ post.card.title }}{{ 1 // (post.card.title != 'Ebb') }}")
    assert list(shard(works, 1, 1, shards).failed) == ["blog/ebb/index.html"]
    assert list(finish(works, shards).failed) == ["blog/ebb/index.html"]


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "1/", "-1/2", "1/2/3", "01/2", "1/2 ", "1/5000", "x"])
def test_only_a_number_and_a_count_name_a_shard(text: str) -> None:
    """From the first to the last."""
    assert parse_shard(text) is None
    assert parse_shard("2/3") == Shard(2, 3)


def test_shards_are_made_by_several_processes_too(works: "SiteWorks", shards: Path) -> None:
    """As pages of any build are."""
    works.load()
    options = BuildOptions(jobs=2)
    render_shard(works.database, works.settings, works.public, Shard(1, 1), shards, options)
    build_site(works.database, works.settings, works.public, replace(options, shards=shards))
    assert works.tree() == works.clean_tree()
