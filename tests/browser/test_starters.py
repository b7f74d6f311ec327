"""Every page of the sites that `sitecms init` makes, in Chromium: accessible, as wide as the window, without errors."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from sitecms.actions.authoring.new_site import STARTERS
from tests.browser.test_pages import TOO_WIDE
from tests.support.axe import TARGET_SIZE, violations
from tests.support.commands import CommandServer
from tests.support.web_hosts import site_host


@pytest.mark.slow
@pytest.mark.parametrize("starter", STARTERS)
def test_each_page_of_a_starter_is_sound(
    browser: Browser, command_server: CommandServer, tmp_path: Path, starter: str
) -> None:
    """On a phone in the dark and on a wide screen, with the drop-down of versions where there is one."""
    site, public = tmp_path / "site", tmp_path / "public"
    assert command_server.run("init", site, "--starter", starter, folder=tmp_path, variables={}).returncode == 0
    if starter == "docs":
        with (site / "site.toml").open("a", encoding="utf-8") as settings:
            settings.write('[theme.options]\nversions = ["2 https://tide.example/", "1 https://tide.example/1/"]\n')
    with site_host(public) as url:
        built = command_server.run(
            "build", site, "--output", public, "--base-url", url, "--strict", folder=tmp_path, variables={}
        )
        assert built.returncode == 0, built.stderr
        _look_at(browser, public, url)


def _look_at(browser: Browser, public: Path, url: str) -> None:
    names = sorted(
        path.relative_to(public).as_posix()
        for path in public.rglob("*.html")
        if "pagefind" not in path.parts and 'http-equiv="refresh"' not in path.read_text(encoding="utf-8")
    )  # a page that leads elsewhere has no icon, for which a browser asks or not
    assert len(names) > 4
    for width in (360, 1280):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme="dark" if width == 360 else "light"
        )
        page = context.new_page()
        for name in names:
            assert _faults(page, f"{url}/{name.removesuffix('index.html')}") == [], (name, width)
        context.close()


def _faults(page: Page, address: str) -> list[str]:
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(address, wait_until="load")
    for versions in page.locator("details.versions").all():
        versions.locator("summary").click()
    is_too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return [*messages, *violations(page, TARGET_SIZE), *(page.evaluate(TOO_WIDE) if is_too_wide else ())]
