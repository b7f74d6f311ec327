"""Files of the folder `static`, which are copied to the root of the built site as they are.

A file takes the place of a file of the theme at the same path, as `robots.txt` and `404.html`. The files `_headers` and
`_redirects`, which sitecms writes too, have the lines of sitecms first and the owner's after them.
"""

import os
from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path

from sitecms.content.fingerprint import digest_of_parts
from sitecms.documents.folders import STATIC_FOLDER, Listing
from sitecms.site.plan.redirect_files import HOSTED
from sitecms.site.theme.assets import FileJob, file_of_bytes

HEADERS = "_headers"
_JOINED = (HEADERS, HOSTED)
_CHUNK_BYTES = 1 << 20


def plan_static(site: Path) -> tuple[FileJob, ...]:
    """Return the job of each file in `static`. One that cannot be read fails when it is copied."""
    listing = Listing(f"{site}/")
    return tuple(_job(site, path) for path in listing.static_files())


def with_static(files: Iterable[FileJob], static: Iterable[FileJob]) -> tuple[FileJob, ...]:
    """Return the files of a plan and those of `static`; where both have `_headers` or `_redirects`, one of both."""
    static_jobs = {job.path: job for job in static}
    joined = [
        _joined(job, static_jobs.pop(job.path)) if job.path in _JOINED and job.path in static_jobs else job
        for job in files
    ]
    return (*joined, *static_jobs.values())


def _job(site: Path, path: str) -> FileJob:
    file = site / path
    try:
        stat = file.stat()
        fingerprint = _digest(file, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
    except OSError:
        fingerprint = ""
    return FileJob(path.removeprefix(f"{STATIC_FOLDER}/"), fingerprint, file.read_bytes, source=file, name=path)


@lru_cache(maxsize=10_000)
def _digest(file: Path, *_stamp: int) -> str:
    """Return the digest of a file, read once for each stamp of its size, times and inode."""
    with file.open("rb") as data:
        return digest_of_parts(iter(partial(data.read, _CHUNK_BYTES), b""))


def _joined(generated: FileJob, static_job: FileJob) -> FileJob:
    if static_job.source is None or not os.access(static_job.source, os.R_OK):
        return static_job
    lines = generated.read() + f"# From {static_job.name}:\n".encode() + static_job.read()
    return file_of_bytes(generated.path, lines)
