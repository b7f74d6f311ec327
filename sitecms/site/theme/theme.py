"""The theme of a site: its own templates and assets over those of sitecms, with digests.

All themes share the templates, assets and translations in `templates`. One with a name has a folder in
`templates/themes`: its templates replace the shared ones, its `style.css` follows the shared stylesheet. A file
`templates/post.html` in the site folder replaces the theme's; `assets/logo.svg` is added to the theme's assets.
The digest of a template covers all templates it may use, so a page is stale exactly when one of its sources changed. A
page also depends on the content that its template uses (`template_source`).
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from sitecms import __version__
from sitecms.content.fingerprint import digest
from sitecms.documents import nearest
from sitecms.documents.folders import Listing, link_out
from sitecms.errors import ConfigurationError, NotFound
from sitecms.resources import library_version, resource_dir
from sitecms.settings.theme import MATH_FONT, WEB_FAMILY, WEB_FONTS, ThemeSettings
from sitecms.site.theme.style import in_scheme, option_style
from sitecms.site.theme.template_source import ContentUse, content_of_all, use_of

STYLE = "style.css"
_NAMED = "themes"
_FORMULAS = "themes/default/formulas"
"""Folder with the font for formulas, for all themes."""
_MEDIA = "media/"
_ASSETS, _TRANSLATIONS = "assets/", "translations/"


class Theme(Struct, frozen=True, dict=True):
    """Files by name: templates (`page/guide.html`), assets (`style.css`), and catalogues by locale."""

    templates: Mapping[str, Path]
    assets: Mapping[str, Path]
    catalogues: Mapping[str, tuple[Path, ...]]
    options: ThemeSettings = field(default_factory=ThemeSettings)
    _closures: dict[str, str] = field(default_factory=dict)
    _content: dict[str, ContentUse] = field(default_factory=dict)

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
        path = self.assets[name]
        if not name.endswith(".css"):
            return path.read_bytes()
        css = in_scheme(shipped_bytes(path, self.options).decode("utf-8", "surrogateescape"), self.options.color_scheme)
        options_css = in_scheme(option_style(self.options), self.options.color_scheme) if name == STYLE else ""
        return (f"{css}\n{options_css}\n" if options_css else css).encode("utf-8", "surrogateescape")

    def digest(self, name: str) -> str:
        """Return the digest of the template and all it may use; if a name is computed, of every template."""
        if name not in self._closures:
            names = self._reached(name)
            parts = [f"{part} {digest(self.sources[part].encode())}" for part in sorted(names)]
            self._closures[name] = digest("\n".join([self.machinery, *parts]).encode())
        return self._closures[name]

    def text(self, name: str) -> str:
        """Return the text of the template and of all it may use."""
        return "\n".join(self.sources[part] for part in sorted(self._reached(name)))

    def content(self, name: str) -> ContentUse:
        """Return the content that the template and all it uses show beside that of their page."""
        if name not in self._content:
            self._content[name] = content_of_all(
                use_of(self.sources[part]).content for part in sorted(self._reached(name))
            )
        return self._content[name]

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
            templates = use_of(self.sources[current]).named
            if None in templates:
                return set(self.sources)
            waiting += [template_name(each) for each in templates if each]
        return reached


def load_theme(site_folder: Path | None, options: ThemeSettings | None = None) -> Theme:
    """Return the theme of the options with the site's files over it; without options, the default theme."""
    options = options or ThemeSettings()
    shared = resource_dir("templates")
    folder = shared / _NAMED / options.name
    options = _with_web_fonts(options, folder / "assets")
    formulas = shared / _FORMULAS
    if not (formulas / MATH_FONT.file).is_file():
        options = replace(options, fonts=tuple(font for font in options.fonts if font != MATH_FONT))
    templates = {
        **_files((shared,), skip=("assets", "translations", _NAMED)),
        **_files((folder,), skip=("assets", "formulas", STYLE, "FONT-LICENSE")),
    }
    asset_folders = [shared / "assets"]
    if options.text_font == WEB_FAMILY:
        asset_folders.append(folder / "assets")
    if MATH_FONT in options.fonts:
        asset_folders.append(formulas)
    if site_folder is not None:
        templates |= _site_files(site_folder, "templates", skip=("assets", "translations"))
    assets = _files(tuple(asset_folders))
    catalogues = {path.name: [path] for path in _files((shared / "translations",)).values()}
    if site_folder is not None:
        assets |= _site_files(site_folder, "templates/assets") | _site_files(site_folder, "assets")
        assets |= _media_of(options, site_folder)
        for name, path in _site_files(site_folder, "translations").items():
            catalogues.setdefault(name, []).append(path)
    return Theme(
        templates=dict(sorted(templates.items())),
        assets=dict(sorted(assets.items())),
        catalogues=_catalogues(catalogues),
        options=options,
    )


def _with_web_fonts(options: ThemeSettings, assets: Path) -> ThemeSettings:
    """Return the options with the fonts of the theme, if they were made and the site has no text font of its own."""
    if options.text_font or not all((assets / font.file).is_file() for font in WEB_FONTS):
        return options
    return replace(options, text_font=WEB_FAMILY, fonts=(*options.fonts, *WEB_FONTS))


def shipped_bytes(path: Path, options: ThemeSettings) -> bytes:
    """Return the content of a file of the theme; after the shared stylesheet, that of the theme's name."""
    shared = resource_dir("templates")
    look = shared / _NAMED / options.name / STYLE
    is_extended = path == shared / "assets" / STYLE and look.is_file()
    return path.read_bytes() + (b"\n" + look.read_bytes() if is_extended else b"")


def _media_of(options: ThemeSettings, site_folder: Path) -> dict[str, Path]:
    """Return pictures of the options in the folder `media`: no entry names them, so they are assets."""
    names = (options.logo, options.dark_logo, options.favicon)
    media = {name: site_folder / name for name in names if name.startswith(_MEDIA)}
    return {
        name: path
        for name, path in media.items()
        if ".." not in PurePosixPath(name).parts and path.is_file() and not link_out(site_folder, name)
    }


def template_name(written: str) -> str:
    """Return the name under which Jinja finds a template: `./parts//x.html` is `parts/x.html`."""
    return "/".join(part for part in written.split("/") if part not in ("", "."))


def _files(folders: tuple[Path, ...], skip: tuple[str, ...] = ()) -> dict[str, Path]:
    """Return files of sitecms by their path in the folders; a later folder covers an earlier one."""
    files: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            name = PurePosixPath(path.relative_to(folder))
            if path.is_file() and name.parts[0] not in skip and not name.name.startswith("."):
                files[str(name)] = path
    return dict(sorted(files.items()))


def _site_files(site: Path, folder: str, skip: tuple[str, ...] = ()) -> dict[str, Path]:
    """Return the files of a folder by their path in it, but for those that a load reports (`Listing`)."""
    names = (path.removeprefix(f"{folder}/") for path in Listing(f"{site}/").files(folder))
    return {name: site / folder / name for name in names if name.partition("/")[0] not in skip}


def _catalogues(files: Mapping[str, list[Path]]) -> dict[str, tuple[Path, ...]]:
    ending = ".po"
    catalogues = {name.removesuffix(ending): tuple(paths) for name, paths in files.items() if name.endswith(ending)}
    return {locale: catalogues[locale] for locale in sorted(catalogues) if "/" not in locale}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"The template {path} is not UTF-8 text: {error.reason} at {error.start}.") from error


class ThemeFile(Struct, frozen=True):
    """One file of the theme. `own_name` is the path of the site's own version, relative to its folder."""

    name: str
    path: Path

    @property
    def own_name(self) -> str:
        """Path in the site folder: templates are in `templates/`, others in folders of their own."""
        return self.name if self.name.startswith((_ASSETS, _TRANSLATIONS)) else f"templates/{self.name}"


def theme_files(site_folder: Path, options: ThemeSettings) -> tuple[ThemeFile, ...]:
    """Return every file of the site's theme in order of name; of two catalogues of a locale, both."""
    return _files_of(load_theme(site_folder, options))


def find_theme_file(site_folder: Path, options: ThemeSettings, name: str, *, original: bool = False) -> ThemeFile:
    """Return the file of that name, the site's or the original. Raises NotFound with the nearest name."""
    files = theme_files(site_folder, options)
    if original:
        shipped = {each.name: each for each in _files_of(load_theme(None, options))}
        files = tuple(shipped[each.name] for each in files if each.name in shipped)
    matches = [each for each in files if each.name == name]
    if not matches:
        suggestion = nearest(name, {each.name for each in files})
        remedy = f'did you mean "{suggestion}"?' if suggestion else "`sitecms theme list` shows what there is."
        raise NotFound(f"The theme has no file {name}: {remedy}")
    return matches[-1]


def _files_of(theme: Theme) -> tuple[ThemeFile, ...]:
    templates = [ThemeFile(name, path) for name, path in theme.templates.items()]
    assets = [ThemeFile(_ASSETS + name, path) for name, path in theme.assets.items()]
    catalogues = [ThemeFile(_TRANSLATIONS + path.name, path) for paths in theme.catalogues.values() for path in paths]
    return tuple(sorted((*templates, *assets, *catalogues), key=lambda each: (each.name, each.path.as_posix())))
