"""The bundle of third-party scripts: its lock, what the build hook does without npm, and what it makes with it."""

import gzip
import importlib.util
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sitecms.studio.rendering import Assets

from .conftest import Browser, MakeBrowser

MAX_BYTES, MAX_PACKED = 600_000, 90_000
BUNDLE = Path("sitecms") / "studio" / "bundle"


class App:
    """What hatchling gives a hook to speak with."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def display_warning(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture
def module(repo: Path, tmp_path: Path) -> ModuleType:
    """The hook as in a checkout in which nothing was bundled."""
    folder = tmp_path / "studio" / "bundle"
    shutil.copytree(repo / BUNDLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    spec = importlib.util.spec_from_file_location("build_hook_of_test", folder / "build_hook.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture
def without_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which npm is not installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SITECMS_STUDIO_BUNDLE", raising=False)


def build(module: ModuleType, tmp_path: Path) -> list[str]:
    """What the hook says when the package is built."""
    app: Any = App()
    hook = module.StudioBundleHook(str(tmp_path), {}, None, None, str(tmp_path), "wheel", app)
    hook.initialize("standard", {})
    return list(app.said)


def test_lock_names_exact_versions_and_digests_and_no_address(repo: Path) -> None:
    """Whoever has another registry uses the same lock; nothing else than what it names is ever bundled."""
    text = (repo / BUNDLE / "package-lock.json").read_text(encoding="utf-8")
    wanted = json.loads((repo / BUNDLE / "package.json").read_text(encoding="utf-8"))
    packages = json.loads(text)["packages"]
    assert "://" not in text
    named = {**wanted["dependencies"], **wanted["devDependencies"]}
    assert {name: packages[f"node_modules/{name}"]["version"] for name in named} == named
    assert all(re.fullmatch(r"sha512-[\w+/]{86}==", each["integrity"]) for path, each in packages.items() if path)


@pytest.mark.usefixtures("without_npm")
def test_build_without_npm_goes_on_and_says_so_once(module: ModuleType, tmp_path: Path) -> None:
    """One line; nothing is written."""
    (line,) = build(module, tmp_path)
    assert line.endswith("plain text areas take its place: npm is not installed.")
    assert not module.OUTPUT.exists()


@pytest.mark.usefixtures("without_npm")
def test_release_refuses_to_lack_the_bundle(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable makes it an error; it may also ask for no bundle; another word is refused."""
    monkeypatch.setenv("SITECMS_STUDIO_BUNDLE", "require")
    with pytest.raises(module.BundleError, match="npm is not installed"):
        build(module, tmp_path)
    monkeypatch.setenv("SITECMS_STUDIO_BUNDLE", "skip")
    assert build(module, tmp_path) == []
    monkeypatch.setenv("SITECMS_STUDIO_BUNDLE", "yes")
    with pytest.raises(module.BundleError, match="Set it to require or skip"):
        build(module, tmp_path)


@pytest.mark.slow
def test_bundle_is_made_of_the_lock_and_kept_until_it_changes(
    module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: Callable[[str], None]
) -> None:
    """With npm: two scripts and a style within the budget, every license; the next build needs no npm."""
    monkeypatch.delenv("SITECMS_STUDIO_BUNDLE", raising=False)
    said = build(module, tmp_path)
    if said:
        lacking(said[0])
    sizes = {path.name: len(path.read_bytes()) for path in module.OUTPUT.iterdir()}
    packed = {path.name: len(gzip.compress(path.read_bytes())) for path in module.OUTPUT.glob("*.js")}
    assert sizes.keys() == {"LICENSES.txt", "digest.txt", "idiomorph.js", "prosemirror.css", "prosemirror.js"}
    assert sum(sizes.values()) <= MAX_BYTES
    assert sum(packed.values()) <= MAX_PACKED
    licenses = (module.OUTPUT / "LICENSES.txt").read_text(encoding="utf-8")
    packages = json.loads((module.FOLDER / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for path, package in packages.items():
        assert (f"{path.removeprefix('node_modules/')} {package.get('version')} (" in licenses) == (
            path != "" and not package.get("dev", False)
        )
    made = module.OUTPUT.stat().st_mtime_ns
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build(module, tmp_path) == []
    assert module.OUTPUT.stat().st_mtime_ns == made
    entry = module.FOLDER / "idiomorph.js"
    entry.write_text(entry.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert build(module, tmp_path) != []


def test_scripts_share_one_digest_so_that_they_import_each_other(tmp_path: Path) -> None:
    """A file that changes gives all of them new addresses; files of other types are not served."""
    (tmp_path / "vendor").mkdir()
    (tmp_path / "a.js").write_text("import './vendor/b.js';", encoding="utf-8")
    (tmp_path / "vendor" / "b.js").write_text("1;", encoding="utf-8")
    (tmp_path / "vendor" / "digest.txt").write_text("x", encoding="utf-8")
    before = Assets(tmp_path)
    _, _, _, digest, name = before.address("a.js").split("/", 4)
    assert before.address("vendor/b.js") == f"/studio/assets/{digest}/vendor/b.js"
    assert "vendor/digest.txt" not in before
    assert "vendor/b.js" in before
    (tmp_path / "vendor" / "b.js").write_text("2;", encoding="utf-8")
    after = Assets(tmp_path)
    assert after.address("a.js") != before.address("a.js")
    assert after.response(digest, name) is None


def test_scripts_are_sent_packed_and_without_comments(tmp_path: Path) -> None:
    """Comments on lines of their own are left out, lines keep their numbers, and texts with slashes stay."""
    (tmp_path / "a.js").write_text(
        '// One.\nimport { b } from "./vendor/b.js";\n\n/**\n * Two.\n */\nb("https://x/"); // three\n',
        encoding="utf-8",
    )
    assert Assets(tmp_path).scripts_of("a.js") == ()
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "b.js").write_text("// kept\n", encoding="utf-8")
    assets = Assets(tmp_path)
    assert assets.scripts_of("a.js") == ("a.js", "vendor/b.js")
    _, _, _, digest, _ = assets.address("a.js").split("/")
    plain, packed = (assets.response(digest, "a.js", is_packed=each) for each in (False, True))
    assert plain is not None
    assert packed is not None
    expected = b'\nimport { b } from "./vendor/b.js";\n\n\n\n\nb("https://x/"); // three\n'
    assert (plain.data, plain.headers.get("Content-Encoding")) == (expected, None)
    assert (gzip.decompress(packed.data), packed.headers["Content-Encoding"]) == (expected, "gzip")
    vendor = assets.response(digest, "vendor/b.js")
    assert vendor is not None
    assert vendor.data == b"// kept\n"


def test_forms_of_posts_stay_within_their_budgets() -> None:
    """All that the form of a post loads: at most 120 KB of scripts, packed, 30 KB with Markdown; 15 KB of styles."""
    assets = Assets()

    def packed(name: str) -> int:
        response = assets.response(assets.address(name).split("/")[3], name, is_packed=True)
        assert response is not None
        return len(response.data)

    beside = ("studio", "writing", "references", "rows", "entry-page", "autosave", "presence", "ticker")
    always = {script for name in beside for script in assets.scripts_of(f"{name}.js")}
    for editor, most in (("markdown-source.js", 30_000), ("rich-text.js", 120_000)):
        assert sum(map(packed, always.union(assets.scripts_of(editor)))) <= most
    styles = ("studio.css", "writing.css", "blocks.css", "entry.css", "media.css", "vendor/prosemirror.css")
    assert sum(packed(name) for name in styles if name in assets) <= 15_000


def test_pages_load_few_scripts(editor: Browser, browser: MakeBrowser) -> None:
    """Lists at most 15 KB, packed, forms at most 30 KB, the sign-in none."""
    guest = browser()
    guest.get("/studio/sign-in/")
    assert "<script" not in guest.page
    for path, most in (("posts/", 15_000), ("posts/new/", 30_000)):
        editor.get(f"/studio/{path}")
        addresses = re.findall(r'<script type="module" src="([^"]+)"', editor.page)
        assert 0 < sum(len(gzip.compress(editor.client.get(each).data)) for each in addresses) <= most
