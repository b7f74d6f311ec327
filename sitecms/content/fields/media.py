"""Media: an address in the media library or elsewhere, and what the picture shows."""

import re
from typing import ClassVar
from urllib.parse import urlsplit

from sitecms.content.fields.field import Context, Field, as_table
from sitecms.content.fields.text import read_text
from sitecms.content.fieldvalue import FieldValue
from sitecms.content.media import MEDIA_PREFIX
from sitecms.content.schema import FieldSpec

MAX_ALT_LENGTH = 255  # specification, Limits
MAX_URL_LENGTH = 2000
_LOCAL = (MEDIA_PREFIX, MEDIA_PREFIX.removeprefix("/"))


class MediaField(Field):
    """A URL, or `{url, alt}`; stored as `{"url", "alt"}`, None if unset.

    A plain URL takes the place of the alt text too (specification, Create collection item).
    """

    empty: ClassVar[FieldValue] = None

    def clean(self, value: object, spec: FieldSpec, context: Context) -> FieldValue:  # noqa: ARG002
        if value is None or isinstance(value, str):
            value = {"url": value or ""}
        table = as_table(value)
        if table is None or not table.keys() <= {"url", "alt"}:
            context.report("Must be a URL, or an object with url and alt.")
            return None
        url = self._url(table.get("url"), context)
        alt = read_text(table.get("alt"), context.at("alt"))
        if len(alt) > MAX_ALT_LENGTH:
            context.at("alt").report(f"Ensure this field has no more than {MAX_ALT_LENGTH} characters.")
        return {"url": url, "alt": alt} if url else None

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
