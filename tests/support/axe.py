"""What axe-core finds on a page that is open in Chromium."""

import importlib.resources
from collections.abc import Mapping
from functools import cache

from playwright.sync_api import Page

RUN = """rules => axe.run({resultTypes: ["violations"], rules}).then(({violations}) =>
    violations.map(({id, nodes}) => [id, ...nodes.map(({html}) => html.slice(0, 200))].join(": ")))"""
TARGET_SIZE = {"target-size": {"enabled": True}}
"""The rule of WCAG 2.2 for the size of links and buttons, which Lighthouse has, too."""


@cache
def _axe() -> str:
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def violations(page: Page, rules: Mapping[str, object] | None = None) -> list[str]:
    """Return what axe-core finds, with its best practices and these rules, on the page as it is."""
    page.evaluate(_axe())
    found: list[str] = page.evaluate(RUN, rules or {})
    return found
