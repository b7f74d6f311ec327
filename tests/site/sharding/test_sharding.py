"""Shards: they make the site that one machine would build, or the build that finishes reports the problem."""

import shutil
import threading
from collections.abc import Callable, Iterator
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

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
    from tests.support.sites import ExampleSite

SAMPLE = Path(__file__).parents[3] / "sample_site"


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """The folder of all shards."""
    return tmp_path / "shards"


@pytest.fixture(scope="module")
def sample(
    tmp_path_factory: pytest.TempPathFactory,
    open_example: Callable[[Path], "ExampleSite"],
    lend_derived: Callable[[Path], None],
) -> Iterator["ExampleSite"]:
    """The sample site, loaded and built by one machine; with compressed copies, without search."""
    folder = tmp_path_factory.mktemp("sharding") / "site"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns(".sitecms", "public"))
    lend_derived(folder)
    settings = folder / "site.toml"
    settings.write_text(
        settings.read_text("utf-8") + '\n[search]\nenabled = false\n[delivery]\nprecompress = ["gz"]\n', "utf-8"
    )
    example = open_example(folder)
    example.load()
    assert example.build(jobs=2).failed == {}
    yield example
    example.database.close()


def test_two_shards_make_the_site_of_one_machine(example: "ExampleSite", machine: Machine, shards: Path) -> None:
    """Each on a machine that has built nothing; the next build finds nothing to do."""
    example.settings_are(share_images={"enabled": True})
    example.make()
    one, other = machine(), machine()
    assert shard(one, 1, 2, shards).failed == {}
    assert shard(other, 2, 2, shards).failed == {}
    assert finish(other, shards).failed == {}
    assert published(other.public) == published(example.public)
    again = other.build()
    assert (again.written, again.pruned) == (0, 0)


@pytest.mark.slow
def test_shards_of_machines_that_share_nothing_make_the_same_site(
    sample: "ExampleSite", shards: Path, tmp_path: Path, open_example: Callable[[Path], "ExampleSite"]
) -> None:
    """Pages, images, share images and manifest are equal, byte for byte; the next build finds nothing to do."""
    crew = [another_machine(sample, tmp_path / f"machine-{number}", open_example) for number in range(3)]
    made = [shard(example, number, 3, shards) for number, example in enumerate(crew, 1)]
    assert all(report.failed == {} for report in made)
    last = crew[-1]
    shutil.rmtree(last.settings.derived_dir)
    assert finish(last, shards).failed == {}
    assert published(last.public) == published(sample.public)
    again = last.build()
    assert (again.written, again.pruned) == (0, 0)
    for example in crew:
        example.database.close()


@pytest.mark.slow
def test_shards_that_know_all_images_leave_nothing_to_render(
    sample: "ExampleSite", shards: Path, tmp_path: Path, open_example: Callable[[Path], "ExampleSite"]
) -> None:
    """Each derives the images of its pages first; then every page comes from one shard."""
    crew = [another_machine(sample, tmp_path / f"machine-{number}", open_example) for number in range(3)]
    for number, example in enumerate(crew, 1):
        shard(example, number, 3, shards, images_only=True)
    derived = [{path.name for path in example.settings.derived_dir.glob("*-*")} for example in crew]
    wanted = {path.name for path in sample.settings.derived_dir.glob("*-*")}
    assert set().union(*derived) == wanted
    assert all(len(each) < len(wanted) * 0.7 for each in derived)
    sheets: dict[str, str] = {}
    for number, example in enumerate(crew, 1):
        shard(example, number, 3, shards)
        pages = read_shard_manifest(shards / f"{number}-of-3", Shard(number, 3)).pages
        assert not sheets.keys() & pages.keys()
        sheets |= {path: made.split()[0] for path, made in pages.items()}
        example.database.close()
    made = {path: each.fingerprint for path, each in read_manifest(sample.public).outputs.items() if not each.step}
    assert sheets.items() <= made.items()
    assert {path for path in made if path.endswith(".html")} <= sheets.keys()


def test_every_page_belongs_to_one_shard(example: "ExampleSite") -> None:
    """This holds for any number of shards, also for more than posts."""
    example.load()
    with example.database.reading() as session:
        snapshot = take_snapshot(session)
    pages = make_plan(snapshot, example.settings, load_theme(example.folder, example.settings.theme)).pages
    for count in (1, 2, 5, 50):
        division = ShardPartition(snapshot, example.settings, count)
        owners = [[n for n in range(1, count + 1) if division.contains(Shard(n, count), job)] for job in pages]
        assert all(len(each) == 1 for each in owners)
        assert count > 5 or len({each[0] for each in owners}) == count


def test_shards_render_only_changed_pages(example: "ExampleSite", machine: Machine, shards: Path) -> None:
    """Published pages stay, deleted ones are pruned, and the result is that of one machine."""
    example.make()
    everything = len([path for path in example.tree() if path.endswith(".html")])
    example.post("ebb", "Out it went.", published="2026-02-03T08:00:00Z", author="ann-ray", categories=["Tides"])
    example.remove("content/posts/calm.md")
    example.load(prune=True)
    made = [shard(example, number, 2, shards) for number in (1, 2)]
    assert 0 < sum(report.made for report in made) < everything
    assert sum(report.current for report in made) > 0
    report = finish(example, shards)
    assert report.failed == {}
    assert "blog/calm/index.html" not in example.tree()
    other = machine()
    other.build()
    assert published(example.public) == published(other.public)


@pytest.mark.slow
def test_a_killed_shard_can_be_run_again(example: "ExampleSite", shards: Path) -> None:
    """The shards are not published before; half a shard does no harm."""
    example.load()

    def killed(_phase: str, done: int, _all: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    shard(example, 1, 2, shards)
    with pytest.raises(KeyboardInterrupt):
        render_shard(
            example.database,
            example.settings,
            example.public,
            Shard(2, 2),
            shards,
            BuildOptions(jobs=1, progress=killed),
        )
    with pytest.raises(ConfigurationError, match=r"2/2 is not complete: .*Run it again: sitecms build --shard 2"):
        finish(example, shards)
    assert not example.public.exists()
    shard(example, 2, 2, shards)
    finish(example, shards)
    assert example.tree() == example.clean_tree()


@pytest.mark.slow
def test_a_shard_is_not_rendered_twice_at_once(example: "ExampleSite", shards: Path) -> None:
    """The second process is refused."""
    example.load()
    shard(example, 1, 1, shards)
    with (shards / "1-of-1" / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        with pytest.raises(OutputRefused, match="Another process renders this shard"):
            shard(example, 1, 1, shards)


@pytest.mark.slow
def test_two_builds_that_finish_at_once_publish_one_site(example: "ExampleSite", shards: Path) -> None:
    """One waits for the other, and finds nothing to do."""
    example.load()
    for number in (1, 2):
        shard(example, number, 2, shards)
    written: list[int] = []

    def run() -> None:
        written.append(finish(example, shards).written)
        example.database.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(written)[0] == 0
    assert sorted(written)[1] > 0
    assert example.tree() == example.clean_tree()


def refused(example: "ExampleSite", shards: Path) -> str:
    """Return the message of the error that prevents publishing."""
    with pytest.raises(ConfigurationError) as caught:
        finish(example, shards)
    assert not example.public.exists()
    return str(caught.value)


def test_shards_of_another_snapshot_are_refused(example: "ExampleSite", machine: Machine, shards: Path) -> None:
    """The message names the shard and its change; another copy of the store is refused too."""
    example.load()
    other = machine()
    shard(example, 1, 2, shards)
    example.post("new")
    example.load()
    shard(example, 2, 2, shards)
    assert "The shard 1/2 was built from change " in refused(example, shards)
    other.post("newer")
    other.load()
    shard(other, 1, 2, shards)
    assert "1/2 was built from another store, or another copy of it" in refused(example, shards)


@pytest.mark.slow
def test_shards_of_other_settings_or_another_theme_are_refused(example: "ExampleSite", shards: Path) -> None:
    """The message names the difference."""
    example.load()
    moved = replace(example.settings, url="https://elsewhere.example")
    render_shard(example.database, moved, example.public, Shard(1, 1), shards, BuildOptions(jobs=1))
    assert "The shard 1/1 was built with other settings (site.toml, --base-url)" in refused(example, shards)
    shard(example, 1, 1, shards)
    example.write("templates/post.html", "{{ post.card.title }}")
    assert "built with another theme" in refused(example, shards)


def test_missing_or_invalid_shards_are_named(example: "ExampleSite", shards: Path) -> None:
    """No shards, some of them, those of two builds, and an unknown folder."""
    example.load()
    assert "There are no shards in" in refused(example, shards)
    shard(example, 2, 3, shards)
    assert "lacks the shards 1/3, 3/3" in refused(example, shards)
    shard(example, 1, 2, shards)
    assert "several builds, *-of-2 and *-of-3" in refused(example, shards)
    shutil.rmtree(shards / "2-of-3")
    (shards / "2-of-2").mkdir()
    assert "The shard 2/2 is not complete" in refused(example, shards)
    (shards / "2-of-2" / "shard.json").write_text('{"pages": []}', "utf-8")
    assert "cannot be read as the manifest of a shard" in refused(example, shards)
    shutil.copy(shards / "1-of-2" / "shard.json", shards / "2-of-2")
    assert "is that of another shard" in refused(example, shards)


def test_a_damaged_page_fails_only_that_page(example: "ExampleSite", shards: Path) -> None:
    """The message names the shard, and the page published before stays."""
    example.make()
    example.write("templates/post.html", "<p>{{ post.card.title }}</p>")
    shard(example, 1, 1, shards)
    pages = shards / "1-of-1" / "pages" / "blog"
    (pages / "ebb" / "index.html").write_bytes(b"<p>Eb")
    (pages / "flow" / "index.html").unlink()
    before = example.text("blog/ebb/index.html")
    report = finish(example, shards)
    assert list(report.failed) == ["blog/ebb/index.html", "blog/flow/index.html"]
    assert "its file in shard 1/1 is damaged" in report.failed["blog/ebb/index.html"]
    assert "shard 1/1 no longer has it" in report.failed["blog/flow/index.html"]
    assert example.text("blog/ebb/index.html") == before
    assert example.text("blog/gale/index.html") == "<p>Gale</p>"


def test_page_that_a_shard_cannot_render_is_reported_twice(example: "ExampleSite", shards: Path) -> None:
    """The shard reports it, and so does the build that finishes, which tries it again."""
    example.load()
    example.write("templates/post.html", "{{ post.card.title }}{{ 1 // (post.card.title != 'Ebb') }}")
    assert list(shard(example, 1, 1, shards).failed) == ["blog/ebb/index.html"]
    assert list(finish(example, shards).failed) == ["blog/ebb/index.html"]


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "1/", "-1/2", "1/2/3", "01/2", "1/2 ", "1/5000", "x"])
def test_only_a_number_and_a_count_name_a_shard(text: str) -> None:
    """The numbers start at 1 and end with the count."""
    assert parse_shard(text) is None
    assert parse_shard("2/3") == Shard(2, 3)


def test_shards_are_rendered_by_several_processes(example: "ExampleSite", shards: Path) -> None:
    """This is the same as in other builds."""
    example.load()
    options = BuildOptions(jobs=2)
    render_shard(example.database, example.settings, example.public, Shard(1, 1), shards, options)
    build_site(example.database, example.settings, example.public, replace(options, shards=shards))
    assert example.tree() == example.clean_tree()
