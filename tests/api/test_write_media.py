"""Media values in updates: alt text alone, unchanged values, and addresses that cannot be fetched any more."""

from typing import Any

import pytest

Writer = Any
pytestmark = pytest.mark.usefixtures("team_schema")
GUIDE = {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published"}
PAGE = "/v2/pages/guide/knots/"
URLS = [f"https://pictures.example/{name}.pdf" for name in "abc"]
NO_FILE = ["There is no file that this could describe: send url too."]


@pytest.fixture(autouse=True)
def pictures(remote: Any) -> None:
    """Three remote files."""
    for number, url in enumerate(URLS):
        remote.files[url] = b"%%PDF-1.4\n%d\n" % number


def unreachable(remote: Any) -> None:
    """Nothing answers any more."""
    remote.missing.update(URLS)
    remote.files.clear()
    remote.fetched.clear()


def item(writer: Writer, **fields: object) -> str:
    """Create a published item; its path."""
    body = {"key": "team", "status": "published", "fields": [{"name": "Ann", **fields}]}
    return f"/v2/content/team/{writer.outcome(writer.post('/v2/content/', body))['item_id']}/"


def photo(writer: Writer) -> Any:
    """The photo of the only item, with its alt text."""
    return writer.data("/v2/content/team/?alt_media_text=1")["team"][0]["photo"]


def fields(writer: Writer) -> Any:
    """The fields of the page, media with their alt texts."""
    return writer.data(f"{PAGE}?alt_media_text=1")["fields"]


def applied(writer: Writer, method: str, path: str, body: object) -> None:
    """Send a write and see it applied."""
    outcome = writer.outcome(writer.send(method, path, body))
    assert outcome["status"] == "applied", outcome


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_alt_text_alone_keeps_the_file(writer: Writer, remote: Any, method: str) -> None:
    """{alt} changes the alt text of the stored file; {alt: ""} and {alt: null} remove it; {} changes nothing."""
    path = item(writer, photo={"url": URLS[0], "alt": "Ann"})
    stored = photo(writer)["url"]
    for value, alt in (
        ({"alt": "Anna"}, "Anna"),
        ({}, "Anna"),
        ({"alt": ""}, ""),
        ({"alt": "A"}, "A"),
        ({"alt": None}, ""),
    ):
        applied(writer, method, path, {"fields": {"name": "Ann", "photo": value}})
        assert photo(writer) == {"url": stored, **({"alt": alt} if alt else {})}
    assert remote.fetched == [URLS[0]]


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_alt_text_without_a_file_is_400(writer: Writer, method: str) -> None:
    """So it is in a creation."""
    path = item(writer)
    assert writer.refused(method, path, {"fields": {"name": "Ann", "photo": {"alt": "x"}}}) == {"photo": NO_FILE}
    create = {"key": "team", "fields": {"name": "Bo", "photo": {"alt": "x"}}}
    assert writer.refused("POST", "/v2/content/", create) == {"photo": NO_FILE}


def test_alt_text_inside_components_and_lists(writer: Writer, remote: Any) -> None:
    """It belongs to the file stored at the same place."""
    body = [{"type": "hero", "fields": {"title": "b", "image": URLS[1]}}]
    sent = {"hero": {"title": "Hi", "image": URLS[0]}, "body": body}
    applied(writer, "POST", "/v2/pages/", {**GUIDE, "fields": sent})
    first = fields(writer)
    change = {"hero": {"image": {"alt": "A"}}, "body": [{"hero": {"title": "b", "image": {"alt": "B"}}}]}
    applied(writer, "PATCH", PAGE, {"fields": change})
    found = fields(writer)
    assert found["hero"]["image"] == {"url": first["hero"]["image"]["url"], "alt": "A"}
    assert found["body"][0]["fields"]["image"] == {"url": first["body"][0]["fields"]["image"]["url"], "alt": "B"}
    more = {"body": [change["body"][0], {"hero": {"title": "c", "image": {"alt": "C"}}}]}  # type: ignore[index]
    assert writer.refused("PATCH", PAGE, {"fields": more}) == {"body[1].hero.image": NO_FILE}
    assert len(remote.fetched) == 2


def test_alt_text_of_a_waiting_file(writer: Writer) -> None:
    """It is accepted while a write that may store the file waits, and rejected if no file was stored."""
    path = item(writer)
    writer.patch(path, {"fields": {"photo": URLS[0]}})
    applied(writer, "PATCH", path, {"fields": {"photo": {"alt": "Ann"}}})
    assert photo(writer)["alt"] == "Ann"
    writer.patch(path, {"fields": {"photo": ""}})
    late = writer.patch(path, {"fields": {"photo": {"alt": "x"}}})
    assert writer.outcome(late)["errors"] == {"photo": NO_FILE}


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_unchanged_address_is_not_fetched_again(writer: Writer, remote: Any, method: str) -> None:
    """The address as sent and as read are both known; {url} keeps the alt text, and the rest of the write applies."""
    path = item(writer, photo={"url": URLS[0], "alt": "Ann"})
    before = photo(writer)
    unreachable(remote)
    for url in (URLS[0], before["url"], before["url"].replace("127.0.0.1", "cdn.example")):
        applied(writer, method, path, {"fields": {"name": "Anna", "photo": {"url": url}}})
        assert photo(writer) == before
    assert remote.fetched == []
    assert writer.refused(method, path, {"fields": {"name": "x", "photo": URLS[1]}}) == {
        "photo": ["The remote file could not be found (HTTP 404)."]
    }


def test_late_problems_stand_under_their_fields(writer: Writer, remote: Any) -> None:
    """A file that vanishes after the write is accepted is named as one that was missing before."""
    gone = ["The remote file could not be found (HTTP 404)."]
    path = item(writer)
    remote.files.clear()
    late = {"name": "Ann", "photo": URLS[0]}
    for sent, errors in (
        (writer.patch(path, {"fields": {"photo": URLS[0]}}), {"photo": gone}),
        (writer.post("/v2/content/", {"key": "team", "fields": [late]}), {"photo": gone}),
        (writer.post("/v2/content/", {"key": "team", "fields": [{"name": "Bo"}, late]}), {"fields[1].photo": gone}),
        (
            writer.post("/v2/pages/", {**GUIDE, "fields": {"hero": {"title": "Hi", "image": URLS[1]}}}),
            {"hero.image": gone},
        ),
        (writer.post("/v2/posts/", {"title": "Ebb", "featured_image": URLS[2]}), {"featured_image": gone}),
    ):
        outcome = writer.outcome(sent)
        assert (outcome["status"], outcome["errors"]) == ("rejected", errors)


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_a_plain_address_removes_the_alt_text(writer: Writer, remote: Any, method: str) -> None:
    """Also that of the stored file, as it was sent or is read; the write quotes the text and says how to keep it."""
    path = item(writer, photo={"url": URLS[0], "alt": "Ann"})
    read = photo(writer)["url"]
    unreachable(remote)
    for url in (URLS[0], read):
        applied(writer, "PATCH", path, {"fields": {"photo": {"alt": "Ann"}}})
        outcome = writer.outcome(writer.send(method, path, {"fields": {"name": "Ann", "photo": url}}))
        assert photo(writer) == {"url": read}
        (warning,) = outcome["warnings"]
        assert (warning["field"], warning["snippet"]) == ("photo", "Ann")
        assert "{url, alt}" in warning["message"]
    outcome = writer.outcome(writer.send(method, path, {"fields": {"name": "Ann", "photo": read}}))
    assert (outcome["warnings"], remote.fetched) == ([], [])


def test_another_address_removes_the_alt_text(writer: Writer) -> None:
    """The alt text described the replaced file."""
    path = item(writer, photo={"url": URLS[0], "alt": "Ann"})
    applied(writer, "PATCH", path, {"fields": {"photo": URLS[1]}})
    assert list(photo(writer)) == ["url"]


def test_moved_list_entries_keep_file_and_alt_text(writer: Writer, remote: Any) -> None:
    """Either address of a file identifies it."""
    body = [
        {"hero": {"title": name, "image": {"url": url, "alt": name}}} for name, url in zip("abc", URLS, strict=True)
    ]
    applied(writer, "POST", "/v2/pages/", {**GUIDE, "fields": {"body": body}})
    before = fields(writer)["body"]
    unreachable(remote)
    for addresses in (URLS, [entry["fields"]["image"]["url"] for entry in before]):
        sent = [{"hero": {"title": name, "image": {"url": url}}} for name, url in zip("abc", addresses, strict=True)]
        applied(writer, "PATCH", PAGE, {"fields": {"body": sent[1:]}})
        assert fields(writer)["body"] == before[1:]
        applied(writer, "PATCH", PAGE, {"fields": {"body": [sent[2], sent[1]]}})
        assert fields(writer)["body"] == [before[2], before[1]]
    assert remote.fetched == []


def test_images_of_posts_are_not_fetched_again(writer: Writer, remote: Any) -> None:
    """Featured image and images of the body are sent again with their first addresses."""
    body = {
        "title": "Ebb", "status": "published", "featured_image": URLS[0], "featured_image_alt": "Sea",
        "body": f'<p><img src="{URLS[1]}" alt=""></p>', "upload_images_to_media_library": True,
    }  # fmt: skip
    applied(writer, "POST", "/v2/posts/", body)
    before = writer.data("/v2/posts/ebb/")
    unreachable(remote)
    applied(writer, "PATCH", "/v2/posts/ebb/", {**body, "summary": "x"})
    applied(writer, "PATCH", "/v2/posts/ebb/?locale=es", {**body, "title": "Marea"})
    after = writer.data("/v2/posts/ebb/")
    assert {name: after[name] for name in ("featured_image", "featured_image_alt", "body")} == {
        name: before[name] for name in ("featured_image", "featured_image_alt", "body")
    }
    assert (after["summary"], remote.fetched) == ("x", [])
    applied(writer, "PATCH", "/v2/posts/ebb/", {"featured_image_alt": "The sea"})
    after = writer.data("/v2/posts/ebb/")
    assert (after["featured_image"], after["featured_image_alt"]) == (before["featured_image"], "The sea")


def test_remote_address_from_a_site_file_stays_remote(writer: Writer, remote: Any, make_post: Any) -> None:
    """It was never fetched, and sending it again does not fetch it."""
    make_post("flow", featured_image=URLS[0])
    unreachable(remote)
    applied(writer, "PATCH", "/v2/posts/flow/", {"featured_image": URLS[0], "summary": "x"})
    assert (writer.data("/v2/posts/flow/")["featured_image"], remote.fetched) == (URLS[0], [])
