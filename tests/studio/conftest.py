"""Fixtures of the studio: users, and browsers that are signed in."""

import re
from collections.abc import Callable
from datetime import datetime
from functools import cache
from html import unescape
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient
from msgspec.structs import replace
from werkzeug.test import TestResponse

from sitecms.actions.accounts.passwords import hash_password
from sitecms.actions.accounts.sessions import start_session
from sitecms.actions.editing.edited import get_edited
from sitecms.actions.editing.values import fields_in
from sitecms.actions.writing.apply.applying import Worker, apply_entry
from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.user import Role, User
from sitecms.runtime import Runtime
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.users import get_user, insert_user
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.writes.writes import get_write
from sitecms.studio.text_format import COOKIE as FORMAT_COOKIE
from sitecms.web.service import create_app
from tests.support.entries import MakeAuthor, MakeItem, MakePage, MakePost

PASSWORD = "correct horse battery staple"
_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]+)"')


class Browser:
    """A browser on this machine, which keeps cookies and says where requests come from."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        client.set_cookie(
            FORMAT_COOKIE, "markdown", path="/studio/"
        )  # as if the user had chosen so for an earlier post
        self.page = ""

    def get(self, path: str, **options: Any) -> TestResponse:
        """Open a page, following redirects."""
        response = self.client.get(path, follow_redirects=True, **options)
        self.page = response.get_data(as_text=True)
        return response

    def send(self, path: str, /, **fields: object) -> TestResponse:
        """Send a form with the token of the page that was opened last."""
        found = _TOKEN.search(self.page)
        data = {"form_token": found[1] if found else "", **fields}
        headers = {"Sec-Fetch-Site": "same-origin"}
        response = self.client.post(path, data=data, headers=headers, follow_redirects=True)
        self.page = response.get_data(as_text=True)
        return response

    def sign_in(self, name: str, password: str = PASSWORD) -> TestResponse:
        """Sign in by the form."""
        self.get("/studio/sign-in/")
        return self.send("/studio/sign-in/", name=name, password=password)

    def open_session(self, runtime: Runtime, name: str) -> str:
        """Sign in without form and password; return the secret of the session."""
        with runtime.database.writing(counts_as_change=False) as transaction:
            secret = start_session(transaction, get_user(transaction, name), runtime.clock(), "", "")
        self.client.set_cookie("sitecms-local", secret)
        return secret

    def value_of(self, name: str) -> str:
        """Return the value of a hidden field of the page that was opened last."""
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        assert found is not None, f"The page has no field {name}."
        return unescape(found[1])

    @property
    def text(self) -> str:
        """The page that was opened last, without tags."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.page)).split())


FIELDS: dict[str, Any] = {
    "summary": "Two are\tenough & <more>", "rank": 1.5,
    "hero": {"title": "T", "image": {"url": "/media/x.png", "alt": "a \"b\""}, "by": None, "links": [{"label": "one"}]},
    "body": [
        {"type": "quote", "fields": {"text": "line\n\nline ", "stars": 3}},
        {
            "type": "hero",
            "fields": {"title": "H", "image": None, "by": None, "links": [{"label": "x"}, {"label": "y"}]},
        },
    ],
    "steps": [{"title": "first", "who": None}, {"title": "second", "who": "/v2/content/?keys=team[_id=1]"}],
    "category": None, "team": ["/v2/content/?keys=team[_id=1]"], "next": None, "see": [],
}  # fmt: skip
MakeBrowser = Callable[[], Browser]
MakeUser = Callable[..., User]
SignedIn = Callable[..., Browser]
Versions = Callable[..., dict[tuple[str, str], Entry]]


@cache
def _password_hash() -> str:
    return hash_password(PASSWORD)


@pytest.fixture
def make_user(runtime: Runtime, make_author: MakeAuthor, noon: datetime) -> MakeUser:
    """Add a user of a role; a writer is the author ann-ray unless another is named."""
    make_author("ann-ray", first_name="Ann", last_name="Ray")
    make_author("bo-lind", first_name="Bo", last_name="Lind")

    def make(name: str, role: Role = Role.ADMIN, author: str = "") -> User:
        author = author or ("ann-ray" if role is Role.WRITER else "")
        with runtime.database.writing(counts_as_change=False) as transaction:
            record_action(transaction, None, "add user", f"user {name}", noon, role.value)
            return insert_user(transaction, name, role, author, _password_hash(), noon)

    return make


@pytest.fixture
def browser(runtime: Runtime, worker: Worker) -> MakeBrowser:
    """Make a browser; accepted writes are applied at once."""

    def hint(write_id: str) -> None:
        key = runtime.database.read(get_write, write_id).entry_key
        apply_entry(worker, key)

    app = create_app(runtime, "http://127.0.0.1:8000", probe=lambda _url: "", hint=hint)

    def make() -> Browser:
        return Browser(app.test_client())

    return make


@pytest.fixture
def signed_in(browser: MakeBrowser, make_user: MakeUser, runtime: Runtime) -> SignedIn:
    """Make a user of a role and a browser in which the user is signed in."""

    def make(role: Role = Role.EDITOR, author: str = "", name: str = "") -> Browser:
        user = make_user(name or role.value, role, author)
        made = browser()
        made.open_session(runtime, user.name)
        return made

    return make


@pytest.fixture
def admin(signed_in: SignedIn) -> Browser:
    """A browser in which an admin is signed in."""
    return signed_in(Role.ADMIN)


@pytest.fixture
def editor(signed_in: SignedIn) -> Browser:
    """A browser in which an editor is signed in, who is the author ann-ray."""
    return signed_in(Role.EDITOR, "ann-ray")


@pytest.fixture
def writer(signed_in: SignedIn) -> Browser:
    """A browser in which a writer is signed in, who is the author ann-ray."""
    return signed_in(Role.WRITER)


def open_with(runtime: Runtime, user: str, **settings: Any) -> Browser:
    """Open the studio of the site with other settings, in a browser in which a user is signed in."""
    changed = replace(runtime, settings=replace(runtime.settings, **settings))
    app = create_app(changed, "http://127.0.0.1:8000", probe=lambda _url: "")
    made = Browser(app.test_client())
    made.open_session(runtime, user)
    return made


@pytest.fixture
def versions(runtime: Runtime) -> Callable[..., dict[tuple[str, str], Entry]]:
    """Read the versions of an entry, by locale and version."""

    def read(entry_id: int, kind: EntryKind = EntryKind.PAGE) -> dict[tuple[str, str], Entry]:
        return {(each.locale, each.version): each for each in runtime.database.read(VERSIONS[kind].of, (entry_id,))}

    return read


@pytest.fixture
def page_id(make_page: MakePage, make_item: MakeItem) -> int:
    """A published page with every kind of nesting, and an item that it names."""
    make_item(1, {"name": "Ann"})
    return make_page("knots", FIELDS)


class EntryForm(NamedTuple):
    """A published entry and its form, of which `text` and `other` are two controls; `new` is the form of a new one.

    `stored` reads what the form shows, `live` the text that readers see.
    """

    kind: EntryKind
    id: int
    address: str
    text: str
    other: str
    new: str
    stored: Callable[[], dict[str, str]]
    live: Callable[[], str | None]


@pytest.fixture(params=EntryKind)
def entry(
    request: pytest.FixtureRequest, runtime: Runtime, make_user: MakeUser, make_post: MakePost, page_id: int
) -> EntryForm:
    """An entry of each kind."""
    kind, user = EntryKind(request.param), make_user("reader")
    ids = {EntryKind.POST: make_post("calm", summary="old"), EntryKind.PAGE: page_id, EntryKind.ITEM: 1}
    address, text, other, new = {
        EntryKind.POST: ("/studio/posts/", "summary", "title", "/studio/posts/new/"),
        EntryKind.PAGE: ("/studio/pages/", "fields.summary", "fields.rank", "/studio/pages/new/guide/"),
        EntryKind.ITEM: (
            "/studio/collections/team/", "fields.name", "fields.notebooks", "/studio/collections/team/new/",
        ),
    }[kind]  # fmt: skip

    def stored() -> dict[str, str]:
        values = runtime.database.read(get_edited, user, kind, ids[kind], "en").values
        found = {**values, **{f"fields.{slug}": value for slug, value in fields_in(values).items()}}
        return {"text": str(found[text]), "other": str(found.get(other) or "")}

    def live() -> str | None:
        edited = runtime.database.read(get_edited, user, kind, ids[kind], "en")
        values = edited.live_values
        found = {**values, **{f"fields.{slug}": value for slug, value in fields_in(values).items()}}
        return str(found[text]) if edited.live else None

    return EntryForm(kind, ids[kind], f"{address}{ids[kind]}/", text, other, new, stored, live)
