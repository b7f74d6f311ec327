"""Pages and items as YAML files: one a page in all its locales, one a collection."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.actions.exporting.post_files import file_name, times_of
from sitecms.content.field_value import Fields
from sitecms.content.fields.group import group_to_file
from sitecms.content.fields.hidden_values import Reason, hidden_values
from sitecms.content.item import Item
from sitecms.content.locale import Locales
from sitecms.content.page import Page
from sitecms.content.schema.types import ContentSchema, FieldSpec
from sitecms.content.status import Version
from sitecms.documents import dump_yaml

Entry = Page | Item
_TIMES = ("published", "created", "updated", "scheduled")


class EntryWriter:
    """Entries of one export; what the files cannot say is added to `notes`."""

    def __init__(self, schema: ContentSchema, locales: Locales, media: MediaPaths, notes: list[str]) -> None:
        self._schema = schema
        self._locales = locales
        self._media = media
        self._notes = notes

    def page_files(self, pages: Iterable[Page]) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of each page, whose versions stand together."""
        for _id, group in groupby(pages, key=lambda page: page.id):
            versions = tuple(group)
            first = versions[0]
            label = f"page {first.page_type or '_single'}/{first.slug}"
            if first.page_type is not None and first.page_type not in self._schema.page_types:
                self._notes.append(f"{label}: is of a page type that the schema does not have, so it is not written")
                continue
            facts = self._entry(versions, self._schema.page_fields(first.page_type), label)
            if facts is not None:
                path = f"content/pages/{first.page_type or '_single'}/{file_name(first.slug)}.yaml"
                yield path, dump_yaml({"title": first.title, "slug": first.slug, **facts}).encode()

    def item_files(self, items: Iterable[Item]) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of each collection that has items, these in its order."""
        by_collection: dict[str, list[dict[str, Any]]] = {}
        for item_id, group in groupby(items, key=lambda item: item.id):
            versions = tuple(group)
            key = versions[0].collection
            label = f"item {item_id} of {key}"
            if key not in self._schema.collections:
                self._notes.append(f"{label}: is of a collection that the schema does not have, so it is not written")
                continue
            facts = self._entry(versions, self._schema.collection(key).fields, label)
            if facts is not None:
                by_collection.setdefault(key, []).append({"id": item_id, **facts})
        for key, entries in sorted(by_collection.items()):
            yield f"content/collections/{key}.yaml", dump_yaml(entries).encode()

    def _entry(self, versions: Sequence[Entry], specs: Sequence[FieldSpec], label: str) -> dict[str, Any] | None:
        """What a page file and an item have in common; None where no locale of the site is left of it."""
        known = [version for version in versions if version.locale in self._locales.codes]
        for locale in sorted({version.locale for version in versions} - set(self._locales.codes)):
            self._notes.append(f"{label}: is written in {locale} too, which is no locale of the site: not written")
        hidden = (each for version in known for each in hidden_values(version.fields, specs, self._schema))
        for place, reason, _list_place in dict.fromkeys(hidden):
            why = "which the schema does not have" if reason is Reason.GONE else "whose value does not fit its type"
            self._notes.append(f"{label}: has a field {place}, {why}: not written")
        live = {version.locale: version for version in known if version.version is Version.LIVE}
        drafts = {version.locale: version for version in known if version.version is Version.DRAFT}
        main = {**drafts, **live}
        if not main:
            return None
        main = {code: main[code] for code in self._locales.codes if code in main}
        over = {code: drafts[code] for code in main if code in drafts and code in live}
        facts = self._versions(main, specs, is_over=False)
        if over:
            facts["draft"] = self._versions(over, specs, is_over=True, among=main)
        return facts

    def _versions(
        self,
        versions: Mapping[str, Entry],
        specs: Sequence[FieldSpec],
        *,
        is_over: bool,
        among: Mapping[str, Entry] | None = None,
    ) -> dict[str, Any]:
        """Status, times and fields of one version in each locale: plain where there is the default locale alone."""
        times = {
            code: times_of(each.created_at, each.updated_at, each.published_at, each.scheduled_at)
            for code, each in versions.items()
        }
        fields = {code: self._fields(each.fields, specs, is_over=is_over) for code, each in versions.items()}
        facts: dict[str, Any] = {"status": _together({code: each.status.value for code, each in versions.items()})}
        for name in _TIMES:
            found = {code: each.get(name) for code, each in times.items()}
            if is_over or any(found.values()):  # what a draft does not say is taken from the live version
                facts[name] = _together(found)
        is_plain = set(among or versions) == {self._locales.default}
        only = fields.get(self._locales.default, {})
        if is_plain and not (only and only.keys() <= set(self._locales.codes)):
            return {**facts, "fields": only}
        return {**facts, "fields": fields}

    def _fields(self, fields: Fields, specs: Sequence[FieldSpec], *, is_over: bool) -> dict[str, Any]:
        known = {spec.slug: fields[spec.slug] for spec in specs if spec.slug in fields}
        return group_to_file(known, specs, self._schema, self._media, is_draft=is_over)


def _together(by_locale: Mapping[str, str | None]) -> str | dict[str, str | None] | None:
    """One value where it is the same in every locale, else one for each."""
    values = set(by_locale.values())
    return values.pop() if len(values) == 1 else dict(by_locale)
