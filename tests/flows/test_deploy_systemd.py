"""The units of `sitecms deploy systemd`: read by systemd's own checker, and run by a systemd of the test's own."""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import requests
from PIL import Image

from sitecms.clock import now
from sitecms.content.token import Scope, new_secret, secret_digest
from sitecms.settings.site import TEMPLATE_CACHE
from sitecms.store.writes.tokens import NO_LIMITS, insert_token
from tests.support.ports import free_port
from tests.support.sites import ExampleSite
from tests.support.web_hosts import Reply, web_host

pytestmark = [pytest.mark.slow, pytest.mark.sqlite_only("what stands around a site does not see its store")]
SYSTEMD = Path("/lib/systemd/systemd")
SECONDS = 60.0
UID = 64321
NAMESPACES = ("--mount", "--mount-proc", "--pid", "--fork", "--kill-child", "--cgroup", "--ipc", "--uts")
BOOT = """
set -e
mount -t tmpfs -o mode=755 none /run
mount -o bind,ro /proc/sys /proc/sys
umount -l /sys/fs/cgroup || true
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs -o mode=755 none /srv
mkdir -p /run/systemd/system /srv/base /srv/python /srv/repo /srv/sitecms /srv/backups
mount --bind {base} /srv/base
mount --bind {prefix} /srv/python
mount --bind {repo} /srv/repo
mount --bind {sites} /srv/sitecms
mount --bind {backups} /srv/backups
mount --bind {passwd} /etc/passwd
mount -t tmpfs none /dev/shm
if [ {home} != /srv ]; then
    mount -t tmpfs -o mode=755 none {home}
    mkdir -p {base}
    mount --bind /srv/base {base}
fi
cat > {home}/program <<'EOF'
#!/bin/sh
PYTHONPATH=/srv/repo PYTHONDONTWRITEBYTECODE=1 exec /srv/python/bin/python -m sitecms "$@"
EOF
chmod 755 {home}/program
cd /run/systemd/system
{home}/program deploy systemd /srv/sitecms/tide --program {home}/program --backups /srv/backups --output .
for stub in sysinit basic shutdown network-online; do
    printf '[Unit]\\nDefaultDependencies=no\\n' > $stub.target
done
cat > boot.target <<EOF
[Unit]
DefaultDependencies=no
Wants=sitecms-serve@tide.service sitecms-worker@tide.service sitecms-build@tide.service sitecms-backup@tide.service
EOF
for unit in serve worker build backup; do
    mkdir sitecms-$unit@.service.d
    cat > sitecms-$unit@.service.d/test.conf <<EOF
[Service]
EnvironmentFile=/srv/sitecms/test.env
StandardOutput=append:/srv/sitecms/$unit.log
StandardError=inherit
EOF
done
export container=test SYSTEMD_UNIT_PATH=/run/systemd/system SYSTEMD_GENERATOR_PATH=/run/none
exec {systemd} --system --unit=boot.target --log-target=null --show-status=no
"""


def units_of(folder: Path, output: Path) -> None:
    """Have the command write them."""
    command = [sys.executable, "-m", "sitecms", "deploy", "systemd", str(folder), "--output", str(output)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


def test_systemd_takes_the_units(example: ExampleSite, lacking: Callable[[str], None], tmp_path: Path) -> None:
    """Its checker has no word against any, and finds them well locked."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        lacking("systemd-analyze is not installed (Debian: systemd)")
        return
    units_of(example.folder, tmp_path / "units")
    files = sorted(map(str, (tmp_path / "units").iterdir()))
    assert len(files) == 6
    checked = subprocess.run([analyze, "verify", "--man=no", *files], capture_output=True, text=True, timeout=60)
    told = [line for line in checked.stderr.splitlines() if "/units/" in line]
    assert (checked.returncode, told) == (0, [])
    for name in (name for name in files if name.endswith(".service")):
        command = [analyze, "security", "--offline=true", "--no-pager", "--threshold=20", name]
        judged = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert judged.returncode == 0, judged.stdout


@dataclass(frozen=True)
class Machine:
    """What the units run on; `folder` is that of its sites as seen from outside."""

    example: ExampleSite
    folder: Path
    port: int
    secret: str

    def ask(self, method: str, path: str, body: object = None) -> requests.Response:
        """One request to the API."""
        headers = {"Authorization": f"Token {self.secret}"}
        return requests.request(method, f"http://127.0.0.1:{self.port}{path}", json=body, headers=headers, timeout=60)

    def is_ready(self) -> bool:
        """Whether API and worker are there."""
        try:
            told = self.ask("GET", "/health/ready").json()
            return bool(told["status"] == "ready" and told["worker"] == "alive")
        except requests.RequestException:
            return False

    def logs(self) -> str:
        """What all units said."""
        return "\n".join(path.read_text("utf-8") for path in sorted(self.folder.glob("*.log")))


def processes(words: str) -> list[Path]:
    """Those in /proc whose command line holds the words, oldest first."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if words in (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                started = int((entry / "stat").read_text().rpartition(")")[2].split()[19])
                found.append((started, int(entry.name), entry))
    return [entry for _, _, entry in sorted(found)]


def is_another(words: str, old: list[Path]) -> bool:
    """Whether new processes have taken the place of the old ones."""
    now = processes(words)
    return bool(now) and not set(now) & set(old)


def until(happened: Callable[[], object], machine: Machine) -> None:
    """Wait for it."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end, machine.logs()
        time.sleep(0.1)


@pytest.fixture
def picture() -> Iterator[str]:
    """The address of a photograph on loopback."""
    buffer = io.BytesIO()
    Image.new("RGB", (40, 30), "navy").save(buffer, "JPEG")
    with web_host(lambda _request: Reply(buffer.getvalue(), headers={"Content-Type": "image/jpeg"})) as address:
        yield f"{address}/sea.jpg"


@contextmanager
def booted(example: ExampleSite, folder: Path, repo: Path) -> Iterator[Machine]:
    """A systemd in namespaces of its own that runs the units of the site, as they stand, as a user `sitecms`.

    Its /dev/shm is empty: systemd removes what a user of no running unit has left there, were it the test's folder.
    """
    secret, port = new_secret(), free_port()
    example.database.write(insert_token, "newsroom", Scope.WRITE, secret_digest(secret), now(), None, NO_LIMITS)
    example.database.close()
    sites, backups, passwd = example.folder.parent, folder / "backups", folder / "passwd"
    backups.mkdir()
    passwd.write_text(
        f"{Path('/etc/passwd').read_text('utf-8')}sitecms:x:{UID}:{UID}::/:/bin/false\n", encoding="utf-8"
    )
    (sites / "test.env").write_text(f"SERVE_OPTIONS=--port {port} --workers 1\n", encoding="utf-8")
    sites.chmod(0o755)
    for place in (example.folder, backups, *example.folder.rglob("*")):
        os.chown(place, UID, UID)
    base = Path(sys.base_prefix).resolve()
    homes = [home for home in ("/root", "/home") if base.is_relative_to(home)]  # of a Python that no one else may use
    script = BOOT.format(
        base=base, home=homes[0] if homes else "/srv", prefix=sys.prefix, repo=repo, sites=sites,
        backups=backups, passwd=passwd, systemd=SYSTEMD,
    )  # fmt: skip
    command = ["unshare", *NAMESPACES, "sh", "-c", script]
    with (sites / "boot.log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield Machine(example, sites, port, secret)
    finally:
        process.kill()  # and with it all that is in its namespaces
        process.wait()


def test_the_units_run_the_site(
    make_example: Callable[[Path], ExampleSite],
    lacking: Callable[[str], None],
    tmp_path: Path,
    repo: Path,
    picture: str,
) -> None:
    """Locked in as they are: reads, writes, a decoded picture, a build, a backup; what is killed comes back."""
    if not SYSTEMD.exists() or shutil.which("unshare") is None:
        lacking("systemd is not installed (Debian: systemd)")
    if os.geteuid() != 0 or subprocess.run(["unshare", *NAMESPACES, "true"], capture_output=True).returncode:
        lacking("only the superuser can start a systemd in namespaces of its own")
    example = make_example(tmp_path / "sites/tide")
    example.settings_are(media={"allow_hosts": ["127.0.0.1"]})
    example.load()
    (example.settings.folder / TEMPLATE_CACHE).unlink(missing_ok=True)  # a link to what its machine does not have
    with tempfile.NamedTemporaryFile(dir="/tmp") as hidden, booted(example, tmp_path, repo) as machine:
        until(machine.is_ready, machine)
        until((example.public / "blog/calm/index.html").exists, machine)
        until(lambda: list((tmp_path / "backups").glob("tide-*.tar.gz")), machine)
        body = {"title": "Slack water", "slug": "slack", "status": "published", "featured_image": picture}
        assert machine.ask("POST", "/v2/posts/", body).status_code == 202
        until(lambda: machine.ask("GET", "/v2/posts/slack/").status_code == 200, machine)
        image = machine.ask("GET", "/v2/posts/slack/").json()["data"]["featured_image"]
        stored = requests.get(image, timeout=60)
        assert Image.open(io.BytesIO(stored.content)).size == (40, 30)
        for words in ("serve /srv/sitecms/tide", "worker /srv/sitecms/tide"):
            (first, *_) = old = processes(words)
            facts = dict(re.findall(r"^(\w+):\t(.*)$", (first / "status").read_text(), re.MULTILINE))
            assert (facts["NoNewPrivs"], facts["Seccomp"], facts["CapBnd"]) == ("1", "2", "0" * 16), facts
            assert facts["Uid"].split()[0] == str(UID)
            assert not os.path.exists(first / "root" / hidden.name[1:])  # noqa: PTH110 - /proc's links are no paths
            os.kill(int(first.name), signal.SIGKILL)
            until(partial(is_another, words, old), machine)
        until(machine.is_ready, machine)
        assert machine.ask("GET", "/v2/posts/slack/").status_code == 200
