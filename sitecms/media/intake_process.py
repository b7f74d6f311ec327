"""Process that `sitecms.media.intake` starts: makes the published form of one file, and its thumbnail."""

import os
import sys
from contextlib import suppress

import orjson
from msgspec.structs import asdict

from sitecms.clock import EPOCH
from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import identify, recognise
from sitecms.media.decoding.heic import as_jpeg
from sitecms.media.decoding.normalize import REFUSED, enter_sandbox, normalize
from sitecms.media.images.derived_images import make_thumbnail, needs_thumbnail
from sitecms.media.published_form import published


def take(facts: int, small: int, width: int, name: str) -> None:
    """Write the published form of standard input to standard output, its description and thumbnail to other files."""
    data, name = as_jpeg(sys.stdin.buffer.read(), name)
    identify(data, name)
    media, stripped = published(data if recognise(data, name) else normalize(data), name, EPOCH)
    sys.stdout.buffer.write(stripped)
    sys.stdout.buffer.flush()
    described = {key: value for key, value in asdict(media).items() if key not in ("created_at", "details")}
    with os.fdopen(facts, "wb") as file:
        file.write(orjson.dumps(described))
    if needs_thumbnail(media, width):
        with os.fdopen(small, "wb") as file, suppress(InvalidMedia, MemoryError):
            file.write(make_thumbnail(stripped, width))


def main(limits: list[str], task: str, *arguments: str) -> int:
    """Do one task; return 0, or REFUSED with the reason as the output."""
    enter_sandbox(*map(int, limits))
    try:
        if task == "take":
            facts, small, width, name = arguments
            take(int(facts), int(small), int(width), name)
        else:
            sys.stdout.buffer.write(make_thumbnail(sys.stdin.buffer.read(), int(arguments[0])))
    except InvalidMedia as error:
        sys.stdout.buffer.write(str(error).encode())
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:4], *sys.argv[4:]))
