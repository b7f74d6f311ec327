"""Folders of themes: their theme.toml, where the theme of a name lies, and the themes that one extends.

A theme lies in `themes/` of the site, among those of sitecms, or in an installed package, which names its folder by an
entry point of the group `sitecms.themes`: `seaside = "seaside_theme"`. The package is found, and not imported. Plug-ins
have themes, too: their folders by name are the argument `added` of these functions.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, field

from sitecms import __version__
from sitecms.documents import Locate, load_schema, locator, place_of, read_toml, schema_errors, suggest, with_defaults
from sitecms.documents.folders import LINK_REMEDY, link_out, link_problem
from sitecms.errors import ConfigurationError, FileError, InvalidFiles
from sitecms.resources import resource_dir
from sitecms.settings.fonts import FontFile

THEMES_FOLDER = "themes"
"""The folder of themes in a site, and in the templates of sitecms."""
MANIFEST = "theme.toml"
ASSETS, TEMPLATES, TRANSLATIONS = "assets", "templates", "translations"
ENTRY_POINTS = "sitecms.themes"
OPTIONS = "options"
NO_THEMES: Mapping[str, Path] = {}
_OF_SITE_ALONE = ("name", OPTIONS)
"""Settings of [theme] that a theme has no defaults for."""


class ThemeNeeds(Struct, frozen=True):
    """Requirements of a theme for a site; `sitecms` is the oldest version that it works with, "" for any."""

    sitecms: str = ""
    collections: tuple[str, ...] = ()
    page_types: tuple[str, ...] = ()
    post_fields: tuple[str, ...] = ()


class ThemeFolder(Struct, frozen=True):
    """One theme. `path` is its folder in the site folder, "" where it lies elsewhere.

    `file` is its theme.toml in messages; `options` are declarations by name, in the words of JSON Schema;
    `tables_of_contents` are keys of collections.
    """

    name: str
    folder: Path
    path: str
    file: str
    version: str = ""
    description: str = ""
    extends: str = ""
    replaces_style: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    fonts: tuple[FontFile, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tables_of_contents: tuple[str, ...] = ()
    needs: ThemeNeeds = ThemeNeeds()

    def has_asset(self, name: str) -> bool:
        """Return whether the theme has a file of that name in `assets/`."""
        return (self.folder / ASSETS / name).is_file()


class ThemePlace(Struct, frozen=True):
    """A folder that may be a theme; `origin` says where it comes from, for people."""

    folder: Path
    path: str
    origin: str


def theme_places(site_folder: Path | None, added: Mapping[str, Path] = NO_THEMES) -> dict[str, ThemePlace]:
    """Return all themes that a site can name, by name: its own before those of sitecms, of plug-ins and packages."""
    places = {name: ThemePlace(folder, "", "package") for name, folder in installed_themes().items()}
    places |= {name: ThemePlace(folder, "", "plug-in") for name, folder in added.items()}
    places |= {folder.name: ThemePlace(folder, "", "sitecms") for folder in _folders(resource_dir(TEMPLATES))}
    if site_folder is not None:
        for folder in _folders(site_folder):
            path = f"{THEMES_FOLDER}/{folder.name}"
            places[folder.name] = ThemePlace(folder, path, path)
    return dict(sorted(places.items()))


def theme_chain(name: str, site_folder: Path | None, added: Mapping[str, Path] = NO_THEMES) -> tuple[ThemeFolder, ...]:
    """Return the theme of that name after those that it extends, the most general first.

    Raises InvalidFiles if there is no such theme, if one extends itself, or for errors in a theme.toml.
    """
    chain: list[ThemeFolder] = []
    while name:
        theme = find_theme(name, site_folder, added)
        if theme is None:
            remedy = suggest(name, list(theme_places(site_folder, added)))
            raise InvalidFiles([_unknown_theme(name, remedy, chain, site_folder)])
        chain.insert(0, theme)
        if theme.extends in [each.name for each in chain]:
            circle = " → ".join([each.name for each in reversed(chain)] + [theme.extends])
            raise InvalidFiles([_extends_error(theme, f"leads in a circle: {circle}", "take one of them out")])
        name = theme.extends
    return tuple(chain)


def find_theme(name: str, site_folder: Path | None, added: Mapping[str, Path] = NO_THEMES) -> ThemeFolder | None:
    """Return the theme of that name; None if there is none. Raises InvalidFiles for errors in its theme.toml."""
    path = f"{THEMES_FOLDER}/{name}"
    if site_folder is not None and (site_folder / path / MANIFEST).is_file():
        if target := link_out(site_folder, f"{path}/{MANIFEST}"):
            raise InvalidFiles([FileError(path, "", link_problem(target), LINK_REMEDY)])
        return read_theme(site_folder / path, path)
    shipped = resource_dir(TEMPLATES) / path
    folder = shipped if (shipped / MANIFEST).is_file() else added.get(name) or installed_themes().get(name)
    return read_theme(folder) if folder else None


def read_theme(folder: Path, path: str = "", label: str = "") -> ThemeFolder:
    """Return the theme in a folder, whose path in the site folder is `path`. Raises InvalidFiles.

    `label` is the name of its theme.toml in messages.
    """
    file = label or f"{path or folder.as_posix()}/{MANIFEST}"
    data = read_toml(folder / MANIFEST, file)
    locate = locator(folder / MANIFEST)
    errors = schema_errors(data, "theme", file, locate) or list(_errors(data, file, locate))
    if not errors and path and data["name"] != folder.name:
        remedy = "give both the same name"
        errors = [
            FileError(file, "name", f'is "{data["name"]}" in the folder {folder.name}', remedy, locate(("name",)))
        ]
    if errors:
        raise InvalidFiles(errors)
    data = with_defaults(data, "theme")
    place = {"folder": folder, "path": path, "file": file}
    return convert({**data, **place, "replaces_style": data["style"] == "replace"}, ThemeFolder)


@cache
def installed_themes() -> Mapping[str, Path]:
    """Return the folders of the themes of installed packages by name. No package is imported."""
    from importlib.metadata import entry_points

    folders = {point.name: _package_folder(point.value) for point in entry_points(group=ENTRY_POINTS)}
    return {name: folder for name, folder in sorted(folders.items()) if folder and (folder / MANIFEST).is_file()}


def options_schema(chain: tuple[ThemeFolder, ...], *path: str) -> Mapping[str, Any]:
    """Return the schema of a file that has the options of a theme at this path, as far as they are concerned."""
    schema: Mapping[str, Any] = {"properties": {OPTIONS: _options_schema(declared_options(chain))}}
    for key in reversed(path):
        schema = {"properties": {key: schema}}
    return schema


def option_values(options: Mapping[str, Any], chain: tuple[ThemeFolder, ...]) -> dict[str, Any]:
    """Return the value of each option of a theme: that of the site, or the default."""
    values = {name: declaration["default"] for name, declaration in declared_options(chain).items()}
    return {name: _frozen(value) for name, value in {**values, **options}.items()}


def declared_options(chain: tuple[ThemeFolder, ...]) -> dict[str, Mapping[str, Any]]:
    """Return the declarations of all options; those of a theme cover those of the theme that it extends."""
    return {name: declaration for theme in chain for name, declaration in theme.options.items()}


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _options_schema(declared: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    properties = {name: _option_schema(declaration) for name, declaration in declared.items()}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _option_schema(declaration: Mapping[str, Any]) -> dict[str, Any]:
    return {**declaration, "items": {"type": "string"}} if declaration["type"] == "array" else dict(declaration)


def _errors(data: Mapping[str, Any], file: str, locate: Locate) -> Iterator[FileError]:
    """Yield the errors of a theme.toml that its JSON Schema cannot express."""
    settings = load_schema("site")["properties"]["theme"]
    rules = {name: rule for name, rule in settings["properties"].items() if name not in _OF_SITE_ALONE}
    of_theme = {"properties": {"defaults": {**settings, "properties": rules}}}
    yield from schema_errors({"defaults": data.get("defaults", {})}, of_theme, file, locate)
    for name, declaration in data.get(OPTIONS, {}).items():
        of_option = {"properties": {"default": _option_schema(declaration)}}
        schema = {"properties": {OPTIONS: {"properties": {name: of_option}}}}
        try:
            yield from schema_errors({OPTIONS: {name: {"default": declaration["default"]}}}, schema, file, locate)
        except ConfigurationError as error:
            yield FileError(file, place_of((OPTIONS, name)), f"is no declaration: {error}", "", locate((OPTIONS, name)))
    oldest = data.get("needs", {}).get("sitecms", "")
    if oldest and _numbers(oldest) > _numbers(__version__):
        problem = f"is {oldest}, and this is sitecms {__version__}"
        yield FileError(file, "needs.sitecms", problem, "update sitecms", locate(("needs", "sitecms")))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def _unknown_theme(name: str, remedy: str, chain: list[ThemeFolder], site_folder: Path | None) -> FileError:
    if chain:
        return _extends_error(chain[0], f'is "{name}", and there is no such theme', remedy)
    line = locator(site_folder / "site.toml")(("theme", "name")) if site_folder is not None else None
    return FileError("site.toml", "theme.name", f'is "{name}", and there is no such theme', remedy, line)


def _extends_error(theme: ThemeFolder, problem: str, remedy: str) -> FileError:
    line = locator(theme.folder / MANIFEST)(("extends",))
    return FileError(theme.file, "extends", problem, remedy, line)


def _folders(parent: Path) -> Iterator[Path]:
    themes = parent / THEMES_FOLDER
    for folder in sorted(themes.iterdir()) if themes.is_dir() else ():
        if (folder / MANIFEST).is_file():
            yield folder


def _package_folder(module: str) -> Path | None:
    """Return the folder of a package, or of a part of one (`seaside_theme.themes`); None if it is not there."""
    package, *parts = module.split(".")
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)), *parts)
