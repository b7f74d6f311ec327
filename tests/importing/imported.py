"""Sites that were imported, as tests look at them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitecms.documents import read_front_matter, read_yaml
from sitecms.importing.media.collector import MediaOptions
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.offline import OFFLINE


@dataclass(frozen=True)
class Imported:
    """The site folder and the report of an import."""

    folder: Path
    report: ImportReport

    def entry(self, path: str) -> Any:
        """Return front matter and body of an entry, by its path below `content/`."""
        return read_front_matter(self.folder / f"content/{path}.md")

    def post(self, name: str) -> Any:
        """Return front matter and body of a post."""
        return self.entry(f"posts/{name}")

    def page(self, name: str) -> Any:
        """Return front matter and body of a Single Page."""
        return self.entry(f"pages/_single/{name}")

    def subjects(self) -> dict[str, int]:
        """Return how often the notes of each subject were made."""
        return {what: group.count for (_kind, what), group in self.report.notes.items()}

    def notes(self, kind: str) -> dict[str, list[str]]:
        """Return the places of the notes of a kind, by subject."""
        return {
            what: [str(each) for each in group.places] for (k, what), group in self.report.notes.items() if k == kind
        }

    def redirects(self) -> dict[str, str]:
        """Return the targets of redirects.yaml by source."""
        path = self.folder / "redirects.yaml"
        rules: Any = read_yaml(path) if path.is_file() else []
        return {rule["from"]: rule.get("to", "") for rule in rules}

    def addresses(self) -> dict[str, str]:
        """Return the address of each entry by the name of its file, as its own path or the site's pattern says."""
        import tomllib

        settings = tomllib.loads((self.folder / "site.toml").read_text())
        pattern = settings.get("permalinks", {}).get("post", "/blog/{slug}/")
        found = {}
        for path in sorted((self.folder / "content").rglob("*.md")):
            data = read_front_matter(path).data
            day = str(data.get("published", ""))[:10].split("-")
            parts = {"year": "", "month": "", "day": "", **dict(zip(("year", "month", "day"), day, strict=False))}
            default = pattern if "/posts/" in path.as_posix() else "/{slug}/"
            found[path.stem] = data.get("path") or default.format(slug=data.get("slug", path.stem), **parts)
        return found


def import_export(folder: Path, *sources: Path, media: MediaOptions = OFFLINE, **options: Any) -> Imported:
    """Import the files of an export into a site below a folder."""
    chosen = ImportOptions(media=media, reader=ReaderOptions(**options))
    return Imported(folder / "site", import_site(folder / "site", [str(each) for each in sources], chosen))


def import_files(tmp_path: Path, files: Mapping[str, str | bytes], kind: str = "", **options: Any) -> Imported:
    """Write files into a folder and import it."""
    source = tmp_path / "old"
    for name, content in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    made = import_site(tmp_path / "site", [str(source)], ImportOptions(kind=kind, reader=ReaderOptions(**options)))
    return Imported(tmp_path / "site", made)
