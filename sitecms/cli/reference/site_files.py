"""The chapters about files of the site folder: settings, keys of content files, keys of the schema.

They are made from the JSON Schemas in content_schema/: each key with its meaning, form, default and example.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sitecms.cli.reference.markdown import Chapter, as_code, code, fence, lines, table
from sitecms.documents import load_schema
from sitecms.settings.site import SETTINGS_FILE

Schema = Mapping[str, Any]
_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "array": "list",
    "object": "table of keys",
}
_MARKS = {"maxLength": "at most {} characters", "maxItems": "at most {} entries", "minItems": "at least {}"}
_SETTING_EXAMPLES: dict[str, Any] = {"metrics.token": "prometheus", "serve.hsts_seconds": 0}
"""Values of settings in place of the declared examples, which need a token or another setting."""
_CONTENT: Mapping[str, tuple[str, str, str]] = {
    "post": (
        "Posts",
        "content/posts/slack-water.md",
        (
            "---\ntitle: Slack water\nstatus: published\npublished: 2026-03-01T08:00:00Z\ncategories: [Tides]\n"
            "summary: When the sea holds its breath.\n---\nThe body, in Markdown."
        ),
    ),
    "page": (
        "Pages",
        "content/pages/_single/imprint.yaml",
        (
            "title: Imprint\nslug: imprint\nstatus: published\nfields:\n  body: <p>Ann Ray, Harbour Street 1</p>\n"
            "  description: Who is responsible for this site."
        ),
    ),
    "items": (
        "Items of collections",
        "content/collections/team.yaml",
        "- id: 1\n  fields: {name: Ann Ray, role: Editor}\n- id: 2\n  status: draft\n  fields: {name: Bo Lund}",
    ),
    "authors": (
        "Authors",
        "content/authors.yaml",
        "- {slug: ann-ray, first_name: Ann, last_name: Ray, title: Editor, bio: Ann writes about the sea.}",
    ),
    "terms": (
        "Categories and tags",
        "content/categories.yaml",
        "- {name: Tides, slug: tides, aliases: [/topics/tides/]}",
    ),
    "media": (
        "Media",
        "content/media.yaml",
        "- {file: media/harbour.svg, alt: Boats lie in the harbour., focus: {x: 0.3, y: 0.6}, tags: [Harbour]}",
    ),
    "redirects": ("Redirects", "redirects.yaml", "- {from: /old-shop/, to: /blog/, status: 302}"),
}
_SCHEMA: Mapping[str, tuple[str, str, str]] = {
    "page_type": (
        "Page types",
        "schema/page_types/guide.yaml",
        (
            "slug: guide\nname: Guide\nfields:\n  - {slug: headline, type: short_text, required: true}\n"
            "  - {slug: body, type: long_text, help: Markdown.}"
        ),
    ),
    "collection": (
        "Collections",
        "schema/collections/team.yaml",
        (
            "key: team\nname: Team\nlabel: name\nroute: /team/{slug}/\nfields:\n"
            "  - {slug: name, type: short_text, required: true}\n  - {slug: role, type: short_text}"
        ),
    ),
    "component": (
        "Components",
        "schema/components/quote.yaml",
        (
            "slug: quote\nname: Quote\nfields:\n  - {slug: text, type: long_text, required: true}\n"
            "  - {slug: by, name: Said by, type: short_text}"
        ),
    ),
    "post_fields": (
        "Fields of posts",
        "schema/post.yaml",
        "fields:\n  - {slug: rating, type: number, help: From 1 to 5}\n  - {slug: verdict, type: wysiwyg}",
    ),
    "field": ("Fields", "", ""),
}


def chapters() -> Iterator[Chapter]:
    """Yield the chapters."""
    yield _settings_chapter()
    yield _theme_chapter()
    yield Chapter(
        "content-files",
        "Keys of content files",
        "Every key that posts, pages, items, authors, terms and redirects may have.",
        lines(
            "The rules behind these keys are in [The site folder](/site-folder/). An unknown key is an error that "
            "names the nearest known one.",
            *(_section(name, *facts) for name, facts in _CONTENT.items()),
        ),
    )
    yield Chapter(
        "schema-keys",
        "Keys of the schema",
        "Every key of page types, collections, components, Single Pages, posts and their fields.",
        lines(
            "The folder `schema/` declares the fields of your content. A Single Page has the fields `body`, "
            "`description` and `image`, unless `schema/single_pages/<slug>.yaml` declares others with the keys of "
            "a page type. [Field types](/field-types/) describes the types.",
            *(_section(name, *facts) for name, facts in _SCHEMA.items()),
        ),
    )


def _theme_chapter() -> Chapter:
    schema = load_schema("theme")
    rules = dict(schema["properties"])
    options, needs = rules.pop("options"), rules.pop("needs")
    body = lines(
        "A theme is a folder with a `theme.toml` ([A theme of your own](/your-own-theme/#a-theme-to-share)). A key "
        "that is not known is an error that names the nearest known one.",
        "## Keys",
        *(describe(name, rule, is_required=name in schema["required"]) for name, rule in rules.items()),
        "### `options`",
        options["description"],
        inner_table(options["additionalProperties"]),
        *(describe(name, rule) for name, rule in keys_of(needs, "needs.")),
    )
    return Chapter("theme-keys", "Keys of theme.toml", "Every key of a theme, its options and what it needs.", body)


def _section(name: str, title: str, file: str, example: str) -> str:
    schema: Schema = load_schema(name)
    each = schema.get("items", schema)
    required = each.get("required", ())
    language = "markdown" if file.endswith(".md") else "yaml"
    return lines(
        f"## {title}",
        schema["description"],
        fence(example, language, file) if example else "",
        *(describe(key, rule, is_required=key in required) for key, rule in each["properties"].items()),
    )


def _settings_chapter() -> Chapter:
    schema = load_schema("site")
    plain = {name: rule for name, rule in schema["properties"].items() if "properties" not in rule}
    tables = {name: rule for name, rule in schema["properties"].items() if "properties" in rule}
    body = lines(
        f"`{SETTINGS_FILE}` in the site folder holds the settings of the site. `name` is the only one that you have to "
        "set. A key that is not known is an error that names the nearest known one.",
        "## The site",
        *(describe(name, rule, is_required=name in schema["required"]) for name, rule in plain.items()),
        *(_table(name, rule) for name, rule in tables.items()),
    )
    summary = "Every setting of site.toml with its meaning, form, default and example."
    return Chapter("settings", "Settings", summary, body)


def _table(name: str, rule: Schema) -> str:
    keys = list(keys_of(rule, f"{name}."))
    return lines(
        f"## [{name}]",
        rule["description"],
        fence(example(name, rule), "toml", SETTINGS_FILE),
        *(describe(key, inner) for key, inner in keys),
    )


def example(name: str, rule: Schema) -> str:
    """Return a table of site.toml in which each key has its example, or else its default."""
    values, inner = [], []
    for key, each in rule["properties"].items():
        if "properties" in each:
            inner.append(example(f"{name}.{key}", each))
            continue
        value = _SETTING_EXAMPLES.get(f"{name}.{key}", each.get("examples", [each.get("default")])[0])
        if value not in (None, "", [], {}):
            values.append(f"{key} = {_toml(value)}")
    return "\n".join([f"[{name}]", *values, *(f"\n{text}" for text in inner)])


def _toml(value: object) -> str:
    """Return a value of an example as TOML; an object as a table in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {_toml(each)}' for key, each in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)


def keys_of(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield each key that is not a table, by its dotted name, and its schema; keys of tables replace the table."""
    for name, rule in schema.get("properties", {}).items():
        if "properties" in rule:
            yield from keys_of(rule, f"{prefix}{name}.")
        else:
            yield prefix + name, rule


def describe(name: str, rule: Schema, *, is_required: bool = False) -> str:
    """Return the section of one key: heading, meaning, facts, and the keys inside a list of objects."""
    facts = [form(rule)]
    if is_required:
        facts.append("required")
    elif "default" in rule and rule["default"] not in ("", [], {}):
        facts.append(f"default {as_code(rule['default'])}")
    if rule.get("examples"):
        facts.append(f"example {as_code(rule['examples'][0])}")
    inner = rule.get("items", {})
    return lines(f"### {code(name)}", rule["description"], f"*{_sentence(facts)}*", inner_table(inner))


def inner_table(schema: Schema) -> str:
    """Return the table of the keys of an object; "" for any other schema."""
    required = schema.get("required", ())
    rows = [
        (
            code(name),
            rule["description"],
            "; ".join([form(rule), *(["required"] if name in required else _default(rule))]),
        )
        for name, rule in schema.get("properties", {}).items()
    ]
    return table(("Key", "Meaning", "Form"), rows)


def form(rule: Schema) -> str:
    """Return the form of a value in words, such as `whole number, 1 to 100`."""
    if "$ref" in rule:
        return "an object of the same keys"
    if "anyOf" in rule:
        return ", or ".join(dict.fromkeys(form(part) for part in rule["anyOf"]))
    if "enum" in rule:
        return "one of " + ", ".join(as_code(value) for value in rule["enum"] if value is not None)
    kinds = [kind for kind in _listed(rule.get("type", "any")) if kind != "null"]
    if rule.get("format") == "day-or-time":
        return "day or time, as `2026-03-01` or `2026-03-01T08:00:00Z`"
    word = " or ".join(_WORDS.get(kind, "any value") for kind in kinds)
    if kinds == ["array"]:
        word = f"list of {_plural(form(rule['items']))}"
    elif kinds == ["object"] and isinstance(rule.get("additionalProperties"), dict):
        word = f"an object with {form(rule['additionalProperties'])} for each key"
    return ", ".join([word, *_bounds(rule)])


def _bounds(rule: Schema) -> Iterator[str]:
    low, high = rule.get("minimum", rule.get("exclusiveMinimum")), rule.get("maximum")
    if low is not None and high is not None:
        yield f"{'above ' if 'exclusiveMinimum' in rule else ''}{low:,} to {high:,}"
    elif low is not None:
        yield f"at least {low:,}"
    yield from (words.format(f"{rule[mark]:,}") for mark, words in _MARKS.items() if rule.get(mark, 1) > 1)


def _default(rule: Schema) -> list[str]:
    return [f"default {as_code(rule['default'])}"] if rule.get("default") not in (None, "", []) else []


def _plural(words: str) -> str:
    return {"text": "texts", "whole number": "whole numbers", "number": "numbers", "table of keys": "objects"}.get(
        words.partition(",")[0], words
    )


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _sentence(facts: list[str]) -> str:
    text = "; ".join(facts)
    return f"{text[:1].upper()}{text[1:]}."
