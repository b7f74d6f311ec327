"""Manifest of a backup, the last file in its archive.

{"format": 1, "sitecms": "0.1.0", "made_at": "2026-03-01T12:00:00Z", "site": "Tide", "change_number": 41,
 "store_version": 1, "counts": {"posts": 12, ...}, "missing_media": [],
 "files": {"store.db": {"size_bytes": 1048576, "sha256": "..."}, ...}}
"""

from collections.abc import Mapping
from typing import Any

import orjson
from msgspec import Struct, field
from msgspec.structs import asdict

from sitecms.errors import ConfigurationError

BACKUP_FORMAT = 1
MANIFEST = "manifest.json"
STORE_NAME = "store.db"
LIBRARY_FOLDER = "library/"
SITE_FOLDER = "site/"


class Packed(Struct, frozen=True):
    """One file of a backup."""

    size_bytes: int
    sha256: str


class BackupManifest(Struct, frozen=True):
    """Description of a backup. `missing_media` are named by the store and were missing in the site."""

    sitecms: str
    made_at: str
    site: str
    change_number: int
    store_version: int
    counts: Mapping[str, int]
    files: Mapping[str, Packed]
    missing_media: tuple[str, ...] = field(default=())

    def as_bytes(self) -> bytes:
        """Return the manifest as it is written to the backup."""
        return orjson.dumps({"format": BACKUP_FORMAT, **asdict(self)}, default=asdict, option=orjson.OPT_INDENT_2)


def read_manifest(data: bytes, shown: str) -> BackupManifest:
    """Return the manifest of the backup `shown`. Raises ConfigurationError for another format, or none."""
    try:
        found: dict[str, Any] = orjson.loads(data)
        kind = found.pop("format")
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        raise ConfigurationError(f"{shown} is not a backup made by sitecms: its {MANIFEST} cannot be read.") from error
    if kind != BACKUP_FORMAT:
        raise ConfigurationError(f"{shown} was made by a newer version of sitecms ({found.get('sitecms')}).")
    try:
        files = {str(name): Packed(**each) for name, each in found.pop("files").items()}
        missing = tuple(found.pop("missing_media"))
        return BackupManifest(**found, files=files, missing_media=missing)
    except (LookupError, AttributeError, TypeError) as error:
        raise ConfigurationError(f"{shown} is damaged: its {MANIFEST} is incomplete.") from error
