"""Categories and tags as JSON (specification, Category): {"name", "slug"}."""

from sitecms.content.field_value import JsonObject
from sitecms.content.term import Term


def term_json(term: Term) -> JsonObject:
    """A term, on its own or inside a post; `recent_posts` is added where it was asked for."""
    return {"name": term.name, "slug": term.slug}
