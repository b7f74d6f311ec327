"""Access to the studio: the cookie of a session, protection of forms against other sites, and the routes' permissions.

The cookie is `__Host-sitecms`, which browsers send over https alone. `sitecms serve` on the own machine has no https:
requests to a loopback address by its own name (localhost, 127.0.0.1, [::1]) get the cookie `sitecms-local` instead.
Two more cookies have an ending: `-step` while a code is asked for, `-device` in a browser where a user has signed in.

A form is accepted from the studio's own pages alone: the browser says so (`Sec-Fetch-Site`, else `Origin`), and the
form carries a token made of the session's secret.
"""

import hmac
from datetime import datetime
from hashlib import sha256
from ipaddress import ip_address

from flask import Request, Response

from sitecms.actions.accounts.sessions import find_current
from sitecms.content.second_factor import STEP_LIFETIME
from sitecms.content.user import DEVICE_LONGEST, SESSION_LONGEST, UserSession
from sitecms.store.database import Database
from sitecms.web_address import split_address

STEP = "-step"
DEVICE = "-device"
COOKIE = "__Host-sitecms"
LOCAL_COOKIE = "sitecms-local"
FORM_TOKEN = "form_token"  # noqa: S105 - the name of a field
SAFE_METHODS = ("GET", "HEAD")
_LIFETIMES = {"": SESSION_LONGEST, STEP: STEP_LIFETIME, DEVICE: DEVICE_LONGEST}
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


def is_local(request: Request) -> bool:
    """Return whether the request came from this machine, without https, to a name that only this machine has."""
    if request.scheme != "http":
        return False
    host = split_address(f"//{request.host}").hostname
    try:
        return host in _LOCAL_NAMES and ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False


def secret_in(request: Request, kind: str = "") -> str:
    """Return the secret in the cookie of the session, or of another kind; "" without one."""
    return request.cookies.get(_cookie(request, kind), "")


def session_of(database: Database, request: Request, at: datetime) -> UserSession | None:
    """Return the current session of the request, or None."""
    secret = secret_in(request)
    return find_current(database, secret, at) if secret else None


def set_secret(request: Request, response: Response, secret: str, kind: str = "") -> None:
    """Set the cookie of a session, or of another kind; remove it with the secret ""."""
    response.set_cookie(
        _cookie(request, kind),
        secret,
        max_age=int(_LIFETIMES[kind].total_seconds()) if secret else 0,
        path="/",
        secure=not is_local(request),
        httponly=True,
        samesite="Lax",
    )


def _cookie(request: Request, kind: str) -> str:
    return (LOCAL_COOKIE if is_local(request) else COOKIE) + kind


def form_token_of(secret: str) -> str:
    """Return the value that forms of the session of that secret carry."""
    return hmac.new(secret.encode(), b"form", sha256).hexdigest() if secret else ""


def has_form_token(request: Request, secret: str) -> bool:
    """Return whether the form carries the token of the session."""
    token = request.form.get(FORM_TOKEN, "")
    return bool(secret) and hmac.compare_digest(token.encode("utf-8", "replace"), form_token_of(secret).encode())


def is_from_own_page(request: Request) -> bool:
    """Return whether the browser says that the request comes from a page of the same origin."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("Origin", "")
    parts = split_address(origin)
    return parts.scheme in ("http", "https") and bool(parts.netloc) and parts.netloc == request.host


def own_path(text: str) -> str:
    """Return a path of the studio to go on with after signing in; "" for anything else."""
    is_plain = text.startswith("/studio/") and "//" not in text and "\\" not in text and text.isprintable()
    return text if is_plain and text.isascii() and not text.startswith("/studio/sign-") else ""
