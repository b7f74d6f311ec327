"""`sitecms doctor`: what is wrong with this machine, or with a site on it."""

import json
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from sitecms.clock import now, to_microseconds
from sitecms.content.webhooks.signature import new_signing_secret
from sitecms.runtime import Runtime
from sitecms.store.writes.webhooks import insert_webhook

Run = Callable[..., "CompletedProcess[str]"]
NO_PROXIES = {name: "" for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (upper, upper.lower())}


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def examined(run: Run, *words: str | Path, code: int = 0, **variables: str) -> dict[str, tuple[str, str]]:
    """Outcome and text by name."""
    port = () if "--port" in words else ("--port", str(free_port()))
    result = run("doctor", *words, *port, "--format", "json", **{**NO_PROXIES, **variables})
    assert (result.returncode, result.stderr) == (code, "")
    found = json.loads(result.stdout)
    assert found["faults"] == sum(check["outcome"] == "fault" for check in found["checks"])
    assert all(check["remedy"] for check in found["checks"] if check["outcome"] != "ok")
    return {check["name"]: (check["outcome"], check["what"]) for check in found["checks"]}


def test_a_sound_site(run: Run, demo: Path) -> None:
    """Everything is looked at, and the site folder is as it was."""
    run("build", demo)
    before = sorted(path for path in demo.rglob("*"))
    found = examined(run, demo)
    assert found.keys() >= {
        "python", "sqlite", "libraries", "clock", "open files", "proxies", "port", "search", "images", "permissions",
        "disk", "locks", "pipes", "exchange", "store", "times", "secrets",
    }  # fmt: skip
    for name in ("python", "sqlite", "libraries", "proxies", "port", "locks", "store", "times", "secrets"):
        assert found[name][0] == "ok", found[name]
    assert sorted(path for path in demo.rglob("*")) == before


def test_the_machine_alone(run: Run, tmp_path: Path) -> None:
    """Where no site is named and the current folder is none; a folder that is none is exit code 3."""
    found = examined(run)
    assert "python" in found
    assert "store" not in found
    assert run("doctor", tmp_path).returncode == 3


def test_proxies_are_named_and_not_shown(run: Run) -> None:
    """Their address may hold a password."""
    outcome, what = examined(run, HTTPS_PROXY="http://me:hunter2@proxy.example")["proxies"]
    assert outcome == "warning"
    assert "HTTPS_PROXY is set and ignored" in what
    assert "hunter2" not in what


def test_a_port_in_use_is_a_warning(run: Run, demo: Path) -> None:
    """Somebody else's: no server of this site runs."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        outcome, what = examined(run, demo, "--port", str(other.getsockname()[1]))["port"]
    assert (outcome, "address already in use" in what) == ("warning", True)


def test_a_damaged_store_is_a_fault(run: Run, runtime: Runtime) -> None:
    """And exit code 1."""
    runtime.database.close()
    runtime.settings.store_path.write_bytes(b"\xff" * 8192)
    assert examined(run, runtime.settings.folder, code=1)["store"] == ("fault", "The store cannot be read.")


def test_a_folder_that_everyone_may_write_in_is_a_fault(run: Run, runtime: Runtime) -> None:
    """With the command that mends it, in the text for people too."""
    state = runtime.settings.store_path.parent
    state.chmod(0o777)
    assert examined(run, runtime.settings.folder, code=1)["permissions"][0] == "fault"
    result = run("doctor", runtime.settings.folder)
    assert result.returncode == 1
    assert f"chmod o-w {state.resolve()}" in result.stdout


def test_a_store_with_secrets_that_everyone_may_read_is_a_warning(run: Run, runtime: Runtime) -> None:
    """Only where there are webhooks."""
    runtime.settings.store_path.chmod(0o644)
    assert examined(run, runtime.settings.folder)["secrets"][0] == "ok"
    with runtime.database.writing() as transaction:
        insert_webhook(transaction, "https://hooks.example", ("*",), new_signing_secret(), {}, now())
    assert examined(run, runtime.settings.folder)["secrets"][0] == "warning"
    runtime.settings.store_path.chmod(0o600)
    assert examined(run, runtime.settings.folder)["secrets"][0] == "ok"


def test_a_change_in_the_future_is_a_warning(run: Run, runtime: Runtime, make_post: Callable[..., int]) -> None:
    """The clock here is behind, or that of whoever wrote was ahead."""
    make_post("one")
    later = to_microseconds(now() + timedelta(hours=2))
    with runtime.database.writing() as transaction:
        transaction.sql("UPDATE post SET updated_at = ?", later)
    outcome, what = examined(run, runtime.settings.folder)["times"]
    assert outcome == "warning"
    assert "120 minutes from now" in what or "119 minutes" in what


@pytest.mark.parametrize(
    ("setting", "name"),
    [('[share_images]\nfonts = ["none.ttf"]', "fonts"), ("", "images")],
)
def test_what_a_site_wants(run: Run, runtime: Runtime, setting: str, name: str) -> None:
    """A font that is missing is a fault; formats that Pillow writes are none."""
    path = runtime.settings.folder / "site.toml"
    path.write_text(f"{path.read_text('utf-8')}\n{setting}\n", "utf-8")
    found = examined(run, runtime.settings.folder, code=1 if setting else 0)
    assert found[name][0] == ("fault" if setting else "ok")
