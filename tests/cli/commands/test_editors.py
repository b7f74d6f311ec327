"""The language server by which VS Code, Zed, Helix and others complete and check YAML, with the schemas of a site."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.slow
SCRIPTS = Path(__file__).with_name("editors")
GUIDE = """name: Guide
fields:
  - {slug: headline, name: Headline, type: short_text, required: true, help: Up to ten words.}
  - {slug: mood, name: Mood, type: dropdown, options: [{value: calm}, {value: rough}]}
  - slug: links
    type: repeater
    fields:
      - {slug: label, type: short_text}
"""


class Editor:
    """A client of the language server: it opens files and asks what may stand at a place."""

    def __init__(self, program: Path, site: Path) -> None:
        command = ["node", str(program), "--stdio"]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._end = threading.Timer(PATIENCE_SECONDS, self._server.kill)  # a test does not wait without end
        self._end.start()
        self._number = 0
        self._site = site
        self.request("initialize", {"processId": None, "rootUri": site.as_uri(), "capabilities": {}})
        self._send({"method": "initialized", "params": {}})

    def close(self) -> None:
        self._end.cancel()
        self._server.kill()
        self._server.communicate()

    def open(self, name: str, text: str) -> list[str]:
        """Open a file with this text, whose schema its first line names; return what is wrong with it, by line."""
        uri = (self._site / name).as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        while True:
            message = self._receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                found = message["params"]["diagnostics"]
                return [f"{each['range']['start']['line'] + 1}: {each['message']}" for each in found]

    def complete(self, name: str, line: int, character: int) -> dict[str, str]:
        """Return what may stand at a place of an open file, with what the editor says about it."""
        place = {"line": line - 1, "character": character}
        params = {"textDocument": {"uri": (self._site / name).as_uri()}, "position": place}
        found = self.request("textDocument/completion", params)
        items = found["items"] if isinstance(found, dict) else found
        return {each["label"]: json.dumps(each.get("documentation", "")) for each in items}

    def request(self, method: str, params: object) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                return message["result"]

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._server.stdin
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._server.stdin.flush()

    def _receive(self) -> Any:
        """Return the next message; answer what the server asks, as an editor without settings."""
        assert self._server.stdout
        length = 0
        while line := self._server.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        message = json.loads(self._server.stdout.read(length))
        if "id" in message and "method" in message:
            asked = message["params"].get("items", ()) if message["method"] == "workspace/configuration" else None
            self._send({"id": message["id"], "result": None if asked is None else [None] * len(asked)})
        return message


@pytest.fixture
def site(demo: Path, run: Run) -> Path:
    """A site with a page type of its own, a field of posts, and its schemas."""
    (demo / "schema/page_types/guide.yaml").write_text(GUIDE, "utf-8")
    done = run("schema", demo)
    assert done.returncode == 0, done.stderr
    return demo


@pytest.fixture
def editor(site: Path, npm_install: Callable[[Path], Path]) -> Iterator[Editor]:
    program = npm_install(SCRIPTS) / "node_modules/yaml-language-server/bin/yaml-language-server"
    opened = Editor(program, site)
    yield opened
    opened.close()


def page(fields: str, kind: str = "guide") -> str:
    line = f"# yaml-language-server: $schema=../../../.sitecms/schemas/page.{kind}.schema.json"
    return f"{line}\ntitle: Ropes\nstatus: published\nfields:\n{fields}"


def test_an_editor_completes_and_checks_fields_of_the_site(editor: Editor) -> None:
    """Names of fields with their help, values of a dropdown; what a load would refuse has its line."""
    name = "content/pages/guide/ropes.yaml"
    good = "  headline: Two knots\n  mood: calm\n  links:\n    - label: More\n"
    assert editor.open(name, page(good)) == []
    bad = editor.open("content/pages/guide/bad.yaml", page("  headlin: Two\n  mood: angry\n"))
    assert any(each.startswith("5:") and "headlin" in each for each in bad), bad
    assert any(each.startswith("6:") and "calm" in each for each in bad), bad
    assert any('"headline"' in each for each in bad), bad
    editor.open("content/pages/guide/new.yaml", page("  "))
    choices = editor.complete("content/pages/guide/new.yaml", 5, 2)
    assert {"headline", "mood", "links"} <= choices.keys()
    assert "Up to ten words" in choices["headline"]
    editor.open("content/pages/guide/mood.yaml", page("  headline: x\n  mood: "))
    assert {"calm", "rough"} <= editor.complete("content/pages/guide/mood.yaml", 6, 8).keys()
