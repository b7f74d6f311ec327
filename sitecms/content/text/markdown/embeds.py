"""Addresses of players that belong to the addresses of videos, songs and maps."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlsplit


class Embed(NamedTuple):
    """The address of a player, in a frame of this ratio of width to height; "" for one that sets its own height."""

    src: str
    ratio: str = "16-9"


_YOUTUBE = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be", "www.youtube-nocookie.com"})
_VIDEO_ID = re.compile(r"[\w-]{6,20}")
_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?")


class _Page(NamedTuple):
    """The address of a page: whole, the parts of its path, and its query."""

    url: str
    parts: Sequence[str]
    query: Mapping[str, str]


def embed_of(url: str) -> Embed | None:
    """Return the player of a page on YouTube, Vimeo, Spotify, SoundCloud or CodePen; None for other addresses."""
    try:
        found = urlsplit(url)
    except ValueError:
        return None
    if found.scheme not in ("http", "https") or not found.hostname:
        return None
    parts = [part for part in found.path.split("/") if part]
    query = {name: values[-1] for name, values in parse_qs(found.query).items()}
    read = _READERS.get(found.hostname)
    return read(_Page(url, parts, query)) if read and parts else None


def _youtube(page: _Page) -> Embed | None:
    is_short = page.parts[0] == "shorts"
    is_second = page.parts[0] in ("shorts", "embed", "live") and len(page.parts) > 1
    name = page.query.get("v") or page.parts[1 if is_second else 0]
    if not _VIDEO_ID.fullmatch(name):
        return None
    start = _seconds(page.query.get("t") or page.query.get("start") or "")
    address = f"https://www.youtube-nocookie.com/embed/{name}?autoplay=1{f'&start={start}' if start else ''}"
    return Embed(address, "9-16" if is_short else "16-9")


def _seconds(time: str) -> int:
    match = _TIME.fullmatch(time)
    hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    return hours * 3600 + minutes * 60 + seconds


def _vimeo(page: _Page) -> Embed | None:
    name = next((part for part in page.parts if part.isdecimal()), "")
    return Embed(f"https://player.vimeo.com/video/{name}?autoplay=1&dnt=1") if name else None


def _spotify(page: _Page) -> Embed | None:
    kind_at = 1 if page.parts[0] == "embed" or page.parts[0].startswith("intl-") else 0
    path = [part for part in page.parts[kind_at : kind_at + 2] if part.isalnum()]
    return Embed(f"https://open.spotify.com/embed/{'/'.join(path)}", "") if len(path) == 2 else None


def _soundcloud(page: _Page) -> Embed | None:
    return Embed(f"https://w.soundcloud.com/player/?url={quote(page.url, safe='')}&auto_play=true", "")


def _codepen(page: _Page) -> Embed | None:
    if len(page.parts) < 3 or page.parts[1] not in ("pen", "embed") or not page.parts[2].isalnum():
        return None
    return Embed(f"https://codepen.io/{page.parts[0]}/embed/{page.parts[2]}?default-tab=result")


_READERS: Mapping[str, Callable[[_Page], Embed | None]] = {
    **dict.fromkeys(_YOUTUBE, _youtube),
    **dict.fromkeys(("vimeo.com", "www.vimeo.com", "player.vimeo.com"), _vimeo),
    "open.spotify.com": _spotify,
    **dict.fromkeys(("soundcloud.com", "www.soundcloud.com"), _soundcloud),
    "codepen.io": _codepen,
}
