"""Writes of posts: rules and errors of every field, and what readers see afterwards."""

from collections.abc import Callable
from typing import Any
from unicodedata import normalize
from urllib.parse import quote

import pytest
from PIL import Image

from tests.support.pictures import image_bytes

Writer = Any
REQUIRED = ["This field is required."]
CHOICES = "is not a valid choice. Valid choices: draft, published."
IMAGE_URL = "https://pictures.example/sea.png"
MEDIA = "http://127.0.0.1:8000/media/"


def picture(size: tuple[int, int] = (4, 3)) -> bytes:
    """A small PNG."""
    return image_bytes(Image.new("RGB", size, "teal"), "PNG")


def test_created_post_can_be_read(writer: Writer) -> None:
    """The response is 202 at once; once applied, all fields, new terms and search have it."""
    body = {
        "title": "Slack water", "status": "published", "author": {"email": "BO@tide.example", "first_name": "x"},
        "categories": ["Tides", {"name": "Night sky", "slug": "night-sky"}], "tags": ["moon", "moon", "Moon"],
        "featured_image_alt": "The sea", "body": "<p>Turn</p><script>x()</script>", "summary": "Brief",
        "seo_title": "Seo", "meta_description": "Meta", "unknown": 1, "url": "x",
    }  # fmt: skip
    accepted = writer.post("/v2/posts/", body)
    assert (accepted.status_code, accepted.get_json()) == (202, {"status": "pending"})
    assert accepted.headers["Cache-Control"] == "no-store"
    assert writer.get("/v2/posts/slack-water/").status_code == 404
    outcome = writer.outcome(accepted)
    assert (outcome["status"], outcome["slug"], outcome["errors"]) == ("applied", "slack-water", {})
    assert (outcome["operation"], outcome["kind"]) == ("create", "post")
    assert outcome["finished_at"] >= outcome["accepted_at"]
    post = writer.data("/v2/posts/slack-water/")
    assert post["author"]["slug"] == "bo-lind"
    assert [term["name"] for term in post["categories"]] == ["Tides", "Night sky"]
    assert [term["name"] for term in post["tags"]] == ["moon"]
    assert post["body"] == "<p>Turn</p>"
    assert (post["status"], post["summary"], post["seo_title"]) == ("published", "Brief", "Seo")
    assert (post["meta_description"], post["featured_image_alt"]) == ("Meta", "The sea")
    assert [hit["slug"] for hit in writer.data("/v2/posts/search/?query=turn")] == ["slack-water"]


@pytest.mark.parametrize(
    "author",
    [{"email": "BO@tide.example", "slug": ""}, {"slug": "bo-lind", "bio": "else"}, "bo-lind", "bo@tide.example"],
)
def test_author_is_named_by_email_or_slug(writer: Writer, author: object) -> None:
    """As a text, or in an object with any further keys."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published", "author": author})
    assert writer.data("/v2/posts/ebb/")["author"]["slug"] == "bo-lind"


def test_new_post_is_a_draft_by_default(writer: Writer) -> None:
    """It belongs to the site's owner and the default locale; ?locale= names another."""
    writer.post("/v2/posts/", {"title": "Ebb"})
    writer.post("/v2/posts/?locale=es", {"title": "Marea", "status": "published"})
    assert writer.data("/v2/posts/ebb/?preview=1")["status"] == "draft"
    assert writer.get("/v2/posts/ebb/").status_code == 404
    assert writer.data("/v2/posts/ebb/?preview=1")["author"]["slug"] == "ann-ray"
    assert [post["slug"] for post in writer.data("/v2/posts/?locale=es")] == ["marea"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, {"title": REQUIRED}),
        ({"title": None}, {"title": REQUIRED}),
        ({"title": " "}, {"title": ["This field may not be blank."]}),
        ({"title": 5}, {"title": ["Not a valid string."]}),
        ({"title": "x" * 201}, {"title": ["Ensure this field has no more than 200 characters."]}),
        ({"slug": "x" * 101}, {"slug": ["Ensure this field has no more than 100 characters."]}),
        ({"slug": "!!"}, {"slug": ["Enter a slug that holds letters or digits."]}),
        ({"slug": ["a"]}, {"slug": ["Not a valid string."]}),
        ({"status": "scheduled"}, {"status": [f'"scheduled" {CHOICES}']}),
        ({"status": "live"}, {"status": [f'"live" {CHOICES}']}),
        ({"status": {}}, {"status": ['"{}" ' + CHOICES]}),
        ({"scheduled": "2030-01-01T00:00:00Z"}, {"scheduled": ["A post cannot be scheduled through the API."]}),
        ({"author": {"email": "no@x"}}, {"author": ['Author with email or slug "no@x" does not exist.']}),
        ({"author": "nobody"}, {"author": ['Author with email or slug "nobody" does not exist.']}),
        ({"author": {"first_name": "Bo"}}, {"author": ["Name the author by email or slug."]}),
        ({"author": 3}, {"author": ["Name the author by email or slug."]}),
        ({"categories": "a"}, {"categories": ['Expected a list of items but got type "str".']}),
        ({"categories": ["!"]}, {"categories": ['"!" holds no letter or digit.']}),
        ({"tags": [1]}, {"tags": ["1 is no name: send texts, or objects with a name."]}),
        ({"tags": [None]}, {"tags": ["null is no name: send texts, or objects with a name."]}),
        ({"tags": ["x" * 256]}, {"tags": ["Ensure each name has no more than 255 characters."]}),
        ({"featured_image": "ftp://x/a.png"}, {"featured_image": ["Enter a valid URL: http or https."]}),
        ({"featured_image": "media/a.png"}, {"featured_image": ["There is no media file media/a.png."]}),
        ({"featured_image_alt": "x" * 251},
            {"featured_image_alt": ["Ensure this field has no more than 250 characters."]}),
        ({"summary": "x" * 2001}, {"summary": ["Ensure this field has no more than 2000 characters."]}),
        ({"seo_title": "x" * 101}, {"seo_title": ["Ensure this field has no more than 100 characters."]}),
        ({"body": {}}, {"body": ["Not a valid string."]}),
        ({"meta_description": []}, {"meta_description": ["Not a valid string."]}),
        ({"upload_images_to_media_library": "maybe"}, {"upload_images_to_media_library": ["Must be a valid boolean."]}),
        ({"status": "x", "summary": 1}, {"status": [f'"x" {CHOICES}'], "summary": ["Not a valid string."]}),
    ],
)  # fmt: skip
def test_invalid_posts_are_400(writer: Writer, body: dict[str, object], said: dict[str, list[str]]) -> None:
    """The field map names every error, and nothing is stored."""
    sent = body if "title" in body or not body else {"title": "Ebb", **body}
    assert writer.refused("POST", "/v2/posts/", sent) == said
    assert writer.apply() == 0


def test_texts_at_the_length_limit_are_accepted(writer: Writer) -> None:
    """One character more is refused."""
    body = {
        "title": "t" * 200, "slug": "s" * 100, "featured_image_alt": "a" * 250, "summary": "u" * 2000,
        "seo_title": "o" * 100, "status": "published",
    }  # fmt: skip
    assert writer.post("/v2/posts/", body).status_code == 202
    post = writer.data(f"/v2/posts/{'s' * 100}/")
    assert {name: post[name] for name in body} == body


def test_slugs_are_unique(writer: Writer) -> None:
    """A taken slug is 400, also that of an accepted post; one from a title gets the next free number."""
    assert writer.post("/v2/posts/", {"title": "Ebb", "slug": "Ébb & Flow"}).status_code == 202
    taken = {"slug": ['A post with the slug "ébb-flow" already exists.']}
    assert writer.refused("POST", "/v2/posts/", {"title": "x", "slug": "ébb-flow"}) == taken
    writer.apply()
    assert writer.refused("POST", "/v2/posts/", {"title": "x", "slug": "ébb-flow"}) == taken
    for expected in ("calm", "calm-2", "calm-3"):
        assert writer.outcome(writer.post("/v2/posts/", {"title": "Calm"}))["slug"] == expected
    assert writer.outcome(writer.post("/v2/posts/", {"title": "!!!", "slug": ""}))["slug"] == "post"


def test_updates_merge(writer: Writer) -> None:
    """PATCH and PUT keep missing keys; "" and [] clear."""
    body = {"title": "Ebb", "status": "published", "summary": "s", "tags": ["moon"], "author": "bo-lind"}
    writer.post("/v2/posts/", body)
    assert writer.patch("/v2/posts/ebb/", {"title": "Ebb tide"}).get_json() == {"status": "pending"}
    post = writer.data("/v2/posts/ebb/")
    assert (post["title"], post["summary"], post["slug"], post["author"]["slug"]) == ("Ebb tide", "s", "ebb", "bo-lind")
    assert [tag["name"] for tag in post["tags"]] == ["moon"]
    assert writer.send("PUT", "/v2/posts/ebb/", {"summary": "", "tags": []}).status_code == 202
    post = writer.data("/v2/posts/ebb/")
    assert (post["title"], post["summary"], post["tags"]) == ("Ebb tide", "", [])
    writer.patch("/v2/posts/ebb/", {"slug": "Low water", "status": "draft"})
    assert writer.data("/v2/posts/low-water/?preview=1")["status"] == "draft"
    assert writer.get("/v2/posts/low-water/").status_code == 404


def test_update_warns_of_ignored_keys(writer: Writer) -> None:
    """Scheduling and read-only keys have the documented warnings; the rest is applied."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    body = {"title": "New", "status": "scheduled", "scheduled": "2030-01-01T00:00:00Z", "url": "x"}
    answered = writer.patch("/v2/posts/ebb/", body)
    assert answered.status_code == 202
    said = answered.get_json()
    assert sorted(said) == ["status", "warning: scheduled field", "warning: status field", "warning: url field"]
    assert all(isinstance(value, str) for value in said.values())
    post = writer.data("/v2/posts/ebb/")
    assert (post["title"], post["status"]) == ("New", "published")


def test_post_sent_back_as_read_changes_nothing(writer: Writer, remote: Any) -> None:
    """Author and terms are objects, and media addresses those of reads, as published clients send them."""
    remote.files[IMAGE_URL] = picture()
    writer.post("/v2/posts/", {
        "title": "Ebb", "status": "published", "categories": ["Tides"], "featured_image": IMAGE_URL,
        "body": f'<p><img src="{IMAGE_URL}" alt="Sea"></p>', "upload_images_to_media_library": True,
    })  # fmt: skip
    post = writer.data("/v2/posts/ebb/")
    assert post["featured_image"].startswith(MEDIA)
    assert f'src="{post["featured_image"]}"' in post["body"]
    assert 'width="4" height="3"' in post["body"]
    fetched = list(remote.fetched)
    assert writer.outcome(writer.patch("/v2/posts/ebb/", post))["status"] == "applied"
    assert writer.data("/v2/posts/ebb/") == post
    assert remote.fetched == fetched


def test_update_of_unknown_post_is_404(writer: Writer) -> None:
    """An update of an accepted post that is not applied yet waits for it."""
    assert writer.refused("PATCH", "/v2/posts/nothing/", {}, 404) == {"detail": "Not found."}
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published"})
    assert writer.patch("/v2/posts/ebb/", {"title": "Two", "slug": "flow"}).status_code == 202
    assert writer.patch("/v2/posts/flow/", {"summary": "Three"}).status_code == 202
    post = writer.data("/v2/posts/flow/")
    assert (post["title"], post["summary"]) == ("Two", "Three")


def test_update_refuses_invalid_values(writer: Writer) -> None:
    """The rules are those of creation; another post's slug is taken, the post's own is not."""
    writer.post("/v2/posts/", {"title": "Ebb"})
    writer.post("/v2/posts/", {"title": "Flow"})
    said = writer.refused("PATCH", "/v2/posts/ebb/", {"title": "", "slug": "flow", "author": "x@y", "status": "no"})
    assert sorted(said) == ["author", "slug", "status", "title"]
    assert writer.patch("/v2/posts/ebb/", {"slug": "ebb"}).status_code == 202


def test_new_locale_variant_is_a_copy(writer: Writer) -> None:
    """The fields that are sent replace those of the copy; another PATCH updates the variant."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published", "summary": "s", "tags": ["moon"]})
    assert writer.patch("/v2/posts/ebb/?locale=es", {"title": "Marea baja", "slug": "ebb"}).status_code == 202
    assert writer.patch("/v2/posts/ebb/?locale=es", {"summary": "resumen"}).status_code == 202
    variant = writer.data("/v2/posts/ebb/?locale=es")
    assert (variant["slug"], variant["title"], variant["summary"]) == ("marea-baja", "Marea baja", "resumen")
    assert (variant["status"], [tag["name"] for tag in variant["tags"]]) == ("published", ["moon"])
    assert writer.data("/v2/posts/ebb/")["title"] == "Ebb"
    assert writer.data("/v2/posts/marea-baja/?locale=en")["slug"] == "ebb"
    writer.post("/v2/posts/", {"title": "Flow", "status": "published"})
    writer.patch("/v2/posts/flow/?locale=es", {})
    assert writer.data("/v2/posts/flow/?locale=es")["slug"] == "flow-es"


def test_unknown_locale_is_400(writer: Writer) -> None:
    """Every method refuses it under `locale`."""
    writer.post("/v2/posts/", {"title": "Ebb"})
    said = {"locale": ['"xx" is not a configured locale. Locales: en, es.']}
    for method, path in (("POST", "/v2/posts/"), ("PATCH", "/v2/posts/ebb/"), ("DELETE", "/v2/posts/ebb/")):
        assert writer.refused(method, f"{path}?locale=xx", {"title": "x"}) == said


def test_unavailable_media(writer: Writer, remote: Any) -> None:
    """A URL that is 404 is an error of its field."""
    remote.missing.add(IMAGE_URL)
    gone = "The remote file could not be found (HTTP 404)."
    body = {"title": "Ebb", "featured_image": IMAGE_URL, "summary": 1}
    assert writer.refused("POST", "/v2/posts/", body) == {
        "summary": ["Not a valid string."], "featured_image": [gone]
    }  # fmt: skip
    body = {"title": "x", "body": f'<img src="{IMAGE_URL}">', "upload_images_to_media_library": True}
    assert writer.refused("POST", "/v2/posts/", body) == {
        "body": [f"The remote file could not be found (HTTP 404). {IMAGE_URL}"]
    }


def test_all_images_of_a_body_are_fetched(writer: Writer, remote: Any) -> None:
    """Sources with several candidates, commas in addresses, posters, and addresses without a scheme are included."""
    host = IMAGE_URL.rsplit("/", 1)[0]
    scheme, _, plain = host.partition(":")
    names = ["w_1,h_2/a.png", "b.png", "c.png", "d.png", "e.png"]
    for number, name in enumerate(names, 1):
        remote.files[f"{'https' if name == 'e.png' else scheme}:{plain}/{name}"] = picture((number, 1))
    body = (
        f'<picture><source srcset="{host}/{names[0]} 1x, {host}/b.png 2x"><img src="{host}/c.png" alt="Sea"></picture>'
        f'<video poster="{host}/d.png" src="{host}/film.mp4"></video><img src="{plain}/e.png" alt="x">'
    )
    sent = {"title": "Ebb", "status": "published", "body": body, "upload_images_to_media_library": True}
    assert writer.outcome(writer.post("/v2/posts/", sent))["status"] == "applied"
    post = writer.data("/v2/posts/ebb/")
    assert len(remote.fetched) == 5
    assert post["body"].count(plain) == 1
    assert post["body"].count(MEDIA) == 5
    assert f'src="{host}/film.mp4"' in post["body"]
    assert writer.outcome(writer.patch("/v2/posts/ebb/", post))["status"] == "applied"
    assert writer.data("/v2/posts/ebb/") == post


def test_images_stay_remote_by_default(writer: Writer, remote: Any) -> None:
    """Without upload_images_to_media_library nothing is fetched."""
    body = f'<p><img src="{IMAGE_URL}" alt="Sea"></p>'
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published", "body": body})
    assert f'src="{IMAGE_URL}"' in writer.data("/v2/posts/ebb/")["body"]
    assert remote.fetched == []


def test_token_limited_to_an_author(writer: Writer, writing: Callable[..., Writer]) -> None:
    """It writes that author's posts only; others are 403."""
    writer.post("/v2/posts/", {"title": "By Ann"})
    limited = writing("bo", author="bo-lind")
    assert limited.post("/v2/posts/", {"title": "By Bo", "status": "published"}).status_code == 202
    assert limited.data("/v2/posts/by-bo/")["author"]["slug"] == "bo-lind"
    said = {"detail": "The token does not allow writes to this post."}
    assert limited.refused("POST", "/v2/posts/", {"title": "x", "author": "ann-ray"}, 403) == said
    assert limited.refused("PATCH", "/v2/posts/by-ann/", {"title": "x"}, 403) == said
    assert limited.refused("PATCH", "/v2/posts/by-bo/", {"author": "ann-ray"}, 403) == said
    assert limited.refused("DELETE", "/v2/posts/by-ann/", None, 403) == said
    assert limited.patch("/v2/posts/by-bo/", {"title": "x"}).status_code == 202
    for closed in (writing("team", collections=("team",)), writing("pages", page_types=("*",))):
        assert closed.refused("POST", "/v2/posts/", {"title": "x"}, 403) == said
        for body in ({}, {"title": "x", "author": "nobody"}):
            assert closed.refused("POST", "/v2/posts/", body, 403) == said, "before anything else is said of the body"
    assert limited.refused("POST", "/v2/posts/", {"author": "ann-ray"}, 403) == said
    assert limited.refused("PATCH", "/v2/posts/by-bo/", {"author": "ann-ray", "title": ""}, 403) == said
    assert list(limited.refused("POST", "/v2/posts/", {"author": "nobody"})) == ["title", "author"]


def test_paths_and_slugs_are_found_in_both_unicode_forms(writer: Writer) -> None:
    """Clients on some systems send letters and their accents apart; slugs are stored composed."""
    body = {"title": "A", "slug": "café-ünïcode", "status": "published", "categories": ["Crème"], "tags": ["한글"]}
    assert writer.outcome(writer.post("/v2/posts/", body))["status"] == "applied"
    path = f"/v2/posts/{quote(normalize('NFD', 'café-ünïcode'))}/"
    assert writer.data(path)["slug"] == "café-ünïcode"
    for query in ("category_slug=crème", "tag_slug=한글"):
        name, _, slug = query.partition("=")
        found = writer.data(f"/v2/posts/?{name}={quote(normalize('NFD', slug))}")
        assert [post["title"] for post in found] == ["A"]
    assert writer.data(f"/v2/categories/{quote(normalize('NFD', 'crème'))}/")["name"] == "Crème"
    assert writer.outcome(writer.patch(path, {"title": "B"}))["status"] == "applied"
    assert writer.data(path)["title"] == "B"
    assert writer.delete(path).status_code == 204
