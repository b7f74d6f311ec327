"""Files of the site and Git: commits of what was written, by its authors, and the exchange with a remote.

Who writes files notes each change first (`note_change`), while it holds the lock FILES_LOCK. `GitSync` of a worker
commits what waits (`commits`), takes what came (`remote`, `incoming`) and pushes. Nothing is forced: where Git refuses,
folder, index and branch stay as they are, the state has one line about it, and it is tried again.
"""

from sitecms.actions.syncing.git.changes import FILES_LOCK, AuthoredChange, Verb, note_change
from sitecms.actions.syncing.git.people import Person, person_of
from sitecms.actions.syncing.git.sync import GitSync

__all__ = ["FILES_LOCK", "AuthoredChange", "GitSync", "Person", "Verb", "note_change", "person_of"]
