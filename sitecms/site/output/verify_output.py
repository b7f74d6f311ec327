"""Check of the published folder against its manifest."""

from sitecms.actions.operations.verify.finding import VerifyKind, damage
from sitecms.findings import Finding
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.output.build_record import staging_tree
from sitecms.site.output.folder import build_lock
from sitecms.site.output.inspection import InspectedFolders, Inspection
from sitecms.site.output.manifest import MANIFEST_NAME, read_manifest

_REMEDY = "build the site again: sitecms build --clean"


def output_findings(settings: SiteSettings) -> tuple[Finding, ...]:
    """Return the outputs that are missing or were changed since they were built; wait for a build that is running.

    Compares names, sizes and times, as a build does. Files that the manifest does not name are ignored.
    """
    output = settings.output_dir
    if not output.is_dir():
        return ()
    with build_lock(settings.folder / STATE_FOLDER, output):
        folder = output.resolve()
        manifest = read_manifest(folder)
        if not manifest.outputs:
            if not (folder / MANIFEST_NAME).exists():
                return ()
            return (damage(VerifyKind.OUTPUT_UNKNOWN, str(output), "has a manifest that cannot be read", _REMEDY),)
        wrong = Inspection(InspectedFolders(folder, staging_tree(folder), manifest, None)).outputs()
    return tuple(
        damage(
            VerifyKind.OUTPUT_CHANGED if (folder / path).exists() else VerifyKind.OUTPUT_MISSING,
            f"output {path}",
            problem,
            _REMEDY,
        )
        for path, problem in sorted(wrong.items())
    )
