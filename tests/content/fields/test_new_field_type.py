"""A field type declared in this file alone: loaded, served, written, filtered by, searched, exported and built."""

# ruff: noqa: ARG002  # the interface of field types: most methods need only some of the arguments

import json
from collections.abc import Callable, Iterator
from datetime import tzinfo
from pathlib import Path
from typing import Any, ClassVar

import pytest
from jsonschema import Draft202012Validator

from sitecms.actions.authoring.new_entry import NewPage, new_page
from sitecms.actions.exporting.export import export_site
from sitecms.actions.loading import load_site
from sitecms.content.field_value import FieldValue
from sitecms.content.fields import Context, FieldType, field_types, register, unregister
from sitecms.content.fields.cleaning import read_text
from sitecms.content.fields.outputs import SchemaOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.token import Scope
from sitecms.documents import load_schema
from sitecms.runtime import Runtime
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.web.service import create_app


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


@pytest.fixture(autouse=True)
def phone_type() -> Iterator[None]:
    """Register the type for the time of a test."""
    register(PhoneType())
    yield
    unregister("phone")


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
    names = [each.name for each in field_types() if each.name != PhoneType.name]
    assert load_schema("field")["properties"]["type"]["examples"] == names
