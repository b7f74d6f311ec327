"""`POST /hooks/git`: a host of Git says that something was pushed, and the worker pulls within a minute.

The request is signed with the secret in the environment, as GitHub, GitLab, and Gitea or Forgejo sign it. Nothing in it
is read but its signature, as it changes nothing that a pull would do: the worker asks the remote that it knows.
"""

import hmac
from collections.abc import Iterable
from hashlib import sha256

import structlog
from flask import Flask, Request, Response, request

from sitecms.actions.syncing.git.state import ask_for_pull
from sitecms.api import errors, headers
from sitecms.api.responses import uncached_response
from sitecms.api.wsgi import Environ, Wsgi
from sitecms.errors import Forbidden
from sitecms.settings.files import GitMode, hook_secret
from sitecms.settings.site import SiteSettings

HOOK_PATH = "/hooks/git"
MAX_HOOK_BYTES = 1024 * 1024
_DIGESTS = ("HTTP_X_HUB_SIGNATURE_256", "HTTP_X_GITEA_SIGNATURE", "HTTP_X_FORGEJO_SIGNATURE")
"""Headers with the HMAC of the body by SHA-256 as hexadecimal digits: of GitHub, which writes `sha256=` before it."""
_TOKEN = "HTTP_X_GITLAB_TOKEN"  # noqa: S105 - the name of a header
_PREFIX = "sha256="
TOO_LARGE = "The body is larger than 1 MB; the next pull does not need it."
NOT_SIGNED = "The request is not signed with the secret of this site."
_log = structlog.get_logger("sitecms.git")


def is_hook_on(settings: SiteSettings) -> bool:
    """Return whether the site pulls, and has a secret that its host can sign with."""
    return settings.files.git is GitMode.PUSH and bool(hook_secret())


def may_be_signed(environ: Environ) -> bool:
    """Return whether a request has a signature, before its body is received."""
    return any(name in environ for name in (*_DIGESTS, _TOKEN))


def create_hook(settings: SiteSettings) -> Wsgi:
    """Return the application that answers requests for the hook."""
    app = Flask("sitecms.git_hook", static_folder=None, template_folder=None)
    errors.install(app)
    headers.install(app)
    app.add_url_rule(HOOK_PATH, "hook", lambda: _answer(settings, request), methods=["POST"])
    return app.wsgi_app


def hook_route(path: str) -> str:
    """Return the path of the hook for itself, and "" for any other path."""
    return HOOK_PATH if path == HOOK_PATH else ""


def _answer(settings: SiteSettings, hook: Request) -> Response:
    """Return 202 for a signed request. Raises Forbidden."""
    if (hook.content_length or 0) > MAX_HOOK_BYTES:
        return uncached_response(413, {"detail": TOO_LARGE})
    secret = hook_secret().encode()
    if not may_be_signed(hook.environ):
        raise Forbidden(NOT_SIGNED)
    body = hook.stream.read(MAX_HOOK_BYTES + 1)
    if len(body) > MAX_HOOK_BYTES:
        return uncached_response(413, {"detail": TOO_LARGE})
    digest = hmac.new(secret, body, sha256).hexdigest().encode()
    given = [hook.environ.get(name, "").removeprefix(_PREFIX) for name in _DIGESTS]
    if not (_is_any(digest, given) or _is_any(secret, [hook.environ.get(_TOKEN, "")])):
        _log.warning("git_hook_refused", address=hook.remote_addr)
        raise Forbidden(NOT_SIGNED)
    ask_for_pull(settings.state_dir)
    return uncached_response(202, {"status": "pending"})


def _is_any(expected: bytes, given: Iterable[str]) -> bool:
    """Compare in a time that does not depend on what is given."""
    return sum(hmac.compare_digest(expected, text.encode("utf-8", "surrogateescape")) for text in given) > 0
