"""Old sites as their generators publish them, and what the imported site answers at each of their addresses."""

import re
import subprocess
import sys
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote

import requests

from sitecms.importing.old_urls import BuiltSite, UrlOutcome, old_urls
from sitecms.importing.run import ImportOptions, import_site
from sitecms.site.plan.redirect_files import NGINX, NGINX_MAPS, NGINX_SERVER
from tests.support.nginx import running_nginx
from tests.support.ports import free_port

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
MARK = r'<article data-title="([^"]*)"'


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def import_and_build(source: Path, site: Path) -> Path:
    import_site(site, [str(source)], ImportOptions())
    for command in (["load"], ["build", "--strict"]):
        done = subprocess.run([sys.executable, "-m", "sitecms", *command, str(site)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return site / "public"


def published_titles(public: Path) -> dict[str, str]:
    """Return the titles of the entries that a generator published, by address."""
    found = {}
    for path in public.rglob("*.html"):
        if match := re.search(MARK, path.read_text(encoding="utf-8")):
            name = path.relative_to(public).as_posix()
            found["/" + re.sub(r"(^|/)index\.html$", r"\1", name)] = match[1]
    return found


def leads_to(public: Path, address: str) -> str:
    """Return the text of the page that an address leads to, over one redirect at most; "" for none."""
    rules = [line.split() for line in (public / "_redirects").read_text().splitlines() if line.startswith("/")]
    redirects = {unquote(rule[0]).rstrip("/"): unquote(rule[1]) for rule in rules if rule[2:3] != ["410"]}
    for each in (address, redirects.get(address.rstrip("/"), "")):
        path = public / each.lstrip("/")
        path = path / "index.html" if path.is_dir() else path  # hosts add the slash of a folder
        if each and path.is_file():
            text = path.read_text(encoding="utf-8")
            if 'http-equiv="refresh"' not in text:
                return text
    return ""


def wrong_pages(public: Path, titles: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses that do not lead to the entry that stood there, with its title."""
    return {each: title for each, title in titles.items() if unescape(title) not in unescape(leads_to(public, each))}


def wrong_answers(golden: Path, site: Path, folder: Path) -> dict[str, list[str]]:
    """Return the files of an old site that nginx does not answer with 200, or one redirect to 200; with its answers."""
    public, port = site / "public", free_port()
    conf = f"""
    map $uri $sitecms_moved {{ include {public}/{NGINX}; }}
    include {public}/{NGINX_MAPS};
    server {{
        listen 127.0.0.1:{port};
        absolute_redirect off;
        root {public};
        if ($sitecms_moved) {{ return 301 $sitecms_moved; }}
        include {public}/{NGINX_SERVER};
    }}
    """
    names = (path.relative_to(golden).as_posix() for path in sorted(golden.rglob("*")) if path.is_file())
    addresses = ["/" + quote(re.sub(r"(^|/)index\.html$", r"\1", name)) for name in names]
    wrong: dict[str, list[str]] = {}
    with running_nginx(conf, folder):
        for address in addresses:
            answer = requests.get(f"http://127.0.0.1:{port}{address}", timeout=60)
            if answer.status_code != 200 or len(answer.history) > 1:
                wrong[address] = [each.url for each in (*answer.history, answer)]
    outcomes = old_urls(BuiltSite(site, public), addresses)
    lost: dict[str, list[str]] = {
        url.url: [url.outcome.value] for url in outcomes if url.outcome not in (UrlOutcome.KEPT, UrlOutcome.REDIRECTED)
    }
    return {**lost, **wrong}
