"""systemd units of a site: the API, the worker, builds and backups by timer."""

from dataclasses import dataclass
from pathlib import Path

from sitecms.actions.operations.deploy_files.deploy_file import DeployFile, filled_in, plain_path
from sitecms.settings.site import SiteSettings

_UNITS = (
    "sitecms-serve@.service",
    "sitecms-worker@.service",
    "sitecms-build@.service",
    "sitecms-build@.timer",
    "sitecms-backup@.service",
    "sitecms-backup@.timer",
)
_HOMES = (Path("/home"), Path("/root"), Path("/run/user"))


@dataclass(frozen=True, slots=True)
class SystemdPlan:
    """`program` is the command `sitecms`, `user` whom the units run as, `backups` the folder of nightly backups."""

    program: Path
    user: str
    backups: Path


def systemd_files(settings: SiteSettings, plan: SystemdPlan) -> tuple[DeployFile, ...]:
    """Return units for all sites in the parent folder; the instance is the name of a site folder.

    Raises ConfigurationError for paths that do not fit into them.
    """
    folder, output = settings.folder, settings.output_dir.resolve()
    plain_path(folder, "The site folder")
    writable = () if output.is_relative_to(folder) else (plain_path(output.parent, "The folder around the output"),)
    values: dict[str, object] = {
        "sites": plain_path(folder.parent, "The site folder").rstrip("/"),
        "program": plain_path(plan.program, "The command"),
        "user": plan.user,
        "backups": plain_path(plan.backups, "The folder of backups"),
        "writable": writable,
        "in_home": any(place.is_relative_to(home) for home in _HOMES for place in (folder, plan.program, output)),
    }
    return tuple(filled_in(name, values) for name in _UNITS)
