"""Putting a new content file into the site folder, where nothing may be in its place."""

from dataclasses import dataclass
from pathlib import Path

from sitecms.errors import Conflict


@dataclass(frozen=True, slots=True)
class Written:
    """The new file; `notes` say what a person still has to do before it loads without error."""

    path: Path
    notes: tuple[str, ...] = ()


def write_new(path: Path, text: str) -> None:
    """Raises Conflict if there is a file of that name, whatever its letter case, and leaves it as it is."""
    beside = path.parent.iterdir() if path.parent.is_dir() else ()
    twin = next((other for other in beside if other.name.casefold() == path.name.casefold()), None)
    if twin is not None:
        raise Conflict("slug", f"{twin} is there already. Nothing was changed; name another address with --slug.")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise Conflict("slug", f"{path} is there already. Nothing was changed.") from None
