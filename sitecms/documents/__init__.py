"""Files that people write: YAML, TOML, Markdown with front matter; read into plain data, changed in place.

Every error names file, line and place, the problem and the remedy. Data is always as JSON has it (text,
numbers, true, false, null, lists, tables with text keys), but for TOML times. Importing this loads no JSON
Schema library.
"""

from sitecms.documents.locations import Locate, Step, locator, nearest, nowhere, place_of, suggest
from sitecms.documents.reading import (
    UNFIT,
    FrontMatter,
    load_schema,
    read_front_matter,
    read_toml,
    read_yaml,
    unfit_character,
    with_defaults,
)
from sitecms.documents.validation import schema_errors
from sitecms.documents.yaml12 import dump_yaml

__all__ = [
    "UNFIT",
    "FrontMatter",
    "Locate",
    "Step",
    "dump_yaml",
    "load_schema",
    "locator",
    "nearest",
    "nowhere",
    "place_of",
    "read_front_matter",
    "read_toml",
    "read_yaml",
    "schema_errors",
    "suggest",
    "unfit_character",
    "with_defaults",
]
