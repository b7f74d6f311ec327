"""Labels of the fields that the sample site and the starter sites declare, as writers read them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[3]
SCHEMAS = sorted(
    path for folder in ("sample_site", "sitecms/starters") for path in (ROOT / folder).glob("**/schema/**/*.yaml")
)
OPEN = {"Title", "Label", "Link", "Address", "By", "Headline", "Hero", "Primary", "Wide"}
"""Labels that leave open what readers see of the field."""


def groups(data: Any) -> Iterator[list[dict[str, Any]]]:
    """Yield the fields of a declaration, and those of its rows."""
    fields = data.get("fields", [])
    yield fields
    for each in fields:
        yield from groups(each)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: str(path.relative_to(ROOT)))
def test_labels_say_what_readers_see(path: Path) -> None:
    """No two fields of a form have one label, and a label that leaves it open has a help text."""
    for fields in groups(YAML(typ="safe").load(path.read_text(encoding="utf-8"))):
        labels = [each["name"] for each in fields]
        assert len(labels) == len(set(labels))
        assert [each["name"] for each in fields if each["name"] in OPEN and "help" not in each] == []
