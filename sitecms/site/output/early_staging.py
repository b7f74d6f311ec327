"""Early staging: a staging directory made while a build still reads and plans.

That is half the cost of a small change.
"""

from pathlib import Path

from sitecms.site.output.atomic_swap import open_work
from sitecms.site.output.build_record import inode, work_folder
from sitecms.site.output.manifest import MANIFEST_NAME, Manifest
from sitecms.site.output.staging import Spare


def make_spare(published: Path, manifest: Manifest) -> int:
    """Make a missing staging directory and return its inode; 0 if that failed.

    The manifest is copied last: a staging directory with a manifest is complete.
    """
    try:
        with open_work(published, wait=False):
            spare = Spare(work_folder(published), published)
            spare.begin(manifest.outputs)
            spare.rebuild(manifest.outputs)
            spare.follow(MANIFEST_NAME)
            return inode(spare.tree)
    except OSError:  # the build makes its own, or says what is wrong
        return 0
