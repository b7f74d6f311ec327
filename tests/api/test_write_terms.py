"""Categories and tags of written posts."""

from typing import Any

import pytest

Writer = Any


def carried(writer: Writer, slug: str, kind: str = "categories") -> list[tuple[str, str]]:
    """(slug, name) of each term of a post, as it is read."""
    return [(term["slug"], term["name"]) for term in writer.data(f"/v2/posts/{slug}/")[kind]]


def test_terms_are_distinct_by_name(writer: Writer) -> None:
    """C, C++ and C# are three, each read and filtered by its own slug; a post sent back keeps them."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published", "categories": ["C", "C++", "C#", " c# "]})
    assert carried(writer, "ebb") == [("c", "C"), ("c-plus-plus", "C++"), ("c-sharp", "C#")]
    writer.post("/v2/posts/", {"title": "Flow", "status": "published", "categories": ["c++"], "tags": ["C++"]})
    assert carried(writer, "flow") == [("c-plus-plus", "C++")]
    assert carried(writer, "flow", "tags") == [("c-plus-plus", "C++")]
    assert [term["slug"] for term in writer.data("/v2/categories/")] == ["c", "c-plus-plus", "c-sharp"]
    for slug, found in (("c", ["ebb"]), ("c-plus-plus", ["flow", "ebb"]), ("c-sharp", ["ebb"])):
        assert [post["slug"] for post in writer.data(f"/v2/posts/?category_slug={slug}")] == found
    read = writer.data("/v2/posts/ebb/")
    writer.patch("/v2/posts/ebb/", {"categories": read["categories"]})
    assert carried(writer, "ebb") == [("c", "C"), ("c-plus-plus", "C++"), ("c-sharp", "C#")]


def test_terms_may_be_objects(writer: Writer) -> None:
    """The name decides; a slug alone means its term; with a new name it is the requested slug."""
    objects = [{"name": "C++", "slug": "cpp"}, {"name": "C", "slug": ""}, {"name": "C#", "slug": "cpp"}]
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published", "categories": objects})
    assert carried(writer, "ebb") == [("cpp", "C++"), ("c", "C"), ("c-sharp", "C#")]
    objects = [{"slug": "c-sharp"}, {"name": "c++", "slug": "other"}, {"slug": "new"}]
    writer.post("/v2/posts/", {"title": "Flow", "status": "published", "categories": objects})
    assert carried(writer, "flow") == [("c-sharp", "C#"), ("cpp", "C++"), ("new", "new")]


def test_unicode_forms_of_a_name_are_equal(writer: Writer) -> None:
    """Composed and decomposed letters give the same term."""
    writer.post("/v2/posts/", {"title": "Ebb", "status": "published", "tags": ["caf\u00e9", "cafe\u0301"]})
    assert carried(writer, "ebb", "tags") == [("caf\u00e9", "caf\u00e9")]


@pytest.mark.parametrize("kind", ["categories", "tags"])
def test_post_has_at_most_a_hundred_terms_of_a_kind(writer: Writer, kind: str) -> None:
    """One more is 400 under the key."""
    names = [f"t{n}" for n in range(101)]
    said = ["Ensure this field has no more than 100 elements; it has 101."]
    assert writer.refused("POST", "/v2/posts/", {"title": "Ebb", kind: names}) == {kind: said}
    assert writer.post("/v2/posts/", {"title": "Ebb", "status": "published", kind: names[1:]}).status_code == 202
    assert len(carried(writer, "ebb", kind)) == 100


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ({"name": "x", "slug": 5}, "is no name: send texts, or objects with a name."),
        ({}, "is no name: send texts, or objects with a name."),
        ({"name": "x", "slug": "!"}, '"!" holds no letter or digit.'),
        ({"slug": "s" * 101}, "Ensure each slug has no more than 100 characters."),
    ],
)
def test_invalid_terms_are_400(writer: Writer, term: object, said: str) -> None:
    """The error is under the key, as for texts."""
    (message,) = writer.refused("POST", "/v2/posts/", {"title": "Ebb", "tags": [term]})["tags"]
    assert message.endswith(said)
