"""Addresses of sites as the web has them: hosts in the form of DNS (IDNA), paths percent-encoded."""

import re
from collections.abc import Sequence
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

EXAMPLE = "expected an address such as https://tide.example"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\]")
_PLAIN_IN_PATHS = "~@!$&'()*+,;=:-._"
_WILDCARD = "*."


class InvalidBaseUrl(ValueError):
    """Text that is not the address of a site. `remedy` has the right form where there is one."""

    def __init__(self, problem: str, remedy: str = EXAMPLE) -> None:
        super().__init__(f"{problem}; {remedy}")
        self.problem = problem
        self.remedy = remedy


def split_address(address: str) -> SplitResult:
    """Return the parts of an address; of a text that cannot be parsed, such as `http://[x`, the text as its path."""
    try:
        return urlsplit(address)
    except ValueError:
        return SplitResult("", "", address, "", "")


def join_address(base: str, address: str) -> str:
    """Return an address as a page at `base` means it; what cannot be parsed is unchanged."""
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def is_address(text: str) -> bool:
    """Return whether a text can be parsed as an address, absolute or relative."""
    try:
        urlsplit(text)
    except ValueError:
        return False
    return True


def base_url(written: str) -> str:
    """Return the address of a site as all of its addresses begin, without a slash at its end; "" for "".

    Scheme and host are in lower case, and a host that is not ASCII is written as DNS has it; the port of the scheme is
    left out; the path is percent-encoded. Raises InvalidBaseUrl for a user, a query, a fragment, and for a path that
    browsers would change.
    """
    if not written:
        return ""
    try:
        parts = urlsplit(written)
        port = parts.port
        host = ascii_host(parts.hostname or "")
        segments = [_composed(unquote(each, errors="strict")) for each in parts.path.split("/")[1:]]
    except ValueError:
        raise InvalidBaseUrl(f'is "{written}"') from None
    is_unfit = any(sign.isspace() for sign in written) or any({"\\", "\0"} & set(each) for each in segments)
    if parts.scheme not in _DEFAULT_PORTS or port == 0 or is_unfit:
        raise InvalidBaseUrl(f'is "{written}"')
    if segments[-1:] == [""]:
        segments.pop()
    origin = f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, _DEFAULT_PORTS[parts.scheme]) else "")
    right = "/".join((origin, *(quote(each, safe=_PLAIN_IN_PATHS) for each in _without_steps(segments))))
    if "@" in parts.netloc:
        raise InvalidBaseUrl("names a user", f"write {right}")  # a password is not shown
    if "?" in written or "#" in written:
        raise InvalidBaseUrl(f'is "{written}", with a query or fragment', f"write {right}")
    if {"", ".", ".."} & set(segments):
        raise InvalidBaseUrl(f'is "{written}", with an empty or relative part in its path', f"write {right}")
    return right


def _composed(text: str) -> str:
    """Return the text in NFC, as slugs are."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)


def _without_steps(segments: Sequence[str]) -> Sequence[str]:
    """Return the parts of a path without empty ones and `.`, and without those that `..` takes back."""
    kept: list[str] = []
    for each in segments:
        if each == "..":
            del kept[-1:]
        elif each not in ("", "."):
            kept.append(each)
    return kept


def ascii_host(host: str) -> str:
    """Return a host name or IP address in lower case as DNS has it. Raises ValueError for anything else."""
    if not host.isascii():
        import idna  # takes its time to import

        host = idna.encode(host, uts46=True).decode("ascii")
    host = f"[{host}]" if ":" in host else host.lower()
    if not _HOST.fullmatch(host):
        raise ValueError(f"{host!r} is not a host")
    return host


def ascii_address(url: str) -> str:
    """Return an address with its host as DNS has it; one without a host, or without a valid one, is unchanged."""
    if url.isascii():
        return url
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        wildcard = _WILDCARD if host.startswith(_WILDCARD) else ""
        name = wildcard + ascii_host(host.removeprefix(wildcard))
    except ValueError:
        return url
    user, at, _place = parts.netloc.rpartition("@")
    port = parts.netloc.rpartition("]")[2].partition(":")[1:]
    return parts._replace(netloc=f"{user}{at}{name}{''.join(port)}").geturl()
