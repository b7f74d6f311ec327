"""Filters, functions and values of plug-ins in templates, and the fingerprints of the templates that use them."""

import re
from collections.abc import Mapping
from functools import cached_property

from jinja2 import Environment

from sitecms.content.fingerprint import canonical, digest
from sitecms.errors import ConfigurationError
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.site.theme.theme import Theme

FILTERS, FUNCTIONS, VALUES = "template_filters", "template_functions", "template_values"
PAGE_RENDERED, HEAD_ADDITIONS, FEED_ITEM = "page_rendered", "head_additions", "feed_item"
_FEEDS = "feeds/"
_PAGE = ".html"
_REDIRECT = "redirect.html"
_WORD = re.compile(r"[^\W\d]\w*")


def is_page(template: str) -> bool:
    """Return whether plug-ins may change what the template makes: HTML, and no redirect."""
    return template.endswith(_PAGE) and template != _REDIRECT


def add_names(environment: Environment, plugins: SitePlugins) -> None:
    """Add filters, functions and values of plug-ins. Raises ConfigurationError for a name that is taken."""
    if plugins.plugins:
        environment.filters.update(plugins.named(FILTERS, "filter", environment.filters))
        environment.globals.update(plugins.named(FUNCTIONS, "function", environment.globals))
        environment.globals.update(plugins.named(VALUES, "value", environment.globals))


def code_inputs(plugins: SitePlugins) -> tuple[str, ...]:
    """Return what compiled templates depend on: the names of filters, and constants that they were applied to."""
    return plugins.inputs(FILTERS, FUNCTIONS, VALUES)


class TemplateDigests:
    """Digests of templates, with those of the plug-ins that touch what they make."""

    def __init__(self, theme: Theme, plugins: SitePlugins) -> None:
        self._theme = theme
        self._plugins = plugins

    def digest(self, template: str) -> str:
        """Return the digest of a template, of all that it may use, and of the plug-ins that touch it."""
        of_theme = self._theme.digest(template)
        touching = self._touching(template) if self._plugins.plugins else ()
        return digest("\n".join((of_theme, *touching)).encode()) if touching else of_theme

    def _touching(self, template: str) -> tuple[str, ...]:
        touching = list(self._plugins.inputs(*([FEED_ITEM] if template.startswith(_FEEDS) else [])))
        if is_page(template):
            touching += self._plugins.inputs(PAGE_RENDERED, HEAD_ADDITIONS)
        words = {*_WORD.findall(self._theme.text(template))} if self._names else set()
        return (*touching, *(self._names[name] for name in sorted(words & self._names.keys())))

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """The inputs of each name of a plug-in: the plug-in, and for a value the value."""
        names = {
            name: f"{name} {self._plugins.identity(plugin)}"
            for hook in (FILTERS, FUNCTIONS)
            for plugin, values in self._plugins.mappings(hook)
            for name in values
        }
        for name, value in self._plugins.named(VALUES, "value").items():
            try:
                names[name] = f"{name} {digest(canonical(value))}"
            except TypeError as error:
                raise ConfigurationError(f"The value {name} of a plug-in is no plain data: {error}.") from error
        return names
