"""Pages (specification, endpoint 7; decisions, Paths)."""

from sitecms.api.endpoint import Call, Endpoint, EntryPayload
from sitecms.api.envelope_schemas import one, page_of_list
from sitecms.api.params import PAGINATION
from sitecms.api.responses import paginated
from sitecms.api.views.entries import SHOWING, filters_of, order_of, scope_of, show_entries
from sitecms.content.field_value import JsonObject
from sitecms.content.query import PageQuery
from sitecms.content.references import SINGLE_PAGES
from sitecms.errors import Forbidden, NotFound
from sitecms.store.entries import pages
from sitecms.store.site_state.documents import load_content_schema

ANY_TYPE = "*"
NO_PAGE = "Page not found."


def list_single_pages(call: Call) -> JsonObject:
    """{"meta": pagination, "data": [page]} of the Single Pages; they take neither filters nor an order."""
    schema = load_content_schema(call.session)
    found = pages.find_pages(call.session, PageQuery(scope_of(call), None), call.params.window)
    return paginated(call.params, found.count, show_entries(call, schema, found.entries))


def list_pages(call: Call, page_type: str) -> JsonObject:
    """{"meta": pagination, "data": [page]} of a type, newest published first unless an order is asked for."""
    if page_type == SINGLE_PAGES:
        return list_single_pages(call)
    schema = load_content_schema(call.session)
    if page_type not in schema.page_types:
        raise NotFound("Not found.")
    specs = schema.page_fields(page_type)
    filters, order = filters_of(call, specs, schema), order_of(call, specs, schema)
    found = pages.find_pages(call.session, PageQuery(scope_of(call), page_type, filters, order), call.params.window)
    return paginated(call.params, found.count, show_entries(call, schema, found.entries))


def retrieve_page(call: Call, page_type: str, page_slug: str) -> EntryPayload:
    """{"data": page}; the type `*` means any, Single Pages included. Filters must hold for the page, too."""
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
    return EntryPayload({"data": show_entries(call, schema, (page,))[0]}, page)


_LISTED = (*PAGINATION, *SHOWING)
ENDPOINTS = (
    Endpoint("/v2/pages/", list_single_pages, _LISTED, "Pages", "List Single Pages", page_of_list("SinglePage")),
    Endpoint(
        "/v2/pages/<page_type>/",
        list_pages,
        (*_LISTED, "fields", "order"),
        tag="Pages",
        summary="List pages of a type",
        response=page_of_list("Page"),
        errors=(403, 404),
        examples={"page_type": "*"},
    ),
    Endpoint(
        "/v2/pages/<page_type>/<page_slug>/",
        retrieve_page,
        (*SHOWING, "fields"),
        tag="Pages",
        summary="Retrieve a page",
        response=one("Page"),
        errors=(403, 404),
        examples={"page_type": "*", "page_slug": "about"},
    ),
)
