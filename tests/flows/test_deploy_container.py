"""The Containerfile of `sitecms deploy container`, its steps taken here: there may be no engine and no base image."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from sitecms.programs import Program
from tests.support.ports import free_port
from tests.support.waiting import until

SECONDS = 60.0
NGINX = Path("/usr/sbin/nginx")
INSTRUCTIONS = frozenset(
    {"ARG", "FROM", "ENV", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
)


@dataclass(frozen=True)
class Image:
    """What an engine would make: a Python of its own, the environment of its processes, and how they are started."""

    folder: Path
    environment: dict[str, str]
    steps: list[tuple[str, str]]

    def of(self, instruction: str) -> list[str]:
        """The arguments of each such instruction, in order."""
        return [rest for name, rest in self.steps if name == instruction]

    def here(self, text: str, port: int = 8000) -> str:
        """The text with the image's paths, ids and port as they are here."""
        text = re.sub(r"(?<![\w.])/(wheels|site)\b", rf"{self.folder}/\1", text)
        return text.replace("10001", str(os.getuid())).replace(":8000", f":{port}")


def parsed(text: str) -> list[tuple[str, str]]:
    """Each instruction and what follows it."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], line.partition(" ")[2]) for line in lines]


@pytest.fixture(scope="module")
def image(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The steps up to the last RUN, taken with the wheel of this checkout in a fresh environment."""
    folder = tmp_path_factory.mktemp("image")
    command = [
        sys.executable,
        "-m",
        "sitecms",
        "deploy",
        "container",
        str(repo / "sample_site"),
        "--output",
        str(folder),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "wheels"), str(repo)]
    subprocess.run(build, check=True, capture_output=True, timeout=2 * SECONDS)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "python")], check=True, timeout=SECONDS)
    (own,) = (folder / "python/lib").glob("python3*/site-packages")
    lent = next(path for path in sys.path if path.endswith("site-packages"))
    (own / "lent.pth").write_text(f"{lent}\n", encoding="utf-8")  # the libraries, which are not fetched once more
    steps = parsed((folder / "Containerfile").read_text("utf-8"))
    made = Image(folder, {"PATH": f"{folder}/python/bin:{os.environ['PATH']}"}, steps)
    for text in made.of("ENV"):
        made.environment.update(word.split("=", 1) for word in shlex.split(text))  # type: ignore[misc]
    extras = made.of("ARG")[-1].removeprefix("EXTRAS=")
    variables = {**made.environment, "EXTRAS": extras, "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1"}
    for step in made.of("RUN"):
        ran = subprocess.run(
            ["sh", "-c", made.here(step)], env=variables, capture_output=True, text=True, timeout=2 * SECONDS
        )
        assert ran.returncode == 0, (step, ran.stdout, ran.stderr)
    return made


@pytest.mark.slow
def test_the_steps_are_those_of_a_small_image(image: Image) -> None:
    """Known instructions; a base that is a variable; no superuser; the wheel installed and no longer lying about."""
    assert {name for name, _ in image.steps} == INSTRUCTIONS
    assert image.steps[1] == ("FROM", "${BASE}")
    assert re.fullmatch(r"BASE=python:3\.\d+-slim", image.steps[0][1])
    last_run = max(number for number, step in enumerate(image.steps) if step[0] == "RUN")
    assert image.steps[last_run + 1] == ("USER", "10001:10001")
    assert not (image.folder / "wheels").exists()
    assert (image.folder / "site").is_dir()
    where = subprocess.run(
        ["python", "-c", "import sitecms; print(sitecms.__file__)"],
        env=image.environment, cwd=image.folder, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    assert where.stdout.startswith(f"{image.folder}/python/"), where


@contextmanager
def started(image: Image, port: int) -> Iterator["subprocess.Popen[str]"]:
    """ENTRYPOINT and CMD, on loopback and another port; ended as an engine does it."""
    words = json.loads(image.of("ENTRYPOINT")[0]) + json.loads(image.here(image.of("CMD")[0]))
    words[words.index("--host") + 1] = "127.0.0.1"
    process = subprocess.Popen(
        [*words, "--port", str(port)], env=image.environment, cwd=image.folder, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
        process.terminate()
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


@pytest.mark.slow
def test_container_serves_and_is_healthy(image: Image) -> None:
    """CMD serves the site that is mounted; HEALTHCHECK fails before, passes while it runs, and fails afterwards."""
    run = {"env": image.environment, "cwd": image.folder, "capture_output": True, "timeout": SECONDS}
    for words in (["init", "site"], ["load", "site"]):
        subprocess.run(["sitecms", *words], check=True, **run)  # type: ignore[call-overload]
    port = free_port()
    healthcheck = json.loads(image.here(image.of("HEALTHCHECK")[0].split(" CMD ")[1], port))

    def is_well() -> bool:
        return bool(subprocess.run(healthcheck, **run).returncode == 0)  # type: ignore[call-overload]

    assert not is_well()
    with started(image, port):
        end = time.monotonic() + SECONDS
        while not is_well():
            assert time.monotonic() < end
    assert not is_well()


@pytest.mark.slow
def test_a_small_container_serves_site_studio_and_api(tmp_path: Path, lacking: Callable[[str], None]) -> None:
    """Its `start` and its configurations as they are, with the paths and ports of this machine."""
    if not NGINX.exists():
        lacking("nginx is not installed")
    port, api, inner = free_port(), free_port(), free_port()
    variables = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{NGINX.parent}:{os.environ['PATH']}"}
    for words in (["init", "site"], ["deploy", "container", "site", "--small", "--output", "container"]):
        command = ["sitecms", *words]
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            env=variables,
            cwd=tmp_path,
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )
    for file in (tmp_path / "container").iterdir():
        text = re.sub(r"(?<![\w./])/(container|site)\b", rf"{tmp_path}/\1", file.read_text("utf-8"))
        text = text.replace("/tmp/nginx", f"{tmp_path}/nginx").replace(":8000", f":{api}").replace("8080", str(port))
        text = text.replace(":8099", f":{inner}").replace("serve ", f"serve --port {api} ")
        is_superuser = file.name == "nginx.conf" and os.getuid() == 0  # as which the container does not run
        file.write_text(f"user root;\n{text}" if is_superuser else text, "utf-8")
    steps = parsed((tmp_path / "container/Containerfile").read_text("utf-8"))
    assert {name for name, _ in steps} == INSTRUCTIONS - {"CMD"}
    assert ("COPY", f"nginx.conf site.conf start {tmp_path}/container/") in steps
    quiet = (subprocess.DEVNULL, subprocess.DEVNULL, subprocess.DEVNULL)
    with Program(["sh", "container/start"], files=quiet, env=variables, cwd=tmp_path):

        def answer(path: str) -> tuple[int, str]:
            with suppress(requests.ConnectionError):
                response = requests.get(f"http://127.0.0.1:{port}{path}", timeout=SECONDS)
                return response.status_code, response.text
            return 0, ""

        assert until(lambda: answer("/health/ready")[0] == 200)
        paths = {"/": 200, "/blog/first-steps/": 200, "/v2/posts/": 401, "/nowhere/": 404}
        assert {path: answer(path)[0] for path in paths} == paths
        assert "The studio has no users yet." in answer("/studio/")[1]
