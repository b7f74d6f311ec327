"""Checks of permissions. The table of actions and roles stands in `content.user`."""

from sitecms.content.user import Action, User
from sitecms.errors import Forbidden
from sitecms.messages import Text


def require(user: User | None, action: Action, author: str | None = None) -> None:
    """Raise Forbidden unless the user may act on an entry of that author (slug; None: on some entry).

    None instead of a user is somebody at the command line of the server, who may do everything.
    """
    if user is not None and not user.may(action, author):
        raise Forbidden(
            Text("Your role (%(role)s) does not allow this: %(action)s.", role=str(user.role), action=str(action))
        )
