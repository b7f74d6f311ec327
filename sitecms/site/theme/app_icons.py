"""Icons of the site for home screens of phones, and its web manifest, made from a picture of the owner."""

import io
from collections.abc import Iterator
from pathlib import PurePosixPath

import orjson
from msgspec import Struct

from sitecms.content.fingerprint import digest
from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import identify
from sitecms.site.routes import Routes
from sitecms.site.theme.style import scheme_colours
from sitecms.site.theme.theme import Theme

MANIFEST, TOUCH_ICON = "manifest.json", "touch-icon.png"
TOUCH_SIZE = 180
"""Pixels of the icon that phones of Apple ask for."""
_SIZES = (192, 512)
_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_VERSION = "1"  # of the way in which icons are drawn
_WHITE = "#ffffff"


class AppFile(Struct, frozen=True):
    """A file of the site that is made from a picture: its name, a digest of what it is made from, and both."""

    name: str
    fingerprint: str
    picture: bytes
    size: int
    background: str

    def read(self) -> bytes:
        """Return the picture as a square PNG file of the size, on the background, with room around it if it is none."""
        from PIL import Image

        with Image.open(io.BytesIO(self.picture)) as image:
            picture = image.convert("RGBA")
        picture.thumbnail((self.size, self.size), Image.Resampling.LANCZOS)
        square = Image.new("RGBA", (self.size, self.size), self.background)
        place = ((self.size - picture.width) // 2, (self.size - picture.height) // 2)
        square.alpha_composite(picture, place)
        output = io.BytesIO()
        square.convert("RGB").save(output, "PNG", optimize=True)
        return output.getvalue()


def app_icons(theme: Theme) -> Iterator[AppFile]:
    """Yield the icons that can be made from the first picture of the options that is large enough."""
    picture = _picture(theme)
    if picture is None:
        return
    data, side = picture
    background = scheme_colours(theme.options).get("light", _WHITE) if theme.options.background else _WHITE
    for size in (TOUCH_SIZE, *_SIZES):
        if size <= side:
            name = TOUCH_ICON if size == TOUCH_SIZE else f"icon-{size}.png"
            parts = (_VERSION, digest(data), str(size), background)
            yield AppFile(name, digest("\n".join(parts).encode()), data, size, background)


def manifest(theme: Theme, routes: Routes, icons: dict[str, str]) -> bytes:
    """Return the web manifest, b"" for a site without an icon of its own; `icons` are addresses of icons by name."""
    entries = [
        {"src": icons[f"icon-{size}.png"], "sizes": f"{size}x{size}", "type": "image/png"}
        for size in _SIZES
        if f"icon-{size}.png" in icons
    ]
    favicon = theme.options.favicon
    is_own = favicon in theme.assets and not theme.is_of_theme(theme.assets[favicon])
    if is_own and favicon.endswith(".svg") and favicon in icons:
        entries.append({"src": icons[favicon], "sizes": "any", "type": "image/svg+xml"})
    if not entries:
        return b""
    colours = scheme_colours(theme.options)
    colour = colours.get("light") or colours["dark"]
    settings = routes.settings
    home = routes.url(routes.root(settings.default_locale))
    return orjson.dumps(
        {
            "name": settings.name, "short_name": settings.name, "start_url": home, "scope": routes.url("/"),
            "display": "browser", "theme_color": colour, "background_color": colour, "icons": entries,
        }
    )  # fmt: skip


def _picture(theme: Theme) -> tuple[bytes, int] | None:
    """Return the picture for icons and the length of its shorter side."""
    options = theme.options
    for name in (options.touch_icon, options.favicon, options.logo):
        path = theme.assets.get(name)
        if path is None or PurePosixPath(name).suffix.lower() not in _PICTURES or theme.is_of_theme(path):
            continue
        data = path.read_bytes()
        try:
            file = identify(data, name)
        except InvalidMedia:
            continue
        if file.width and file.height and min(file.width, file.height) >= TOUCH_SIZE:
            return data, min(file.width, file.height)
    return None
