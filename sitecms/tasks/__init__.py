"""Background work by Huey: which tasks there are, how they travel, who wakes the workers. The only importer of huey."""

from sitecms.tasks.background import STOP_SECONDS, Background, run_worker
from sitecms.tasks.queue import JsonSerializer

__all__ = ["STOP_SECONDS", "Background", "JsonSerializer", "run_worker"]
