"""A field type of a plug-in: loaded, served, written, filtered by, searched, exported and built."""

# ruff: noqa: ARG002  # the interface of field types: most methods need only some of the arguments

import json
from collections.abc import Callable
from datetime import tzinfo
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from jsonschema import Draft202012Validator

from sitecms.actions.authoring.file_schemas import file_schemas
from sitecms.actions.authoring.new_entry import NewPage, new_page
from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading import load_site
from sitecms.actions.loading.reading.schema_files import read_content_schema
from sitecms.content.field_value import FieldValue
from sitecms.content.fields import Context, FieldType, Lookup, built_in_types, own_types, type_of
from sitecms.content.fields.cleaning import read_text
from sitecms.content.fields.outputs import SchemaOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.token import Scope
from sitecms.documents import load_schema
from sitecms.errors import InvalidFiles, SitecmsError
from sitecms.runtime import Runtime
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.store.opening import open_store
from sitecms.store.site_state.documents import load_content_schema
from sitecms.web.service import create_app
from tests.support.sites import SITE_TOML


class PhoneType(FieldType):
    """A telephone number, stored as + and digits."""

    name: ClassVar[str] = "phone"
    empty: ClassVar[FieldValue] = ""
    input_hint: ClassVar[str] = "a number such as +49 30 123456"
    template_type: ClassVar[str] = "short_text"

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the number without spaces."""
        number = read_text(value, context).replace(" ", "")
        if number and not (number.startswith("+") and number[1:].isdigit()):
            context.report("Must be a telephone number with country code.")
            return self.empty
        return number

    def wanted(self, spec: FieldSpec, text: str, zone: tzinfo) -> tuple[FieldValue, ...]:
        """Return the number without spaces."""
        return super().wanted(spec, text.replace(" ", ""), zone)

    def search_text(self, value: str, spec: FieldSpec) -> str:
        """Return the number."""
        return value

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text."""
        return {"type": "string", "examples": ["+4930123456"]}

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return text of that pattern."""
        return {"type": "string", "pattern": r"^(\+[0-9 ]+)?$"}

    def write_example(self, spec: FieldSpec, schema: ContentSchema) -> str:
        """Return a number."""
        return "+49 30 123456"

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return a number."""
        return "+49 30 123456"


PLUGIN = """
from sitecms.plugins.hooks import hookimpl

@hookimpl
def field_types():
    return {"phone": "tests.content.fields.test_new_field_type:PhoneType"}
"""


@pytest.fixture
def site(site: SiteSettings) -> SiteSettings:
    """A site whose plug-in adds the type."""
    return with_plugin(site, PLUGIN)


def with_plugin(site: SiteSettings, text: str) -> SiteSettings:
    """Write the plug-in and return the settings that enable it."""
    (site.folder / "plugins").mkdir(exist_ok=True)
    (site.folder / "plugins/office.py").write_text(text, "utf-8")
    path = site.folder / "site.toml"
    if "[plugins]" not in path.read_text("utf-8"):
        path.write_text(f'{path.read_text("utf-8")}\n[plugins]\nenabled = ["office"]\n', "utf-8")
    return load_settings(site.folder)


@pytest.fixture
def client(runtime: Runtime, make_token: Callable[..., str]) -> Callable[..., Any]:
    """Load a site with a page type that has the new type, and return a function that sends requests to its API."""
    folder = runtime.settings.folder
    fields = [{"slug": "phone", "type": "phone", "required": True, "searchable": True}]
    pages = {
        "schema/page_types/office.yaml": {"slug": "office", "fields": fields},
        "content/pages/office/berlin.yaml": {
            "title": "Berlin", "status": "published", "fields": {"phone": "+49 30 123456"},
        },
    }  # fmt: skip
    for path, content in pages.items():
        _write(folder / path, content)
    assert load_site(runtime.database, runtime.settings, runtime.clock()).errors == ()
    test_client = create_app(runtime, hint=lambda _id: None).test_client()
    headers = {"Authorization": f"Token {make_token('w', Scope.WRITE)}"}

    def send(method: str, path: str, **options: Any) -> Any:
        return test_client.open(path, method=method, headers=headers, **options)

    return send


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def test_a_new_type_is_loaded_read_written_filtered_and_built(
    client: Callable[..., Any], runtime: Runtime, apply_all: Callable[[], int], tmp_path: Path
) -> None:
    """Its cleaning holds in files, in writes and in filters; the theme shows it as the type that it names."""
    assert client("GET", "/v2/pages/office/berlin/").json["data"]["fields"] == {"phone": "+4930123456"}
    body = {"title": "Bonn", "slug": "bonn", "page_type": "office", "status": "published"}
    refused = client("POST", "/v2/pages/", json={**body, "fields": {"phone": "call me"}})
    assert (refused.status_code, refused.json) == (400, {"phone": ["Must be a telephone number with country code."]})
    assert client("POST", "/v2/pages/", json={**body, "fields": {"phone": "+49 228 77"}}).status_code == 202
    assert apply_all() == 1
    listed = client("GET", "/v2/pages/office/", query_string={"fields.phone": "+49 228 77"}).json["data"]
    assert [page["slug"] for page in listed] == ["bonn"]
    ordered = client("GET", "/v2/pages/office/", query_string={"order": "-fields.phone"}).json["data"]
    assert [page["slug"] for page in ordered] == ["berlin", "bonn"]
    found = client("GET", "/v2/pages/search/", query_string={"query": "4930123456"}).json["data"]
    assert [page["slug"] for page in found] == ["berlin"]
    assert build_site(runtime.database, runtime.settings, tmp_path / "public", BuildOptions()).failed == {}
    assert "+4922877" in (tmp_path / "public/office/bonn/index.html").read_text("utf-8")


def test_a_new_type_stands_in_the_api_description_in_new_files_and_in_exports(
    client: Callable[..., Any], runtime: Runtime, tmp_path: Path
) -> None:
    """The description of the API has its schemas and an example; a new page a placeholder that loads."""
    document = client("GET", "/v2/openapi.json").json
    schemas = document["components"]["schemas"]
    assert schemas["Page.office.fields"]["properties"]["phone"]["examples"] == ["+4930123456"]
    written = schemas["PageFields.office"]["properties"]["phone"]
    example = document["paths"]["/v2/pages/"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    Draft202012Validator(written).validate(example["office"]["value"]["fields"]["phone"])
    new_page(runtime.settings, NewPage("Ulm", page_type="office"), runtime.clock())
    text = (runtime.settings.folder / "content/pages/office/ulm.yaml").read_text("utf-8")
    assert "# Phone: a number such as +49 30 123456; REQUIRED" in text
    assert load_site(runtime.database, runtime.settings, runtime.clock()).errors == ()
    export_site(runtime.database, runtime.settings, tmp_path / "out")
    assert "phone: '+4930123456'" in (tmp_path / "out/content/pages/office/berlin.yaml").read_text("utf-8")


def test_editors_complete_the_names_of_the_built_in_types() -> None:
    """content_schema lists every type that is registered as it is shipped."""
    assert load_schema("field")["properties"]["type"]["examples"] == [*built_in_types()]


def test_type_belongs_to_its_site(
    client: Callable[..., Any], runtime: Runtime, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Editors of this site complete the name; another site of the process does not know it."""
    assert client("GET", "/v2/pages/office/berlin/").status_code == 200
    by_path = {each.name: each.schema for each in file_schemas(runtime.settings)}
    assert "phone" in by_path["field"]["properties"]["type"]["enum"]
    other = tmp_path_factory.mktemp("other")
    (other / "site.toml").write_text(SITE_TOML, "utf-8")
    _write(other / "schema/page_types/office.yaml", {"slug": "office", "fields": [{"slug": "phone", "type": "phone"}]})
    settings = load_settings(other)
    with pytest.raises(InvalidFiles, match='is "phone"'):
        read_content_schema(settings.folder, own_types(settings.plugins))


def test_error_in_a_type_costs_the_entry(client: Callable[..., Any], runtime: Runtime) -> None:
    """A load names plug-in, file and line, keeps what is stored, and loads the other files."""
    assert client("GET", "/v2/pages/office/berlin/").status_code == 200
    failing = """
from sitecms.plugins.hooks import hookimpl
from tests.content.fields.test_new_field_type import PhoneType

class FailingType(PhoneType):
    def clean(self, value, spec, context):
        if "228" in value:
            raise RuntimeError("no line")
        return super().clean(value, spec, context)

@hookimpl
def field_types():
    return {"phone": FailingType}
"""
    settings = with_plugin(runtime.settings, failing)
    database = open_store(settings)
    for name, number in (("bonn", "+49 228 77"), ("ulm", "+49 731 5")):
        page = {"title": name, "status": "published", "fields": {"phone": number}}
        _write(settings.folder / f"content/pages/office/{name}.yaml", page)
    report = load_site(database, settings, runtime.clock())
    (error,) = map(str, report.errors)
    assert error.startswith("content/pages/office/bonn.yaml")
    assert "the plug-in office failed (field type phone, plugins/office.py:8): RuntimeError: no line" in error
    assert set(report.loaded) >= {"content/pages/office/ulm.yaml", "content/pages/office/berlin.yaml"}
    database.close()


def test_values_stay_where_the_plugin_is_left_out(client: Callable[..., Any], runtime: Runtime) -> None:
    """Without plug-ins the API shows what is stored, and takes no other value."""
    assert client("GET", "/v2/pages/office/berlin/").status_code == 200
    settings = load_settings(runtime.settings.folder, with_plugins=False)
    database = open_store(settings)
    (spec,) = database.read(load_content_schema).page_types["office"].fields
    context = Context(ContentSchema(), cast("Lookup", None), current="+4930123456")
    assert type_of(spec).clean("+49 1", spec, context) == "+4930123456"
    assert [message.text for message in context.messages] == ['No plug-in adds the field type "phone".']
    database.close()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ('{"number": NumberType}', "The plug-in office has the field type number, and there is a built-in one"),
        ('{"phone": str}', "field type phone is no subclass of sitecms.content.fields.FieldType"),
        (
            '{"phone": "json:nothing"}',
            "the plug-in office failed (field_types phone, plugins/office.py): AttributeError",
        ),
    ],
)
def test_types_that_cannot_be(site: SiteSettings, returned: str, message: str) -> None:
    """The error names the plug-in."""
    text = PLUGIN.replace('{"phone": "tests.content.fields.test_new_field_type:PhoneType"}', returned)
    settings = with_plugin(site, f"from sitecms.content.fields.scalar import NumberType\n{text}")
    with pytest.raises(SitecmsError) as caught:
        own_types(settings.plugins)
    assert message in str(caught.value)
