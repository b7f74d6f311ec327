"""A spare made before it is needed, beside a build that still reads and plans: half of the cost of a small change."""

from pathlib import Path

from sitecms.site.output.atomic_swap import open_work
from sitecms.site.output.build_record import inode, work_folder
from sitecms.site.output.manifest import MANIFEST_NAME, Manifest
from sitecms.site.output.staging import Spare


def make_spare(published: Path, manifest: Manifest) -> int:
    """Make a missing spare like the published folder; its inode, or 0 if that was not to be had.

    The manifest is the last that comes into it: whoever finds it there finds the spare whole.
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
