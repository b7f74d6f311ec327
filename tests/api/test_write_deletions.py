"""Deletions: one locale or all, waiting entries, restoring, and idempotency keys."""

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli
from sitecms.runtime import Runtime
from sitecms.store.database import Database
from sitecms.store.entries.trash import find_trash
from sitecms.store.writes.webhooks import insert_webhook
from tests.support.reading import select

Writer = Any
Make = Callable[..., str]
pytestmark = pytest.mark.usefixtures("boats")
PAGE = "/v2/pages/guide/knots/"
GUIDE = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published"}
CANCELLED = {"detail": ["The entry was deleted before this write was applied."]}


@pytest.fixture
def events(store: Database, noon: Any) -> Callable[[], list[str]]:
    """Subscribe to everything; gives `event locale` of what was recorded since it was last called."""
    seen = [0]
    store.write(insert_webhook, "https://hooks.example/", ["*"], "whsec_", {}, noon)

    def recorded() -> list[str]:
        rows = select(store, "SELECT event, payload_json FROM delivery ORDER BY rowid")
        new, seen[0] = rows[seen[0] :], len(rows)
        found = ("es" if '"locale":"es"' in body.replace(" ", "") else "en" for _event, body in new)
        return [f"{event} {locale}" for (event, _body), locale in zip(new, found, strict=True)]

    return recorded


def boat(writer: Writer, *locales: str) -> str:
    """Create a published boat; return the path of the item."""
    fields = {"en": {"name": "Tern", "metres": 7}, "es": {"name": "Charrán"}}
    sent = {"key": "boats", "status": "published", "fields": [{locale: fields[locale] for locale in locales}]}
    return f"/v2/content/boats/{writer.outcome(writer.post('/v2/content/', sent))['item_id']}/"


def page(writer: Writer, *locales: str) -> str:
    """Create a published page; return its path."""
    fields = {"en": {"summary": "one"}, "es": {"summary": "uno"}}
    sent = {**GUIDE, "fields": {locale: fields[locale] for locale in locales}}
    assert writer.outcome(writer.post("/v2/pages/", sent))["status"] == "applied"
    return PAGE


def post(writer: Writer, *_locales: str) -> str:
    """Create a published post with a variant; return its path."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    assert writer.outcome(writer.patch("/v2/posts/ebb/?locale=es", {"title": "Marea"}))["status"] == "applied"
    return "/v2/posts/ebb/"


def restore(runtime: Runtime) -> Any:
    """Restore what was deleted last, by the command line."""
    entry = runtime.database.read(find_trash)[0]
    return CliRunner().invoke(cli, ["trash", "restore", str(runtime.settings.folder), entry.kind.value, str(entry.id)])


def read(writer: Writer, path: str, locale: str) -> Any:
    """What the path answers in the locale."""
    return writer.get(f"{path}?locale={locale}").get_json().get("data")


@pytest.mark.parametrize(
    ("make", "deleted", "restored"),
    [
        (page, "page.unpublished es", "page.published es"),
        (boat, "collectionitem.unpublished es", "collectionitem.published es"),
        (post, "post.localization.delete es", "post.localization.published es"),
    ],
)
def test_deletion_of_one_locale_keeps_the_others(
    writer: Writer, runtime: Runtime, events: Any, make: Make, deleted: str, restored: str
) -> None:
    """It can be restored, and each deletion sends its event."""
    path = make(writer, "en", "es")
    spanish, english = read(writer, path, "es"), read(writer, path, "en")
    events()
    answered = writer.delete(f"{path}?locale=es")
    assert (answered.status_code, answered.data) == (204, b"")
    assert (read(writer, path, "es"), read(writer, path, "en")) == (None, english)
    assert events() == [deleted]
    assert list(writer.refused("DELETE", f"{path}?locale=es", None, 404)) == ["detail"]
    assert list(writer.refused("DELETE", f"{path}?locale=xx", None)) == ["locale"]
    assert restore(runtime).exit_code == 0
    assert (read(writer, path, "es"), read(writer, path, "en")) == (spanish, english)
    assert events() == [restored]


@pytest.mark.parametrize("make", [page, boat])
def test_deletion_of_the_last_locale_deletes_the_entry(
    writer: Writer, runtime: Runtime, events: Any, make: Make
) -> None:
    """The entry's event is sent; a locale can be restored once the entry is."""
    path = make(writer, "en", "es")
    kind = "page" if path == PAGE else "collectionitem"
    assert runtime.database.read(find_trash) == ()
    assert writer.delete(f"{path}?locale=en").status_code == 204
    english = runtime.database.read(find_trash)[0]
    assert english.name == ("guide/knots (en)" if path == PAGE else f"boats {path.split('/')[-2]} (en)")
    events()
    assert writer.delete(f"{path}?locale=es").status_code == 204
    assert events() == [f"{kind}.delete es"]
    assert writer.delete(path).status_code == 404
    folder = str(runtime.settings.folder)
    refused = CliRunner().invoke(cli, ["trash", "restore", folder, english.kind.value, str(english.id)])
    assert (refused.exit_code, "restore that one first" in refused.stderr) == (2, True)
    entry = next(found for found in runtime.database.read(find_trash) if found.id != english.id)
    assert CliRunner().invoke(cli, ["trash", "restore", folder, entry.kind.value, str(entry.id)]).exit_code == 0
    assert (read(writer, path, "es") is None, read(writer, path, "en")) == (False, None)
    assert CliRunner().invoke(cli, ["trash", "restore", folder, english.kind.value, str(english.id)]).exit_code == 0
    assert read(writer, path, "en") is not None


def test_restored_locale_has_current_untranslatable_values(writer: Writer, runtime: Runtime) -> None:
    """Values that changed meanwhile apply to it; a locale that was created again is not replaced."""
    path = boat(writer, "en", "es")
    writer.delete(f"{path}?locale=es")
    writer.patch(path, {"fields": {"metres": 9}})
    writer.apply()
    assert restore(runtime).exit_code == 0
    assert read(writer, path, "es")["metres"] == 9
    writer.delete(f"{path}?locale=es")
    writer.patch(f"{path}?locale=es", {"status": "published", "fields": {"name": "Otro"}})
    writer.apply()
    refused = restore(runtime)
    assert (refused.exit_code, "has the locale 'es' again" in refused.stderr) == (2, True)
    assert read(writer, path, "es")["name"] == "Otro"


def test_search_omits_deleted_locales(writer: Writer, runtime: Runtime) -> None:
    """The page is found again once its locale is restored, and always in the other locale."""
    page(writer, "en", "es")
    for change, found in ((writer.delete, 0), (lambda _path: restore(runtime), 1)):
        change(f"{PAGE}?locale=es")
        assert len(writer.data("/v2/pages/search/?query=knots&locale=es")) == found
        assert len(writer.data("/v2/pages/search/?query=knots")) == 1


def test_deletion_of_a_draft_locale_sends_no_event(writer: Writer, events: Any) -> None:
    """Readers never saw it."""
    writer.post("/v2/pages/", {**GUIDE, "fields": {"summary": "one"}})
    writer.patch(f"{PAGE}?locale=es", {"status": "draft", "fields": {"summary": "uno"}})
    writer.apply()
    events()
    assert writer.delete(f"{PAGE}?locale=es").status_code == 204
    assert writer.get(f"{PAGE}?locale=es&preview=1").status_code == 404
    assert events() == []


def test_deletion_of_a_waiting_locale(writer: Writer) -> None:
    """Waiting writes to that locale alone are rejected; others are applied without the locale."""
    fields = {"en": {"summary": "one"}, "es": {"summary": "uno"}}
    created = writer.post("/v2/pages/", {**GUIDE, "fields": fields})
    spanish = writer.patch(f"{PAGE}?locale=es", {"fields": {"summary": "dos"}})
    english = writer.patch(PAGE, {"fields": {"rank": 2}})
    assert writer.delete(f"{PAGE}?locale=es").status_code == 204
    assert [writer.outcome(each)["status"] for each in (created, spanish, english)] == [
        "applied",
        "rejected",
        "applied",
    ]
    said = 'The locale "es" of the entry was deleted before this write was applied.'
    assert writer.outcome(spanish)["errors"] == {"detail": [said]}
    assert writer.data(PAGE)["fields"]["summary"] == "one"
    assert writer.get(f"{PAGE}?locale=es&preview=1").status_code == 404


@pytest.mark.parametrize(("make", "fields"), [(page, {"summary": "uno"}), (boat, {"name": "Charrán"})])
def test_deletion_of_the_last_stored_locale_rejects_waiting_writes(
    writer: Writer, runtime: Runtime, events: Any, make: Make, fields: Any
) -> None:
    """The entry is deleted even if a write in another locale waits."""
    path = make(writer, "en")
    events()
    waiting = writer.patch(f"{path}?locale=es", {"fields": fields})
    assert writer.delete(f"{path}?locale=en").status_code == 204
    assert events() == ["write.failed en", f"{'page' if path == PAGE else 'collectionitem'}.delete en"]
    outcome = writer.outcome(waiting)
    assert (outcome["status"], outcome["errors"]) == ("rejected", CANCELLED)
    assert writer.delete(path).status_code == 404
    (entry,) = runtime.database.read(find_trash)
    assert not entry.name.endswith("(en)")
    if path == PAGE:
        assert writer.outcome(writer.post("/v2/pages/", GUIDE))["status"] == "applied"
    else:
        assert restore(runtime).exit_code == 0
        assert read(writer, path, "en") is not None


@pytest.mark.parametrize(("make", "fields"), [(page, {"summary": "uno"}), (boat, {"name": "Charrán"})])
def test_deletion_of_a_locale_that_is_not_stored_yet(writer: Writer, runtime: Runtime, make: Make, fields: Any) -> None:
    """Its writes are rejected, the stored locale stays, and the trash stays empty."""
    path = make(writer, "en")
    waiting = writer.patch(f"{path}?locale=es", {"fields": fields})
    assert writer.delete(f"{path}?locale=es").status_code == 204
    assert writer.outcome(waiting)["status"] == "rejected"
    assert read(writer, path, "en") is not None
    assert runtime.database.read(find_trash) == ()


def test_deletion_of_the_only_locale_of_a_waiting_page(writer: Writer) -> None:
    """Its creation is rejected, as no locale would be left."""
    created = writer.post("/v2/pages/?locale=es", GUIDE)
    assert list(writer.refused("DELETE", f"{PAGE}?locale=en", None, 404)) == ["detail"]
    assert writer.delete(f"{PAGE}?locale=es").status_code == 204
    assert (writer.outcome(created)["status"], writer.outcome(created)["errors"]) == ("rejected", CANCELLED)
    assert writer.outcome(writer.post("/v2/pages/", GUIDE))["status"] == "applied"


def test_deletion_of_one_of_several_waiting_items(writer: Writer) -> None:
    """It is not created and the others are; if all are deleted, the creation is rejected."""
    fields = [{"name": "a"}, {"name": "b"}, {"name": "c"}]
    created = writer.post("/v2/content/", {"key": "boats", "status": "published", "fields": fields})
    ids = writer.get(created.headers["Location"]).get_json()["ids"]
    late = writer.patch(f"/v2/content/boats/{ids[0]}/", {"fields": {"metres": 3}})
    assert writer.delete(f"/v2/content/boats/{ids[0]}/").status_code == 204
    assert writer.delete(f"/v2/content/boats/{ids[0]}/").status_code == 404
    outcome = writer.outcome(created)
    assert (outcome["status"], outcome["ids"], outcome["item_id"]) == ("applied", ids[1:], ids[1])
    assert writer.outcome(late)["errors"] == CANCELLED
    assert [item["name"] for item in writer.data("/v2/content/boats/")["boats"]] == ["b", "c"]
    waiting = writer.post("/v2/content/", {"key": "boats", "fields": fields[:2]})
    for number in writer.get(waiting.headers["Location"]).get_json()["ids"]:
        assert writer.delete(f"/v2/content/boats/{number}/").status_code == 204
    assert (writer.outcome(waiting)["status"], writer.outcome(waiting)["errors"]) == ("rejected", CANCELLED)


def test_idempotency_key_of_a_deletion(writer: Writer, store: Database) -> None:
    """The same deletion again is 204 and deletes nothing; another request with the key is 422."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    writer.apply()
    first = writer.send("DELETE", "/v2/posts/ebb/", Idempotency_Key="k1")
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    writer.apply()
    changes = store.change_number()
    again = writer.send("DELETE", "/v2/posts/ebb/", Idempotency_Key="k1")
    assert [(each.status_code, each.data) for each in (first, again)] == [(204, b""), (204, b"")]
    assert store.change_number() == changes
    assert writer.data("/v2/posts/ebb/")["title"] == "Ebb"
    for method, path, body in (
        ("DELETE", "/v2/posts/ebb/?locale=en", None),
        ("DELETE", "/v2/posts/flow/", None),
        ("POST", "/v2/posts/", {"title": "Flow"}),
        ("PATCH", "/v2/posts/ebb/", {"title": "Flow"}),
    ):
        answered = writer.send(method, path, body, Idempotency_Key="k1")
        assert (answered.status_code, list(answered.get_json())) == (422, ["detail"]), (method, path)
    missing = writer.send("DELETE", "/v2/posts/flow/", Idempotency_Key="k2")
    assert missing.status_code == 404
    assert writer.send("DELETE", "/v2/posts/ebb/", Idempotency_Key="k2").status_code == 204
    assert writer.send("DELETE", "/v2/posts/ebb/", Idempotency_Key="k" * 256).status_code == 400
