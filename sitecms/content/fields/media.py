"""Media: an address in the media library or elsewhere, and what the picture shows."""

import re
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import urlsplit

from sitecms.content.field_value import FieldValue
from sitecms.content.fields.field import Context, Field, as_table
from sitecms.content.fields.text import read_text
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.schema.types import FieldSpec

MAX_ALT_LENGTH = 255  # specification, Limits
MAX_URL_LENGTH = 2000
NO_FILE = "There is no file that this could describe: send url too."
_LOCAL = (MEDIA_PREFIX, MEDIA_PREFIX.removeprefix("/"))


class MediaField(Field):
    """A URL, or `{url, alt}`; stored as `{"url", "alt"}`, None if unset.

    Without a URL the stored file keeps its place and gets the alt text. Where no alt text is sent, an unchanged URL
    keeps the stored one; another URL takes it away (specification, Create collection item).
    """

    empty: ClassVar[FieldValue] = None

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:  # noqa: ARG002
        if value is None or isinstance(value, str):
            value = {"url": value or ""}
        table = as_table(value)
        if table is None or not table.keys() <= {"url", "alt"}:
            context.report("Must be a URL, or an object with url and alt.")
            return None
        url = self._url(table["url"], context) if "url" in table else self._stored_url(table, context)
        alt = self._alt(table, url, context)
        is_unknown = not url and "url" not in table and not context.is_settled
        return {"url": url, "alt": alt} if url or is_unknown else None

    def _stored_url(self, table: Mapping[str, object], context: Context) -> str:
        stored = as_table(context.current) or {}
        if table and not stored and context.is_settled:
            context.report(NO_FILE)
        return str(stored.get("url") or "")

    def _alt(self, table: Mapping[str, object], url: str, context: Context) -> str:
        if "alt" not in table:
            stored = as_table(context.current) or {}
            return str(stored.get("alt") or "") if stored.get("url") == url else context.alts.get(url, "")
        alt = read_text(table["alt"], context.at("alt"))
        if len(alt) > MAX_ALT_LENGTH:
            context.at("alt").report(f"Ensure this field has no more than {MAX_ALT_LENGTH} characters.")
        return alt

    def _url(self, value: object, context: Context) -> str:
        url = read_text(value, context).strip()
        if not url:
            return ""
        if not _is_address(url):
            context.report("Must be an http or https URL, or media/ and the name of a file in the media library.")
            return ""
        stored = context.lookup.media(url)
        if stored is None:
            is_local = url.startswith(_LOCAL)
            context.report(f"There is no media file {url}." if is_local else "The URL cannot be retrieved.")
        return stored or ""


def _is_address(url: str) -> bool:
    """Whether it is a remote address with a host, or a path that stays within the media folder."""
    if len(url) > MAX_URL_LENGTH:
        return False
    if url.startswith(_LOCAL):
        return not {"", ".", ".."} & set(url.removeprefix("/").split("/"))
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", url)
    except ValueError:
        return False
