"""Settings of the files of the site folder, [files]: what is written into them, and what Git does with it."""

import os
from enum import StrEnum

from msgspec import Struct

HOOK_SECRET = "SITECMS_GIT_HOOK_SECRET"  # noqa: S105 - the name of a variable
SHORTEST_SECRET = 16


class WriteBack(StrEnum):
    """The setting that lets changes of studio and API be written into files; `auto` where the folder allows it."""

    AUTO = "auto"
    ON = "true"
    OFF = "false"


class GitMode(StrEnum):
    """What the background worker does with files that were written."""

    OFF = "off"
    COMMIT = "commit"
    PUSH = "push"


class FileSettings(Struct, frozen=True):
    """Settings of the files of the site folder; `names` is the pattern of the names of new posts."""

    write_back: WriteBack = WriteBack.AUTO
    git: GitMode = GitMode.OFF
    names: str = "{slug}"


def hook_secret() -> str:
    """Return the secret with which a host signs requests to /hooks/git; "" if there is none, or one that is guessed.

    It stands in the environment alone, since site.toml is in the repository.
    """
    secret = os.environ.get(HOOK_SECRET, "")
    return secret if len(secret) >= SHORTEST_SECRET else ""
