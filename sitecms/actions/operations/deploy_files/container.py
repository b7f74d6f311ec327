"""A container of sitecms, and one way to run it beside PostgreSQL and Redis."""

from sitecms.actions.operations.deploy_files.deploy_file import DeployFile, filled_in, one_line, plain_path
from sitecms.settings.site import SiteSettings

_UID = 10001


def container_files(settings: SiteSettings) -> tuple[DeployFile, ...]:
    """Return a Containerfile and a compose file. Raises ConfigurationError for a path that does not fit into them."""
    wanted = {
        "brotli": "br" in settings.delivery.precompress,
        "postgres": True,
        "redis": True,
        "search": settings.search.enabled,
    }
    values: dict[str, object] = {
        "name": one_line(settings.name),
        "folder": plain_path(settings.folder, "The site folder"),
        "uid": _UID,
        "extras": ",".join(extra for extra, is_wanted in wanted.items() if is_wanted),
    }
    return tuple(filled_in(name, values) for name in ("Containerfile", "compose.yaml"))
