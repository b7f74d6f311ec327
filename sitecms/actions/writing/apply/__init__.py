"""Application of accepted writes: claimed, remote media fetched, then stored in one fenced transaction."""

from sitecms.actions.writing.apply.applying import STEPS, Worker, apply_entry
from sitecms.actions.writing.apply.fetching import FetchJob, FetchMedia, FetchPool

__all__ = ["STEPS", "FetchJob", "FetchMedia", "FetchPool", "Worker", "apply_entry"]
