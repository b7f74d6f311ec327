"""Pages, collections and their items (API reference, Paths and Parameters).

Lists of collections have the form `team,authors[_id=123],menu[label=Home]`.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple, TypeAlias

from sitecms.api.endpoint import Call, Endpoint, EntryPayload, page_of_list, paged, single_response
from sitecms.api.params import PAGINATION
from sitecms.api.responses import paginated
from sitecms.api.views.entries import ENTRY_PARAMETERS, filters_of, order_of, scope_of, serialize_entries
from sitecms.content.entry import Entry
from sitecms.content.field_path import bracket_filter, either
from sitecms.content.field_value import JsonObject
from sitecms.content.json_schema import EMPTY_OBJECT, any_of, record, ref
from sitecms.content.kinds import EntryKind
from sitecms.content.query import EntryQuery, Results, Window
from sitecms.content.references import SINGLE_PAGES, parse_item_id
from sitecms.content.schema import ContentSchema
from sitecms.errors import Forbidden, InvalidRequest, NotFound
from sitecms.store.entries.entry_queries import find_entries, matches
from sitecms.store.entries.items import get_item
from sitecms.store.entries.pages import pages_by_slug
from sitecms.store.site_state.documents import load_content_schema

ANY_TYPE = "*"
NO_PAGE = "Page not found."
_PAGE_LIST_PARAMETERS = (*PAGINATION, *ENTRY_PARAMETERS)
MAX_KEYS = 100
_FILTERED = re.compile(r"([^\[\]]+)\[([^=\[\]]*)=(.*)\]", re.DOTALL)
_PARTS = re.compile(r"(?:[^,\[\]]|\[[^\]]*(?:\]|$)|\])+")
_TAG = "Collections"
_LIST_PARAMETERS = (*PAGINATION, *ENTRY_PARAMETERS, "fields", "order")


def list_single_pages(call: Call) -> JsonObject:
    """Return {"meta": pagination, "data": [page]} of the Single Pages, which take neither filters nor an order."""
    schema = load_content_schema(call.session)
    results = find_entries(call.session, EntryQuery(EntryKind.PAGE, scope_of(call), ""), call.params.window)
    return paginated(call.params, results.count, serialize_entries(call, schema, results.entries))


def list_pages(call: Call, page_type: str) -> JsonObject:
    """Return {"meta": pagination, "data": [page]} of a type, newest published first by default."""
    if page_type == SINGLE_PAGES:
        return list_single_pages(call)
    schema = load_content_schema(call.session)
    if page_type not in schema.page_types:
        raise NotFound("Not found.")
    specs = schema.page_type(page_type).fields
    filters, order = filters_of(call, specs, schema), order_of(call, specs, schema)
    query = EntryQuery(EntryKind.PAGE, scope_of(call), page_type, filters, order)
    results = find_entries(call.session, query, call.params.window)
    return paginated(call.params, results.count, serialize_entries(call, schema, results.entries))


def retrieve_page(call: Call, page_type: str, page_slug: str) -> EntryPayload:
    """Return {"data": page}. The type `*` stands for any, Single Pages included; the page must fit the filters."""
    schema = load_content_schema(call.session)
    types = ("", *schema.page_types) if page_type == ANY_TYPE else (page_type,)
    versions = pages_by_slug(call.session, page_slug, types, scope_of(call))
    if not versions or versions[0].type not in ("", *schema.page_types):
        raise NotFound(NO_PAGE)
    if len(versions) > 1:
        names = ", ".join(page.type or "a Single Page" for page in versions)
        raise Forbidden(f"Several pages have this slug; ask for it with a page type. There are: {names}.")
    page = versions[0]
    if call.params.fields:
        filters = filters_of(call, schema.page_fields(page.type, page.slug), schema)
        if not matches(call.session, page, scope_of(call), filters):
            raise NotFound(NO_PAGE)
    return EntryPayload({"data": serialize_entries(call, schema, (page,))[0]}, page)


PAGE_ENDPOINTS = (
    Endpoint(
        "/v2/pages/", list_single_pages, _PAGE_LIST_PARAMETERS, "Pages", "List Single Pages", page_of_list("SinglePage")
    ),
    Endpoint(
        "/v2/pages/<page_type>/",
        list_pages,
        (*_PAGE_LIST_PARAMETERS, "fields", "order"),
        tag="Pages",
        summary="List pages of a type",
        response=page_of_list("Page"),
        errors=(403, 404),
        examples={"page_type": "*"},
    ),
    Endpoint(
        "/v2/pages/<page_type>/<page_slug>/",
        retrieve_page,
        (*ENTRY_PARAMETERS, "fields"),
        tag="Pages",
        summary="Retrieve a page",
        response=single_response("Page"),
        errors=(403, 404),
        examples={"page_type": "*", "page_slug": "about"},
    ),
)


class Bracket(NamedTuple):
    """A condition in brackets after a key: the name and the text of a filter."""

    name: str
    text: str


AskedKeys: TypeAlias = dict[str, tuple[Bracket, ...]]
"""The requested collections in order, each with its conditions, of which one must hold; () means all entries."""


def read_keys(text: str) -> AskedKeys:
    """Return the collections that the text names; the conditions of a collection that is named twice are joined.

    Malformed brackets stay part of the key, which is then not found. Raises InvalidRequest beyond 100 keys.
    """
    brackets_by_key: dict[str, list[Bracket]] = {}
    unfiltered: set[str] = set()
    parts = [part.strip() for part in _PARTS.findall(text)]
    if len(parts) > MAX_KEYS:
        raise InvalidRequest(f"There can be at most {MAX_KEYS} keys.")
    for part in filter(None, parts):
        filtered = _FILTERED.fullmatch(part)
        key = filtered[1].strip() if filtered else part
        brackets = brackets_by_key.setdefault(key, [])
        if filtered:
            brackets.append(Bracket(filtered[2].strip(), filtered[3]))
        else:
            unfiltered.add(key)
    return {key: () if key in unfiltered else tuple(brackets) for key, brackets in brackets_by_key.items()}


def list_content(call: Call) -> JsonObject:
    """Return the collections in `keys`: one as its own path does, several as {"data": {key: [item]}} with all items.

    Without keys the response is {}. The error for an unknown key names the key, unlike that of an unknown path.
    """
    request = read_keys(call.params.keys)
    if not request:
        return {}
    schema = load_content_schema(call.session)
    for key in request:
        if key not in schema.collections:
            raise NotFound(f"Content key {key[:100]} not found")
    if len(request) == 1:
        return _page(call, schema, request)
    return {"data": _items_json(call, schema, _items_of_request(call, schema, request, None))}


def list_items(call: Call, keys: str) -> JsonObject:
    """Return {"meta": pagination, "data": {key: [item]}} of one collection, or of several separated by commas.

    Keys may have a bracket filter, as in `keys`: the 3.x client puts its keys into the path. Pagination applies to each
    collection; `count` is the number of all their items.
    """
    request = read_keys(keys)
    if not request:
        raise NotFound("Not found.")
    return _page(call, load_content_schema(call.session), request)


def retrieve_item(call: Call, key: str, item_id: str) -> EntryPayload:
    """Return {"data": item}."""
    schema = load_content_schema(call.session)
    collection = schema.collection(key)
    item = get_item(call.session, collection.key, parse_item_id(item_id), scope_of(call))
    return EntryPayload({"data": serialize_entries(call, schema, (item,))[0]}, item)


def _page(call: Call, schema: ContentSchema, request: AskedKeys) -> JsonObject:
    results = _items_of_request(call, schema, request, call.params.window)
    counts = [each.count for each in results.values()]
    return paginated(call.params, sum(counts), _items_json(call, schema, results), longest=max(counts))


def _items_of_request(
    call: Call, schema: ContentSchema, request: AskedKeys, window: Window | None
) -> dict[str, Results[Entry]]:
    """Return the items of each collection. Raises NotFound for an unknown one, Forbidden for an unknown field."""
    queries = [_query(call, schema, key, request) for key in request]
    return {query.type: find_entries(call.session, query, window) for query in queries}


def _query(call: Call, schema: ContentSchema, key: str, request: AskedKeys) -> EntryQuery:
    specs = schema.collection(key).fields
    filters = filters_of(call, specs, schema)
    if brackets := request[key]:
        filters = (
            *filters,
            either([bracket_filter(each.name, each.text, specs, schema, call.zone) for each in brackets]),
        )
    return EntryQuery(EntryKind.ITEM, scope_of(call), key, filters, order_of(call, specs, schema))


def _items_json(call: Call, schema: ContentSchema, results: Mapping[str, Results[Entry]]) -> JsonObject:
    """Return the items of all collections as JSON, serialized together so that references are resolved once."""
    items_json = iter(serialize_entries(call, schema, [item for each in results.values() for item in each.entries]))
    return {key: list(islice(items_json, len(each.entries))) for key, each in results.items()}


COLLECTION_ENDPOINTS = (
    Endpoint(
        "/v2/content/",
        list_content,
        (*_LIST_PARAMETERS, "keys"),
        tag=_TAG,
        summary="List items of several collections (an older form)",
        response=any_of(paged(ref("Collections")), record({"data": ref("Collections")}), EMPTY_OBJECT),
        errors=(403, 404),
    ),
    Endpoint(
        "/v2/content/<keys>/",
        list_items,
        _LIST_PARAMETERS,
        tag=_TAG,
        summary="List items of a collection",
        response=paged(ref("Collections")),
        errors=(403, 404),
        examples={"keys": "team"},
    ),
    Endpoint(
        "/v2/content/<key>/<item_id>/",
        retrieve_item,
        ENTRY_PARAMETERS,
        tag=_TAG,
        summary="Retrieve an item",
        response=single_response("Item"),
        errors=(404,),
        examples={"key": "team", "item_id": "1"},
    ),
)

ENDPOINTS = (*PAGE_ENDPOINTS, *COLLECTION_ENDPOINTS)
