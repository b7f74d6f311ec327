"""A real nginx on loopback, for tests of what sitecms writes for it."""

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import PATIENCE_SECONDS

MISSING = "nginx is not installed (Debian: nginx-light)"
_SYSTEM_FOLDERS = os.pathsep.join(("/usr/sbin", "/usr/local/sbin", "/sbin"))
"""Where nginx lies on systems that keep such programs out of everybody's PATH."""


def nginx_program() -> str | None:
    """Where nginx is; None if it is not installed."""
    return shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), _SYSTEM_FOLDERS)))


@contextmanager
def running_nginx(conf_text: str, folder: Path) -> Iterator[Path]:
    """An nginx with this text in its `http { }`, which listens on ports of 127.0.0.1; gives its error log.

    `folder` is its own, to be made. What nginx says of a text it does not take is the AssertionError.
    """
    program = nginx_program()
    assert program, MISSING
    folder.mkdir(parents=True)
    conf, log = folder / "nginx.conf", folder / "error.log"
    conf.write_text(_main_conf(conf_text, folder, _own_folder(program)), encoding="utf-8")
    command = [program, "-p", str(folder), "-c", str(conf), "-e", str(log)]
    tested = subprocess.run([*command, "-t"], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert tested.returncode == 0, tested.stderr + _text(log)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for port in map(int, re.findall(r"listen\s+127\.0\.0\.1:(\d+)", conf_text)):
            _wait_for(port, process, log)
        yield log
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _own_folder(program: str) -> Path:
    """The folder of its configuration, where `mime.types` is."""
    told = subprocess.run([program, "-V"], capture_output=True, text=True, timeout=PATIENCE_SECONDS).stderr
    found = re.search(r"--conf-path=(\S+)", told)
    assert found, told
    return Path(found[1]).parent


def _main_conf(conf_text: str, folder: Path, own: Path) -> str:
    """A whole configuration that writes below `folder` only. The superuser's nginx reads as the superuser."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"    {kind}_temp_path {folder}/{kind};" for kind in kinds)
    return f"""
{"user root;" if os.geteuid() == 0 else ""}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
events {{ worker_connections 64; }}
http {{
    include {own}/mime.types;
    default_type application/octet-stream;
    access_log off;
{temporary}
{conf_text}
}}
"""


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, _text(log)
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nginx does not listen on {port}. {_text(log)}")


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
