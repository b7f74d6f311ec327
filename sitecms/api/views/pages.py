"""Pages (API reference, Paths)."""

from sitecms.api.endpoint import Call, Endpoint, EntryPayload
from sitecms.api.envelope_schemas import one, page_of_list
from sitecms.api.params import PAGINATION
from sitecms.api.responses import paginated
from sitecms.api.views.entries import ENTRY_PARAMETERS, filters_of, order_of, scope_of, serialize_entries
from sitecms.content.field_value import JsonObject
from sitecms.content.query import PageQuery
from sitecms.content.references import SINGLE_PAGES
from sitecms.errors import Forbidden, NotFound
from sitecms.store.entries import pages
from sitecms.store.site_state.documents import load_content_schema

ANY_TYPE = "*"
NO_PAGE = "Page not found."


def list_single_pages(call: Call) -> JsonObject:
    """Return {"meta": pagination, "data": [page]} of the Single Pages, which take neither filters nor an order."""
    schema = load_content_schema(call.session)
    found = pages.find_pages(call.session, PageQuery(scope_of(call), None), call.params.window)
    return paginated(call.params, found.count, serialize_entries(call, schema, found.entries))


def list_pages(call: Call, page_type: str) -> JsonObject:
    """Return {"meta": pagination, "data": [page]} of a type, newest published first by default."""
    if page_type == SINGLE_PAGES:
        return list_single_pages(call)
    schema = load_content_schema(call.session)
    if page_type not in schema.page_types:
        raise NotFound("Not found.")
    specs = schema.page_fields(page_type)
    filters, order = filters_of(call, specs, schema), order_of(call, specs, schema)
    found = pages.find_pages(call.session, PageQuery(scope_of(call), page_type, filters, order), call.params.window)
    return paginated(call.params, found.count, serialize_entries(call, schema, found.entries))


def retrieve_page(call: Call, page_type: str, page_slug: str) -> EntryPayload:
    """Return {"data": page}. The type `*` stands for any, Single Pages included; the page must fit the filters."""
    schema = load_content_schema(call.session)
    types: tuple[str | None, ...] = (None, *schema.page_types) if page_type == ANY_TYPE else (page_type,)
    found = pages.pages_by_slug(call.session, page_slug, types, scope_of(call))
    if not found or found[0].page_type not in (None, *schema.page_types):
        raise NotFound(NO_PAGE)
    if len(found) > 1:
        names = ", ".join(page.page_type or "a Single Page" for page in found)
        raise Forbidden(f"Several pages have this slug; ask for it with a page type. There are: {names}.")
    page = found[0]
    if call.params.fields:
        filters = filters_of(call, schema.page_fields(page.page_type), schema)
        if not pages.pages_by_slug(call.session, page.slug, (page.page_type,), scope_of(call), filters):
            raise NotFound(NO_PAGE)
    return EntryPayload({"data": serialize_entries(call, schema, (page,))[0]}, page)


_LIST_PARAMETERS = (*PAGINATION, *ENTRY_PARAMETERS)
ENDPOINTS = (
    Endpoint(
        "/v2/pages/", list_single_pages, _LIST_PARAMETERS, "Pages", "List Single Pages", page_of_list("SinglePage")
    ),
    Endpoint(
        "/v2/pages/<page_type>/",
        list_pages,
        (*_LIST_PARAMETERS, "fields", "order"),
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
        response=one("Page"),
        errors=(403, 404),
        examples={"page_type": "*", "page_slug": "about"},
    ),
)
