"""File of the comments of a site's readers, one JSON object per line, for import into another service."""

from pathlib import Path

import orjson

from sitecms.clock import format_timestamp
from sitecms.files import write_atomically
from sitecms.importing.plan.catalogue import Catalogue
from sitecms.importing.plan.entries import EntryPlan


def write_comments(path: Path, catalogue: Catalogue, plan: EntryPlan) -> None:
    """Write name, time, text, parent and the path of the entry of each comment."""
    lines = []
    for comment in catalogue.comments:
        planned = plan.by_key.get(comment.entry)
        record = {
            "id": comment.key,
            "parent": comment.parent or None,
            "path": planned.path if planned else None,
            "name": comment.name,
            "at": format_timestamp(comment.published_at) if comment.published_at else None,
            "text": comment.text,
        }
        lines.append(orjson.dumps(record) + b"\n")
    write_atomically(path, b"".join(lines))
