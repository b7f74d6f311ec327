"""Commands with a queue on a server: its length, its outages, and no passwords in any output."""

import json
from pathlib import Path

import pytest

from sitecms.runtime import open_runtime
from sitecms.settings.site import load_settings
from sitecms.tasks.background import Background
from tests.cli.conftest import Run
from tests.support.redis_server import PASSWORD, RedisServer


def test_status_shows_the_length_of_the_queue(run: Run, demo: Path, redis: RedisServer) -> None:
    """The length is null while the server cannot be reached, which is no failure of the command."""
    assert run("load", demo).returncode == 0
    runtime = open_runtime(load_settings(demo))
    work = Background(runtime.settings, runtime.database, runtime.clock)
    for _ in range(3):
        work._send_hint("w")
    work.close()
    runtime.database.close()

    def queue() -> dict[str, object]:
        result = run("status", demo, "--format", "json")
        assert (result.returncode, result.stderr) == (0, "")
        found: dict[str, object] = json.loads(result.stdout)["queue"]
        return found

    assert queue() == {"kind": "redis", "length": 3, "oldest_seconds": None}
    redis.kill()
    assert queue() == {"kind": "redis", "length": None, "oldest_seconds": None}
    told = run("status", demo)
    assert (told.returncode, "redis, cannot be reached: " in told.stdout) == (0, True)
    assert PASSWORD not in told.stdout + told.stderr


def test_doctor_checks_whether_the_queue_can_be_reached(run: Run, demo: Path, redis: RedisServer) -> None:
    """An unreachable queue is a warning because no write is lost; so is a wrong password, which is not shown."""
    assert run("load", demo).returncode == 0

    def examined(**variables: str) -> tuple[str, str]:
        result = run("doctor", demo, "--port", "1", "--format", "json", **variables)
        assert PASSWORD not in result.stdout + result.stderr
        found = {each["kind"]: each for each in json.loads(result.stdout)["findings"]}
        return found["queue"]["severity"], found["queue"]["what"]

    where = f"redis://127.0.0.1:{redis.port}/0"
    assert examined() == ("ok", f"{where} can be reached")
    wrong = redis.url.replace(PASSWORD, f"{PASSWORD}-not")
    outcome, what = examined(SITECMS_QUEUE_URL=wrong)
    assert (outcome, "invalid username-password pair" in what) == ("warning", True)
    redis.kill()
    outcome, what = examined()
    assert (outcome, what.startswith(f"{where} cannot be reached: ")) == ("warning", True)


def test_invalid_queue_address_is_exit_code_3(run: Run, demo: Path) -> None:
    """The message names the environment variable and does not show its value."""
    result = run("worker", demo, SITECMS_QUEUE_URL=f"amqp://:{PASSWORD}@127.0.0.1")
    assert (result.returncode, result.stdout) == (3, "")
    assert "environment SITECMS_QUEUE_URL" in result.stderr
    assert PASSWORD not in result.stderr


@pytest.mark.parametrize("command", ["worker", pytest.param("serve", marks=pytest.mark.slow)])
def test_missing_client_library_is_exit_code_3(run: Run, demo: Path, tmp_path: Path, command: str) -> None:
    """The message names the command that installs it; nothing is served."""
    assert run("load", demo).returncode == 0
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text("import sys\nsys.modules['redis'] = None\n", "utf-8")
    result = run(command, demo, SITECMS_QUEUE_URL="redis://127.0.0.1:1", PYTHONPATH=str(blocked))
    message = "The queue on Redis needs redis, which is not installed: "
    assert (result.returncode, message in result.stderr) == (3, True), result.stderr
