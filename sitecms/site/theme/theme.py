"""The theme of a site: the files of its theme and of those that it extends, with the site's own over them.

A file of a theme replaces that of the theme it extends; of catalogues both count, and `style.css` follows the other
unless `theme.toml` says `style = "replace"`. A file `templates/post.html` in the site folder replaces the theme's;
`assets/logo.svg` is added to the theme's assets. A template names one that is replaced by its theme: in a site
`theme:post.html` is the theme's, and in a theme `default:post.html` that of the theme which it extends.
The digest of a template covers all templates it may use, so a page is stale exactly when one of its sources changed. A
page also depends on the content that its template uses (`template_source`).
"""

import re
from collections.abc import Iterable, Mapping
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
from sitecms.settings.fonts import MATH_FONT
from sitecms.settings.theme import ThemeSettings, choose_theme
from sitecms.settings.theme_folder import ASSETS, TEMPLATES, TRANSLATIONS, ThemeFolder, theme_chain
from sitecms.site.theme.style import in_scheme, option_style
from sitecms.site.theme.template_source import ContentUse, content_of_all, use_of

OUTPUTS = (
    "404.html", "author.html", "blog.html", "collection/_default.html", "entries.html", "feeds/atom.xml",
    "feeds/feed.json", "feeds/rss.xml", "home.html", "page/_default.html", "post.html", "redirect.html", "robots.txt",
    "search.html", "sitemap-index.xml", "sitemap.xml", "term.html", "terms.html", "year.html",
)  # fmt: skip
"""The templates that a build may choose, beside those of page types, Single Pages and collections."""
STYLE = "style.css"
THEME = "theme"
"""The name, before a colon, of the theme of a site in its own templates, whatever theme that is."""
_FORMULAS = "formulas"
"""Folder of a theme with assets for formulas alone."""
_OF_TYPES, _BODY = ("page/", "collection/"), ".body.html"
_MEDIA = "media/"
_LAYERED = re.compile(r"[\"']([a-z0-9][a-z0-9_-]*:[^\"'{}\n]+)[\"']")


class Theme(Struct, frozen=True, dict=True):
    """Files by name: templates (`page/guide.html`), assets (`style.css`), and catalogues by locale.

    `chain`: the theme after those that it extends. `stylesheets` are the files of `style.css` of these, in their order.
    """

    templates: Mapping[str, Path]
    assets: Mapping[str, Path]
    catalogues: Mapping[str, tuple[Path, ...]]
    chain: tuple[ThemeFolder, ...] = ()
    stylesheets: tuple[Path, ...] = ()
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

    def is_of_theme(self, path: Path) -> bool:
        """Return whether a file belongs to the theme or to one that it extends, not to the site itself."""
        return any(path.is_relative_to(theme.folder) for theme in self.chain)

    def asset_bytes(self, name: str) -> bytes:
        """Return the content of an asset; stylesheets get the colour scheme, style.css the other options."""
        data = self.written_bytes(self.assets[name])
        if not name.endswith(".css"):
            return data
        css = in_scheme(data.decode("utf-8", "surrogateescape"), self.options.color_scheme)
        options_css = in_scheme(option_style(self.options), self.options.color_scheme) if name == STYLE else ""
        return (f"{css}\n{options_css}\n" if options_css else css).encode("utf-8", "surrogateescape")

    def written_bytes(self, path: Path) -> bytes:
        """Return the content of a file of the theme; a stylesheet that follows others, after them."""
        sheets = self.stylesheets if path in self.stylesheets[-1:] else (path,)
        return b"\n".join(sheet.read_bytes() for sheet in sheets)

    def digest(self, name: str) -> str:
        """Return the digest of the template and all it may use; if a name is computed, of every template."""
        if name not in self._closures:
            names = self.reached(name)
            parts = [f"{part} {digest(self.sources[part].encode())}" for part in sorted(names)]
            self._closures[name] = digest("\n".join([self.machinery, *parts]).encode())
        return self._closures[name]

    def text(self, name: str) -> str:
        """Return the text of the template and of all it may use."""
        return "\n".join(self.sources[part] for part in sorted(self.reached(name)))

    def content(self, name: str) -> ContentUse:
        """Return the content that the template and all it uses show beside that of their page."""
        if name not in self._content:
            self._content[name] = content_of_all(
                use_of(self.sources[part]).content for part in sorted(self.reached(name))
            )
        return self._content[name]

    @cached_property
    def pages(self) -> frozenset[str]:
        """The templates of pages, feeds and other outputs, with all that they may use."""
        of_types = (name for name in self.templates if name.startswith(_OF_TYPES) and not name.endswith(_BODY))
        return frozenset(self.reached(*OUTPUTS, *of_types))

    def choose(self, *names: str) -> str:
        """Return the first of these templates that exists. Raises ConfigurationError if none does."""
        for name in names:
            if name in self.templates:
                return name
        raise ConfigurationError(f"The theme has no template {' or '.join(names)}.")

    def reached(self, *names: str) -> set[str]:
        """Return these templates and all that they may use."""
        reached: set[str] = set()
        waiting = list(names)
        while waiting:
            current = waiting.pop()
            if current in reached or current not in self.sources:
                continue
            reached.add(current)
            use = use_of(self.sources[current])
            if None in use.named:
                return set(self.sources)
            waiting += [template_name(each) for each in use.named if each]
            waiting += [each for prefix in use.prefixes for each in self.sources if each.startswith(prefix)]
        return reached


def load_theme(site_folder: Path | None, options: ThemeSettings | None = None, *, original: bool = False) -> Theme:
    """Return the theme of the options with the site's files over it; without options, that of a new site.

    `original`: without files of the site but those of its themes. Raises InvalidFiles for errors in a theme.toml.
    """
    options = options or choose_theme({}, None, {}, has_formulas=False)
    chain = theme_chain(options.name, site_folder, options.of_plugins)
    formulas = next((folder for theme in reversed(chain) if (folder := theme.folder / _FORMULAS).is_dir()), None)
    has_formulas = MATH_FONT in options.fonts
    if formulas is None or not (formulas / MATH_FONT.file).is_file():
        options = replace(options, fonts=tuple(font for font in options.fonts if font != MATH_FONT))
    layers = {theme.name: _of_theme(theme, TEMPLATES, site_folder) for theme in chain}
    templates = _merged(layers.values())
    of_themes = [(theme, _assets_of(theme, options, site_folder)) for theme in chain]
    assets = _merged(files for _theme, files in of_themes)
    if formulas is not None and has_formulas:
        assets |= _files(formulas)
    catalogues: dict[str, list[Path]] = {}
    for theme in chain:
        _add_catalogues(catalogues, _of_theme(theme, TRANSLATIONS, site_folder))
    stylesheets = _stylesheets(of_themes)
    layered = {f"{name}:": _merged(list(layers.values())[: number + 1]) for number, name in enumerate(layers)}
    layered[f"{THEME}:"] = dict(templates)
    if site_folder is not None and not original:
        templates |= _site_files(site_folder, TEMPLATES, skip=(ASSETS, TRANSLATIONS))
        assets |= _site_files(site_folder, f"{TEMPLATES}/{ASSETS}") | _site_files(site_folder, ASSETS)
        assets |= _media_of(options, site_folder)
        _add_catalogues(catalogues, _site_files(site_folder, TRANSLATIONS))
    return Theme(
        templates=dict(sorted(_with_layered(templates, layered).items())),
        assets=dict(sorted(assets.items())),
        catalogues=_catalogues(catalogues),
        chain=chain,
        stylesheets=stylesheets if stylesheets and assets[STYLE] == stylesheets[-1] else (),
        options=options,
    )


def _assets_of(theme: ThemeFolder, options: ThemeSettings, site_folder: Path | None) -> dict[str, Path]:
    """Return the assets of a theme without fonts that the site does not use."""
    unused = {font.file for font in theme.fonts} - {font.file for font in options.fonts}
    return {name: path for name, path in _of_theme(theme, ASSETS, site_folder).items() if name not in unused}


def _of_theme(theme: ThemeFolder, part: str, site_folder: Path | None) -> dict[str, Path]:
    if theme.path and site_folder is not None:
        return _site_files(site_folder, f"{theme.path}/{part}")
    return _files(theme.folder / part)


def _stylesheets(of_themes: Iterable[tuple[ThemeFolder, Mapping[str, Path]]]) -> tuple[Path, ...]:
    """Return the files of `style.css`, from the last theme on that replaces it."""
    sheets: list[Path] = []
    for theme, files in of_themes:
        if STYLE in files:
            sheets = [files[STYLE]] if theme.replaces_style else [*sheets, files[STYLE]]
    return tuple(sheets)


def _merged(layers: Iterable[Mapping[str, Path]]) -> dict[str, Path]:
    return {name: path for layer in layers for name, path in layer.items()}


def _with_layered(templates: Mapping[str, Path], layers: Mapping[str, Mapping[str, Path]]) -> dict[str, Path]:
    """Return the templates with those that they name by their theme, as `default:post.html`."""
    shipped = resource_dir(TEMPLATES)
    by_name = dict(templates)
    waiting = [path for path in templates.values() if not path.is_relative_to(shipped)]
    while waiting:
        for name in _LAYERED.findall(waiting.pop().read_text(encoding="utf-8", errors="replace")):
            layer, _, plain = name.partition(":")
            path = layers.get(f"{layer}:", {}).get(template_name(plain))
            if path is not None and name not in by_name:
                by_name[name] = path
                waiting.append(path)
    return by_name


def _add_catalogues(catalogues: dict[str, list[Path]], files: Mapping[str, Path]) -> None:
    for name, path in files.items():
        catalogues.setdefault(name, []).append(path)


def _media_of(options: ThemeSettings, site_folder: Path) -> dict[str, Path]:
    """Return pictures of the options in the folder `media`: no entry names them, so they are assets."""
    names = (options.logo, options.dark_logo, options.favicon, options.touch_icon)
    media = {name: site_folder / name for name in names if name.startswith(_MEDIA)}
    return {
        name: path
        for name, path in media.items()
        if ".." not in PurePosixPath(name).parts and path.is_file() and not link_out(site_folder, name)
    }


def template_name(written: str) -> str:
    """Return the name under which Jinja finds a template: `./parts//x.html` is `parts/x.html`."""
    return "/".join(part for part in written.split("/") if part not in ("", "."))


def _files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder that is no part of a site, by their path in it."""
    files: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        name = PurePosixPath(path.relative_to(folder))
        if path.is_file() and not name.name.startswith("."):
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
        return self.name if self.name.startswith((f"{ASSETS}/", f"{TRANSLATIONS}/")) else f"{TEMPLATES}/{self.name}"


def find_theme_file(theme: Theme, name: str) -> ThemeFile:
    """Return the file of that name. Raises NotFound with the nearest name."""
    files = files_of(theme)
    matches = [each for each in files if each.name == name]
    if not matches:
        suggestion = nearest(name, {each.name for each in files})
        remedy = f'did you mean "{suggestion}"?' if suggestion else "`sitecms theme files` shows what there is."
        raise NotFound(f"The theme has no file {name}: {remedy}")
    return matches[-1]


def files_of(theme: Theme) -> tuple[ThemeFile, ...]:
    """Return every file of the site's theme in order of name; of several catalogues of a locale, all."""
    templates = [ThemeFile(name, path) for name, path in theme.templates.items()]
    assets = [ThemeFile(f"{ASSETS}/{name}", path) for name, path in theme.assets.items()]
    catalogues = [
        ThemeFile(f"{TRANSLATIONS}/{path.name}", path) for paths in theme.catalogues.values() for path in paths
    ]
    return tuple(sorted((*templates, *assets, *catalogues), key=lambda each: (each.name, each.path.as_posix())))
