"""Names of browsers and systems, read from what a browser calls itself."""

from collections.abc import Sequence

_BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


def device_name(client: str) -> str:
    """Return `Firefox on Linux`; what is not recognised is named as far as it is."""
    browser, system = _first(_BROWSERS, client), _first(_SYSTEMS, client)
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or "Unknown browser"


def _first(names: Sequence[tuple[str, str]], client: str) -> str:
    return next((name for mark, name in names if mark in client), "")
