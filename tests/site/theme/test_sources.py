"""Themes from elsewhere: what is copied into a site, what never is, and what pins it."""

import os
import tomllib
from pathlib import Path

import pytest

from sitecms.errors import Conflict, GitFailed, InvalidFiles, NotFound
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.settings.theme_folder import installed_themes
from sitecms.site.theme.sources import Limits, add_theme, find_source, is_changed
from tests.support.git import GIT, commit_all, git, make_repository

FILES = {
    "theme.toml": 'name = "sea"\nversion = "1.2"\nextends = "default"\n',
    "templates/year.html": "sea",
    "assets/style.css": "b { top: 0 }",
    "translations/es.po": 'msgid "Share"\nmsgstr "Comparte"\n',
    "LICENSE": "MIT",
    "setup.py": "raise SystemExit",
    "node_modules/x/templates/a.html": "no",
}
COPIED = {"theme.toml", "templates/year.html", "assets/style.css", "translations/es.po", "LICENSE", "source.toml"}


@pytest.fixture
def tide(tmp_path: Path) -> SiteSettings:
    """A site without themes of its own."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "site.toml").write_text('name = "Tide"\n', "utf-8")
    return load_settings(folder)


def make_files(folder: Path, **more: str) -> Path:
    for name, text in {**FILES, **more}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def test_a_theme_of_a_folder_is_copied_with_its_source(tmp_path: Path, tide: SiteSettings) -> None:
    """Its own parts and licences; links are left out by name, and lead nowhere."""
    theme = make_files(tmp_path / "elsewhere")
    (tmp_path / "secret").write_text("secret", "utf-8")
    (theme / "assets/secret.css").symlink_to(tmp_path / "secret")
    (theme / "templates/outside").symlink_to(tmp_path)
    added = add_theme(tide, str(theme))
    copy = tide.folder / "themes/sea"
    assert tree(copy) == COPIED
    assert added.left_out == {"assets/secret.css": "is a link", "templates/outside": "is a link"}
    source = tomllib.loads((copy / "source.toml").read_text("utf-8"))
    assert source["source"] == str(theme)
    assert source["digest"].startswith("sha256:")
    assert (added.theme.name, added.theme.path) == ("sea", "themes/sea")
    assert not list(tide.state_dir.glob("theme-*"))


def test_a_theme_that_was_changed_in_the_site_is_not_replaced(tmp_path: Path, tide: SiteSettings) -> None:
    """Unless one insists; one that is as it was added is replaced by the next version."""
    theme = make_files(tmp_path / "elsewhere")
    add_theme(tide, str(theme))
    copy = tide.folder / "themes/sea"
    make_files(theme, **{"templates/year.html": "new"})
    assert not is_changed(copy)
    add_theme(tide, str(theme))
    assert (copy / "templates/year.html").read_text("utf-8") == "new"
    (copy / "templates/year.html").write_text("mine", "utf-8")
    assert is_changed(copy)
    with pytest.raises(Conflict, match="themes/sea exists already, and is not as it was added"):
        add_theme(tide, str(theme))
    assert (copy / "templates/year.html").read_text("utf-8") == "mine"
    add_theme(tide, str(theme), force=True)
    assert (copy / "templates/year.html").read_text("utf-8") == "new"


@pytest.mark.parametrize(
    ("manifest", "error"),
    [('nam = "sea"', 'nam: is not a known key (did you mean "name"?)'), ('name = "../sea"', 'name: is "../sea"')],
)
def test_a_theme_with_errors_is_not_added(tmp_path: Path, tide: SiteSettings, manifest: str, error: str) -> None:
    """They name its theme.toml; the site stays as it is."""
    theme = make_files(tmp_path / "elsewhere", **{"theme.toml": manifest})
    with pytest.raises(InvalidFiles) as caught:
        add_theme(tide, str(theme))
    assert error in str(caught.value)
    assert not (tide.folder / "themes").exists()
    (theme / "theme.toml").unlink()
    with pytest.raises(NotFound, match=r"is no theme: it has no theme\.toml"):
        add_theme(tide, str(theme))


def test_a_theme_of_a_package_is_copied(tmp_path: Path, tide: SiteSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name, with its version; the package is not imported, and its modules stay where they are."""
    make_files(tmp_path / "packages/sea_theme", **{"__init__.py": "raise SystemExit('imported')"})
    facts = tmp_path / "packages/sea_theme-1.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: sea-theme\nVersion: 1.2\n", "utf-8")
    (facts / "entry_points.txt").write_text("[sitecms.themes]\nsea = sea_theme\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    installed_themes.cache_clear()
    try:
        added = add_theme(tide, "sea")
        with pytest.raises(NotFound, match='did you mean "sea"'):
            add_theme(tide, "seaa")
    finally:
        installed_themes.cache_clear()
    assert (added.source.source, added.source.version) == ("sea", "1.2")
    assert tree(tide.folder / "themes/sea") == COPIED


@pytest.mark.parametrize("source", ["http://tide.example/sea.git", "git://tide.example/sea.git", "ext::sh -c id"])
def test_other_protocols_are_refused(tide: SiteSettings, source: str) -> None:
    """Nothing is run or requested."""
    with pytest.raises(NotFound, match="Themes are fetched by https or ssh, or from a folder"):
        add_theme(tide, source)


@GIT
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://ann:se@cret@127.0.0.1:1/sea.git", "https://127.0.0.1:1/sea.git"),
        ("HTTPS://ann:secret@127.0.0.1:1/sea.git", "HTTPS://127.0.0.1:1/sea.git"),
        ("https://secret@127.0.0.1:1/sea.git", "https://127.0.0.1:1/sea.git"),
        ("ssh://ann:se@cret@127.0.0.1:1/sea.git", "ssh://ann@127.0.0.1:1/sea.git"),
    ],
)
def test_messages_have_no_password(tide: SiteSettings, address: str, shown: str) -> None:
    """An address that cannot be reached is named without what only its owner may know."""
    with pytest.raises(GitFailed) as caught:
        add_theme(tide, address)
    assert f"cannot be fetched from {shown}: " in str(caught.value)
    assert "cret" not in str(caught.value)


@GIT
def test_a_theme_of_a_repository_is_that_of_a_commit(tmp_path: Path, tide: SiteSettings) -> None:
    """The newest, or one that is named by its id, the beginning of it, a tag or a branch."""
    folder = make_repository(tmp_path / "repository", FILES)
    git(folder, "tag", "v1")
    first = git(folder, "rev-parse", "HEAD")
    (folder / "templates/year.html").write_text("newer", "utf-8")
    commit_all(folder, "Change it")
    last = git(folder, "rev-parse", "HEAD")
    (folder / "templates/year.html").write_text("not committed", "utf-8")
    address = f"file://{folder}"
    for ref, commit, text in (
        ("", last, "newer"), ("@v1", first, "sea"), ("@main", last, "newer"), (f"@{first}", first, "sea"),
        (f"@{first[:10]}", first, "sea"),
    ):  # fmt: skip
        added = add_theme(tide, address + ref)
        copy = tide.folder / "themes/sea"
        assert added.source.commit == commit
        assert (copy / "templates/year.html").read_text("utf-8") == text
        assert tree(copy) == COPIED
        source = find_source(copy)
        assert source is not None
        assert (source.source, source.commit) == (address, commit)
    assert add_theme(tide, f"{folder}@v1").source.commit == first
    with pytest.raises(GitFailed, match=r'cannot be fetched from .*: it has no commit, tag or branch "nowhere"\.$'):
        add_theme(tide, f"{address}@nowhere")


@GIT
def test_nothing_of_a_repository_runs_and_nothing_leads_out_of_it(tmp_path: Path, tide: SiteSettings) -> None:
    """Neither hooks nor filters; links and repositories in it are left out, and so are paths that leave the folder."""
    trap = tmp_path / "trap"
    folder = make_repository(tmp_path / "repository", {**FILES, ".gitattributes": "* filter=evil text eol=crlf\n"})
    (folder / "assets/passwd.css").symlink_to("/etc/passwd")
    commit_all(folder, "Link")
    for hook in ("post-checkout", "reference-transaction", "post-index-change", "pre-push"):
        path = folder / ".git/hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {trap}\n", "utf-8")
        path.chmod(0o755)
    git(folder, "config", "filter.evil.smudge", f"touch {trap}")
    git(folder, "config", "uploadpack.packObjectsHook", f"touch {trap};")
    blob = git(folder, "hash-object", "-w", "templates/year.html")
    inner = git(folder, "rev-parse", "HEAD")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{inner},templates/module")
    git(folder, "commit", "--quiet", "--message", "Module", "--no-verify")
    assert blob
    trap.unlink(missing_ok=True)
    added = add_theme(tide, f"file://{folder}")
    assert not trap.exists()
    assert added.left_out == {"assets/passwd.css": "is a link", "templates/module": "is a repository of its own"}
    assert (tide.folder / "themes/sea/assets/style.css").read_bytes() == FILES["assets/style.css"].encode()


@GIT
def test_a_large_repository_is_refused(tmp_path: Path, tide: SiteSettings) -> None:
    """By its files, and already while it is fetched: Git may write no more than a theme may take."""
    limits = Limits(bytes=100_000)
    folder = make_repository(tmp_path / "repository", FILES)
    (folder / "assets/noise.bin").write_bytes(os.urandom(400_000))
    commit_all(folder, "Noise")
    with pytest.raises(GitFailed, match="The theme cannot be fetched"):
        add_theme(tide, f"file://{folder}", limits=limits)
    (folder / "assets/noise.bin").write_bytes(b"\0" * 400_000)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--amend", "--message", "Zeros")
    with pytest.raises(InvalidFiles, match="has more than 5,000 files or 100,000 bytes"):
        add_theme(tide, f"file://{folder}", limits=limits)
    assert not (tide.folder / "themes").exists()
