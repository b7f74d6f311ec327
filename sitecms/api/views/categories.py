"""Categories (specification, endpoint 10)."""

from sitecms.api.call import Call, Endpoint
from sitecms.api.envelope import JsonObject
from sitecms.api.serializers.post import post_json
from sitecms.api.serializers.term import term_json
from sitecms.content.term import TermKind
from sitecms.store import recent_posts, taxonomy


def list_categories(call: Call) -> JsonObject:
    """{"data": [category]}, in order of creation."""
    found = taxonomy.find_terms(call.session, TermKind.CATEGORY)
    shown = [term_json(term) for term in found]
    if call.params.with_recent_posts:
        recent = recent_posts.by_term(call.session, call.locale, TermKind.CATEGORY)
        for category in shown:
            mine = recent.get(str(category["slug"]), ())
            category["recent_posts"] = [post_json(post, call.addresses) for post in mine]
    return {"data": shown}


ENDPOINTS = (Endpoint("/v2/categories/", list_categories, ("include", "locale")),)
