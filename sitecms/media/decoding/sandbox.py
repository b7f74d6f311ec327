"""Sandbox that decodes files of strangers in a process of its own, limited in memory and time."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import IO

from msgspec import Struct

from sitecms.errors import InvalidMedia
from sitecms.media.decoding import file_types
from sitecms.programs import Program

REFUSED = 3  # as in `normalize`, which is not imported: it belongs to the child
_MAX_REASON_BYTES = 500


class SandboxLimits(Struct, frozen=True):
    """Limits of decoding one image; `seconds` are wall-clock, `output_bytes` limit the encoded image."""

    memory_bytes: int = 2 * 1024 * 1024 * 1024  # 50 megapixels of AVIF take 1.9 GB, of WebP 1.1, of the rest 0.5
    cpu_seconds: int = 30
    seconds: float = 60.0
    output_bytes: int = 40 * 1024 * 1024


DEFAULT_LIMITS = SandboxLimits()


def normalized(data: bytes, original_name: str, limits: SandboxLimits = DEFAULT_LIMITS) -> bytes:
    """Return the bytes to store: images re-encoded by `normalize`, PDF, sound and video unchanged.

    Raises InvalidMedia for everything else, and for an image that is broken or exceeds the limits.
    """
    if file_types.recognise(data, original_name):
        return data
    try:
        return _in_child(data, limits)
    except InvalidMedia as error:
        raise InvalidMedia(f"{original_name[:100]}: {error}") from error


def _in_child(data: bytes, limits: SandboxLimits) -> bytes:
    """Decode in a child process. Input and output are files: no side blocks, and the kernel limits their size."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as result:
        source.write(data)
        source.seek(0)
        code = run_in_sandbox("sitecms.media.decoding.normalize", source, result, limits)
        result.seek(0)
        if code == 0:
            return result.read(limits.output_bytes)
        if code == REFUSED:
            raise InvalidMedia(result.read(_MAX_REASON_BYTES).decode(errors="replace"))
    raise InvalidMedia("the image is broken, or takes too much time or memory to decode")


def run_in_sandbox(
    module: str,
    source: IO[bytes],
    result: IO[bytes],
    limits: SandboxLimits,
    arguments: Sequence[str] = (),
    pass_fds: Sequence[int] = (),
) -> int | None:
    """Run a module of this package in a child process from one file to another; return its exit code, or None.

    None means that its time was up. The child inherits nothing of the environment but the path, and further files by
    `pass_fds`. It sets the limits of memory itself (`normalize.enter_sandbox`).
    """
    numbers = (limits.memory_bytes, limits.cpu_seconds, limits.output_bytes)
    command = [sys.executable, "-P", "-m", module, *map(str, numbers), *arguments]
    env = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"}
    with Program(command, files=(source, result, subprocess.DEVNULL), env=env, pass_fds=pass_fds) as program:
        return program.wait(limits.seconds)
