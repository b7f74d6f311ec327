"""Shortcodes of a site: templates in `templates/shortcodes`, rendered when a text is loaded."""

import re
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sitecms.content.text.markdown.shortcodes import ShortcodeCall, ShortcodeProblem
from sitecms.documents import nearest
from sitecms.documents.folders import link_out

if TYPE_CHECKING:
    from jinja2 import Environment

SHORTCODES_FOLDER = "templates/shortcodes"
_PLACE = re.compile(r"[A-Za-z][\w-]*(?:/[\w-]+)*")


@lru_cache(4)
def shortcodes_of(folder: Path) -> "Shortcodes":
    """Return the shortcodes of the site folder; templates that change are read again."""
    return Shortcodes(folder)


class Shortcodes:
    """Shortcodes of one site folder."""

    def __init__(self, folder: Path) -> None:
        self._site, self._folder = folder, folder / SHORTCODES_FOLDER

    def render(self, call: ShortcodeCall, page: Mapping[str, str]) -> str:
        """Return the HTML of a shortcode. Its template sees `args`, `inner` (HTML, None for none) and `page`.

        Raises ShortcodeProblem for one that is unknown or fails. On a site without shortcodes an unknown one is a
        warning, since texts of other systems may contain them.
        """
        from jinja2 import TemplateError, TemplateSyntaxError
        from markupsafe import Markup

        if not self._has(f"{call.name}.html"):
            raise self._unknown(call.name)
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
        known = [file.stem for file in self._folder.glob("*.html")]
        meant = nearest(name, known)
        file = f"{SHORTCODES_FOLDER}/{name}.html" if _PLACE.fullmatch(name) else SHORTCODES_FOLDER
        advice = f"write its template {file}, or {{{{</* {name} */>}}}} to show it"
        remedy = f'did you mean "{meant}"?' if meant else advice
        return ShortcodeProblem(f'has an unknown shortcode "{name}"', remedy, is_warning=not self._folder.is_dir())
