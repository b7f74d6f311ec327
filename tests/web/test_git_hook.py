"""`POST /hooks/git`: signed as hosts of Git sign it, a request makes the worker pull; nothing else does."""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace

from sitecms.actions.syncing.git.state import is_pull_asked
from sitecms.api.wsgi import Environ
from sitecms.runtime import Runtime
from sitecms.settings.files import FileSettings, GitMode
from sitecms.settings.operations import RateLimitSettings
from sitecms.web.git_hook import HOOK_PATH, MAX_HOOK_BYTES
from sitecms.web.service import Service, create_service

SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
KNOWN = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
"""The signature of this body with this secret, as GitHub's documentation gives it for tests."""


def service_of(runtime: Runtime, git: GitMode = GitMode.PUSH, **limits: int) -> Service:
    """Return the service of a site with this setting."""
    settings = replace(runtime.settings, files=FileSettings(git=git), rate_limits=RateLimitSettings(**limits))
    return create_service(replace(runtime, settings=settings))


@pytest.fixture
def hook(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A client of a site that pulls, and has a secret."""
    monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", SECRET)
    return service_of(runtime).app.test_client()


def send(client: FlaskClient, headers: Mapping[str, str], body: bytes = BODY, **more: Any) -> int:
    """Send a hook, and return the status."""
    return client.post(HOOK_PATH, data=body, headers=dict(headers), **more).status_code


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Hub-Signature-256": f"sha256={KNOWN}"},
        {"X-Gitlab-Token": SECRET},
        {"X-Gitea-Signature": KNOWN},
        {"X-Forgejo-Signature": KNOWN, "X-Hub-Signature-256": "sha256=0"},
    ],
)
def test_a_signed_request_asks_for_a_pull(hook: FlaskClient, runtime: Runtime, headers: dict[str, str]) -> None:
    """As GitHub, GitLab, Gitea and Forgejo sign it; its type and text do not matter."""
    assert not is_pull_asked(runtime.settings.state_dir)
    response = hook.post(HOOK_PATH, data=BODY, headers=headers, content_type="application/x-www-form-urlencoded")
    assert (response.status_code, response.json) == (202, {"status": "pending"})
    assert response.headers["Cache-Control"] == "no-store"
    assert is_pull_asked(runtime.settings.state_dir)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Hub-Signature-256": f"sha256={KNOWN[:-1]}0"},
        {"X-Hub-Signature-256": "sha256="},
        {"X-Hub-Signature-256": f"sha256={hmac.new(b'', BODY, sha256).hexdigest()}"},
        {"X-Hub-Signature": "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59"},
        {"X-Gitlab-Token": ""},
        {"X-Gitlab-Token": SECRET.lower()},
        {"X-Gitlab-Token": KNOWN},
        {"X-Gitlab-Token": "\xe9"},
        {"X-Gitea-Signature": SECRET},
        {"Authorization": f"Token {SECRET}"},
    ],
)
def test_any_other_request_is_refused(hook: FlaskClient, runtime: Runtime, headers: dict[str, str]) -> None:
    """Nothing is asked for then."""
    assert send(hook, headers) == 403
    assert not is_pull_asked(runtime.settings.state_dir)


def test_a_signature_holds_for_its_body_alone(hook: FlaskClient) -> None:
    """Also for an empty one."""
    assert send(hook, {"X-Hub-Signature-256": f"sha256={KNOWN}"}, BODY + b" ") == 403
    assert send(hook, {"X-Hub-Signature-256": hmac.new(SECRET.encode(), b"", sha256).hexdigest()}, b"") == 202


def test_a_large_body_is_not_read(hook: FlaskClient) -> None:
    """A host that sends more has pushed more than anyone writes."""
    body = bytes(MAX_HOOK_BYTES + 1)
    assert send(hook, {"X-Gitlab-Token": SECRET}, body) == 413
    assert send(hook, {"X-Gitlab-Token": SECRET}, body[1:]) == 202


def test_other_methods_are_refused(hook: FlaskClient) -> None:
    """A browser that opens the address changes nothing."""
    assert [hook.open(HOOK_PATH, method=method).status_code for method in ("GET", "PUT", "DELETE")] == [405] * 3


@pytest.mark.parametrize(
    ("git", "secret"), [(GitMode.COMMIT, SECRET), (GitMode.OFF, SECRET), (GitMode.PUSH, ""), (GitMode.PUSH, "short")]
)
def test_a_site_without_pull_or_secret_has_no_hook(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch, git: GitMode, secret: str
) -> None:
    """A secret that could be guessed counts as none."""
    monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", secret)
    assert send(service_of(runtime, git).app.test_client(), {"X-Gitlab-Token": secret}) == 404


def test_hooks_count_as_writes_of_their_address(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """So guesses are limited as those of tokens are."""
    monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", SECRET)
    client = service_of(runtime, address_writes_per_minute=1, burst_seconds=1).app.test_client()
    assert [send(client, {"X-Gitlab-Token": SECRET}) for _ in range(2)] == [202, 429]


def test_the_server_waits_for_bodies_that_may_be_signed_alone(
    runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others are refused before they are received."""
    monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", SECRET)
    may_write = service_of(runtime).may_write

    def asked(length: int, **headers: str) -> bool:
        environ: Environ = {"PATH_INFO": HOOK_PATH, "REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(length), **headers}
        return may_write(environ)

    assert asked(MAX_HOOK_BYTES, HTTP_X_GITLAB_TOKEN="any")
    assert not asked(MAX_HOOK_BYTES + 1, HTTP_X_GITLAB_TOKEN="any")
    assert not asked(10)
    monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", "")
    assert not asked(10, HTTP_X_GITLAB_TOKEN="any")
