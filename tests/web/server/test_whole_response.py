"""What the web server is handed: a list for all but very large answers, so that a slow client holds no thread."""

from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from sitecms.api.app import create_app
from sitecms.media.library import open_library
from sitecms.runtime import Runtime
from sitecms.web.middleware import whole_response


@pytest.fixture
def ask(runtime: Runtime) -> Callable[[str], Any]:
    """Ask for a path; gives what WSGI gives."""
    app: Any = create_app(runtime).wsgi_app
    return lambda path: app(EnvironBuilder(path=path).get_environ(), lambda *_start: None)


def test_answers_come_in_one_piece(ask: Callable[[str], Any], runtime: Runtime) -> None:
    """Files of the media library, errors and redirects too."""
    content = b"%PDF-1.4\n" + bytes(200_000)
    address = open_library(runtime.settings).add(content, "a.pdf", runtime.clock()).url
    for path, expected in ((address, content), ("/v2/posts", b""), ("/health/live", b'{"status":"live"}')):
        body = ask(path)
        assert isinstance(body, list)
        assert b"".join(body) == expected


def test_a_very_large_file_is_not_held_in_memory(
    ask: Callable[[str], Any], runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read as it is sent."""
    monkeypatch.setattr(whole_response, "MAX_BYTES", 1000)
    content = b"%PDF-1.4\n" + bytes(200_000)
    body = ask(open_library(runtime.settings).add(content, "a.pdf", runtime.clock()).url)
    assert not isinstance(body, list)
    assert b"".join(body) == content
    body.close()
