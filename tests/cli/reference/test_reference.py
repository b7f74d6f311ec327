"""The reference chapters: nothing of the code is missing, everything has a description, every example is valid."""

import base64
import hashlib
import hmac
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from jinja2 import Template

from sitecms.actions.loading import load_site
from sitecms.api.app import ENDPOINTS
from sitecms.api.errors import STATUSES
from sitecms.api.openapi.responses import ERRORS, WRITE_ERRORS
from sitecms.api.params import PARAMETERS
from sitecms.api.write_handler import WRITE_ENDPOINTS
from sitecms.cli.commands.manual import TEXTS, reference_chapters
from sitecms.cli.main import COMMANDS
from sitecms.cli.reference import commands, field_types, hooks, templates, webhooks
from sitecms.cli.reference.endpoints import messages
from sitecms.cli.reference.markdown import Chapter
from sitecms.cli.reference.site_files import keys_of
from sitecms.clock import now
from sitecms.content import fields as field_module
from sitecms.content.webhooks.event import EventKind
from sitecms.documents import dump_yaml, load_schema
from sitecms.plugins.hooks import all_hooks
from sitecms.resources import resource_dir
from sitecms.settings.site import load_settings
from sitecms.site.build import build_site
from sitecms.site.options import BuildOptions
from sitecms.site.theme.style import contrast
from sitecms.store.opening import open_database

BOTH_SCHEMES = {"text", "background", "dark_text", "dark_background"}
SCHEMAS = {
    "content-files": ("post", "page", "items", "authors", "terms", "media", "redirects"),
    "schema-keys": ("page_type", "collection", "component", "post_fields", "field"),
}


@pytest.fixture(scope="module")
def chapters() -> Mapping[str, Chapter]:
    """All reference chapters by slug."""
    return {chapter.slug: chapter for chapter in reference_chapters()}


def sections(body: str) -> Mapping[str, str]:
    """The text below each heading, by the heading without its marks."""
    parts = re.split(r"^#+ (.+)$", re.sub(r"```.*?```", "", body, flags=re.DOTALL), flags=re.MULTILINE)
    return {heading.strip("`"): text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}


def fences(body: str) -> Iterator[tuple[str, str, str]]:
    """The language, the title and the text of each block of code."""
    for match in re.finditer(r'^```(\S+)(?: title="([^"]*)")?\n(.*?)^```$', body, re.DOTALL | re.MULTILINE):
        yield match[1], match[2] or "", match[3]


def test_each_setting_is_described(chapters: Mapping[str, Chapter]) -> None:
    """A setting without a section, or without a sentence in it, is missing in the manual."""
    described = sections(chapters["settings"].body)
    names = [name for name, _ in keys_of(load_schema("site"))]
    assert len(names) > 80
    assert [name for name in names if not described.get(name, "").partition("*")[0].strip()] == []


def test_examples_of_settings_are_valid(chapters: Mapping[str, Chapter], tmp_path: Path) -> None:
    """All tables of the chapter together are a site.toml that opens."""
    tables = [text for language, _, text in fences(chapters["settings"].body) if language == "toml"]
    assert len(tables) == sum("properties" in rule for rule in load_schema("site")["properties"].values())
    fonts = '[[theme.fonts]]\nfamily = "humanist"\nfile = "a.woff2"\n'
    (tmp_path / "site.toml").write_text('name = "Tide"\n' + "\n".join(tables) + fonts, encoding="utf-8")
    assert load_settings(tmp_path, with_plugins=False).name == "Tide"


@pytest.mark.parametrize("slug", SCHEMAS)
def test_each_key_of_files_is_described(slug: str, chapters: Mapping[str, Chapter]) -> None:
    """Each property of the JSON Schemas has a section with a sentence, in the part of its file."""
    parts = re.split(r"^## .+$", chapters[slug].body, flags=re.MULTILINE)[1:]
    for name, part in zip(SCHEMAS[slug], parts, strict=True):
        schema = load_schema(name)
        keys, described = schema.get("items", schema)["properties"], sections(part)
        assert [key for key in keys if not described.get(key, "").partition("*")[0].strip()] == [], name


def test_examples_of_files_and_field_types_load(chapters: Mapping[str, Chapter], tmp_path: Path) -> None:
    """The files that the chapters show, and a page with a field of every type, make one site without an error."""
    site = tmp_path / "site"
    files = {title: text for slug in SCHEMAS for _, title, text in fences(chapters[slug].body) if title}
    declared = [text for _, title, text in fences(chapters["field-types"].body) if title == "fields"]
    values = [text for _, title, text in fences(chapters["field-types"].body) if title == "values"]
    assert len(declared) == len(values) == len(field_module.built_in_types())
    files |= {
        "site.toml": 'name = "Tide"\nurl = "https://tide.example"\n[search]\nenabled = false\n',
        "schema/page_types/all.yaml": "fields:\n" + "".join(declared),
        "content/pages/all/one.yaml": "title: One\nstatus: published\nfields:\n  "
        + "".join(values).replace("\n", "\n  ").rstrip()
        + "\n",
        "media/harbour.svg": (resource_dir("starters") / "blog/media/harbour.svg").read_text(encoding="utf-8"),
    }
    for name, text in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    settings = load_settings(site)
    database = open_database(settings.store, create=True)
    try:
        assert load_site(database, settings, now()).errors == ()
        assert build_site(database, settings, site / "public", BuildOptions()).failed == {}
    finally:
        database.close()
    assert "Where the water turns" in (site / "public/all/one/index.html").read_text(encoding="utf-8")


def test_each_field_type_has_a_description_and_an_example(chapters: Mapping[str, Chapter]) -> None:
    """A new type needs a docstring, words for templates, and an example."""
    described = sections(chapters["field-types"].body)
    for each in field_module.built_in_types().values():
        assert described[each.name].partition("- ")[0].strip(), each.name
        assert each.template_hint, each.name
        assert each.name in field_types.EXAMPLES, each.name


def test_each_value_of_templates_is_described(chapters: Mapping[str, Chapter]) -> None:
    """Each attribute of what templates see has a meaning, and each class a section."""
    described = sections(chapters["templates"].body)
    classes = templates.value_classes()
    assert {"SiteView", "PostView", "PageView", "Outline"} <= {each.__name__ for each in classes}
    for each in classes:
        assert described[each.__name__].partition("|")[0].strip(), each
        assert [name for name, kind, meaning in templates.attributes(each) if not (kind and meaning)] == [], each


def test_each_template_says_what_it_is_for(chapters: Mapping[str, Chapter]) -> None:
    """Each template of the theme begins with a comment that the manual shows."""
    assert [each.name for each in templates.template_files() if not each.purpose] == []
    described = sections(chapters["templates"].body)
    assert {each.name for each in templates.template_files()} <= set(described)


@pytest.mark.slow
def test_each_variable_of_a_template_is_named(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lend_derived: Callable[[Path], None]
) -> None:
    """What the pages of the sample site are rendered with stands in the comment of their template."""
    seen: dict[str, set[str]] = {}
    original = Template.generate

    def watched(self: Template, *contexts: Mapping[str, object]) -> Iterator[str]:
        seen.setdefault(self.name or "", set()).update(name for each in contexts for name in each if name[0] != "_")
        return original(self, *contexts)

    monkeypatch.setattr(Template, "generate", watched)
    shutil.copytree(repo / "sample_site", tmp_path / "site", ignore=shutil.ignore_patterns(".sitecms", "public"))
    lend_derived(tmp_path / "site")
    settings = load_settings(tmp_path / "site")
    database = open_database(tmp_path / "store.db", create=True)
    try:
        load_site(database, settings, now())
        build_site(database, settings, tmp_path / "public", BuildOptions(jobs=1))
    finally:
        database.close()
    named = {each.name: set(re.findall(r"\w+", each.context)) for each in templates.template_files()}
    assert {"post.html", "blog.html", "home.html", "sitemap.xml"} <= set(seen)
    missing = {name: keys - named[name] - set(templates.SHARED) for name, keys in seen.items() if name in named}
    assert {name: keys for name, keys in missing.items() if keys} == {}


def test_each_filter_and_function_is_described(chapters: Mapping[str, Chapter]) -> None:
    """Each has a docstring that the manual shows; each filter an example, which is rendered."""
    described = sections(chapters["filters"].body)
    for name, function in {**templates.own_filters(), **templates.own_functions()}.items():
        assert templates.meaning_of(name, function), name
        assert described[name], name
    assert set(templates.EXAMPLES) == set(templates.own_filters())
    assert "1 March 2026" in chapters["filters"].body or "March 1, 2026" in chapters["filters"].body


def test_each_command_is_described(chapters: Mapping[str, Chapter]) -> None:
    """Each command and option has a help text, and each command that does something an example."""
    described = sections(chapters["commands"].body)
    found = list(commands.commands())
    assert {f"sitecms {name}" for name in COMMANDS} <= {name for name, _, _ in found}
    for name, command, _ in found:
        assert described[name], name
        assert [each for each in command.params if isinstance(each, click.Option) and not each.help] == [], name
        if not isinstance(command, click.Group):
            assert "Example:" in described[name], name


def test_each_hook_is_described(chapters: Mapping[str, Chapter]) -> None:
    """Each hook has a text, its arguments and an example; each value its module, attributes and methods."""
    described = sections(chapters["hooks"].body)
    for name, hook in all_hooks().items():
        assert described[name].partition("Arguments")[0].strip(), name
        assert hooks.example_of(hook).strip() in chapters["hooks"].body, name
    for each in hooks.VALUES:
        text = described[each.__name__]
        assert f"In `{each.__module__}`." in text, each
        assert "Attributes: `" in text or "\n- `" in text, each
    assert "- `whole_posts`" in described["CheckedSite"]
    assert "- `read`" in described["Reader"]
    assert "- `posts`" in described["Entries"]


def test_each_event_has_a_meaning_and_a_message(chapters: Mapping[str, Chapter]) -> None:
    """The table has every event, and the messages every form of data."""
    assert set(webhooks.MEANINGS) == set(EventKind)
    assert all(f"`{kind.value}`" in chapters["webhook-events"].body for kind in EventKind)
    forms = {str(event.kind).rpartition(".")[0] for event in webhooks.examples()}
    assert forms == {str(kind).rpartition(".")[0] for kind in EventKind}


def test_shown_signature_is_valid() -> None:
    """The headers of the example hold the HMAC of its body, as Standard Webhooks describes."""
    event = next(webhooks.examples())
    headers = webhooks.headers(event)
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + webhooks.body_of(event)
    key = base64.b64decode(webhooks.SECRET.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"


def test_each_path_and_parameter_is_described(chapters: Mapping[str, Chapter]) -> None:
    """Every endpoint and every query parameter is in the chapter."""
    body = chapters["api-paths"].body.replace("{", "<").replace("}", ">")
    assert [each.path for each in (*ENDPOINTS, *WRITE_ENDPOINTS) if f"{each.path}`" not in body] == []
    described = sections(chapters["api-paths"].body)
    assert [name for name in PARAMETERS if not described[name]] == []


def test_each_status_is_described(chapters: Mapping[str, Chapter]) -> None:
    """Every status that an error of the program becomes has a section with a body."""
    statuses = {status for _, status in STATUSES}
    assert statuses <= set(ERRORS) | set(WRITE_ERRORS)
    assert all(re.search(rf"^### {status} ", chapters["errors"].body, re.MULTILINE) for status in statuses)


def test_messages_of_real_errors_are_listed(client: Any, chapters: Mapping[str, Chapter]) -> None:
    """What the API answers wrong requests with is in the chapter, values aside."""
    known = [
        re.compile(re.sub(r"<[^>]*>", ".*", re.escape(each.text).replace(r"\ ", " ").replace(r"\<", "<")))
        for each in messages()
    ]
    answers = [
        client.get("/v2/posts/?page=1&limit=1"), client.get("/v2/posts/?locale=xx"), client.get("/v2/posts/none/"),
        client.get("/v2/pages/none/?levels=x"), client.get("/v2/content/none/"),
        client.post("/v2/posts/", []), client.post("/v2/posts/", {}),
        client.post("/v2/posts/", {"title": 1, "slug": "search", "status": "x", "tags": "x", "author": "nobody"}),
        client.post("/v2/pages/", {}), client.post("/v2/pages/", {"title": "A", "slug": "a", "page_type": "none"}),
    ]  # fmt: skip
    texts = [text for answer in answers for text in said(answer)]
    assert len(texts) >= len(answers)
    assert [text for text in texts if not any(each.fullmatch(text) for each in known)] == []
    assert all(each.text.replace("|", r"\|") in chapters["errors"].body for each in messages())


def said(value: Any) -> list[str]:
    """The messages in the body of an error, at any depth."""
    if isinstance(value, str):
        return [value]
    return [text for inner in (value.values() if isinstance(value, dict) else value) for text in said(inner)]


@pytest.fixture
def client(tmp_path: Path) -> Any:
    """An API of a site with nothing in it; `get` and `post` return the bodies of answers."""
    from sitecms.content.token import Scope, new_secret, secret_digest
    from sitecms.runtime import open_runtime
    from sitecms.store.writes.tokens import insert_token
    from sitecms.web.service import create_app

    (tmp_path / "site.toml").write_text('name = "Tide"\nlocales = ["en", "es"]\n', encoding="utf-8")
    settings = load_settings(tmp_path)
    open_database(settings.store, create=True).close()
    runtime = open_runtime(settings)
    secret = new_secret()
    runtime.database.write(insert_token, "test", Scope.WRITE, secret_digest(secret), runtime.clock(), None)
    asking = create_app(runtime).test_client()
    headers = {"Authorization": f"Token {secret}"}

    class Client:
        """The two requests that the test sends."""

        def get(self, path: str) -> Any:
            return asking.get(path, headers=headers).get_json()

        def post(self, path: str, body: object) -> Any:
            return asking.post(path, json=body, headers=headers).get_json()

    yield Client()
    runtime.database.close()


def test_shipped_texts_are_chapters_as_they_are(chapters: Mapping[str, Chapter]) -> None:
    """The texts that the code cites are in the manual without a change but their links to each other."""
    for slug, (file, _, _) in TEXTS.items():
        folder, _, name = file.partition("/")
        lines = (resource_dir(folder) / name).read_text(encoding="utf-8").splitlines()[1:]
        assert [line for line in lines if "](" not in line and line not in chapters[slug].body.splitlines()] == []


def test_chapters_are_files_of_the_manual(chapters: Mapping[str, Chapter]) -> None:
    """Front matter survives characters that YAML reads as marks."""
    chapter = Chapter("a", 'Title: "x" #1', "A summary: short.", "Text.")
    assert dump_yaml({"title": chapter.title}).strip() in chapter.to_file()
    assert all(len(chapter.summary) <= 300 and chapter.title for chapter in chapters.values())


def test_example_colours_can_be_read_together() -> None:
    """Whoever copies the examples of text and background sees both, in each scheme."""
    declared = load_schema("site")["properties"]["theme"]["properties"]
    colours = {name: rule["examples"][0] for name, rule in declared.items() if name in BOTH_SCHEMES}
    assert set(colours) == BOTH_SCHEMES
    assert contrast(colours["text"], colours["background"]) >= 7
    assert contrast(colours["dark_text"], colours["dark_background"]) >= 7
