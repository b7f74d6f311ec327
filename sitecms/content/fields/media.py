"""Media: an address in the media library or elsewhere, and the alt text."""

import re
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import ClassVar

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.cleaning import Context, as_table, read_text
from sitecms.content.fields.field_type import FieldType
from sitecms.content.fields.outputs import FileOutput, JsonOutput, SchemaOutput, TemplateOutput, YamlOutput
from sitecms.content.json_schema import JsonSchema, one_of, record, ref
from sitecms.content.media import MEDIA_NAME, MEDIA_PREFIX
from sitecms.content.query import FieldMatch, Key, QueryStep
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.messages import N_, Text
from sitecms.web_address import split_address

MAX_ALT_LENGTH = 255  # API reference, Limits
MAX_URL_LENGTH = 2000
NO_FILE = N_("There is no file that this could describe: send url too.")
ALT_TEXT_REMOVED = "The alt text was removed, since a plain URL has none; to keep it, send {url, alt}."
_LOCAL = (MEDIA_PREFIX, MEDIA_PREFIX.removeprefix("/"))
_REMOTE_PICTURE = "https://example.com/picture.jpg"
_ADDRESS: JsonSchema = {
    "type": "string",
    "description": "Address.",
    "examples": ["https://api.example/media/5f2c.jpg"],
}
_WRITTEN: JsonSchema = record(
    {
        "url": {"type": "string", "description": "http or https, or media/ and a name. Left out: the stored one."},
        "alt": {"type": "string", "maxLength": MAX_ALT_LENGTH, "description": "What it shows."},
    },
    optional=("url", "alt"),
)


class MediaType(FieldType):
    """A URL, or `{url, alt}`; stored as `{"url", "alt"}`, None if unset.

    Without a URL the stored file stays and gets the alt text. An object without alt text keeps that of an unchanged
    URL; another URL, and a plain URL, remove it (API reference, Writes).
    """

    name: ClassVar[str] = "media"
    empty: ClassVar[FieldValue] = None
    input_hint: ClassVar[str] = "{url: media/..., alt: what the picture shows}"
    template_hint: ClassVar[str] = "ImageView, or None"
    stored_types: ClassVar[tuple[type, ...]] = (dict,)
    is_sortable: ClassVar[bool] = False

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:
        """Return the address to store, and the alt text."""
        is_plain = value is None or isinstance(value, str)
        table = {"url": value or ""} if is_plain else as_table(value)
        if table is None or not table.keys() <= {"url", "alt"}:
            context.report(N_("Must be a URL, or an object with url and alt."))
            return None
        url = _url(table["url"], context) if "url" in table else _stored_url(table, context)
        alt = _alt(table, url, context)
        if is_plain and alt:
            from sitecms.content.text.removed_markup import Dropped  # with the patterns of the sanitiser

            context.warn(Dropped(ALT_TEXT_REMOVED, alt))
            alt = ""
        is_unknown = not url and "url" not in table and not context.is_settled
        return {"url": url, "alt": alt} if url or is_unknown else None

    def lacks_alt_text(self, value: FieldValue) -> bool:
        """Return whether there is a file without alt text."""
        return isinstance(value, dict) and bool(value.get("url")) and not str(value.get("alt") or "").strip()

    def matches(self, steps: tuple[QueryStep, ...], spec: FieldSpec, text: str, zone: tzinfo) -> Iterator[FieldMatch]:
        """Yield the condition that the address is equal."""
        yield FieldMatch((*steps, Key("url")), self.wanted(spec, text, zone))

    def wanted(self, spec: FieldSpec, text: str, zone: tzinfo) -> tuple[FieldValue, ...]:
        """Return the stored address; a media file is also found by its address on any server, as reads show it."""
        if not text:
            return (None,)
        local = MEDIA_NAME.search(text)
        return (text, local[0]) if local and local[0] != text else (text,)

    def to_json(self, value: FieldValue, spec: FieldSpec, levels: int, output: JsonOutput) -> object:
        """Return the address, or an object with the alt text, if there is one."""
        stored = value if isinstance(value, dict) else {}
        url = output.media(str(stored.get("url") or ""))
        if not output.alt_media_text:
            return url
        alt = output.text(str(stored.get("alt") or ""))
        return {"url": url, "alt": alt} if alt else {"url": url}

    def read_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return an address or an object."""
        return one_of(_ADDRESS, ref("MediaObject"))

    def write_schema(self, spec: FieldSpec, output: SchemaOutput) -> JsonSchema:
        """Return an address or an object."""
        return one_of({"type": "string"}, _WRITTEN)

    def placeholder(self, spec: FieldSpec, output: YamlOutput) -> FieldValue:
        """Return the first picture in media/, else a remote one."""
        return {"url": output.picture() or _REMOTE_PICTURE, "alt": ""}

    def to_file(
        self, value: FieldValue, spec: FieldSpec, schema: ContentSchema, output: FileOutput, *, is_draft: bool
    ) -> FieldValue:
        """Return the path and the alt text."""
        return {**value, "url": output.address(str(value.get("url") or ""))} if isinstance(value, dict) else value

    def to_template(self, value: FieldValue, spec: FieldSpec, levels: int, output: TemplateOutput) -> object:
        """Return the image or None."""
        return output.image(str(value.get("url", "")), str(value.get("alt", ""))) if isinstance(value, dict) else None


class FeaturedImageType(MediaType):
    """The picture of a page or item, as posts have one."""

    name: ClassVar[str] = "featured_image"
    template_type: ClassVar[str] = "media"


def _stored_url(table: Mapping[str, object], context: Context) -> str:
    stored = as_table(context.current) or {}
    if table and not stored and context.is_settled:
        context.report(NO_FILE)
    return str(stored.get("url") or "")


def _alt(table: Mapping[str, object], url: str, context: Context) -> str:
    if "alt" not in table:
        stored = as_table(context.current) or {}
        return str(stored.get("alt") or "") if stored.get("url") == url else context.alts.get(url, "")
    alt = read_text(table["alt"], context.at("alt"))
    if len(alt) > MAX_ALT_LENGTH:
        context.at("alt").report(Text("Ensure this field has no more than %(limit)s characters.", limit=MAX_ALT_LENGTH))
    return alt


def _url(value: object, context: Context) -> str:
    url = read_text(value, context).strip()
    if not url:
        return ""
    if not _is_address(url):
        context.report(N_("Must be an http or https URL, or media/ and the name of a file in the media library."))
        return ""
    return context.lookup.media(url, context.report) or ""


def _is_address(url: str) -> bool:
    """Return whether it is a remote address with a host, or a path that stays within the media folder."""
    if len(url) > MAX_URL_LENGTH:
        return False
    if url.startswith(_LOCAL):
        return not {"", ".", ".."} & set(url.removeprefix("/").split("/"))
    parts = split_address(url)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", url)
