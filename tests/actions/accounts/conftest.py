"""Users of a store."""

from collections.abc import Callable
from datetime import datetime

import pytest

from sitecms.actions.accounts import users as accounts
from sitecms.content.user import Role, User
from sitecms.store.database import Database

PASSWORD = "correct horse battery staple"
MakeUser = Callable[..., User]


@pytest.fixture
def make_user(store: Database, make_author: Callable[..., str], noon: datetime) -> MakeUser:
    """Add a user with PASSWORD."""
    make_author("ann-ray")

    def make(name: str = "mira", role: Role = Role.ADMIN, author: str = "") -> User:
        return accounts.add_user(store, None, name, role, author, PASSWORD, "Tide", noon)

    return make
