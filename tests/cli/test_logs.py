"""Log lines: their form, their level, and what never stands in them."""

import json
import subprocess
import sys

import pytest

from sitecms.cli.logs import HIDDEN, LineRenderer, hide_secrets
from sitecms.content.token import new_secret
from sitecms.content.webhooks.webhook import new_signing_secret

SCRIPT = """
import logging, sys
import structlog
from sitecms.cli.logs import configure_logs
from sitecms.settings.operations import LogSettings
configure_logs(LogSettings(sys.argv[1], sys.argv[2]))
log = structlog.get_logger("sitecms.test")
secret = sys.argv[3]
log.debug("looked")
log.info("asked", url=f"/v2/posts/?auth_token={secret}&page=1", count=7)
log.error("failed", problem=secret, write="0c9e5a1d7b3f4e2a8d6c1b0f9e8a7d6c")
logging.getLogger("library").warning("odd: %s", secret)
logging.getLogger("library").info("chatter")
try:
    raise ValueError(secret)
except ValueError as error:
    log.error("crashed", exc_info=error)
"""


def lines_of(shape: str, level: str = "info", secret: str = "") -> list[str]:
    """What a process with these settings writes on stderr, line by line."""
    command = [sys.executable, "-c", SCRIPT, shape, level, secret or new_secret()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (0, "")
    return result.stderr.splitlines()


@pytest.mark.parametrize("shape", ["json", "auto"])
def test_json_is_an_object_a_line(shape: str) -> None:
    """Also where stderr is no terminal, and also what libraries say, from warnings on."""
    lines = [json.loads(line) for line in lines_of(shape)]
    assert [(line["event"].partition(":")[0], line["level"]) for line in lines] == [
        ("asked", "info"), ("failed", "error"), ("odd", "warning"), ("crashed", "error"),
    ]  # fmt: skip
    assert all(line["timestamp"].endswith("Z") for line in lines)
    assert lines[0]["count"] == 7
    assert "ValueError" in lines[-1]["exception"]


def test_console_format_is_readable() -> None:
    """Without colours where it is no terminal."""
    text = "\n".join(lines_of("console"))
    assert "asked" in text
    assert "count=7" in text
    assert "\x1b" not in text
    assert "Traceback" in text


@pytest.mark.parametrize(
    ("level", "events"),
    [
        ("debug", "looked asked failed odd crashed"),
        ("info", "asked failed odd crashed"),
        ("warning", "failed odd crashed"),
        ("error", "failed crashed"),
    ],
)
def test_lower_levels_are_not_logged(level: str, events: str) -> None:
    """Libraries are told of from warnings on at the least."""
    found = [json.loads(line)["event"].partition(":")[0] for line in lines_of("json", level)]
    assert found == events.split()


@pytest.mark.parametrize("shape", ["json", "console"])
@pytest.mark.parametrize("secret", [new_secret(), new_signing_secret()], ids=["token", "signing"])
def test_secrets_are_hidden_wherever_they_stand(shape: str, secret: str) -> None:
    """In values, in addresses, in exceptions, in what libraries say; ids stay readable."""
    text = "\n".join(lines_of(shape, secret=secret))
    assert secret not in text
    assert secret.removeprefix("whsec_") not in text
    assert text.count("[hidden]") >= 4
    assert "0c9e5a1d7b3f4e2a8d6c1b0f9e8a7d6c" in text
    assert "page=1" in text


def test_configuring_keeps_one_handler() -> None:
    """Of the root logger: a line is never written twice."""
    script = (
        "import logging\nfrom sitecms.cli.logs import configure_logs\n"
        "from sitecms.settings.operations import LogSettings\n"
        "for _ in range(3):\n    configure_logs(LogSettings())\nprint(len(logging.getLogger().handlers))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stdout == "1\n"


def test_links_and_values_of_a_traceback_are_hidden() -> None:
    """A link that opens the studio once is as good as a password, and so is what a function was called with."""
    assert hide_secrets("GET /studio/reset/?code=aZ-_9 x") == f"GET /studio/reset/?code={HIDDEN} x"

    def fail(password: str) -> None:
        raise RuntimeError("unexpected")

    for as_json in (True, False):
        try:
            fail("correct " + "horse")
        except RuntimeError as error:
            line = LineRenderer(as_json=as_json)(None, "error", {"event": "failed", "exc_info": error})
        assert "unexpected" in line
        assert "correct horse" not in line
