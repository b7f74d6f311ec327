"""The theme of a site: its own templates and assets over the default ones, with digests.

A file `templates/post.html` in the site folder replaces the theme's; `assets/logo.svg` is added to the theme's assets.
The digest of a template covers all templates it may use, so a page is stale exactly when one of its sources changed. A
page also depends on the collections that its template uses as `collections.<key>`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, TemplateError, nodes
from jinja2.meta import find_referenced_templates

from sitecms import __version__
from sitecms.content.fingerprint import digest
from sitecms.documents import nearest
from sitecms.documents.folders import is_fit_name
from sitecms.errors import ConfigurationError, NotFound
from sitecms.resources import library_version, resource_dir
from sitecms.settings.theme import ThemeSettings
from sitecms.site.theme.fragments import parts_named
from sitecms.site.theme.style import in_scheme, option_style

NAME = "collections"


@cache
def collections_used(source: str) -> frozenset[str] | None:
    """Return the keys of the collections that a template names; None if they cannot be determined."""
    if NAME not in source:
        return frozenset()
    try:
        tree = _parsed(source)
    except TemplateError:
        return None  # it fails when it is rendered, and is named then
    keys, named = set(), 0
    for node in tree.find_all((nodes.Getattr, nodes.Getitem)):
        if isinstance(node, nodes.Getattr | nodes.Getitem) and _is_collections(node.node):
            key = _key(node)
            if key is None:
                return None
            keys.add(key)
            named += 1
    is_used_otherwise = sum(node.name == NAME for node in tree.find_all(nodes.Name)) > named
    return None if is_used_otherwise else frozenset(keys)


def _is_collections(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Name) and node.name == NAME


def _key(node: nodes.Getattr | nodes.Getitem) -> str | None:
    if isinstance(node, nodes.Getattr):
        return None if hasattr(dict, node.attr) else node.attr
    return node.arg.value if isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str) else None


STYLE = "style.css"
_MEDIA = "media/"
_TREES: dict[str, nodes.Template] = {}
"""Parsed templates by their source, until they are compiled."""
SYNTAX: Mapping[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "extensions": ["jinja2.ext.i18n"]}
_PARSER: Any = Environment(autoescape=True, **SYNTAX)
_PARSER.install_gettext_callables(str, str, newstyle=True)


def _parsed(source: str) -> nodes.Template:
    """Parse a template and keep the result for `take_parsed`. Raises TemplateError."""
    if source not in _TREES:
        _TREES[source] = _PARSER.parse(source)
    return _TREES[source]


def take_parsed(source: str) -> nodes.Template | None:
    """Remove and return the parsed template, or None; it is used once, since compiling changes it."""
    return _TREES.pop(source, None)


@dataclass(frozen=True)
class Theme:
    """Files by name: templates (`page/guide.html`), assets (`style.css`), and catalogues by locale."""

    templates: Mapping[str, Path]
    assets: Mapping[str, Path]
    catalogues: Mapping[str, tuple[Path, ...]]
    options: ThemeSettings = field(default_factory=ThemeSettings)
    _closures: dict[str, str] = field(default_factory=dict)
    _collections: dict[str, frozenset[str] | None] = field(default_factory=dict)

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Text of every template."""
        return {name: _text(path) for name, path in self.templates.items()}

    @cached_property
    def machinery(self) -> str:
        """Digest of everything but templates that every page depends on: sitecms, libraries, translations."""
        parts = [
            __version__,
            *(library_version(name) for name in ("jinja2", "babel", "markdown-it-py", "pygments", "nh3")),
        ]
        for locale, paths in self.catalogues.items():
            parts += [f"{locale} {digest(path.read_bytes())}" for path in paths]
        return digest("\n".join(parts).encode())

    def asset_bytes(self, name: str) -> bytes:
        """Return the content of an asset; stylesheets get the colour scheme, style.css the other options."""
        data = self.assets[name].read_bytes()
        if not name.endswith(".css"):
            return data
        css = in_scheme(data.decode("utf-8", "surrogateescape"), self.options.color_scheme)
        own = in_scheme(option_style(self.options), self.options.color_scheme) if name == STYLE else ""
        return (f"{css}\n{own}\n" if own else css).encode("utf-8", "surrogateescape")

    def digest(self, name: str) -> str:
        """Return the digest of the template and all it may use; if a name is computed, of every template."""
        if name not in self._closures:
            names = self._reached(name)
            parts = [f"{part} {digest(self.sources[part].encode())}" for part in sorted(names)]
            self._closures[name] = digest("\n".join([self.machinery, *parts]).encode())
        return self._closures[name]

    def collections(self, name: str) -> frozenset[str] | None:
        """Return the keys of the collections that the template and all it uses show; None if it may be any."""
        if name not in self._collections:
            used = [collections_used(self.sources[part]) for part in sorted(self._reached(name))]
            known = [keys for keys in used if keys is not None]
            self._collections[name] = frozenset().union(*known) if len(known) == len(used) else None
        return self._collections[name]

    def choose(self, *names: str) -> str:
        """Return the first of these templates that exists. Raises ConfigurationError if none does."""
        for name in names:
            if name in self.templates:
                return name
        raise ConfigurationError(f"The theme has no template {' or '.join(names)}.")

    def _reached(self, name: str) -> set[str]:
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current in reached or current not in self.sources:
                continue
            reached.add(current)
            named = _named_templates(self.sources[current])
            if None in named:
                return set(self.sources)
            waiting += [template_name(each) for each in named if each]
        return reached


def load_theme(site_folder: Path, options: ThemeSettings | None = None) -> Theme:
    """Return the default theme with the site's files over it; without options, with its default look."""
    options = options or ThemeSettings()
    default = resource_dir("templates")
    own = site_folder / "templates"
    folders = tuple(folder for folder in (default, own) if folder.is_dir())
    asset_folders = (default / "assets", own / "assets", site_folder / "assets")
    assets = _files(tuple(folder for folder in asset_folders if folder.is_dir()))
    return Theme(
        templates=_files(folders, skip=("assets", "translations")),
        assets=dict(sorted({**assets, **_media_of(options, site_folder)}.items())),
        catalogues=_catalogues((default / "translations", site_folder / "translations")),
        options=options,
    )


def _media_of(options: ThemeSettings, site_folder: Path) -> dict[str, Path]:
    """Return pictures of the options in the folder `media`: no entry names them, so they are assets."""
    names = (options.logo, options.dark_logo, options.favicon)
    found = {name: site_folder / name for name in names if name.startswith(_MEDIA)}
    return {name: path for name, path in found.items() if ".." not in PurePosixPath(name).parts and path.is_file()}


def template_name(written: str) -> str:
    """Return the name under which Jinja finds a template: `./parts//x.html` is `parts/x.html`."""
    return "/".join(part for part in written.split("/") if part not in ("", "."))


@cache
def _named_templates(source: str) -> frozenset[str | None]:
    """Return the templates that a template extends, includes, imports or uses as fragments, with None if unknown."""
    try:
        parsed = _parsed(source)
        return frozenset((*find_referenced_templates(parsed), *parts_named(parsed)))
    except TemplateError:
        return frozenset({None})


def _files(folders: tuple[Path, ...], skip: tuple[str, ...] = ()) -> dict[str, Path]:
    """Return files by their path in the folders; a later folder covers an earlier one.

    Hidden files, linked folders, and names that a load reports as invalid are left out.
    """
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            name = PurePosixPath(path.relative_to(folder))
            is_hidden = any(part.startswith(".") for part in name.parts)
            if path.is_file() and name.parts[0] not in skip and not is_hidden and is_fit_name(str(name)):
                found[str(name)] = path
    return dict(sorted(found.items()))


def _catalogues(folders: tuple[Path, ...]) -> dict[str, tuple[Path, ...]]:
    found: dict[str, list[Path]] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.po")) if folder.is_dir() else ():
            if is_fit_name(path.name):
                found.setdefault(path.stem, []).append(path)
    return {locale: tuple(paths) for locale, paths in sorted(found.items())}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"The template {path} is not UTF-8 text: {error.reason} at {error.start}.") from error


_ASSETS, _TRANSLATIONS = "assets/", "translations/"


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """One file of the theme. `own_name` is the path of the site's own version, relative to its folder."""

    name: str
    path: Path

    @property
    def own_name(self) -> str:
        """Path in the site folder: templates are in `templates/`, others in folders of their own."""
        return self.name if self.name.startswith((_ASSETS, _TRANSLATIONS)) else f"templates/{self.name}"


def theme_files(site_folder: Path) -> tuple[ThemeFile, ...]:
    """Return every file of the site's theme in order of name; of two catalogues of a locale, both."""
    return _files_of(load_theme(site_folder))


def find_theme_file(site_folder: Path, name: str, *, original: bool = False) -> ThemeFile:
    """Return the file of that name, the site's or the original. Raises NotFound with the nearest name."""
    files = _files_of(load_theme(site_folder))
    if original:
        shipped = resource_dir("templates")
        files = tuple(ThemeFile(each.name, shipped / each.name) for each in files if (shipped / each.name).is_file())
    found = [each for each in files if each.name == name]
    if not found:
        meant = nearest(name, {each.name for each in files})
        remedy = f'did you mean "{meant}"?' if meant else "`sitecms theme list` shows what there is."
        raise NotFound(f"The theme has no file {name}: {remedy}")
    return found[-1]


def _files_of(theme: Theme) -> tuple[ThemeFile, ...]:
    templates = [ThemeFile(name, path) for name, path in theme.templates.items()]
    assets = [ThemeFile(_ASSETS + name, path) for name, path in theme.assets.items()]
    catalogues = [ThemeFile(_TRANSLATIONS + path.name, path) for paths in theme.catalogues.values() for path in paths]
    return tuple(sorted((*templates, *assets, *catalogues), key=lambda each: (each.name, each.path.as_posix())))
