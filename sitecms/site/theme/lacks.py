"""Gaps of a theme: templates, blocks, options, translations, and content of the site that it needs."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from sitecms.content.schema import ContentSchema
from sitecms.documents import suggest
from sitecms.plurals import listed
from sitecms.resources import resource_dir
from sitecms.settings.site import SiteSettings
from sitecms.settings.theme_folder import TEMPLATES, ThemeFolder, declared_options
from sitecms.site.theme.template_source import Blocks, blocks_of, messages_of, use_of
from sitecms.site.theme.theme import OUTPUTS, Theme, template_name
from sitecms.translations import Translations

_SHOWN = 3


class Lack(Struct, frozen=True):
    """One thing that a theme lacks, with its file. `is_fatal`: a site cannot be built without it."""

    file: str
    line: int | None
    problem: str
    remedy: str
    is_fatal: bool = False


def find_lacks(theme: Theme, settings: SiteSettings, schema: ContentSchema) -> Iterator[Lack]:
    """Yield what is missing in the theme of a site, and in templates of the site. Themes of sitecms lack nothing."""
    own = _Files(theme, settings.folder)
    yield from _templates(theme)
    yield from _blocks(theme, own)
    yield from _options(theme, own)
    yield from _translations(theme, settings, own)
    yield from _needs(theme, schema)


class _Files:
    """The files of a theme that are not of sitecms, by the names of their templates."""

    def __init__(self, theme: Theme, site: Path) -> None:
        shipped = resource_dir(TEMPLATES)
        self._site = site
        self.paths = {name: path for name, path in theme.templates.items() if not path.is_relative_to(shipped)}

    def shown(self, name: str) -> str:
        """Return the path of a template, relative to the site where it lies there."""
        path = self.paths[name]
        return path.relative_to(self._site).as_posix() if path.is_relative_to(self._site) else path.as_posix()


def _templates(theme: Theme) -> Iterator[Lack]:
    for name in OUTPUTS:
        if name not in theme.templates:
            remedy = f'write {TEMPLATES}/{name}, or extend another theme: extends = "default"'
            yield Lack(theme.chain[-1].file, None, f"has no template {name}", remedy, is_fatal=True)


def _blocks(theme: Theme, own: _Files) -> Iterator[Lack]:
    """Yield blocks that templates fill and none of the templates that they extend has: they are never shown."""
    missing: dict[tuple[str, str], list[str]] = {}
    for name, source in theme.sources.items():
        blocks = blocks_of(source)
        ancestors = _ancestors(theme, blocks)
        if not ancestors:
            continue
        known = {block for _name, each in ancestors for block in each.lines}
        for block, line in blocks.top.items():
            if block in known:
                continue
            if name in own.paths:
                problem = f"fills the block {block}, which is in no template that it extends, so it is not shown"
                yield Lack(own.shown(name), line, problem, suggest(block, sorted(known)))
            elif place := next((each for each, _blocks in ancestors if each in own.paths), ""):
                missing.setdefault((place, block), []).append(name)
    for (place, block), names in missing.items():
        problem = f"has no block {block}, which {listed(names, _SHOWN)} fill, so that is not shown"
        yield Lack(own.shown(place), None, problem, f"add {{% block {block} %}}{{% endblock %}}")


def _ancestors(theme: Theme, blocks: Blocks) -> list[tuple[str, Blocks]]:
    """Return the templates that a template extends, nearest first; none if one of them is computed or missing."""
    ancestors: list[tuple[str, Blocks]] = []
    while blocks.extends:
        name = template_name(blocks.extends)
        if name not in theme.sources or name in [each for each, _blocks in ancestors]:
            return []
        blocks = blocks_of(theme.sources[name])
        ancestors.append((name, blocks))
    return [] if blocks.extends is None else ancestors


def _options(theme: Theme, own: _Files) -> Iterator[Lack]:
    declared = declared_options(theme.chain)
    for name in own.paths:
        for option in sorted((use_of(theme.sources[name]).options or frozenset()) - declared.keys()):
            problem = f"reads the option {option}, which the theme does not declare"
            yield Lack(own.shown(name), None, problem, suggest(option, sorted(declared)))


def _translations(theme: Theme, settings: SiteSettings, own: _Files) -> Iterator[Lack]:
    translations = Translations(theme.catalogues, settings.words_in, settings.language_tag)
    for each in theme.chain:
        names = [name for name, path in own.paths.items() if path.is_relative_to(each.folder)]
        messages = dict.fromkeys(message for name in names for message in messages_of(theme.sources[name]))
        for locale in settings.locales:
            language = settings.language_tag(locale)
            if not language or language.startswith("en"):
                continue
            missing = [message for message in messages if not translations.has(locale, message)]
            if missing:
                quoted = listed([f"“{message}”" for message in missing], _SHOWN)
                problem = f"the theme {each.name} has no translation in {locale} of {quoted}"
                place = f"{each.path}/" if each.path else ""
                yield Lack(each.file, None, problem, f"add {place}translations/{language.partition('-')[0]}.po")


def _needs(theme: Theme, schema: ContentSchema) -> Iterator[Lack]:
    for each in theme.chain:
        yield from _needed(each, "collection", each.needs.collections, schema.collections)
        yield from _needed(each, "page type", each.needs.page_types, schema.page_types)
        fields = {field.slug: field for field in schema.post_fields}
        yield from _needed(each, "field of posts", each.needs.post_fields, fields)


def _needed(theme: ThemeFolder, kind: str, names: tuple[str, ...], known: Mapping[str, object]) -> Iterator[Lack]:
    for name in names:
        if name not in known:
            problem = f"the theme {theme.name} needs the {kind} {name}, which the site does not have"
            yield Lack(theme.file, None, problem, "declare it in schema/")
