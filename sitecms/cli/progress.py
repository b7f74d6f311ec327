"""Progress bar on a terminal; nothing in a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sitecms.progress import Progress


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Give a function that long work reports its progress to; None if stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description:16}"), BarColumn(), MofNCompleteColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def report(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase, total=total)
            bar.update(tasks[phase], completed=done, total=total)

        yield report
