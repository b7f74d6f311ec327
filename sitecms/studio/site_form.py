"""Forms of settings, made from content_schema/site.schema.json and the options that a theme declares.

A form carries the values that site.toml had when it was opened, so that a change by hand meanwhile is noticed. What
equals the value that holds anyway is not written.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from sitecms.actions.site_settings.site_file import Values, find_value
from sitecms.documents import load_schema
from sitecms.errors import InvalidFields
from sitecms.messages import N_
from sitecms.settings.fonts import FONT_STACKS, FONT_USES
from sitecms.settings.theme_folder import OPTIONS, ThemeFolder, declared_options
from sitecms.store.site_state.settings_changes import ValueChange
from sitecms.studio.sent_form import Form, names_in
from sitecms.studio.site_sections import Group
from sitecms.studio.texts import _, translation

SHOWN = "shown"
PICTURES = frozenset({"theme.logo", "theme.dark_logo", "theme.favicon", "theme.touch_icon"})
_WORDS = ("name", "description")
_OPTIONS = ("theme", OPTIONS)
_LABELS = {
    "url": N_("Address of the site"), "default_locale": N_("Main language"), "locales": N_("Languages"),
    "timezone": N_("Time zone"), "owner": N_("Author of posts that name none"), "theme.name": N_("Theme"),
    "theme.accent": N_("Colour of links and buttons"), "theme.background": N_("Background, light"),
    "theme.text": N_("Text, light"), "theme.dark_background": N_("Background, dark"),
    "theme.dark_text": N_("Text, dark"), "theme.color_scheme": N_("Light or dark"),
    "theme.dark_logo": N_("Logo in the dark scheme"), "theme.logo_alt": N_("Text of the logo"),
    "theme.touch_icon": N_("Icon for phones"), "theme.favicon": N_("Icon on the tab"),
    "theme.home": N_("Posts on the home page"), "theme.share": N_("Links that share a post"),
    "theme.body": N_("Place of the text"), "theme.progress": N_("Line that shows how much is read"),
    "theme.terms": N_("Order of categories, tags and authors"), "theme.footer_text": N_("Sentence at the foot"),
    "theme.footer_links": N_("Links at the foot"), "theme.social": N_("The site elsewhere"),
    "build.home": N_("Page at the root"), "build.page_size": N_("Posts on a page of a list"),
    "feeds.kinds": N_("Feeds of the site"), "feeds.length": N_("Posts in a feed"),
    "feeds.archives": N_("Feeds of categories, tags and authors"), "search.enabled": N_("Search"),
    "build.indexes": N_("Pages with all categories, tags and authors"), "theme.text_font": N_("Font of the text"),
    "theme.heading_font": N_("Font of headings"), "theme.interface_font": N_("Font of menus and buttons"),
    "theme.code_font": N_("Font of code"), "newsletter.privacy_page": N_("Page about privacy"),
    "contact_form.page": N_("Page with the form"), "comments.repository_id": N_("Id of the repository"),
    "comments.category_id": N_("Id of the category"), "comments.repository": N_("Repository"),
    "newsletter.consent": N_("Consent"),
    **{f"{table}.service": N_("Service") for table in ("comments", "analytics", "newsletter", "contact_form")},
    **{f"{table}.host": N_("Host") for table in ("comments", "analytics", "newsletter")},
    **{f"{table}.endpoint": N_("Endpoint") for table in ("newsletter", "contact_form")},
}  # fmt: skip
"""Labels of settings, where the last part of the name is none."""
HELPS = {
    "name": N_("At the top of every page, and in feeds."),
    "description": N_("One sentence, for search engines and feeds."),
    "url": N_("Where readers find the site, such as https://tide.example. Empty: links are relative."),
    "theme.name": N_("What the site looks like. Options of another theme are shown once it is saved."),
    "theme.logo": N_("Picture beside the name. Empty: the name alone."),
    "theme.favicon": N_("A small picture: SVG, PNG or ICO."),
    "theme.touch_icon": N_("A picture of at least 180 pixels. Empty: the icon on the tab or the logo, if it is such."),
    "default_locale": N_("Code of the language of texts that name none, such as en or pt-BR; one of the languages."),
    "locales": N_(
        "Codes of all languages of the site, one on each line, such as en or pt-BR. A language "
        "that texts are written in cannot be taken away before them."
    ),
    "owner": N_("Author of posts that name nobody."),
    "build.home": N_("What readers see first."),
    "timezone": N_("In which days and times are shown, and meant where no zone is written."),
}
"""What settings are for, where the sentence of the schema speaks of files."""


class Control(Struct, frozen=True):
    """A control of a form: what it is for, and what it shows.

    `kind` is `text`, `area`, `number`, `check`, `choice`, `choices`, `lines`, `color`, `picture`, `links` or `words`.
    `value` is as the kind has it: a text, True or False, a list of texts, pairs of label and address, or texts by
    locale. `raw` is the value in site.toml, None where it has none; `held` is the one that held when the form was
    opened.
    """

    key: tuple[str, ...]
    label: str
    help: str
    kind: str
    value: Any
    raw: Any
    held: Any
    options: tuple[tuple[str, str], ...] = ()
    rule: Mapping[str, Any] = {}

    @property
    def name(self) -> str:
        """The name of the control, and of its errors."""
        return ".".join(self.key)


class Choices(Struct, frozen=True):
    """What settings can name, by their keys, as value and label; `chain` are the folders of the theme."""

    locales: tuple[str, ...]
    chain: tuple[ThemeFolder, ...]
    by_key: Mapping[str, tuple[tuple[str, str], ...]]


def controls_of(groups: Iterable[Group], values: Values, choices: Choices) -> list[tuple[Group, list[Control]]]:
    """Return the controls of each group, with the values of site.toml and what holds where it has none."""
    result = []
    for group in groups:
        keys = group.keys
        if keys == (_OPTIONS,):
            keys = tuple((*_OPTIONS, name) for name in declared_options(choices.chain))
        if keys:
            result.append((group, [_control(key, values, choices) for key in keys]))
    return result


def typed_controls(
    form: Form, groups: list[tuple[Group, list[Control]]]
) -> tuple[list[tuple[Group, list[Control]]], dict[str, list[str]]]:
    """Return the controls with what was typed, and the errors of what is no value of its kind."""
    errors: dict[str, list[str]] = {}
    shown = _shown_values(form)
    typed = []
    for group, controls in groups:
        read = []
        for control in controls:
            value, error = _typed(form, control)
            if error:
                errors[control.name] = [error]
            raw, held = shown.get(control.name, (control.raw, control.held))
            read.append(msgspec.structs.replace(control, value=value, raw=raw, held=held))
        typed.append((group, read))
    return typed, errors


def changes_of(controls: Iterable[Control]) -> list[ValueChange]:
    """Return the changes of values: what was typed, where it is not what held anyway."""
    pairs = ((control, plain_value(control.kind, control.value)) for control in controls)
    return [
        ValueChange(control.key, control.raw, _written(control, value))
        for control, value in pairs
        if value != control.held
    ]


def plain_value(kind: str, value: Any) -> Any:
    """Return the value of a control as site.toml has it, with texts by locale always as a table."""
    match kind:
        case "links":
            return [{"label": label, "url": url} for label, url in value if label or url]
        case "words":
            return {locale: text for locale, text in value.items() if text}
    return value


def shown_values(groups: Iterable[tuple[Group, Sequence[Control]]]) -> str:
    """Return the values of site.toml that a form was opened with and those that held, for the form to carry."""
    return msgspec.json.encode({each.name: (each.raw, each.held) for each in all_controls(groups)}).decode()


def _shown_values(form: Form) -> dict[str, tuple[Any, Any]]:
    try:
        return msgspec.json.decode(form.get(SHOWN, "{}"), type=dict[str, tuple[Any, Any]])
    except msgspec.MsgspecError:
        raise InvalidFields({"": [_("The form did not arrive as a whole.")]}) from None


def _written(control: Control, value: Any) -> Any:
    """Return what is written for a value: one text for the default locale stays a text."""
    if control.kind != "words":
        return value
    only = next(iter(control.value))
    if isinstance(control.raw, dict) and len(control.value) > 1:
        return value
    return value.get(only, "") if not value.keys() - {only} else value


def _control(key: tuple[str, ...], values: Values, choices: Choices) -> Control:
    rule, name, raw = _rule(key, choices), ".".join(key), find_value(values, key)
    holds = _holding(key, raw, rule, choices, values)
    kind = _kind(name, rule)
    options = tuple(choices.by_key.get(name, ()))
    if kind == "choice" and not options:
        options = tuple((str(each), str(each) or _("none")) for each in rule["enum"])
    elif kind == "choices":
        options = tuple((each, each) for each in rule["items"]["enum"])
    elif kind == "choice" and holds not in (value for value, _label in options):
        options = (*options, (str(holds), str(holds)))
    label = name_of(key)
    value = _shown(kind, holds, choices)
    held = plain_value(kind, value)
    help_text = translation(HELPS.get(name) or str(rule.get("description", "")))
    return Control(key, label, help_text, kind, value, raw, held, options, rule)


def _rule(key: tuple[str, ...], choices: Choices) -> Mapping[str, Any]:
    if key[:2] == _OPTIONS:
        return declared_options(choices.chain)[key[2]]
    rule: Any = load_schema("site")
    for name in key:
        rule = rule["properties"][name]
    return dict(rule)


def _holding(key: tuple[str, ...], raw: Any, rule: Mapping[str, Any], choices: Choices, values: Values) -> Any:
    """Return the value that holds: that of site.toml, else that of the theme, else the default."""
    if key[0] == "theme" and len(key) == 2:
        defaults = {name: value for theme in choices.chain for name, value in theme.defaults.items()}
        if raw in (None, "") and key[1] in defaults:
            return defaults[key[1]]
    if raw is not None:
        return raw
    if key == ("locales",):
        return [values.get("default_locale", "en")]
    if key == ("feeds", "archives"):
        kinds = find_value(values, ("feeds", "kinds"))
        return (["rss"] if kinds is None else kinds)[:1]
    return rule.get("default", "")


def _kind(name: str, rule: Mapping[str, Any]) -> str:
    """Return the kind of the control of a setting."""
    if name in _WORDS:
        return "words"
    if name in PICTURES:
        return "picture"
    if "enum" in rule or name in ("owner", "build.home", "theme.name", *(f"theme.{use}" for use in FONT_USES)):
        return "choice"
    match rule.get("type"):
        case "boolean":
            return "check"
        case "integer" | "number":
            return "number"
        case "array":
            items = rule.get("items", {})
            return "links" if items.get("type") == "object" else "choices" if "enum" in items else "lines"
    if "{6}" in rule.get("pattern", "") and "0-9a-fA-F" in rule.get("pattern", ""):
        return "color"
    return "area" if rule.get("maxLength", 0) >= 300 and "pattern" not in rule else "text"


def _shown(kind: str, holds: Any, choices: Choices) -> Any:
    """Return a value as a control of the kind has it."""
    match kind:
        case "words":
            texts = holds if isinstance(holds, dict) else {choices.locales[0]: holds}
            return {locale: str(texts.get(locale, "")) for locale in choices.locales}
        case "links":
            return [(each["label"], each["url"]) for each in holds]
        case "check" | "lines" | "choices" | "number":
            return holds
    return str(holds)


def _typed(form: Form, control: Control) -> tuple[Any, str]:
    """Return what was typed into a control, and "" or what is wrong with it; a missing field changes nothing."""
    name = control.name
    match control.kind:
        case "check":
            return name in form, ""
        case "choices":
            return [value for value, _label in control.options if value in form.getlist(name)], ""
        case "words":
            return {each: form.get(f"{name}:{each}", text).strip() for each, text in control.value.items()}, ""
        case "links":
            labels, addresses = form.getlist(f"{name}.label"), form.getlist(f"{name}.url")
            return [
                (label.strip(), url.strip()) for label, url in zip(labels, addresses, strict=False) if label or url
            ], ""
        case "lines" if name in form:
            return names_in(form[name]), ""
        case "number" if name in form:
            return _number(form[name], control)
        case "choice" if name in form and control.rule.get("type") in ("integer", "number"):
            return _number(form[name], control)
        case "text" | "area" | "color" | "picture" | "choice" if name in form:
            return " ".join(form[name].split()), ""
    return control.value, ""


def _number(text: str, control: Control) -> tuple[Any, str]:
    try:
        return (int(text) if control.rule.get("type") == "integer" else float(text)), ""
    except ValueError:
        return control.value, _("Type a number.")


def name_of(key: Sequence[str]) -> str:
    """Return what people call a setting."""
    return _(_LABELS.get(".".join(key)) or key[-1].replace("_", " ").capitalize())


def font_options(families: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the fonts that a setting can name."""
    return (("", _("as the theme has it")), *((name, name) for name in (*FONT_STACKS, *dict.fromkeys(families))))


def all_controls(groups: Iterable[tuple[Group, Sequence[Control]]]) -> Iterator[Control]:
    """Yield the controls of all groups."""
    return (control for _group, controls in groups for control in controls)
