"""Items of a WordPress export as records: statuses, times, addresses, terms, meta of plug-ins."""

import re
from collections.abc import Iterator
from datetime import UTC, tzinfo
from html import unescape
from typing import Any
from urllib.parse import unquote

import orjson
from msgspec.structs import replace

from sitecms.clock import now
from sitecms.content.exchange import ENTRY_META, read_carried
from sitecms.content.fingerprint import digest
from sitecms.content.status import Status
from sitecms.content.text.html import plain_text
from sitecms.importing.formats.times import read_time
from sitecms.importing.plan.old_site import OldSite
from sitecms.importing.reader import field_name, type_name
from sitecms.importing.readers.own_export import OwnExport
from sitecms.importing.readers.wordpress.addresses import SiteAddresses
from sitecms.importing.readers.wordpress.languages import META, TAXONOMIES, Languages, language_of
from sitecms.importing.readers.wordpress.menu import TYPE as MENU_ITEM
from sitecms.importing.readers.wordpress.wxr import WxrItem
from sitecms.importing.records import BodyFormat, Comment, EntryRecord, Kind, Media, MediaValue, Note, NoteKind, Record

LEFT_OUT = frozenset(
    {
        "revision", "customize_changeset", "custom_css", "oembed_cache", "user_request",
        "wp_global_styles", "wp_navigation", "wp_template", "wp_template_part", "wp_font_family", "wp_font_face",
        "scheduled-action", "shop_order", "shop_order_refund", "shop_subscription", "shop_coupon", "edd_payment",
        "feedback", "flamingo_inbound", "flamingo_contact", "wpforms", "wpcf7_contact_form", "nf_sub", "acf-field",
        "acf-field-group", "elementor_library", "elementor_snippet", "mc4wp-form", "jp_mem_plan", "jp_pay_order",
        "jp_pay_product", "amp_validated_url", "sidebar", "popup", "et_pb_layout",
    }
)  # fmt: skip
"""Types of items that are settings, or hold data of customers and senders of forms."""
PATTERN = "wp_block"
_STATUSES = {"publish": Status.PUBLISHED, "inherit": Status.PUBLISHED, "future": Status.SCHEDULED}
_HIDDEN = {"private": "private", "pending": "pending"}
_SEO_TITLES = (
    "_yoast_wpseo_title", "rank_math_title", "_aioseop_title", "_aioseo_title", "_seopress_titles_title",
    "_genesis_title", "_headspace_page_title", "_su_title",
)  # fmt: skip
_SEO_TEXTS = (
    "_yoast_wpseo_metadesc", "rank_math_description", "_aioseop_description", "_aioseo_description",
    "_seopress_titles_desc", "_genesis_description", "_headspace_description", "_su_description",
    "advanced_seo_description",
)  # fmt: skip
_KNOWN_META = frozenset(
    {
        *_SEO_TITLES, *_SEO_TEXTS, "_thumbnail_id", "_wp_old_slug", "_wp_old_date", "enclosure", "footnotes",
        "_syntaxhighlighter_encoded", ENTRY_META, *META,
    }
)  # fmt: skip
_INTERNAL_META = re.compile(
    r"_(?:edit_|oembed_|wp_|yoast_|publicize|jetpack|menu_item|elementor|encloseme|pingme|aioseo|genesis|headspace|su_|"
    r"wpas_|wpcom_|sd_|g_feedback|rest_api|post_restored|starter_content|last_editor|et_|fl_|vc_|wpb_|oembed|"
    r"ez-toc|sharing|primary_term|primary_category|coblocks|uag_|kad_|kt_|et)|rank_math_|sharing_disabled|"
    r"geo_|jabber_|email_notification|switch_like_status|reddit|delicious|restapi_import_id|original_post_id|spay_email|"
    r"dsq_|disqus|syndication_|aktt_|autometa|podPress|\w*views(?:_count)?$|hide_\w+$|sbg_|bfa_ata_|pe_theme|ratings_"
)
_SERIALISED = re.compile(r"[aOCsibdN]:\d*[:;{]|[\[{]")
_VARIABLE = re.compile(r"%%?([a-z_]+)%%?")
_TAXONOMIES = TAXONOMIES | {"category", "post_tag", "post_format", "author", "nav_menu", "wp_theme"}


class ItemConverter:
    """Converter of items; `zone` is that of times without UTC, `types` collects the fields of custom types."""

    def __init__(self, addresses: SiteAddresses) -> None:
        self._addresses = addresses
        self.site_url = self.site_name = ""
        self.own = OwnExport()
        self.site = OldSite()
        self.types: dict[str, set[str]] = {}
        self.patterns: dict[str, str] = {}
        self._names: dict[str, int] = {}
        self.languages = Languages()
        self.site_locale = ""

    def is_at(self, url: str) -> None:
        """Set the address of the site."""
        self.site_url, self.site = url.rstrip("/"), OldSite.of(url)

    def forget_names(self) -> None:
        """Free the names by which items with one id are told apart, when all items are read."""
        self._names.clear()

    def _key(self, item: WxrItem) -> str:
        """Return the key of an item: its id, or its address where it has none or another item has the same.

        An item without any name is known by its text.
        """
        name = item["guid"].strip() or item["link"].strip() or item["title"].strip()
        name = name or digest(item["content:encoded"].encode())
        key = f"wp:{item.id or name}"
        if self._names.setdefault(key, hash(name)) == hash(name):
            return key
        return f"{key}:{name}"

    def records(self, item: WxrItem, zone: tzinfo) -> Iterator[Record]:
        """Yield the records of one item."""
        kind = item["wp:post_type"].strip() or "post"
        status = item["wp:status"].strip()
        if kind == PATTERN:
            self.patterns[item.id] = item["content:encoded"]
            yield Note(NoteKind.LEFT_OUT, "synced patterns, included in the entries that use them", item.place)
        elif kind == "attachment":
            yield self._media(item)
        elif kind == MENU_ITEM:
            return  # the menu is made of them when all are known
        elif kind in LEFT_OUT:
            yield Note(NoteKind.LEFT_OUT, f"items of type {kind}", item.place)
        elif status in ("trash", "auto-draft"):
            yield Note(NoteKind.LEFT_OUT, f"entries with status {status}", item.place)
        else:
            yield from self._entry(item, kind, zone)

    def _media(self, item: WxrItem) -> Media:
        link = item["link"].strip()
        pages = [f"{self.site_url}/?attachment_id={item.id}", *([link] if link else [])]
        address = item["wp:attachment_url"].strip() or item["guid"].strip()
        return Media(
            self._key(item),
            address,
            path=item.meta.get("_wp_attached_file", ""),
            alt=unescape(item.meta.get("_wp_attachment_image_alt", "")).strip(),
            caption=plain_text(item["excerpt:encoded"]),
            parent=f"wp:{item['wp:post_parent'].strip()}",
            old_urls=tuple(dict.fromkeys(page for page in pages if page != address)),
        )

    def _entry(self, item: WxrItem, kind: str, zone: tzinfo) -> Iterator[Record]:
        status, hidden_as, notes = self._status(item)
        published = read_time(item["wp:post_date_gmt"], UTC) or read_time(item["wp:post_date"], zone)
        if published is None and status is Status.PUBLISHED:
            published = read_time(item["pubDate"], UTC)
        if status is Status.SCHEDULED and published and published <= now():
            status = Status.PUBLISHED
            notes.append(Note(NoteKind.DATE, "scheduled for a time that has passed, now published", item.place))
        is_seen = status is Status.PUBLISHED
        categories, tags, authors, more = self._terms(item)
        if is_seen and kind == "post":
            local, slug = read_time(item["wp:post_date"], UTC), unquote(item["wp:post_name"]).strip()
            self._addresses.add_post(item["link"].strip(), slug, local, item["content:encoded"], self.site)
        entry = EntryRecord(
            self._key(item),
            {"post": Kind.POST}.get(kind, Kind.PAGE),
            _title(item["title"]),
            item.place,
            group="" if kind in ("post", "page") else type_name(kind),
            slug=unquote(item["wp:post_name"]).strip(),
            old_url=item["link"].strip() if is_seen or hidden_as else "",
            former_urls=self._former_urls(item, kind),
            former_slugs=tuple(unquote(slug) for slug in item.old_slugs),
            status=status,
            hidden_as=hidden_as,
            published_at=published if status is not Status.DRAFT or hidden_as in ("private", "password") else None,
            created_at=published,
            updated_at=read_time(item["wp:post_modified_gmt"], UTC) or read_time(item["wp:post_modified"], zone),
            authors=authors,
            categories=categories,
            tags=tags,
            summary=plain_text(item["excerpt:encoded"]),
            seo_title=self._seo(item, _SEO_TITLES),
            meta_description=self._seo(item, _SEO_TEXTS),
            featured_image=f"media:wp:{item.meta['_thumbnail_id']}" if item.meta.get("_thumbnail_id") else "",
            body=_with_enclosure(item),
            format=BodyFormat.OWN,
            guid=unescape(item["guid"]).strip(),
            locale=language_of(item),
            translation_of=self.languages.original(item, self.site_locale),
            data={
                "is_encoded": item.meta.get("_syntaxhighlighter_encoded") == "1",
                "footnotes": item.meta.get("footnotes", ""),
            },
        )
        facts = read_carried(json_of(item.meta.get(ENTRY_META, "")))
        if facts:
            entry, own_notes = self.own.restored(entry, facts)
            more += own_notes
        elif entry.group:
            entry = self._with_fields(entry, item)
        unknown = tuple(self._unknown_meta(item, entry))
        yield replace(entry, extras=_plain_meta(item, unknown)) if entry.kind is Kind.POST else entry
        yield from (*notes, *more, *(Note(NoteKind.UNKNOWN_META, key, item.place) for key in unknown))
        yield from self._comments(item, entry.key)

    def _status(self, item: WxrItem) -> tuple[Status, str, list[Note]]:
        """Return status, reason for hiding, and notes."""
        written = item["wp:status"].strip()
        hidden_as = _HIDDEN.get(written, "")
        if item["wp:post_password"].strip():
            hidden_as = "password"
        status = Status.DRAFT if hidden_as else _STATUSES.get(written, Status.DRAFT)
        notes = []
        if hidden_as:
            what = "protected by a password" if hidden_as == "password" else hidden_as
            notes.append(Note(NoteKind.DRAFT, what, item.place, "set status: published to show it to everyone"))
        if item["wp:is_sticky"].strip() == "1":
            notes.append(Note(NoteKind.LEFT_OUT, "sticky marks", item.place))
        return status, hidden_as, notes

    def _terms(self, item: WxrItem) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], list[Note]]:
        """Return categories, tags and authors; terms of other taxonomies become tags, with a note."""
        names: dict[str, list[str]] = {}
        notes = []
        for term in item.terms:
            names.setdefault(term.domain, []).append(unescape(term.name).strip())
        tags = names.get("post_tag", [])
        for domain in names.keys() - _TAXONOMIES:
            tags = [*tags, *names[domain]]
            notes.append(Note(NoteKind.TERM, f"terms of the taxonomy {domain} became tags", item.place))
        if "post_format" in names:
            notes.append(Note(NoteKind.LEFT_OUT, f"post format {names['post_format'][0]}", item.place))
        co_authors = [unquote(term.slug).removeprefix("cap-") for term in item.terms if term.domain == "author"]
        creator = item["dc:creator"].strip()
        authors = [*co_authors, *([creator] if creator and not co_authors else [])]
        if len(authors) > 1:
            notes.append(Note(NoteKind.AUTHOR, "further authors of an entry are not imported", item.place))
        unique = tuple(dict.fromkeys(name for name in names.get("category", ()) if name))
        return unique, tuple(dict.fromkeys(name for name in tags if name)), tuple(authors), notes

    def _former_urls(self, item: WxrItem, kind: str) -> tuple[str, ...]:
        """Return the short address, and those with former days of publication."""
        link, local = item["link"].strip(), read_time(item["wp:post_date"], UTC)
        name = {"page": "page_id"}.get(kind, "p")
        urls = [f"{self.site_url}/?{name}={item.id}"]
        days = [read_time(day, UTC) for day in item.old_days] if local else []
        for pattern in ("/%Y/%m/%d/", "/%Y/%m/"):
            if local and (present := local.strftime(pattern)) in link:
                urls += [link.replace(present, day.strftime(pattern)) for day in days if day]
                break
        return tuple(url for url in urls if url != link)

    def _seo(self, item: WxrItem, keys: tuple[str, ...]) -> str:
        """Return the text of a search engine plug-in, its variables filled in; "" if one is not known."""
        text = next((item.meta[key] for key in keys if item.meta.get(key, "").strip()), "")
        values = {"title": _title(item["title"]), "sitename": self.site_name, "sep": "-", "page": ""}
        if set(_VARIABLE.findall(text)) - values.keys():
            return ""
        return " ".join(unescape(_VARIABLE.sub(lambda match: values[match[1]], text)).split())

    def _with_fields(self, entry: EntryRecord, item: WxrItem) -> EntryRecord:
        """Return an entry of a custom type with the fields that plug-ins keep as meta."""
        fields = {
            name: value
            for key, value in item.meta.items()
            if not key.startswith("_")
            and f"_{key}" in item.meta
            and (name := field_name(key))
            and not value.startswith(("a:", "O:"))
        }
        self.types.setdefault(entry.group, set()).update(fields)
        description = entry.meta_description or entry.summary
        image = MediaValue(entry.featured_image) if entry.featured_image else ""
        return replace(entry, fields={**fields, "description": description, "image": image})

    @staticmethod
    def _unknown_meta(item: WxrItem, entry: EntryRecord) -> Iterator[str]:
        """Yield the keys of custom fields that are neither known, nor internal, nor fields of the entry."""
        own = entry.fields if entry.data.get("own") else ()
        for key in item.meta:
            is_field = key in own or (entry.group and (f"_{key}" in item.meta or key.removeprefix("_") in item.meta))
            if key not in _KNOWN_META and not _INTERNAL_META.match(key) and not is_field:
                yield key

    def _comments(self, item: WxrItem, key: str) -> Iterator[Record]:
        for each in item.comments:
            if each.is_approved and each.kind in ("", "comment"):
                parent = each.parent.strip()
                moment = read_time(each.date, UTC)
                yield Comment(key, each.id.strip(), each.author, each.text, moment, "" if parent == "0" else parent)
            else:
                what = each.kind if each.is_approved else "comments that were not approved"
                yield Note(NoteKind.LEFT_OUT, what if what.endswith("approved") else f"{what}s", item.place)


def json_of(text: str) -> Any:
    """Return the data of a text that sitecms wrote; None for anything else."""
    try:
        return orjson.loads(text) if text else None
    except ValueError:
        return None


def _plain_meta(item: WxrItem, keys: tuple[str, ...]) -> dict[str, str]:
    """Return the custom fields of these keys that people may have written; plug-ins serialise theirs."""
    texts = ((key, unescape(item.meta[key]).strip()) for key in keys if not key.startswith("_"))
    return {key: text for key, text in texts if text and not _SERIALISED.match(text)}


def _title(text: str) -> str:
    """Return a title as plain text: entities decoded once, tags removed."""
    plain = unescape(text) if "<" not in text else plain_text(text)
    return plain_text(plain) if re.search(r"</?[a-z][^<>]*>", plain, re.I) else plain.strip()


def _with_enclosure(item: WxrItem) -> str:
    """Return the body, with a player for the sound or video of a podcast that it does not name itself."""
    body = item["content:encoded"]
    lines = item.meta.get("enclosure", "").split("\n")
    url, kind = lines[0].strip(), lines[2].strip() if len(lines) > 2 else ""
    tag = kind.partition("/")[0]
    if not url.startswith("http") or url in body or tag not in ("audio", "video") or "[powerpress" in body:
        return body
    return f'{body}\n\n[{tag} src="{url}"]'
