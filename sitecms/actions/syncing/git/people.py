"""People of commits: whom Git names as the author of a change."""

from contextlib import suppress

from msgspec import Struct

from sitecms.errors import NotFound
from sitecms.store.accounts.users import find_user
from sitecms.store.database import Session
from sitecms.store.entries.authors import get_author

NOBODY = "sitecms"
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("<>\0", " "))


class Person(Struct, frozen=True):
    """Name and e-mail in a commit; tokens and programs have no e-mail."""

    name: str
    email: str = ""

    def variables(self, role: str) -> dict[str, str]:
        """Return the variables that name the person as AUTHOR or COMMITTER; Git refuses a name without a letter."""
        name = " ".join(self.name.translate(_NOT_IN_NAMES).split())
        email = "".join(self.email.translate(_NOT_IN_NAMES).split())
        return {f"GIT_{role}_NAME": name if any(map(str.isalnum, name)) else NOBODY, f"GIT_{role}_EMAIL": email}


def person_of(session: Session, name: str) -> Person:
    """Return who a change is by, as histories and events name users and tokens; "" for a schedule or a command.

    A user who writes as an author has the author's name, and the author's e-mail unless the user has one.
    """
    match = find_user(session, name)
    email = match[0].email if match else ""
    if match and match[0].author:
        with suppress(NotFound):
            author = get_author(session, match[0].author)
            return Person(author.name, email or author.email)
    return Person(name or NOBODY, email)
