"""Pages and items as JSON with all references, and their filters and order (API reference, Read shapes).

Page: {"slug", "name", "page_type", "published", "updated", "fields": {...}}. `page_type` is null for a Single Page;
`published` of a page that never was published is the time of its creation.

Item: {"meta": {"id": 41}, <the fields of its collection>}.

Fields are all that the schema declares, in declared order; each field type writes its own value (`content.fields`). A
field that is declared but not stored has its unset value.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from sitecms.actions.references import References, resolve_references, specs_of, target_of
from sitecms.api.addresses import Addresses
from sitecms.api.endpoint import Call
from sitecms.clock import format_timestamp
from sitecms.content.entry import Entry
from sitecms.content.field_path import field_filter, order_by
from sitecms.content.field_value import Fields, JsonObject
from sitecms.content.fields import type_of
from sitecms.content.fields.group import shown_value
from sitecms.content.kinds import KINDS
from sitecms.content.query import FieldFilter, Order, Visibility
from sitecms.content.references import Target, parse_target
from sitecms.content.response_size import SizeLimit
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.term import Term, TermKind, name_key
from sitecms.content.term_slugs import named_term, terms_by_name
from sitecms.store.entries.terms import find_terms
from sitecms.store.site_state.documents import load_content_schema

_SHORTEST_ENTRY = 17  # {"meta":{"id":1}}
ENTRY_PARAMETERS = ("preview", "locale", "levels", "alt_media_text")
"""The parameters that decide what a response shows of an entry."""


FindTerm: TypeAlias = Callable[[TermKind, str], Term]


class EntrySerializer:
    """Serializer of one response, which makes each entry once for each level, however many references lead to it.

    So the work grows with the number of entries, not with the number of paths between them. `size` adds up what the
    response holds at least, in which every path counts, before anything is written: a response over 10 MB raises
    InvalidRequest. It is the JsonOutput of the field types.
    """

    def __init__(
        self,
        schema: ContentSchema,
        references: References,
        addresses: Addresses,
        find_term: FindTerm = named_term,
        *,
        alt_media_text: bool,
    ) -> None:
        self.schema = schema
        self.alt_media_text = alt_media_text
        self._find_term = find_term
        self.size = SizeLimit()
        self._references = references
        self._addresses = addresses
        self._entries: dict[tuple[Target, int], tuple[JsonObject, int]] = {}
        """Each entry at each level as JSON, with its size."""

    def entry(self, entry: Entry, levels: int) -> JsonObject:
        """Return the entry as JSON with references followed for `levels` levels; at 1 they are URIs."""
        key = target_of(entry), levels
        if key in self._entries:
            result, size = self._entries[key]
            self.size.spend(size)
            return result
        size_before = self.size.spent
        self.size.spend(_SHORTEST_ENTRY)
        fields = self.fields(entry.fields, specs_of(entry, self.schema), levels)
        result = _page_json(entry, fields) if KINDS[entry.kind].has_slug else {"meta": {"id": entry.id}, **fields}
        self._entries[key] = result, self.size.spent - size_before
        return result

    def fields(self, stored: Fields, specs: Sequence[FieldSpec], levels: int) -> JsonObject:
        """Return a group of fields as JSON."""
        result: JsonObject = {}
        for spec in specs:
            self.size.spend(len(spec.slug) + 4)
            result[spec.slug] = type_of(spec).to_json(shown_value(stored.get(spec.slug), spec), spec, levels, self)
        return result

    def text(self, text: str) -> str:
        """Count the text, and return it."""
        self.size.spend(len(text))
        return text

    def html(self, html: str) -> str:
        """Return the HTML with absolute media addresses, counted."""
        return self.text(self._addresses.body(html))

    def media(self, address: str) -> str:
        """Return a media address as clients reach it, counted."""
        return self.text(self._addresses.media(address))

    def reference(self, uri: str, levels: int) -> object:
        """Return the entry or, at level 1, the URI of a stored reference; None if its target is not visible."""
        target = parse_target(uri)
        if target is None:
            return None
        if levels > 1:
            entry = self._references.entries.get(target)
            return self.entry(entry, levels - 1) if entry else None
        return self.text(target.uri) if self._references.may_name(target) else None

    def term(self, kind: TermKind, name: str) -> JsonObject:
        """Return the term of that name as those of posts."""
        term = self._find_term(kind, name)
        return {"name": self.text(term.name), "slug": self.text(term.slug)}


def _page_json(page: Entry, fields: JsonObject) -> JsonObject:
    return {
        "slug": page.slug,
        "name": page.title,
        "page_type": page.type or None,
        "published": format_timestamp(page.published_at or page.created_at),
        "updated": format_timestamp(page.updated_at),
        "fields": fields,
    }


def scope_of(call: Call) -> Visibility:
    """Return the requested locale and version."""
    return Visibility(call.locale, call.params.preview)


def serialize_entries(call: Call, schema: ContentSchema, entries: Sequence[Entry]) -> list[JsonObject]:
    """Return the entries as JSON, with references followed as deep as requested. Raises InvalidRequest beyond 10 MB."""
    params = call.params
    references = resolve_references(call.session, entries, schema, scope_of(call), params.levels)
    serializer = EntrySerializer(
        schema, references, call.addresses, partial(_find_term, call), alt_media_text=params.alt_media_text
    )
    return [serializer.entry(entry, params.levels) for entry in entries]


def _find_term(call: Call, kind: TermKind, name: str) -> Term:
    """Return the term of a name; all terms are cached until the store changes."""
    by_name: Mapping[str, Term] = call.session.cached(
        ("terms_by_name", kind), lambda: terms_by_name(find_terms(call.session, kind)), lambda found: 300 * len(found)
    )
    return by_name.get(name_key(name)) or named_term(kind, name)


def fields_of_posts(call: Call, posts: Sequence[Entry], schema: ContentSchema) -> dict[int, JsonObject]:
    """Return the fields of the posts by id as JSON, references followed as deep as requested; none without a schema."""
    params, objects = call.params, dict[int, JsonObject]()
    for locale in {post.locale for post in posts} if schema.post_fields else ():
        posts_in_locale = [post for post in posts if post.locale == locale]
        scope = Visibility(locale, params.preview)
        references = resolve_references(call.session, posts_in_locale, schema, scope, params.levels)
        serializer = EntrySerializer(schema, references, call.addresses, alt_media_text=params.alt_media_text)
        objects |= {
            post.id: serializer.fields(post.fields, schema.post_fields, params.levels) for post in posts_in_locale
        }
    return objects


def content_schema(call: Call) -> ContentSchema:
    """Return the content schema, which is cached until the store changes."""
    return call.session.cached(("content_schema",), lambda: load_content_schema(call.session), lambda _schema: 1000)


def filters_of(call: Call, specs: Sequence[FieldSpec], schema: ContentSchema) -> tuple[FieldFilter, ...]:
    """Return the filters `fields.<name>=<value>`. Raises Forbidden for an unknown field."""
    return tuple(field_filter(name, text, specs, schema, call.zone) for name, text in call.params.fields)


def order_of(call: Call, specs: Sequence[FieldSpec], schema: ContentSchema) -> Order | None:
    """Return the requested order, None for the default one. Raises Forbidden for an unknown field."""
    return order_by(call.params.order, specs, schema) if call.params.order else None
