"""Build hook: bundle the third-party JavaScript of the studio while the package is built.

npm fetches the versions that `package-lock.json` names and compares them with its SHA-512 digests; no script of a
package runs. esbuild makes one file of each entry point. The result is in `studio/assets/vendor`, which git ignores
and wheel and source archive carry. A bundle that is there already for the same lock and entry points is kept.

Without npm or network the build goes on without a bundle, and rich text is then written as HTML in plain text areas.
SITECMS_STUDIO_BUNDLE=require makes that an error, as releases need; SITECMS_STUDIO_BUNDLE=skip bundles nothing.
`python sitecms/studio/bundle/build_hook.py` makes the bundle again.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path(__file__).resolve().parent
OUTPUT = FOLDER.parent / "assets" / "vendor"
LOCK = "package-lock.json"
ENTRY_POINTS = ("prosemirror.js", "prosemirror.css", "idiomorph.js")
DIGEST_FILE, LICENSES_FILE = "digest.txt", "LICENSES.txt"
VARIABLE = "SITECMS_STUDIO_BUNDLE"
_NPM = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--include=dev", "--include=optional")
_FEW_RETRIES = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000")
_ESBUILD = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--charset=utf8", "--legal-comments=inline")
_TIMEOUT_SECONDS = 120
_LICENSE_NAMES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING")


class BundleError(Exception):
    """The bundle cannot be made here."""


class StudioBundleHook(BuildHookInterface):  # type: ignore[type-arg]
    """Hook of hatchling that bundles before wheels, source archives and editable installs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's interface
        """Make the bundle if it is missing or older than the lock. Raises BundleError where it is required."""
        wish = os.environ.get(VARIABLE, "")
        if wish not in ("", "require", "skip"):
            raise BundleError(f"{VARIABLE} is {wish!r}. Set it to require or skip, or leave it out.")
        if wish == "skip" or is_current():
            return
        try:
            bundle()
        except BundleError as error:
            if wish == "require":
                raise
            self.app.display_warning(f"Rich text of the studio is left out, plain text areas take its place: {error}")


def is_current() -> bool:
    """Return whether there is a bundle of the lock and the entry points as they are."""
    try:
        return (OUTPUT / DIGEST_FILE).read_text(encoding="ascii") == _digest()
    except FileNotFoundError:
        return False


def bundle() -> None:
    """Fetch the packages, bundle them and replace the bundle that is there. Raises BundleError."""
    npm = shutil.which("npm")
    if npm is None:
        raise BundleError("npm is not installed.")
    with TemporaryDirectory(prefix="sitecms-studio-") as name:
        work = Path(name)
        for file in ("package.json", LOCK, *ENTRY_POINTS):
            shutil.copy(FOLDER / file, work)
        _run(npm, *_NPM, *_FEW_RETRIES, folder=work)
        esbuild = shutil.which("esbuild", path=str(work / "node_modules" / ".bin"))
        if esbuild is None:
            raise BundleError("npm did not install esbuild.")
        _run(esbuild, *ENTRY_POINTS, *_ESBUILD, "--outdir=made", folder=work)
        made = work / "made"
        (made / LICENSES_FILE).write_text("\n".join(_licenses(work)), encoding="utf-8")
        (made / DIGEST_FILE).write_text(_digest(), encoding="ascii")
        shutil.rmtree(OUTPUT, ignore_errors=True)
        shutil.copytree(made, OUTPUT)


def _digest() -> str:
    """Return the digest of all that the bundle is made of."""
    digest = sha256("\n".join(_ESBUILD).encode())
    for name in (LOCK, *ENTRY_POINTS):
        digest.update((FOLDER / name).read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def _run(*command: str, folder: Path) -> None:
    """Run a program. Raises BundleError with the first line that says why it failed."""
    try:
        done = subprocess.run(
            command, check=False, cwd=folder, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BundleError(f"{Path(command[0]).name} failed: {error}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise BundleError(f"{Path(command[0]).name} failed: {lines[-1] if lines else done.stderr.strip()[-200:]}")


def _licenses(work: Path) -> Iterator[str]:
    """Yield name, version and license text of each package of which the bundle has code. Raises BundleError."""
    lock = json.loads((work / LOCK).read_text(encoding="utf-8"))
    for path, package in sorted(lock["packages"].items()):
        if not path or package.get("dev"):
            continue
        texts = [work / path / name for name in _LICENSE_NAMES if (work / path / name).is_file()]
        if not texts:
            raise BundleError(f"{path} has no license text.")
        name = path.removeprefix("node_modules/")
        yield f"{name} {package['version']} ({package['license']})\n\n{texts[0].read_text(encoding='utf-8').strip()}\n"
        yield f"{'-' * 80}\n"


if __name__ == "__main__":
    try:
        bundle()
    except BundleError as error:
        sys.exit(str(error))
    sys.stdout.writelines(f"{path.name}: {path.stat().st_size:,} bytes\n" for path in sorted(OUTPUT.iterdir()))
