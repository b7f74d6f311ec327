"""What the preview answers to each address, as values: the site's files, and its own below `/.preview/`."""

import os
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

import orjson

from sitecms.content.permalink import MAX_PART_BYTES, url_path
from sitecms.settings import SiteSettings
from sitecms.site.delivery import security_policy
from sitecms.site.preview.state import Board
from sitecms.site.routes import INDEX

OWN = "/.preview/"
EVENTS = OWN + "events"
STATE = OWN + "state.json"
_ASSETS = Path(__file__).parent / "assets"
_ICON = "favicon.ico"
_HTML = "text/html; charset=utf-8"
_TYPES = {
    ".html": _HTML,
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".xml": "application/xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".conf": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".pdf": "application/pdf",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".wav": "audio/wav",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".ttf": "font/ttf",
    ".otf": "font/otf",
    ".wasm": "application/wasm",
}
_NO_PAGE = b"<!doctype html><html lang=en><meta charset=utf-8><title>No such page</title><h1>No such page</h1></html>"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, whole."""

    status: HTTPStatus
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers for one site; `output` is the folder its pages are in."""

    output: Path
    board: Board
    hosts: frozenset[str]

    def refuses(self, host: str) -> bool:
        """Whether a request for that host is none for us: a page elsewhere may have had its name lead here."""
        return host.lower() not in self.hosts

    def answer(self, target: str, settings: SiteSettings) -> Answer:
        """The answer to a GET of that address, which begins with a slash."""
        path = unquote(urlsplit(target).path, errors="replace")
        if path == STATE:
            return Answer(HTTPStatus.OK, orjson.dumps(self.board.moment.as_json()), _TYPES[".json"])
        if path.startswith(OWN):
            return self._own(path.removeprefix(OWN))
        base = settings.base_path
        if not f"{path}/".startswith(f"{base}/"):
            return _moved(f"{base}/") if path == "/" else self._not_found(settings, "")
        name = path.removeprefix(base).removeprefix("/")
        if base and path == base:
            return _moved(f"{base}/")
        return self._file(name, target, settings)

    def _file(self, name: str, target: str, settings: SiteSettings) -> Answer:
        file = self._inside(name + INDEX if not name or name.endswith("/") else name)
        if name == _ICON and (file is None or not file.is_file()):
            return Answer(HTTPStatus.NO_CONTENT)  # browsers ask for it where a page names none
        if file is None:
            return self._not_found(settings, name)
        if file.is_dir() and (file / INDEX).is_file():
            query = urlsplit(target).query
            return _moved(settings.base_path + url_path(f"/{name}/") + (f"?{query}" if query else ""))
        try:
            data = file.read_bytes()
        except OSError:
            return self._not_found(settings, name)
        return self._page(HTTPStatus.OK, data, settings) if file.suffix == ".html" else _plain(file, data)

    def _inside(self, name: str) -> Path | None:
        """The file of that name in the output; None for what no page could name."""
        parts = name.split("/")
        if "\0" in name or "\\" in name or not all(map(_is_name, parts)):
            return None
        file = self.output.joinpath(*parts)
        try:
            return file if file.resolve().is_relative_to(self.output.resolve()) else None
        except (OSError, RuntimeError):  # too long as a whole, links in a circle
            return None

    def _not_found(self, settings: SiteSettings, name: str) -> Answer:
        """The site's own page for it, of the locale that the address begins with."""
        first = name.partition("/")[0]
        folders = ([self.output / first] if first in settings.locales else []) + [self.output]
        for folder in folders:
            try:
                return self._page(HTTPStatus.NOT_FOUND, (folder / "404.html").read_bytes(), settings)
            except OSError:
                continue
        return self._page(HTTPStatus.NOT_FOUND, _NO_PAGE, settings)

    def _page(self, status: HTTPStatus, data: bytes, settings: SiteSettings) -> Answer:
        """The page with what keeps it fresh, under the rules that the published site will have."""
        moment = self.board.moment
        added = (
            f'<link rel="stylesheet" href="{OWN}preview.css"><script src="{OWN}preview.js" '
            f'data-pages="{moment.pages}" data-styles="{moment.styles}" defer></script>'
        )
        head, closing, rest = data.partition(b"</body>")
        body = head + added.encode() + closing + rest
        policy = security_policy(settings, searchable=False)
        return Answer(status, body, _HTML, {"Content-Security-Policy": policy})

    def _own(self, name: str) -> Answer:
        if name not in ("preview.js", "preview.css"):
            return Answer(HTTPStatus.NOT_FOUND, b"Not found.")
        return _plain(_ASSETS / name, (_ASSETS / name).read_bytes())


def _is_name(part: str) -> bool:
    """Whether it can be the name of an output: hidden files are the build's own."""
    return part != "" and not part.startswith(".") and len(os.fsencode(part)) <= MAX_PART_BYTES


def _plain(file: Path, data: bytes) -> Answer:
    return Answer(HTTPStatus.OK, data, _TYPES.get(file.suffix.lower(), "application/octet-stream"))


def _moved(location: str) -> Answer:
    return Answer(HTTPStatus.FOUND, b"", headers={"Location": location})
