"""Facts that all formats carry beside texts (`content.exchange`): those of an entry, and those of the site."""

from typing import Any

from msgspec.structs import asdict

from sitecms.clock import format_timestamp
from sitecms.content.author import Author
from sitecms.content.exchange import CarriedEntry, text_mark
from sitecms.content.kinds import KINDS
from sitecms.content.term import Term
from sitecms.site.export.contents import Contents, ExportedEntry
from sitecms.site.export.media import MediaAddresses

_FOLDERS = {"page_types": "slug", "collections": "key", "components": "slug", "single_pages": "slug"}


def originals(contents: Contents) -> dict[str, ExportedEntry]:
    """Return for each group of translations the entry that the others are translations of."""
    entries: dict[str, ExportedEntry] = {}
    for entry in contents.entries:
        if entry.translations not in entries or entry.locale == contents.settings.default_locale:
            entries[entry.translations] = entry
    return entries


def carried(entry: ExportedEntry, media: MediaAddresses, html: str, *, is_original: bool) -> CarriedEntry:
    """Return the facts of an entry whose exported text is `html`."""
    version = entry.version
    return CarriedEntry(
        entry.kind,
        entry.locale,
        entry.slug,
        entry.translations,
        group=entry.group,
        id=0 if KINDS[entry.kind].has_slug else entry.id,
        is_original=is_original,
        path=entry.path,
        aliases=entry.former,
        created=format_timestamp(version.created_at),
        guid=version.guid,
        featured_image_alt=version.featured_image_alt,
        categories=_names(version.categories),
        tags=_names(version.tags),
        mark=text_mark(html),
        fields=media.replace_all(dict(version.fields)),
    )


def site_facts(contents: Contents, media: MediaAddresses) -> dict[str, Any]:
    """Return locales, schema, terms with their addresses, and profiles of authors with theirs.

    Each declaration has folder, name and data, as `importing.records.Declaration`.
    """
    declared: dict[str, Any] = contents.schema.as_json()
    facts = [
        {"folder": folder, "name": entry[key], "data": entry}
        for folder, key in _FOLDERS.items()
        for entry in declared.get(folder, ())
    ]
    if "post_fields" in declared:
        facts.append({"folder": "", "name": "post", "data": {"fields": declared["post_fields"]}})
    locale, routes = contents.settings.default_locale, contents.routes
    return {
        "locales": list(contents.settings.locales),
        "declarations": facts,
        "terms": [
            {"kind": term.kind.value, "name": term.name, "slug": term.slug, "path": routes.term(term, locale)}
            for term in contents.terms
        ],
        "authors": [
            {"path": routes.author(author.slug, locale), **media.replace_all(_profile(author))}
            for author in contents.authors
        ],
    }


def _profile(author: Author) -> dict[str, str]:
    return {name: value for name, value in asdict(author).items() if value and isinstance(value, str)}


def _names(terms: tuple[Term, ...]) -> tuple[str, ...]:
    return tuple(term.name for term in terms)
