"""nginx before a site: the published folder, and the API behind it."""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sitecms.actions.operations.deploy_files.deploy_file import DeployFile, filled_in, key_of, one_line, plain_path
from sitecms.errors import ConfigurationError
from sitecms.settings.site import SiteSettings

_SOONER_SECONDS = 10
_HOST = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]")


@dataclass(frozen=True, slots=True)
class NginxPlan:
    """Addresses that nginx listens on and forwards to.

    `published`: None for where the site's settings have it built; `cache`: None for a folder named after the site.
    `inner` is an address of this machine that nginx talks to itself by; `allow` may ask whether the API is ready.
    `idle_seconds`: after them the API closes a connection.
    """

    listen: tuple[str, ...]
    upstreams: tuple[str, ...]
    inner: str
    allow: tuple[str, ...]
    published: Path | None
    cache: Path | None
    logs: Path
    brotli: bool
    max_body_bytes: int
    idle_seconds: int


def nginx_files(settings: SiteSettings, plan: NginxPlan) -> tuple[DeployFile, ...]:
    """Return one file, for `http { }`. Raises ConfigurationError for values that nginx cannot express."""
    key = key_of(settings.folder)
    site_host, api_host = _host(settings.url), _host(settings.serve_url)
    if urlsplit(settings.serve_url).path:
        raise ConfigurationError(
            f'site.toml: serve.url is "{settings.serve_url}", and the API answers at the root of a host only.'
        )
    values: dict[str, object] = {
        "name": one_line(settings.name),
        "key": key,
        "listen": plan.listen,
        "upstreams": plan.upstreams,
        "inner": plan.inner,
        "allow": plan.allow,
        "published": plain_path(plan.published or settings.output_dir, "The published folder"),
        "cache": plain_path(plan.cache or Path(f"/var/cache/{key}"), "The folder of the cache"),
        "logs": plain_path(plan.logs, "The folder of logs"),
        "max_body_bytes": plan.max_body_bytes,
        "site_host": site_host,
        "api_host": api_host if api_host != site_host else "",
        "shares_root": not settings.base_path and api_host in ("", site_host),
        "base": settings.base_path,
        "base_pattern": re.escape(settings.base_path),
        "gzip": "gz" in settings.delivery.precompress,
        "has_brotli": "br" in settings.delivery.precompress,
        "brotli": plan.brotli and "br" in settings.delivery.precompress,
        "idle_seconds": plan.idle_seconds,
        "sooner_seconds": plan.idle_seconds - _SOONER_SECONDS,
    }
    return (filled_in("nginx.conf", values, f"{key}.conf"),)


def _host(url: str) -> str:
    """Return the host of an address without its port, "" for none. Raises ConfigurationError."""
    host = urlsplit(url).hostname or ""
    try:
        host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        host = " "
    if host and not _HOST.fullmatch(host):
        raise ConfigurationError(f"site.toml: {url} names no host that nginx could be told of.")
    return host
