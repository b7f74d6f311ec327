"""Draw the pictures of README and manual: the sample site in each theme and the studio, as Chromium shows them.

python -m tests.screenshot
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from sitecms.actions.authoring.new_site import STARTERS
from tests.support.ports import free_port
from tests.support.web_hosts import site_host

REPO = Path(__file__).resolve().parents[1]
README_PICTURE = REPO / "sitecms/docs/screenshot.webp"
THEMES = {"default": "/", "journal": "/blog/", "portfolio": "/blog/", "magazine": "/"}
"""The page of the sample site that shows a theme in the manual."""
DOCS_PAGE = "/writing-in-markdown/index.html"
"""The chapter of the manual that shows its theme."""
STARTER_WIDTH = 720
"""Of the pictures of the starter sites, in pixels."""
WIDTH, HEIGHT = 1100, 760
MAX_BYTES = 150_000


STUDIO_WIDTH, STUDIO_HEIGHT = 1280, 820
PASSWORD = "correct horse battery staple"
COMET, CLOUDS = "A comet with the naked eye", "cloud-base.jpg"
FORMATTED = """---
title: Morning over the lower fields
status: draft
format: html
---
<p>The clouds came <strong>in rows</strong>, as <a href="/blog/">last year</a>, and each had a <em>flat</em> base.</p>
<figure><img src="media/cloud-base.jpg" alt="Clouds over fields"><figcaption>Half past nine, from the gate.</figcaption>
</figure>
<h2>What I counted</h2>
<ul><li>eleven rows before noon</li><li>none after it</li></ul>
<details><summary>How to measure the height of a base</summary><p>Take the dew point from the temperature.</p></details>
"""


def shots(pages: Path, path: str, *schemes: Literal["light", "dark"], zoom: float = 1) -> list[Image.Image]:
    """Return pictures of a page of a built site, one for each colour scheme; below 1, `zoom` shows more of the page."""
    width, height = round(WIDTH / zoom), round(HEIGHT / zoom)
    found = []
    with site_host(pages) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme in schemes:
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(f"{address}{path}", wait_until="networkidle")
            found.append(Image.open(BytesIO(page.screenshot())).convert("RGB").resize((WIDTH, HEIGHT)))
        browser.close()
    return found


def save(picture: Image.Image, target: Path) -> None:
    """Write a picture as WebP. Raises AssertionError if it is too large for a repository."""
    target.parent.mkdir(exist_ok=True)
    picture.save(target, quality=90, method=6)
    assert target.stat().st_size < MAX_BYTES, target.stat().st_size
    print(f"Wrote {target}, {target.stat().st_size} bytes")  # noqa: T201


@contextmanager
def studio(folder: Path) -> Iterator[Page]:
    """Serve a site, and open a window in which a user of its studio is signed in."""
    run = (sys.executable, "-m", "sitecms")
    (folder / "content/posts/morning.md").write_text(FORMATTED, encoding="utf-8")
    subprocess.run([*run, "load", str(folder)], check=True, stdout=subprocess.DEVNULL)
    add = [*run, "user", "add", str(folder), "mira", "--role", "admin"]
    subprocess.run(add, check=True, input=f"{PASSWORD}\n", text=True, stdout=subprocess.DEVNULL)
    port = free_port()
    server = subprocess.Popen([*run, "serve", str(folder), "--port", str(port)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    server.stdout.readline()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": STUDIO_WIDTH, "height": STUDIO_HEIGHT},
            color_scheme="light",
            base_url=f"http://127.0.0.1:{port}",
        )
        page.goto("/studio/sign-in/")
        page.get_by_label("Name", exact=True).fill("mira")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        with page.expect_navigation():
            page.get_by_role("button", name="Sign in").click()
        yield page
        browser.close()
    server.terminate()
    server.communicate()


def open_entry(page: Page, listed: str, name: str) -> None:
    """Open an entry of the studio by its name in a list."""
    page.goto(f"/studio/{listed}/?q={name}")
    with page.expect_navigation():
        page.get_by_role("link", name=name).first.click()
    page.wait_for_load_state("networkidle")


def studio_pictures(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the pictures of the studio, with their names: preview, rich text and a picture's page."""
    with studio(folder) as page:
        open_entry(page, "posts", COMET)
        page.get_by_role("link", name="Preview").or_(page.get_by_role("button", name="Preview")).first.click()
        page.get_by_label("Title", exact=True).fill("A comet you can see")
        page.wait_for_timeout(3000)
        yield "studio-preview", page.screenshot()
        open_entry(page, "posts", "Morning over the lower fields")
        page.locator(".ProseMirror h2").click()
        page.locator(".ProseMirror").scroll_into_view_if_needed()
        page.wait_for_timeout(1000)
        yield "studio-rich-text", page.screenshot()
        open_entry(page, "media", CLOUDS)
        page.wait_for_timeout(1000)
        yield "studio-media", page.screenshot()


def starter_picture(folder: Path, starter: str) -> Image.Image:
    """Return the home page of a starter site, which is made in the folder."""
    run = [sys.executable, "-m", "sitecms"]
    subprocess.run([*run, "init", str(folder), "--starter", starter], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*run, "build", str(folder)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    picture = shots(folder / "public", "/", "light", zoom=0.85)[0]
    return picture.resize((STARTER_WIDTH, STARTER_WIDTH * HEIGHT // WIDTH))


def main() -> None:
    """Build the sample site in each theme, and write the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "sample_site"
        shutil.copytree(REPO / "sample_site", site, ignore=shutil.ignore_patterns(".sitecms", "public", ".public*"))
        settings = (site / "site.toml").read_text(encoding="utf-8")
        for theme, path in THEMES.items():
            named = settings.replace("[theme]", f'[theme]\nname = "{theme}"')
            if theme == "magazine":
                named = named.replace('home = "landing-page/home"', 'home = ""').replace("#2d6a4f", "#b3261e")
            (site / "site.toml").write_text(named, encoding="utf-8")
            subprocess.run([sys.executable, "-m", "sitecms", "build", str(site)], check=True, stdout=subprocess.DEVNULL)
            light, dark = shots(site / "public", path, "light", "dark")
            save(light, REPO / f"sitecms/manual/media/theme-{theme}.webp")
            if theme == "default":
                light.paste(dark.crop((WIDTH // 2, 0, WIDTH, HEIGHT)), (WIDTH // 2, 0))
                save(light, README_PICTURE)
        (site / "site.toml").write_text(settings, encoding="utf-8")
        manual = Path(folder) / "manual"
        subprocess.run([sys.executable, "-m", "sitecms", "manual", "--output", str(manual)], check=True)
        save(shots(manual, DOCS_PAGE, "light", zoom=0.8)[0], REPO / "sitecms/manual/media/theme-docs.webp")
        for starter in STARTERS:
            home = starter_picture(Path(folder) / starter, starter)
            save(home, REPO / f"sitecms/manual/media/starter-{starter}.webp")
        for name, data in studio_pictures(site):
            save(Image.open(BytesIO(data)).convert("RGB"), REPO / f"sitecms/manual/media/{name}.webp")


if __name__ == "__main__":
    main()
