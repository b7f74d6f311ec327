"""Authors in responses (API reference, Read shapes)."""

from collections.abc import Callable

from werkzeug.test import TestResponse

from sitecms.content.status import Status

Get = Callable[..., TestResponse]
Make = Callable[..., int]
MakeAuthor = Callable[..., str]
IMAGE = "/media/" + "f" * 32 + ".png"
ANN = {
    "slug": "ann-ray",
    "first_name": "Ann",
    "last_name": "Ray",
    "email": "ann@tide.example",
    "bio": "Sails.",
    "title": "Editor",
    "linkedin_url": "https://in.example/ann",
    "facebook_url": "",
    "pinterest_url": "https://pin.example/ann",
    "instagram_url": "",
    "twitter_handle": "ann",
    "profile_image": f"http://127.0.0.1:8000{IMAGE}",
}


def make_ann(make_author: MakeAuthor) -> None:
    """Ann, with every kind of field."""
    make_author(**{name: value for name, value in ANN.items() if value} | {"profile_image": IMAGE})


def test_authors_have_exactly_the_specified_shape(get: Get, make_author: MakeAuthor) -> None:
    """Keys are in the documented order; recent_posts is missing unless requested."""
    make_ann(make_author)
    make_author("bo")
    listed = get("/v2/authors/").get_json()
    assert [author["slug"] for author in listed["data"]] == ["ann-ray", "bo"]
    assert listed["data"][0] == ANN
    assert list(listed["data"][0]) == list(ANN)
    assert list(listed) == ["data"]
    assert get("/v2/authors/ann-ray/").get_json() == {"data": ANN}


def test_recent_posts_of_authors(get: Get, make_post: Make, make_author: MakeAuthor) -> None:
    """The ten newest published posts of the locale, newest first, as full posts; none is an empty list."""
    make_author("bo")
    make_author("cy")
    for number in range(12):
        make_post(f"ann-{number}", hours=number)
        make_post(f"bo-{number}", hours=number, author="bo", locale="es" if number % 2 else "en")
    make_post("draft", hours=99, status=Status.DRAFT)
    authors = get("/v2/authors/?include=recent_posts").get_json()["data"]
    recent = {author["slug"]: [post["slug"] for post in author["recent_posts"]] for author in authors}
    assert recent == {
        "ann-ray": [f"ann-{number}" for number in range(11, 1, -1)],
        "bo": [f"bo-{number}" for number in range(10, -1, -2)],
        "cy": [],
    }
    assert authors[0]["recent_posts"][0] == get("/v2/posts/ann-11/").get_json()["data"]
    spanish = get("/v2/authors/bo/?include=recent_posts&locale=es").get_json()["data"]["recent_posts"]
    assert [post["slug"] for post in spanish] == [f"bo-{number}" for number in range(11, 0, -2)]


def test_unknown_names_in_include_are_ignored(get: Get, make_author: MakeAuthor) -> None:
    """A comma-separated list may name recent_posts among others."""
    make_author("bo")
    for query, present in (("include=posts", False), ("include=", False), ("include=posts,recent_posts", True)):
        assert ("recent_posts" in get(f"/v2/authors/bo/?{query}").get_json()["data"]) is present, query
