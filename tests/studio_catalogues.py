"""Bring the catalogues of the studio to the texts that its templates, modules, scripts, e-mails and messages have now.

python -m tests.studio_catalogues

New texts come in without a translation, those that nobody uses any more are removed. It prints how many texts each
catalogue lacks; `tests/studio/test_studio_catalogues.py` fails until all are translated.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from sitecms.documents import load_schema
from sitecms.settings.theme_folder import OPTIONS as OF_THEME
from sitecms.studio import texts
from sitecms.studio.site_form import HELPS
from sitecms.studio.site_sections import SECTIONS

STUDIO = texts.FOLDER.parent
LOWER = tuple(STUDIO.parent / name for name in ("actions", "content", "media", "store"))
"""Layers whose messages the studio translates: marked constants, and those with values (`sitecms.messages`)."""
METHODS = (
    ("bundle/**", "ignore"),
    ("assets/vendor/**", "ignore"),
    ("**.py", "python"),
    ("**.html", "jinja2"),
    ("**.js", "javascript"),
)
OPTIONS = {
    "**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"},
    "**.js": {"parse_template_string": "true"},
}
KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2), "Text": (1,)}
WIDTH = 120


def used_texts() -> Catalog:
    """Return the texts of the studio, of its e-mails and of messages of lower layers, without translations."""
    catalog = Catalog(fuzzy=False)
    for folder in (STUDIO, *LOWER):
        for path, _line, message, _comments, context in extract_from_dir(folder, METHODS, OPTIONS, KEYWORDS):
            catalog.add(message, None, [(path, 0)], context=context)
    for text in helps_of_schema():
        catalog.add(text, None, [("site.schema.json", 0)])
    return catalog


def helps_of_schema() -> Iterator[str]:
    """Yield the sentences of the schema of site.toml that the section *Site* shows below its controls."""
    schema = load_schema("site")
    for key in (key for section in SECTIONS for group in section.groups for key in group.keys):
        rule: Any = schema
        for name in key:
            rule = rule["properties"].get(name, {})
        if ".".join(key) not in HELPS and key[-1] != OF_THEME:
            yield rule["description"]


def read_catalogue(path: Path) -> Catalog:
    """Return a catalogue with its translations."""
    with path.open("rb") as file:
        return read_po(file, locale=path.stem, abort_invalid=True)


def untranslated(catalog: Catalog) -> list[Message]:
    """Return the texts that have no translation, or lack a form."""
    return [
        message
        for message in catalog
        if message.id and not (all(message.string) if isinstance(message.string, tuple) else message.string)
    ]


def update(path: Path, template: Catalog) -> Catalog:
    """Write a catalogue with the texts of the template; return it. Its header stays."""
    header = path.read_text("utf-8").partition("\n\n")[0]
    catalog = read_catalogue(path)
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    body = BytesIO()
    write_po(body, catalog, WIDTH, omit_header=True, include_lineno=False)
    path.write_text(f"{header}\n\n{body.getvalue().decode().strip()}\n", "utf-8")
    return catalog


def main() -> None:
    """Update all catalogues."""
    template = used_texts()
    for path in sorted(texts.FOLDER.glob("*.po")):
        lacking = untranslated(update(path, template))
        print(f"{path.stem}: {len(lacking)} of {len(template)} texts are not translated")  # noqa: T201


if __name__ == "__main__":
    main()
