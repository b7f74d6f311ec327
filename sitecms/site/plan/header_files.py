"""Files with the HTTP headers of the site: security policy, and cache lifetimes of files.

`_headers` is read by Netlify and Cloudflare Pages; `nginx-headers.conf` is for an include in nginx.
"""

import re
from collections.abc import Iterable, Iterator

from sitecms.content.media import CONTENT_TYPES, DOWNLOADED_TYPES, MEDIA_PREFIX
from sitecms.content.permalink import url_path
from sitecms.content.text.allowed_html import EMBEDS
from sitecms.settings.site import SiteSettings
from sitecms.site.theme.assets import FileJob, file_of_bytes
from sitecms.web_address import ascii_address

FOREVER = "public, max-age=31536000, immutable"
FRESH = "no-cache"
_PERMISSIONS = "camera=(), geolocation=(self), microphone=(), payment=(), usb=()"
"""Features that no page uses, or only the site itself and no frame in it; others keep the defaults of browsers."""
_NGINX_MODULES = {"gz": "gzip", "br": "brotli"}
_IMMUTABLE = ("/assets/", "/media/", "/pagefind/fragment/", "/pagefind/index/")
"""Folders of files whose names change with their content."""

_DOWNLOADED = tuple(extension for extension, kind in CONTENT_TYPES.items() if kind in DOWNLOADED_TYPES)
"""Extensions of media files that a browser downloads instead of opening them."""


def security_policy(settings: SiteSettings, *, searchable: bool) -> str:
    """Return the Content-Security-Policy: the site itself, images and sound from anywhere, frames of the known hosts.

    Inline scripts and styles are forbidden. Search compiles WebAssembly. Sources of services and the additions of the
    owner come last.
    """
    directives = {
        "default-src": ["'self'"],
        "script-src": ["'self'", *(["'wasm-unsafe-eval'"] if searchable else [])],
        "style-src": ["'self'"],
        "img-src": ["*", "data:"],
        "media-src": ["*"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "frame-src": [f"https://{place}" for place in EMBEDS],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'self'"],
    }
    for added in (*settings.integrations.policy, settings.delivery.csp):
        for directive, sources in added.items():
            directives.setdefault(directive, ["'self'"]).extend(map(_ascii_source, sources))
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


def _ascii_source(source: str) -> str:
    """Return a source of the policy with its host as DNS has it, since headers are ASCII."""
    return ascii_address(source) if "//" in source else ascii_address(f"//{source}").removeprefix("//")


def plan_headers(settings: SiteSettings, static: Iterable[str], *, searchable: bool) -> tuple[FileJob, ...]:
    """Return the two files; none if the owner writes their own. `static` are the paths of files of `static`.

    Such a file keeps its name when its content changes, so browsers have to ask for it again wherever it is.
    """
    if not settings.delivery.headers:
        return ()
    headers = {
        "Content-Security-Policy": security_policy(settings, searchable=searchable),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Permissions-Policy": _PERMISSIONS,
    }
    fresh = _fresh_places(static)
    texts = {"_headers": _netlify(headers, settings, fresh), "nginx-headers.conf": _nginx(headers, settings, fresh)}
    return tuple(file_of_bytes(path, "".join(f"{line}\n" for line in lines).encode()) for path, lines in texts.items())


def _fresh_places(static: Iterable[str]) -> list[str]:
    """Return the files and folders (with a slash at the end) of `static` in folders whose files browsers keep."""
    places = set()
    for path in static:
        folder, *inner = path.split("/")
        if f"/{folder}/" in _IMMUTABLE or f"/{path}".startswith(_IMMUTABLE):
            places.add(f"/{folder}/{inner[0]}" + "/" * (len(inner) > 1))
    return sorted(places)


def _netlify(headers: dict[str, str], settings: SiteSettings, fresh: Iterable[str]) -> Iterator[str]:
    """Yield the lines of `_headers`, without Cache-Control for pages: both services make browsers revalidate them."""
    yield "# Read by Netlify and Cloudflare Pages. Written by sitecms; see [delivery] in site.toml."
    yield f"{settings.base_path}/*"
    yield from (f"  {name}: {value}" for name, value in headers.items())
    for folder in _IMMUTABLE:
        yield f"{settings.base_path}{folder}*"
        yield f"  Cache-Control: {FOREVER}"
    for place in fresh:  # the service joins both values, and browsers obey the stricter one
        yield settings.base_path + url_path(place) + "*" * place.endswith("/")
        yield f"  Cache-Control: {FRESH}"
    for extension in _DOWNLOADED:
        yield f"{settings.base_path}{MEDIA_PREFIX}*.{extension}"
        yield "  Content-Disposition: attachment"


def _nginx(headers: dict[str, str], settings: SiteSettings, fresh: Iterable[str]) -> Iterator[str]:
    yield "# Written by sitecms; see [delivery] in site.toml. In the server { } of the site:"
    yield "#   include /path/to/nginx-headers.conf;"
    if settings.delivery.precompress:
        yield "# Compressed copies lie beside the files. Where nginx has the modules for it, add:"
        yield from (f"#   {_NGINX_MODULES[encoding]}_static on;" for encoding in settings.delivery.precompress)
    base = settings.readable_base_path  # nginx decodes $uri
    folders = "|".join(folder.strip("/") for folder in _IMMUTABLE)
    yield f'set $sitecms_cache "{FRESH}";'
    yield f'if ($uri ~ "^{re.escape(base)}/({folders})/") {{'
    yield f'    set $sitecms_cache "{FOREVER}";'
    yield "}"
    for place in fresh:
        pattern = re.escape(base + place).replace("\\", r"\\").replace('"', r"\"")
        yield f'if ($uri ~ "^{pattern}{"" if place.endswith("/") else "$"}") {{ set $sitecms_cache "{FRESH}"; }}'
    yield 'set $sitecms_disposition "";'
    yield f'if ($uri ~ "^{re.escape(base)}{MEDIA_PREFIX}[^/]*\\.({"|".join(_DOWNLOADED)})$") {{'
    yield "    set $sitecms_disposition attachment;"
    yield "}"
    yield "add_header Cache-Control $sitecms_cache;"
    yield "add_header Content-Disposition $sitecms_disposition;  # not sent where it is empty"
    yield from (f'add_header {name} "{value}" always;' for name, value in headers.items())
