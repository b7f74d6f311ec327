"""The catalogues of the theme: every word of the interface is there in each language, in the same form."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from babel.messages.pofile import read_po
from jinja2 import Environment

from sitecms.errors import ConfigurationError
from sitecms.resources import resource_dir
from sitecms.translations import Translations, language_names

if TYPE_CHECKING:
    from tests.support.sites import ExampleSite

PARSER: Any = Environment(autoescape=True, extensions=["jinja2.ext.i18n"])
Message = str | tuple[str | None, ...]
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")


def of_templates(theme: Path) -> Iterator[tuple[str, Message]]:
    """(place, message or its singular and plural) of the templates of a theme."""
    for path in sorted((theme / "templates").rglob("*.*")):
        for line, _name, message in PARSER.extract_translations(path.read_text(encoding="utf-8")):
            yield f"{path.name}:{line}", tuple(message) if isinstance(message, tuple) else str(message)


def of_modules() -> Iterator[tuple[str, str]]:
    """(place, message) of calls to `text` and `_text` in the modules that plan pages."""
    for path in sorted(resource_dir("templates").parent.glob("sitecms/site/**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                if name in ("text", "_text") and isinstance(node.args[0].value, str):
                    yield f"{path.name}:{node.lineno}", node.args[0].value


@cache
def used_messages(theme: Path) -> tuple[tuple[str, Message], ...]:
    """All of them, read once; those of modules are translated by the default theme."""
    return (*of_templates(theme), *(of_modules() if theme == DEFAULT else ()))


DEFAULT = resource_dir("templates") / "themes/default"
OTHERS = [folder for folder in sorted(DEFAULT.parent.iterdir()) if folder != DEFAULT]
CATALOGUES = sorted(path.stem for path in (DEFAULT / "translations").glob("*.po"))


def translated(code: str, theme: Path = DEFAULT) -> dict[str, tuple[str, ...]]:
    """Translations of a theme by their English words, or the singular of these."""
    path = theme / "translations" / f"{code}.po"
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        messages: list[Any] = [message for message in read_po(file, abort_invalid=True) if message.id]
    return {
        message.id if isinstance(message.id, str) else message.id[0]:
            (message.string,) if isinstance(message.string, str) else tuple(message.string)
        for message in messages
        if not message.fuzzy
    }  # fmt: skip


def number_of_forms(code: str) -> int:
    """Number of plural forms in the header of a catalogue."""
    text = (resource_dir("templates") / "themes/default/translations" / f"{code}.po").read_text("utf-8")
    return int(text.partition("Plural-Forms: nplurals=")[2][:1])


def test_the_theme_speaks_thirty_languages() -> None:
    """Beside English."""
    assert len(CATALOGUES) >= 30


@pytest.mark.parametrize("code", CATALOGUES)
def test_every_message_is_translated(code: str) -> None:
    """Of templates and of modules, with all plural forms of the catalogue and the same placeholders."""
    found, missing = translated(code), []
    assert len(used_messages(DEFAULT)) > 40
    used = list(used_messages(DEFAULT))
    for theme in OTHERS:
        assert not found.keys() & translated(code, theme).keys(), theme.name
        found |= translated(code, theme)
        used += used_messages(theme)
    for place, message in used:
        english = [form for form in message if form] if isinstance(message, tuple) else [message]
        forms = found.get(english[0], ())
        expected = number_of_forms(code) if len(english) > 1 else 1
        if len(forms) != expected or not all(forms):
            missing.append(f"{place}: {english[0]}")
        for form in forms:
            placeholders = set(PLACEHOLDER.findall(form))
            may_lack_number = len(english) > 1 and form != forms[-1]  # as "one minute" does
            assert placeholders == set(PLACEHOLDER.findall(english[-1])) or (may_lack_number and not placeholders), form
    assert missing == []


@pytest.mark.parametrize("code", CATALOGUES)
def test_no_message_is_translated_that_nobody_uses(code: str) -> None:
    """What a template no longer says leaves the catalogues too."""
    for theme in (DEFAULT, *OTHERS):
        used = {message[0] if isinstance(message, tuple) else message for _place, message in used_messages(theme)}
        assert sorted(translated(code, theme).keys() - used) == []


@pytest.mark.parametrize(
    ("locale", "word"), [("pt-BR", "Categoria"), ("zh-CN", "分类"), ("zh-TW", "Category"), ("uk", "Категорія")]
)
def test_a_locale_has_the_words_of_its_language(locale: str, word: str) -> None:
    """Regional ones too, unless the script is another."""
    folder = resource_dir("templates") / "themes/default/translations"
    translations = Translations({path.stem: (path,) for path in folder.glob("*.po")})
    assert translations.text(locale, "Category") == word


def test_plural_forms_follow_the_language() -> None:
    """One minute, and any other number of them; English where there is no catalogue."""
    translations = Translations({"es": (resource_dir("templates") / "themes/default/translations" / "es.po",)})
    forms = [translations.counted("es", "%(num)s post", "%(num)s posts", number) for number in (0, 1, 2)]
    assert forms == ["%(num)s entradas", "%(num)s entrada", "%(num)s entradas"]
    assert translations.counted("ar", "%(num)s post", "%(num)s posts", 2) == "%(num)s posts"
    assert translations.text("ar", "Updated") == "Updated"


_NUMBERED = 'msgid "%(num)s post"\nmsgid_plural "%(num)s posts"\nmsgstr[0] "uno"\nmsgstr[1] "otros"\nmsgstr[2] "nada"\n'


def test_the_rule_of_a_catalogue_counts(tmp_path: Path) -> None:
    """Plural forms are those of the header, whatever the rule of the language is in this version of Babel."""
    path = tmp_path / "es.po"
    header = 'msgid ""\nmsgstr "Plural-Forms: nplurals=3; plural=(n==0 ? 2 : n!=1);\\n"\n\n'
    path.write_text(header + _NUMBERED, "utf-8")
    translations = Translations({"es": (path,)})
    assert [translations.counted("es", "%(num)s post", "", number) for number in (0, 1, 2)] == ["nada", "uno", "otros"]


def test_an_invalid_rule_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    """With the rule and what to do."""
    path = tmp_path / "es.po"
    path.write_text('msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=x+1;\\n"\n\n' + _NUMBERED, "utf-8")
    with pytest.raises(ConfigurationError, match=r'translations/es.po: Plural-Forms has the invalid rule "x\+1"'):
        Translations({"es": (path,)}).counted("es", "%(num)s post", "", 1)


def test_a_catalogue_of_the_site_translates_its_terms_name_and_description(example: "ExampleSite") -> None:
    """In pages and feeds of other locales; those of the default locale keep the words that were written."""
    example.settings_are(name="Tide", description="Notes of the shore.")
    catalogue = 'msgid "Tide"\nmsgstr "Marea"\n\nmsgid "Notes of the shore."\nmsgstr "Notas de la orilla."\n'
    catalogue += '\nmsgid "Boats"\nmsgstr "Barcas"\n'
    example.write("translations/es.po", catalogue)
    example.write("translations/en.po", catalogue)
    example.post("es/remo", locale="es", status="published", categories=["Boats"])
    example.make()
    spanish = example.text("es/categories/boats/index.html")
    assert "<h1>Barcas</h1>" in spanish
    assert 'content="Barcas en Marea"' in spanish
    assert "Notas de la orilla." in example.text("es/index.html")
    assert "<title>Marea: Barcas</title>" in example.text("es/categories/boats/rss.xml")
    english = example.text("categories/boats/index.html")
    assert "<h1>Boats</h1>" in english
    assert 'content="Boats on Tide"' in english


def test_a_catalogue_of_the_site_translates_titles_of_pages(example: "ExampleSite") -> None:
    """In the page, its head and lists of pages, also those that were built before the catalogue had the title."""
    example.settings_are()
    fields = {"en": {"text": "Forty berths."}, "es": {"text": "Cuarenta amarres."}}
    page = {"title": "Harbour", "status": "published", "published": "2026-01-01T08:00:00Z", "fields": fields}
    example.write("content/pages/guide/harbour.yaml", page)
    example.make()
    assert "<h1>Harbour</h1>" in example.text("es/guide/harbour/index.html")
    example.write("translations/es.po", 'msgid "Harbour"\nmsgstr "Puerto"\n')
    example.build()
    spanish = example.text("es/guide/harbour/index.html")
    assert "<h1>Puerto</h1>" in spanish
    assert "<title>Puerto – Tide</title>" in spanish
    assert ">Puerto</a>" in example.text("es/guide/index.html")
    assert "<h1>Harbour</h1>" in example.text("guide/harbour/index.html")
    assert example.tree() == example.clean_tree()


def test_site_toml_has_name_and_description_for_each_locale(example: "ExampleSite") -> None:
    """In pages and feeds; what it does not translate is that of the catalogue, or of the default locale."""
    example.settings_are()
    text = (example.folder / "site.toml").read_text().replace('name = "Tide"', 'name = { en = "Tide", es = "Marea" }')
    example.write("site.toml", 'description = { en = "On the sea.", es = "Sobre el mar." }\n' + text)
    example.make()
    assert "Sobre el mar." in example.text("es/index.html")
    assert "<title>Marea</title>" in example.text("es/rss.xml")
    assert "<title>Tide</title>" in example.text("rss.xml")
    assert "On the sea." in example.text("index.html")
    assert example.tree() == example.clean_tree()


def test_languages_of_one_name_are_told_apart_by_region() -> None:
    """The general one has the plain name; a language that nobody knows has none."""
    names = language_names(("en", "es", "es-419", "pt-BR", "en-AU", "fr-x-shore", "xx"))
    assert names == {
        "en": "English", "es": "Español", "es-419": "Español (Latinoamérica)", "pt-BR": "Português",
        "en-AU": "English (Australia)", "fr-x-shore": "Français",
    }  # fmt: skip
