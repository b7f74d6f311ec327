"""`sitecms doctor`: find problems of this machine, or of a site on it."""

import json
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from sitecms.actions.operations.doctor import examine_port
from sitecms.clock import now, to_microseconds
from sitecms.findings import Severity
from sitecms.runtime import Runtime
from tests.cli.conftest import Run
from tests.support.ports import free_port
from tests.support.reading import execute

NO_PROXIES = {name: "" for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (upper, upper.lower())}


def examined(run: Run, *words: str | Path, code: int = 0, **variables: str) -> dict[str, tuple[str, str]]:
    """Return severity and text of the findings by kind."""
    port = () if "--port" in words else ("--port", str(free_port()))
    result = run("doctor", *words, *port, "--format", "json", **{**NO_PROXIES, **variables})
    assert (result.returncode, result.stderr) == (code, "")
    found = json.loads(result.stdout)
    assert found["errors"] == sum(each["severity"] == "error" for each in found["findings"])
    assert all(each["remedy"] for each in found["findings"] if each["severity"] != "ok")
    return {each["kind"]: (each["severity"], each["what"]) for each in found["findings"]}


def test_a_site_without_problems(run: Run, demo: Path) -> None:
    """Everything is examined, and the site folder stays unchanged."""
    run("build", demo)
    before = sorted(path for path in demo.rglob("*"))
    found = examined(run, demo)
    assert found.keys() >= {
        "python", "sqlite", "libraries", "clock", "open-files", "proxies", "port", "search", "images", "permissions",
        "disk", "locks", "exchange", "store", "times", "secrets",
    }  # fmt: skip
    for name in ("python", "sqlite", "libraries", "proxies", "port", "locks", "store", "times", "secrets"):
        assert found[name][0] == "ok", found[name]
    assert sorted(path for path in demo.rglob("*")) == before


def test_the_machine_alone(run: Run, tmp_path: Path) -> None:
    """Without a site, the machine alone is examined; a folder that is not a site ends with exit code 3."""
    found = examined(run)
    assert "python" in found
    assert "store" not in found
    assert run("doctor", tmp_path).returncode == 3


def test_proxies_are_named_and_not_shown(run: Run) -> None:
    """The value may contain a password."""
    severity, what = examined(run, HTTPS_PROXY="http://me:hunter2@proxy.example")["proxies"]
    assert severity == "warning"
    assert "HTTPS_PROXY is set and ignored" in what
    assert "hunter2" not in what


def test_a_port_in_use_is_a_warning(run: Run, demo: Path) -> None:
    """No server of this site runs, so another program uses the port."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        severity, what = examined(run, demo, "--port", str(other.getsockname()[1]))["port"]
    assert (severity, "address already in use" in what) == ("warning", True)


def test_a_damaged_store_is_an_error(run: Run, runtime: Runtime) -> None:
    """The exit code is 1."""
    runtime.database.close()
    runtime.settings.store_path.write_bytes(b"\xff" * 8192)
    assert examined(run, runtime.settings.folder, code=1)["store"] == ("error", "The store cannot be read.")


def test_a_folder_that_every_user_may_write_to_is_an_error(run: Run, runtime: Runtime) -> None:
    """The remedy is the command that corrects it."""
    state = runtime.settings.store_path.parent
    state.chmod(0o777)
    assert examined(run, runtime.settings.folder, code=1)["permissions"][0] == "error"
    result = run("doctor", runtime.settings.folder)
    assert result.returncode == 1
    assert f"chmod o-w {state.resolve()}" in result.stdout


def test_a_store_that_others_can_read_is_an_error(run: Run, runtime: Runtime) -> None:
    """It holds hashes of passwords, webhooks or not; --repair makes it private."""
    folder, state = runtime.settings.folder, runtime.settings.state_dir
    state.chmod(0o755)
    assert examined(run, folder, code=1)["secrets"][0] == "error"
    repaired = run("doctor", folder, "--repair")
    assert "secrets: error: every user of this machine can read" in repaired.stdout
    assert "(repaired)" in repaired.stdout
    assert state.stat().st_mode & 0o777 == 0o700
    assert examined(run, folder)["secrets"][0] == "ok"


def test_a_change_in_the_future_is_a_warning(run: Run, runtime: Runtime, make_post: Callable[..., int]) -> None:
    """One of the clocks is wrong."""
    make_post("one")
    later = to_microseconds(now() + timedelta(hours=2))
    execute(runtime.database, "UPDATE version SET updated_at = ?", later)
    severity, what = examined(run, runtime.settings.folder)["times"]
    assert severity == "warning"
    assert "120 minutes from now" in what or "119 minutes" in what


@pytest.mark.parametrize(("setting", "name"), [('[share_images]\nfonts = ["none.ttf"]', "fonts"), ("", "images")])
def test_files_and_libraries_that_the_settings_need(run: Run, runtime: Runtime, setting: str, name: str) -> None:
    """A missing font is an error; image formats that Pillow writes are in order."""
    path = runtime.settings.folder / "site.toml"
    path.write_text(f"{path.read_text('utf-8')}\n{setting}\n", "utf-8")
    found = examined(run, runtime.settings.folder, code=1 if setting else 0)
    assert found[name][0] == ("error" if setting else "ok")


def test_a_port_that_another_program_uses_is_a_warning_while_the_site_is_served() -> None:
    """A server of the site may listen at another port; only one that answers as sitecms is its own."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        finding = examine_port("127.0.0.1", int(other.getsockname()[1]), is_serving=True)
    assert (finding.severity, "by another program" in finding.what) == (Severity.WARNING, True)
