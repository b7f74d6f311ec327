"""Background work by Huey: tasks, queue and worker. The only importer of Huey."""

from sitecms.tasks.background import STOP_SECONDS, Background, run_worker
from sitecms.tasks.queue import JsonSerializer

__all__ = ["STOP_SECONDS", "Background", "JsonSerializer", "run_worker"]
