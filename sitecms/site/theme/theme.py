"""The theme: templates and assets of the site's own folders laid over the default ones, and their digests.

A file `templates/post.html` in the site folder takes the place of the theme's; `assets/logo.svg` stands beside the
theme's assets. The digest of a template covers all templates it may draw on, so that a page is stale exactly when
something it is made with changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from jinja2 import Environment, TemplateError
from jinja2.meta import find_referenced_templates

from sitecms import __version__
from sitecms.content.fingerprint import digest
from sitecms.documents.folders import is_fit_name
from sitecms.errors import ConfigurationError
from sitecms.resources import resource_dir
from sitecms.settings.theme import ThemeSettings
from sitecms.site.theme.collections_used import collections_used
from sitecms.site.theme.fragments import parts_named
from sitecms.site.theme.style import in_scheme, option_style

STYLE = "style.css"
_MEDIA = "media/"
_PARSER = Environment(autoescape=True, extensions=["jinja2.ext.i18n"])


@dataclass(frozen=True)
class Theme:
    """Templates by name (`page/guide.html`), assets by name (`style.css`), catalogues by locale: file by file."""

    templates: Mapping[str, Path]
    assets: Mapping[str, Path]
    catalogues: Mapping[str, tuple[Path, ...]]
    options: ThemeSettings = field(default_factory=ThemeSettings)
    _closures: dict[str, str] = field(default_factory=dict)
    _collections: dict[str, frozenset[str] | None] = field(default_factory=dict)

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The text of every template."""
        return {name: _text(path) for name, path in self.templates.items()}

    @cached_property
    def machinery(self) -> str:
        """Digest of what every page is made with besides templates: sitecms, the libraries, the translations."""
        parts = [__version__, *(version(name) for name in ("jinja2", "babel", "markdown-it-py", "pygments", "nh3"))]
        for locale, paths in self.catalogues.items():
            parts += [f"{locale} {digest(path.read_bytes())}" for path in paths]
        return digest("\n".join(parts).encode())

    def asset_bytes(self, name: str) -> bytes:
        """The content of an asset; stylesheets know the site's colour scheme, the first of them its other options."""
        data = self.assets[name].read_bytes()
        if not name.endswith(".css"):
            return data
        css = in_scheme(data.decode("utf-8", "surrogateescape"), self.options.color_scheme)
        own = in_scheme(option_style(self.options), self.options.color_scheme) if name == STYLE else ""
        return (f"{css}\n{own}\n" if own else css).encode("utf-8", "surrogateescape")

    def digest(self, name: str) -> str:
        """Digest of the template and all it may draw on. Where a name is computed, that is every template."""
        if name not in self._closures:
            names = self._reached(name)
            parts = [f"{part} {digest(self.sources[part].encode())}" for part in sorted(names)]
            self._closures[name] = digest("\n".join([self.machinery, *parts]).encode())
        return self._closures[name]

    def collections(self, name: str) -> frozenset[str] | None:
        """The keys of the collections that the template and all it draws on show; None: it may be any."""
        if name not in self._collections:
            used = [collections_used(self.sources[part]) for part in sorted(self._reached(name))]
            known = [keys for keys in used if keys is not None]
            self._collections[name] = frozenset().union(*known) if len(known) == len(used) else None
        return self._collections[name]

    def choose(self, *names: str) -> str:
        """The first of these templates that exists. Raises ConfigurationError if none does."""
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
    """The default theme with the site's own files over it; without options it looks as it ships."""
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
    """The pictures of the options that lie in the folder `media`: no entry names them, so they are assets."""
    names = (options.logo, options.dark_logo, options.favicon)
    found = {name: site_folder / name for name in names if name.startswith(_MEDIA)}
    return {name: path for name, path in found.items() if ".." not in PurePosixPath(name).parts and path.is_file()}


def template_name(written: str) -> str:
    """The name under which Jinja finds a template: `./parts//x.html` is `parts/x.html`."""
    return "/".join(part for part in written.split("/") if part not in ("", "."))


@cache
def _named_templates(source: str) -> frozenset[str | None]:
    """The templates that a template extends, includes, imports or shows; None among them where one cannot be told."""
    try:
        parsed = _PARSER.parse(source)
        return frozenset((*find_referenced_templates(parsed), *parts_named(parsed)))
    except TemplateError:
        return frozenset({None})


def _files(folders: tuple[Path, ...], skip: tuple[str, ...] = ()) -> dict[str, Path]:
    """Files by their path in the folders; a later folder covers an earlier one.

    Hidden files, what lies in linked folders, and names that a load reports as unfit are left out.
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
