"""Categories and tags (API reference, Read shapes)."""

from collections.abc import Sequence

from sitecms.api.endpoint import Call, Endpoint
from sitecms.api.envelope_schemas import every, one
from sitecms.api.post_serializer import post_json, term_json
from sitecms.content.field_value import JsonObject
from sitecms.content.term import Term, TermKind
from sitecms.store.entries import posts, terms


def list_categories(call: Call) -> JsonObject:
    """Return {"data": [category]}, in order of creation, without categories that only drafts have."""
    return {"data": _terms_json(call, terms.shown_terms(call.session, TermKind.CATEGORY))}


def retrieve_category(call: Call, slug: str) -> JsonObject:
    """Return {"data": category}."""
    return {"data": _terms_json(call, [terms.get_shown_term(call.session, TermKind.CATEGORY, slug)])[0]}


def list_tags(call: Call) -> JsonObject:
    """Return {"data": [tag]}, in order of creation, without tags that only drafts have."""
    return {"data": _terms_json(call, terms.shown_terms(call.session, TermKind.TAG))}


def retrieve_tag(call: Call, slug: str) -> JsonObject:
    """Return {"data": tag}."""
    return {"data": _terms_json(call, [terms.get_shown_term(call.session, TermKind.TAG, slug)])[0]}


def _terms_json(call: Call, terms: Sequence[Term]) -> list[JsonObject]:
    result = [term_json(term) for term in terms]
    if call.params.with_recent_posts:
        recent = posts.recent_by_term(call.session, call.locale, terms)
        for term, each in zip(terms, result, strict=True):
            each["recent_posts"] = [post_json(post, call.addresses) for post in recent[term]]
    return result


_TAG = "Categories and tags"
_PARAMETERS = ("include", "locale")
ENDPOINTS = (
    Endpoint("/v2/categories/", list_categories, _PARAMETERS, _TAG, "List categories", every("Category")),
    Endpoint(
        "/v2/categories/<slug>/",
        retrieve_category,
        _PARAMETERS,
        tag=_TAG,
        summary="Retrieve a category",
        response=one("Category"),
        errors=(404,),
        examples={"slug": "weather"},
    ),
    Endpoint("/v2/tags/", list_tags, _PARAMETERS, _TAG, "List tags", every("Tag")),
    Endpoint(
        "/v2/tags/<slug>/",
        retrieve_tag,
        _PARAMETERS,
        tag=_TAG,
        summary="Retrieve a tag",
        response=one("Tag"),
        errors=(404,),
        examples={"slug": "moon"},
    ),
)
