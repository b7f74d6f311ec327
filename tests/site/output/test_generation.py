"""Generations: the published folder as a whole, what others keep in it, and the staging beside it."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from sitecms.errors import OutputFailed, OutputRefused
from sitecms.site.output.build_record import staging_tree, work_folder
from sitecms.site.output.generation import Generation
from sitecms.site.output.manifest import MANIFEST_NAME, read_manifest

Publish = Callable[..., Any]
TreeOf = Callable[[Path], dict[str, bytes]]
OLD = {"index.html": b"old home", "blog/a/index.html": b"a", "blog/b/index.html": b"b", "assets/x.css": b"x"}
NEW = {"index.html": b"new home", "blog/a/index.html": b"a", "blog/c/index.html": b"c", "assets/x.css": b"x"}


def test_publishing_exchanges_the_folders(publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
    """What changed is written, what is not planned any more is gone, and equal files stay the files they were."""
    out = tmp_path / "public"
    publish(out, OLD)
    assert tree_of(out) == OLD
    same = (out / "blog/a/index.html").stat()
    done = publish(out, NEW)
    assert (sorted(done.written), done.pruned) == (["blog/c/index.html", "index.html"], ("blog/b/index.html",))
    assert tree_of(out) == NEW
    assert not (out / "blog/b").exists()
    now = (out / "blog/a/index.html").stat()
    assert (now.st_ino, now.st_mtime_ns) == (same.st_ino, same.st_mtime_ns)
    assert read_manifest(out).outputs.keys() == NEW.keys()


def test_nothing_to_do_exchanges_nothing(publish: Publish, tmp_path: Path) -> None:
    """The folder stays the very folder."""
    out = tmp_path / "public"
    publish(out, OLD)
    inode = out.stat().st_ino
    publish(out, OLD)
    assert out.stat().st_ino == inode
    publish(out, NEW)
    assert out.stat().st_ino != inode


def test_open_folder_keeps_its_generation(publish: Publish, tmp_path: Path) -> None:
    """A reader that goes through an opened folder is not disturbed by the build that publishes the next one."""
    out = tmp_path / "public"
    publish(out, OLD)
    publish(out, NEW)
    handle = os.open(out, os.O_RDONLY)
    publish(out, OLD)
    seen = {}
    for path in NEW:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags, dir_fd=handle)) as file:
            seen[path] = file.read()
    os.close(handle)
    assert seen == NEW


def test_staging_directory_shares_unchanged_files(publish: Publish, tmp_path: Path) -> None:
    """Files that did not change are one file with two names."""
    out = tmp_path / "public"
    for files in (OLD, NEW, OLD, NEW):
        publish(out, files)
    staging = staging_tree(out)
    assert (staging / "blog/a/index.html").stat().st_ino == (out / "blog/a/index.html").stat().st_ino
    assert (staging / "index.html").read_bytes() == b"old home"
    assert (out / "index.html").read_bytes() == b"new home"


def test_working_folder_is_private(publish: Publish, tmp_path: Path) -> None:
    """Only its owner may look in, and git passes it by."""
    publish(tmp_path / "public", OLD)
    work = work_folder(tmp_path / "public")
    assert work.name == ".public.sitecms"
    assert work.stat().st_mode & 0o777 == 0o700
    assert (work / ".gitignore").read_text() == "*\n"


def lose_it(work: Path) -> None:
    shutil.rmtree(work)


def lose_record(work: Path) -> None:
    (work / "record.json").unlink()


def break_record(work: Path) -> None:
    (work / "record.json").write_text('{"format": 1, "published": ')


def empty_staging(work: Path) -> None:
    shutil.rmtree(work / "tree")
    (work / "tree").mkdir()


def half_made(work: Path) -> None:
    (work / "tree" / MANIFEST_NAME).unlink()
    (work / "tree" / "blog/a/index.html").unlink()


def edit_staging(work: Path) -> None:
    page = work / "tree" / "blog/a/index.html"
    page.unlink()
    page.write_bytes(b"?")


def add_to_staging(work: Path) -> None:
    (work / "tree" / "blog" / "a" / "b").mkdir()
    (work / "tree" / "blog" / "a" / "b" / "stray").symlink_to("/")


def link_in_staging(work: Path) -> None:
    shutil.move(work / "tree" / "blog", work / "elsewhere")
    (work / "tree" / "blog").symlink_to(work / "elsewhere")


def staging_is_a_link(work: Path) -> None:
    (work / "tree").rename(work / "elsewhere")
    (work / "tree").symlink_to(work / "elsewhere")


def staging_is_a_file(work: Path) -> None:
    shutil.rmtree(work / "tree")
    (work / "tree").write_text("?")


def published_is_a_copy(work: Path) -> None:
    out = work.parent / "public"
    shutil.copytree(out, work.parent / "copy")
    shutil.rmtree(out)
    (work.parent / "copy").rename(out)


@pytest.mark.parametrize(
    "harm",
    [
        lose_it, lose_record, break_record, empty_staging, half_made, edit_staging, add_to_staging, link_in_staging,
        staging_is_a_link, staging_is_a_file, published_is_a_copy,
    ],
)  # fmt: skip
def test_unusable_staging_directory_is_rebuilt(
    publish: Publish, tree_of: TreeOf, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """Whatever became of it, the next generations are right to the byte."""
    out = tmp_path / "public"
    publish(out, OLD)
    publish(out, NEW)
    harm(work_folder(out))
    for files in (OLD, NEW, OLD):
        publish(out, files)
        assert {path: data for path, data in tree_of(out).items() if "stray" not in path} == files
        assert not (out / "blog").is_symlink()


def test_edited_output_of_equal_size_is_rewritten(publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
    """In place, by another file, or by a link; and its twin in the staging does not come back later."""
    out = tmp_path / "public"
    publish(out, OLD)
    publish(out, NEW)
    later = (out / MANIFEST_NAME).stat().st_mtime_ns + 10_000_000
    (out / "blog/a/index.html").write_bytes(b"?")
    (out / "blog/c/index.html").unlink()
    (out / "blog/c/index.html").write_bytes(b"?")
    (out / "assets/x.css").unlink()
    (out / "assets/x.css").symlink_to(out / "blog/c/index.html")
    for path in ("blog/a/index.html", "blog/c/index.html"):
        os.utime(out / path, ns=(later, later))
    done = publish(out, NEW)
    assert sorted(done.written) == ["assets/x.css", "blog/a/index.html", "blog/c/index.html"]
    for files in (NEW, OLD, NEW, OLD):
        publish(out, files)
        assert tree_of(out) == files


def put_unmanaged(out: Path) -> dict[str, bytes]:
    """Files that people keep in a published folder."""
    files = {
        "CNAME": b"tide.example",
        ".git/HEAD": b"ref",
        ".git/objects/aa/bb": b"blob",
        ".well-known/security.txt": b"mail",
        "blog/a/notes.txt": b"mine",
    }
    for path, data in files.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(data)
    return files


def test_unmanaged_files_stay_in_every_generation(publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
    """Folders of others are the very folders, so that whoever works in one goes on in the published one."""
    out = tmp_path / "public"
    publish(out, OLD)
    unmanaged = put_unmanaged(out)
    (out / "latest").symlink_to("blog/a")
    (out / ".git/empty").mkdir()
    git = (out / ".git").stat().st_ino
    for files in (NEW, {"index.html": b"1"}, OLD, NEW):
        publish(out, files)
        assert {path: data for path, data in tree_of(out).items() if "latest" not in path} == files | unmanaged
        assert (out / ".git").stat().st_ino == git
        assert (out / "latest").readlink() == Path("blog/a")
        assert (out / ".git/empty").is_dir()


def test_changes_to_unmanaged_files_stay(publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
    """No older copy of it comes back from the staging."""
    out = tmp_path / "public"
    publish(out, OLD)
    put_unmanaged(out)
    publish(out, NEW)
    (out / "CNAME").unlink()
    shutil.rmtree(out / ".git")
    (out / ".well-known/security.txt").write_bytes(b"other mail")
    (out / "blog/a/notes.txt").rename(out / "blog/notes.txt")
    for files in (OLD, NEW, OLD):
        publish(out, files)
        assert tree_of(out) == files | {".well-known/security.txt": b"other mail", "blog/notes.txt": b"mine"}


def test_unmanaged_files_survive_a_lost_record(publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
    """They are looked for everywhere then."""
    out = tmp_path / "public"
    publish(out, OLD)
    unmanaged = put_unmanaged(out)
    for files in (NEW, OLD, NEW):
        shutil.rmtree(work_folder(out))
        publish(out, files)
        assert tree_of(out) == files | unmanaged


def test_files_put_into_the_staging_directory_are_kept(publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
    """A shell that stood in the published folder stands in the staging after a build."""
    out = tmp_path / "public"
    publish(out, OLD)
    handle = os.open(out, os.O_RDONLY)
    publish(out, NEW)
    os.close(os.open("blog/CNAME", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)
    for files in (OLD, NEW, OLD):
        publish(out, files)
        assert tree_of(out) == files | {"blog/CNAME": b""}


def test_unmanaged_file_is_not_overwritten(publish: Publish, tmp_path: Path) -> None:
    """An output that needs its place fails, unless the bytes are the same."""
    out = tmp_path / "public"
    publish(out, OLD)
    (out / "robots.txt").write_bytes(b"theirs")
    with pytest.raises(OutputRefused, match="not made by sitecms"):
        publish(out, {**OLD, "robots.txt": b"ours"})
    assert (out / "robots.txt").read_bytes() == b"theirs"
    publish(out, {**OLD, "robots.txt": b"theirs"})
    publish(out, {**OLD, "robots.txt": b"ours"})
    assert (out / "robots.txt").read_bytes() == b"ours"


@pytest.mark.parametrize("kind", ["link to a folder", "link to nothing", "file"])
def test_file_in_place_of_a_folder_stops_the_build(
    publish: Publish, tree_of: TreeOf, tmp_path: Path, kind: str
) -> None:
    """Nothing is written through a link out of the folder, and nothing is published."""
    out = tmp_path / "public"
    publish(out, OLD)
    publish(out, NEW)
    elsewhere = tmp_path / "elsewhere"
    if kind != "link to nothing":
        (out / "blog").rename(elsewhere)
    else:
        shutil.rmtree(out / "blog")
    if kind == "file":
        (out / "blog").write_bytes(b"theirs")
    else:
        (out / "blog").symlink_to(elsewhere)
    before = tree_of(elsewhere), (out / "index.html").read_bytes()
    with pytest.raises(OutputRefused, match=f"{out}/blog"):
        publish(out, OLD)
    assert (tree_of(elsewhere), (out / "index.html").read_bytes()) == before


def test_a_folder_where_a_file_belongs_stops_the_build(publish: Publish, tmp_path: Path) -> None:
    """Somebody's files may be in it."""
    out = tmp_path / "public"
    publish(out, OLD)
    (out / "index.html").unlink()
    (out / "index.html").mkdir()
    with pytest.raises(OutputRefused, match="is a folder where a file of the site belongs"):
        publish(out, NEW)


def test_an_output_folder_behind_a_link_is_exchanged_where_it_is(
    publish: Publish, tree_of: TreeOf, tmp_path: Path
) -> None:
    """The link stays."""
    (tmp_path / "srv").mkdir()
    (tmp_path / "srv/www").mkdir(mode=0o750)
    (tmp_path / "public").symlink_to("srv/www")
    for files in (OLD, NEW, OLD):
        publish(tmp_path / "public", files)
        assert tree_of(tmp_path / "srv/www") == files
    assert (tmp_path / "public").readlink() == Path("srv/www")
    assert (tmp_path / "srv/www").stat().st_mode & 0o777 == 0o750


def test_a_link_to_nothing_is_no_output_folder(publish: Publish, tmp_path: Path) -> None:
    """The message says what it is."""
    (tmp_path / "public").symlink_to("nowhere")
    with pytest.raises(OutputRefused, match="a broken link"):
        publish(tmp_path / "public", OLD)


@contextmanager
def mounted(*words: str | Path, at: Path, lacking: Callable[[str], None]) -> Iterator[None]:
    """Something mounted there, on a machine that lets us."""
    if os.geteuid() != 0 or subprocess.run(["mount", *words, at], capture_output=True).returncode:
        pytest.skip("mounting takes the superuser's rights")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", at], check=True)


@pytest.mark.parametrize("kind", ["tmpfs", "bind"])
def test_a_mount_point_is_refused_with_a_remedy(
    publish: Publish, tree_of: TreeOf, tmp_path: Path, lacking: Callable[[str], None], kind: str
) -> None:
    """As in a container: nothing is changed, and a folder inside of it, as the message says, is published."""
    out, other = tmp_path / "public", tmp_path / "other"
    out.mkdir()
    other.mkdir()
    words = ["-t", "tmpfs", "tmpfs"] if kind == "tmpfs" else ["--bind", str(other)]
    with mounted(*words, at=out, lacking=lacking):
        remedy = f"it is a mount point.*Mount the folder above it instead, {tmp_path}, or .*--output {out}/site"
        with pytest.raises(OutputRefused, match=remedy):
            publish(out, OLD)
        assert tree_of(out) == {}
        for files in (OLD, NEW):
            publish(out / "site", files)
            assert tree_of(out / "site") == files
    assert not work_folder(out).exists()


def test_a_full_disk_publishes_nothing(
    publish: Publish, tree_of: TreeOf, tmp_path: Path, lacking: Callable[[str], None]
) -> None:
    """The old generation stays as a whole, and with room again the next build publishes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    large = {f"{number}.html": bytes([number]) * 60_000 for number in range(12)}
    with mounted("-t", "tmpfs", "-o", "size=1m", "tmpfs", at=disk, lacking=lacking):
        out = disk / "public"
        publish(out, OLD)
        publish(out, NEW)
        (disk / "ballast").write_bytes(b"x" * 600_000)
        with pytest.raises(OutputFailed, match="no space left on device"):
            publish(out, large)
        assert tree_of(out) == NEW
        (disk / "ballast").unlink()
        publish(out, large)
        assert tree_of(out) == large


def test_a_parent_that_cannot_be_written_to_is_refused_with_a_remedy(repo: Path) -> None:
    """For whoever is not the superuser: a process without its rights builds."""
    program = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from sitecms.errors import OutputRefused
from tests.site.conftest import publish_files
out = Path(sys.argv[1])
if os.geteuid() == 0:
    os.chown(out, 65534, 65534)
    os.setuid(65534)
try:
    publish_files(out, {"index.html": b"one"})
except OutputRefused as error:
    print(error)
print(sorted(path.name for path in out.parent.rglob("*")))
"""
    with TemporaryDirectory() as folder:
        (Path(folder) / "www").mkdir()
        Path(folder).chmod(0o555)
        command = [sys.executable, "-c", program, str(Path(folder) / "www"), str(repo)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        Path(folder).chmod(0o755)
    error, names = done.stdout.splitlines()
    assert f"permission denied. Let the user who builds write to {folder}" in error
    assert names == "['www']"


def test_builds_at_once_leave_one_whole_generation(publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
    """Those that share no lock but the working folder's, too: the later one is told, or finds the former's result."""
    out = tmp_path / "public"
    generations = [{f"{name}.html": bytes([number]) for name in range(30)} for number in range(4)]
    refused = []

    def work(number: int) -> None:
        for turn in range(10):
            try:
                publish(out, generations[(number + turn) % 4])
            except OutputRefused as error:
                refused.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tree_of(out) in generations
    assert all("Build again" in text for text in refused)
    publish(out, OLD)
    assert tree_of(out) == OLD


class TestFurtherSteps:
    """Steps that add files made from other outputs."""

    @staticmethod
    def upper(generation: Generation) -> None:
        """Beside each output its text in capitals, made from as little as possible."""
        for path, made in generation.outputs().items():
            name = path + ".upper"
            if not generation.holds(name, made.fingerprint, "upper"):
                generation.add(name, generation.read(path).upper(), made.fingerprint, "upper")

    def test_they_follow_the_outputs(self, publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
        """ManifestEntry for what is new, kept for what stayed, pruned with what went, noted in the manifest."""
        out = tmp_path / "public"
        for files in (OLD, NEW, NEW, OLD):
            publish(out, files, further=self.upper)
            assert tree_of(out) == files | {path + ".upper": data.upper() for path, data in files.items()}
        inode = (out / "blog/a/index.html.upper").stat().st_ino
        publish(out, NEW, further=self.upper)
        assert (out / "blog/a/index.html.upper").stat().st_ino == inode
        assert read_manifest(out).outputs["index.html.upper"].step == "upper"
        publish(out, NEW)
        assert tree_of(out) == NEW

    def test_they_mend_their_files_where_nothing_else_is_to_do(
        self, publish: Publish, tree_of: TreeOf, tmp_path: Path
    ) -> None:
        """A lost one is added again."""
        out = tmp_path / "public"
        publish(out, OLD, further=self.upper)
        whole = tree_of(out)
        (out / "index.html.upper").unlink()
        publish(out, OLD, further=self.upper)
        assert tree_of(out) == whole

    def test_they_can_have_the_whole_site_as_a_folder(self, publish: Publish, tree_of: TreeOf, tmp_path: Path) -> None:
        """Before anyone else sees it, with what did not change."""
        out = tmp_path / "public"
        seen = []

        def index(generation: Generation) -> None:
            key = "".join(sorted(made.fingerprint for made in generation.outputs().values()))
            if not generation.holds_all("search", key):
                seen.append(tree_of(generation.tree()))
                generation.add("search/index", b" ".join(sorted(seen[-1].values())), key, "search")

        for files in (OLD, OLD, NEW):
            publish(out, files, further=index)
            assert tree_of(out).keys() == files.keys() | {"search/index"}
        without = [{path: data for path, data in tree.items() if path != "search/index"} for tree in seen]
        assert without[0] == OLD
        assert {path: without[1][path] for path in NEW} == NEW
        assert len(seen) == 2

    @pytest.mark.parametrize("path", ["index.html", "../outside", "a//b", "/etc/x"])
    def test_they_write_to_places_of_their_own(self, publish: Publish, tmp_path: Path, path: str) -> None:
        """Not over a page, and not out of the folder."""
        with pytest.raises(OutputRefused, match="not a path of its own"):
            publish(tmp_path / "public", OLD, further=lambda generation: generation.add(path, b"", "f", "upper"))
        assert not (tmp_path / "public").exists()
