"""Early staging: a staging directory made while a build still reads and plans.

That is half the cost of a small change.
"""

from pathlib import Path

from sitecms.site.output.atomic_swap import open_work
from sitecms.site.output.build_record import inode, work_folder
from sitecms.site.output.manifest import MANIFEST_NAME, Manifest
from sitecms.site.output.staging import StagingDirectory


def make_staging_directory(published: Path, manifest: Manifest) -> int:
    """Make a missing staging directory and return its inode; 0 if that failed.

    The manifest is copied last: a staging directory with a manifest is complete.
    """
    try:
        with open_work(published, wait=False):
            staging = StagingDirectory(work_folder(published), published)
            staging.begin(manifest.outputs)
            staging.rebuild(manifest.outputs)
            staging.follow(MANIFEST_NAME)
            return inode(staging.tree)
    except OSError:  # the build makes its own, or says what is wrong
        return 0
