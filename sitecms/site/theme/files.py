"""Files of the theme by the names that owners use: `post.html`, `assets/style.css`, `translations/es.po`."""

from dataclasses import dataclass
from pathlib import Path

from sitecms.documents import nearest
from sitecms.errors import NotFound
from sitecms.resources import resource_dir
from sitecms.site.theme.theme import Theme, load_theme

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
    return _files(load_theme(site_folder))


def find_theme_file(site_folder: Path, name: str, *, original: bool = False) -> ThemeFile:
    """Return the file of that name, the site's or the original. Raises NotFound with the nearest name."""
    files = _files(load_theme(site_folder))
    if original:
        shipped = resource_dir("templates")
        files = tuple(ThemeFile(each.name, shipped / each.name) for each in files if (shipped / each.name).is_file())
    found = [each for each in files if each.name == name]
    if not found:
        meant = nearest(name, {each.name for each in files})
        remedy = f'did you mean "{meant}"?' if meant else "`sitecms theme list` shows what there is."
        raise NotFound(f"The theme has no file {name}: {remedy}")
    return found[-1]


def _files(theme: Theme) -> tuple[ThemeFile, ...]:
    templates = [ThemeFile(name, path) for name, path in theme.templates.items()]
    assets = [ThemeFile(_ASSETS + name, path) for name, path in theme.assets.items()]
    catalogues = [ThemeFile(_TRANSLATIONS + path.name, path) for paths in theme.catalogues.values() for path in paths]
    return tuple(sorted((*templates, *assets, *catalogues), key=lambda each: (each.name, each.path.as_posix())))
