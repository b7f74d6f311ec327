"""Responses of the preview as values: files of the site, and own files below `/.preview/`.

Open pages receive the state of the preview: the build they show, problems, and marks of drafts.
"""

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from http import HTTPStatus
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import orjson
from msgspec import Struct, field
from msgspec.structs import replace

from sitecms.content.permalink import url_path
from sitecms.content.text.slug import composed
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.header_files import security_policy
from sitecms.site.plan.redirect_files import rule_target
from sitecms.site.plan.redirect_rules import RuleIndex
from sitecms.site.preview.pages import Found
from sitecms.site.routes import INDEX, Routes
from sitecms.web_address import split_address

OWN = "/.preview/"
EVENTS = OWN + "events"
STATE = OWN + "state.json"
_ASSETS = Path(__file__).parent / "assets"
_ICON = "favicon.ico"
_HTML = "text/html; charset=utf-8"
_TYPES = {
    ".html": _HTML, ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8", ".xml": "application/xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8", ".conf": "text/plain; charset=utf-8", ".map": "application/json",
    ".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".ogg": "audio/ogg", ".wav": "audio/wav",
    ".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
}  # fmt: skip
"""Content types by ending that `mimetypes` does not know on every machine, or returns without an encoding."""
_NO_PAGE = b"<!doctype html><html lang=en><meta charset=utf-8><title>No such page</title><h1>No such page</h1></html>"


class RebuiltFiles(StrEnum):
    """Kind of change of a rebuild: pages, stylesheets only, or nothing visible."""

    PAGES = "pages"
    STYLES = "styles"
    NOTHING = "nothing"


class PreviewProblem(Struct, frozen=True):
    """One problem; `where` is `content/posts/x.md:3` or the name of the failed part, `remedy` says what to do."""

    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        """Return the problem on one line."""
        return f"{self.where}: {self.what}" + (f" ({self.remedy})" if self.remedy else "")


class State(Struct, frozen=True):
    """Result of one rebuild. `version` is unique, also among other previews.

    `pages` and `styles` are the versions of the latest rebuilds that changed pages, and stylesheets only: they tell an
    open page if it must reload. `marks` are words such as "Draft" by the readable path of a page.
    """

    version: str = ""
    pages: str = ""
    styles: str = ""
    problems: tuple[PreviewProblem, ...] = ()
    marks: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the state as preview.js reads it."""
        problems = [{"where": each.where, "what": each.what, "remedy": each.remedy} for each in self.problems]
        versions = {"version": self.version, "pages": self.pages, "styles": self.styles}
        return {**versions, "problems": problems, "marks": dict(self.marks)}


class StatusBoard:
    """Holder of the latest state, on which threads wait for the next one."""

    def __init__(self) -> None:
        self._session = secrets.token_hex(4)
        self._number = 0
        self._state = State()
        self._changed = threading.Condition()
        self._closed = False

    @property
    def state(self) -> State:
        """The latest state."""
        return self._state

    @property
    def is_closed(self) -> bool:
        """True if no further state will follow."""
        return self._closed

    def post(self, change: RebuiltFiles, problems: Sequence[PreviewProblem], marks: Mapping[str, str]) -> None:
        """Publish the state after a rebuild."""
        with self._changed:
            self._number += 1
            version, before = f"{self._session}.{self._number}", self._state
            pages = version if change is RebuiltFiles.PAGES else before.pages
            styles = version if change is RebuiltFiles.STYLES else before.styles
            self._state = State(version, pages, styles, tuple(problems), dict(marks))
            self._changed.notify_all()

    def wait_beyond(self, version: str, seconds: float) -> State | None:
        """Return the state that follows this version; None after the timeout, or when the preview ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._state.version != version, seconds)
            return None if self._closed or self._state.version == version else self._state

    def close(self) -> None:
        """Release all waiting threads."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class PreviewResponse(Struct, frozen=True):
    """One complete response."""

    status: HTTPStatus
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


class PreviewResponses(Struct, frozen=True):
    """Responses of one site; `find` returns the content of a path of its output."""

    find: Callable[[str], Found | None]
    searchable: Callable[[], bool]
    board: StatusBoard
    hosts: frozenset[str]
    rules: Callable[[], RuleIndex] = RuleIndex

    def refuses(self, host: str) -> bool:
        """Return True for a foreign Host header: a page elsewhere may have pointed its name here."""
        return host.lower() not in self.hosts

    def answer(self, target: str, settings: SiteSettings) -> PreviewResponse:
        """Return the response to a GET of an address, which begins with a slash."""
        path = unquote(split_address(target).path, errors="replace")
        if path == STATE:
            return PreviewResponse(HTTPStatus.OK, orjson.dumps(self.board.state.as_json()), "application/json")
        if path.startswith(OWN):
            return self._own(path.removeprefix(OWN))
        base = settings.readable_base_path
        if not f"{path}/".startswith(f"{base}/"):
            return _moved(f"{settings.base_path}/") if path == "/" else self._not_found(settings, "")
        if moved := self._moved_by_rule(target, path.removeprefix(base) or "/", settings):
            return moved
        name = path.removeprefix(base).removeprefix("/")
        if base and path == base:
            return _moved(f"{settings.base_path}/")
        return self._file(name, target, settings)

    def _moved_by_rule(self, target: str, path: str, settings: SiteSettings) -> PreviewResponse | None:
        """Return the response of the matching rule of redirects.yaml; no rule matches the address of a page."""
        query = split_address(target).query
        rule = self.rules().find(url_path(path) + (f"?{query}" if query else ""))
        name = path.lstrip("/")
        file = name + INDEX if not name or name.endswith("/") else name
        if rule is None or (rule.is_prefix and _is_path(file) and self.find(file)):
            return None
        if not rule.to:
            page = self._not_found(settings, name)
            return replace(page, status=HTTPStatus.GONE)
        routes = Routes(settings)
        rest = url_path(path.removeprefix(rule.path)) if rule.appends_rest else ""
        return PreviewResponse(HTTPStatus(rule.status), headers={"Location": rule_target(rule, routes) + rest})

    def _file(self, name: str, target: str, settings: SiteSettings) -> PreviewResponse:
        path = name + INDEX if not name or name.endswith("/") else name
        page = self.find(path) or self.find(composed(path)) if _is_path(path) else None
        if page is None and name == _ICON:
            return PreviewResponse(HTTPStatus.NO_CONTENT)  # browsers ask for it where a page names none
        if page is None:
            return self._not_found(settings, name)
        if page.data is None:
            query = split_address(target).query
            return _moved(settings.base_path + url_path(f"/{name}/") + (f"?{query}" if query else ""))
        is_page = path.endswith(".html")
        return self._page(HTTPStatus.OK, page.data, settings) if is_page else _plain(path, page.data)

    def _not_found(self, settings: SiteSettings, name: str) -> PreviewResponse:
        """Return the 404 page of the locale that the address begins with."""
        first = name.partition("/")[0]
        for path in ([f"{first}/404.html"] if first in settings.locales else []) + ["404.html"]:
            page = self.find(path)
            if page and page.data is not None:
                return self._page(HTTPStatus.NOT_FOUND, page.data, settings)
        return self._page(HTTPStatus.NOT_FOUND, _NO_PAGE, settings)

    def _page(self, status: HTTPStatus, data: bytes, settings: SiteSettings) -> PreviewResponse:
        """Return a page with the reload script, under the headers of the published site."""
        state = self.board.state
        added = (
            f'<link rel="stylesheet" href="{OWN}preview.css"><script src="{OWN}preview.js" '
            f'data-pages="{state.pages}" data-styles="{state.styles}" defer></script>'
        )
        head, closing, rest = data.partition(b"</body>")
        body = head + added.encode() + closing + rest
        policy = security_policy(settings, searchable=self.searchable())
        return PreviewResponse(status, body, _HTML, {"Content-Security-Policy": policy})

    def _own(self, name: str) -> PreviewResponse:
        if name not in ("preview.js", "preview.css"):
            return PreviewResponse(HTTPStatus.NOT_FOUND, b"Not found.")
        return _plain(name, (_ASSETS / name).read_bytes())


def _is_path(path: str) -> bool:
    """Return True for a possible path of an output: nothing leads upwards."""
    return all(part not in ("", ".", "..") for part in path.split("/")) and not {"\\", "\0"} & set(path)


def _plain(name: str, data: bytes) -> PreviewResponse:
    content_type = _TYPES.get(PurePosixPath(name).suffix.lower()) or guess_type(name)[0]
    return PreviewResponse(HTTPStatus.OK, data, content_type or "application/octet-stream")


def _moved(location: str) -> PreviewResponse:
    return PreviewResponse(HTTPStatus.FOUND, b"", headers={"Location": location})
