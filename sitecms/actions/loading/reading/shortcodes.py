"""Shortcodes of a site: templates in `templates/shortcodes`, rendered when a text is loaded."""

import re
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sitecms.content.text.markdown.shortcodes import ShortcodeCall, ShortcodeProblem
from sitecms.documents import nearest
from sitecms.documents.folders import link_out
from sitecms.errors import PluginFailed
from sitecms.plugins.site_plugins import SHORTCODES, SitePlugins

if TYPE_CHECKING:
    from jinja2 import Environment

SHORTCODES_FOLDER = "templates/shortcodes"
_PLACE = re.compile(r"[A-Za-z][\w-]*(?:/[\w-]+)*")


@lru_cache(4)
def shortcodes_of(folder: Path, plugins: SitePlugins) -> "Shortcodes":
    """Return the shortcodes of the site folder and of its plug-ins; templates that change are read again."""
    return Shortcodes(folder, plugins)


class Shortcodes:
    """Shortcodes of one site: templates in its folder, and functions of plug-ins."""

    def __init__(self, folder: Path, plugins: SitePlugins) -> None:
        self._site, self._folder = folder, folder / SHORTCODES_FOLDER
        self._functions = plugins.named(SHORTCODES, "shortcode")

    def render(self, call: ShortcodeCall, page: Mapping[str, str]) -> str:
        """Return the HTML of a shortcode. Its template sees `args`, `inner` (HTML, None for none) and `page`.

        A shortcode without a template is rendered by the plug-in that has it.

        Raises ShortcodeProblem for one that is unknown or fails. On a site without shortcodes an unknown one is a
        warning, since texts of other systems may contain them.
        """
        from jinja2 import TemplateError, TemplateSyntaxError
        from markupsafe import Markup

        if not self._has(f"{call.name}.html"):
            return self._of_plugin(call)
        inner = None if call.inner is None else Markup(call.inner)  # noqa: S704  # sanitised with the whole text
        try:
            template = self._environment.get_template(f"{call.name}.html")
            return template.render(args=call.arguments, inner=inner, page=page).strip()
        except TemplateSyntaxError as error:
            problem = f"{SHORTCODES_FOLDER}/{error.name}:{error.lineno}: {error.message}"
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            problem = f"{SHORTCODES_FOLDER}/{call.name}.html: {error}"
        message = f'has a shortcode "{call.name}" that fails: {problem}'
        raise ShortcodeProblem(message, "correct the template or its arguments")

    def _of_plugin(self, call: ShortcodeCall) -> str:
        if call.name not in self._functions:
            raise self._unknown(call.name)
        try:
            return str(self._functions[call.name](call))
        except PluginFailed as error:
            message = f'has a shortcode "{call.name}", and {error}'
            raise ShortcodeProblem(message, "correct the plug-in, or the text") from error

    @cached_property
    def _environment(self) -> "Environment":
        from jinja2 import Environment, StrictUndefined, TemplateNotFound
        from jinja2.loaders import FileSystemLoader

        has = self._has

        class _Loader(FileSystemLoader):
            def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
                if not has(template):
                    raise TemplateNotFound(template)
                return super().get_source(environment, template)

        loader = _Loader(self._folder)
        return Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )

    def _has(self, name: str) -> bool:
        """Return whether a template exists, in the site folder."""
        return (self._folder / name).is_file() and not link_out(self._site, f"{SHORTCODES_FOLDER}/{name}")

    def _unknown(self, name: str) -> ShortcodeProblem:
        known = [*(file.stem for file in self._folder.glob("*.html")), *self._functions]
        meant = nearest(name, known)
        file = f"{SHORTCODES_FOLDER}/{name}.html" if _PLACE.fullmatch(name) else SHORTCODES_FOLDER
        advice = f"write its template {file}, or {{{{</* {name} */>}}}} to show it"
        remedy = f'did you mean "{meant}"?' if meant else advice
        return ShortcodeProblem(f'has an unknown shortcode "{name}"', remedy, is_warning=not self._folder.is_dir())
