"""Authors (specification, endpoints 11 and 12)."""

from sitecms.api.endpoint import Call, Endpoint
from sitecms.api.envelope_schemas import every, one
from sitecms.api.serializers.author import author_json
from sitecms.api.serializers.post import post_json
from sitecms.content.author import Author
from sitecms.content.field_value import JsonObject
from sitecms.store.entries import authors, recent_posts


def list_authors(call: Call) -> JsonObject:
    """{"data": [author]}, in order of creation."""
    return {"data": _shown(call, authors.find_authors(call.session))}


def retrieve_author(call: Call, slug: str) -> JsonObject:
    """{"data": author}."""
    return {"data": _shown(call, (authors.get_author(call.session, slug),))[0]}


def _shown(call: Call, found: tuple[Author, ...]) -> list[JsonObject]:
    shown = [author_json(author, call.addresses) for author in found]
    if call.params.with_recent_posts:
        recent = recent_posts.by_author(call.session, call.locale, [author.slug for author in found])
        for author in shown:
            mine = recent.get(str(author["slug"]), ())
            author["recent_posts"] = [post_json(post, call.addresses) for post in mine]
    return shown


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
