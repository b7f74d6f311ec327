"""The build of imported sites in tests: what was imported loads and builds without an error."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from tests.support.command_line import run


@contextmanager
def new_folder() -> Iterator[Path]:
    """Make a folder for the time of the block, such as for one example of Hypothesis."""
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def build(site: Path) -> str:
    """Load and build a site, in which nothing may be wrong; return what is said."""
    built = run("build", site, "--strict")
    assert built.exit_code == 0, built.output
    assert "Traceback" not in built.output
    return built.output


def import_and_build(site: Path, *sources: Path | str, **options: object) -> ImportReport:
    """Import the sources, build the site strictly, and import again, which writes nothing; return the first report."""
    chosen = ImportOptions(media=MediaOptions(MediaChoice.LINK), **options)  # type: ignore[arg-type]
    report = import_site(site, [str(each) for each in sources], chosen)
    written = {path: path.read_bytes() for path in _files(site)}
    build(site)
    import_site(site, [str(each) for each in sources], chosen)
    assert {path: path.read_bytes() for path in _files(site)} == written
    return report


def _files(site: Path) -> list[Path]:
    made = ("public", ".sitecms", ".public.sitecms")
    return [path for path in site.rglob("*") if path.is_file() and path.relative_to(site).parts[0] not in made]
