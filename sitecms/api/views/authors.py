"""Authors (API reference, Read shapes)."""

from collections.abc import Sequence

from sitecms.api.endpoint import Call, Endpoint
from sitecms.api.envelope_schemas import every, one
from sitecms.api.post_serializer import author_json, post_json
from sitecms.content.author import Author
from sitecms.content.field_value import JsonObject
from sitecms.store.entries import authors, posts


def list_authors(call: Call) -> JsonObject:
    """Return {"data": [author]}, in order of creation."""
    return {"data": _authors_json(call, authors.find_authors(call.session))}


def retrieve_author(call: Call, slug: str) -> JsonObject:
    """Return {"data": author}."""
    return {"data": _authors_json(call, (authors.get_author(call.session, slug),))[0]}


def _authors_json(call: Call, found: Sequence[Author]) -> list[JsonObject]:
    result = [author_json(author, call.addresses) for author in found]
    if call.params.with_recent_posts:
        recent = posts.recent_by_author(call.session, call.locale, [author.slug for author in found])
        for author in result:
            newest = recent.get(str(author["slug"]), ())
            author["recent_posts"] = [post_json(post, call.addresses) for post in newest]
    return result


_PARAMETERS = ("include", "locale")
ENDPOINTS = (
    Endpoint("/v2/authors/", list_authors, _PARAMETERS, "Authors", "List authors", every("Author")),
    Endpoint(
        "/v2/authors/<slug>/",
        retrieve_author,
        _PARAMETERS,
        tag="Authors",
        summary="Retrieve an author",
        response=one("Author"),
        errors=(404,),
        examples={"slug": "mira-okafor"},
    ),
)
