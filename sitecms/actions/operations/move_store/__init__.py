"""Move of a site's store to another place, SQLite file or PostgreSQL database, with all waiting work.

The source is closed to writers first, so that what is copied stays as it is: they are refused (503), and readers go
on. Then rows are copied piece by piece, each committed in the target; whoever runs the command again after it was
killed goes on behind the last one. Last, sums over every table are held against each other, and the source is marked
as gone before the target is opened: at no moment may both be written to.

Reading order: `claiming` (who may be moved where), `recipe` (the order of the steps).
"""

from sitecms.actions.operations.move_store.move import MoveReport, cancel_move, move_store

__all__ = ["MoveReport", "cancel_move", "move_store"]
