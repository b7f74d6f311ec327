"""Pages with one Markdown file for each locale: `about.md`, `about.es.md`."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.post_front_matter import field_locator
from sitecms.actions.loading.reading.raw import RawEntry, RawVersion, VersionFile
from sitecms.content.addresses import ANY_LOCALE, OwnAddresses
from sitecms.content.locale import Locales
from sitecms.content.schema import FieldSpec
from sitecms.errors import FileError, InvalidFiles


def joined_page(
    file: ContentFile, pages: Mapping[str, RawEntry], specs: Sequence[FieldSpec], locales: Locales
) -> RawEntry:
    """Return the pages read from the files of one page, by path, as one. Raises InvalidFiles."""
    main = pages[file.path]
    versions, titles = list(main.versions), dict(main.titles)
    paths, aliases = dict(main.addresses.paths), dict(main.addresses.aliases)
    if ANY_LOCALE in aliases:
        aliases[main.versions[0].change.locale] = aliases.pop(ANY_LOCALE)
    for path, page in pages.items():
        if path == file.path:
            continue
        origin = VersionFile(path, field_locator(file._replace(path=path)))
        _check(file.path, main, versions, page, origin)
        versions += (replace(each, origin=origin) for each in page.versions)
        own = page.title != main.title
        titles |= {each.change.locale: page.title for each in page.versions if own} | dict(page.titles)
        paths |= page.addresses.paths
        aliases |= page.addresses.aliases
    shared = untranslatable({each.change.locale: each.change.fields for each in versions}, specs, locales)
    changes = (replace(each.change, fields={**each.change.fields, **shared}) for each in versions)
    joined = tuple(replace(each, change=change) for each, change in zip(versions, changes, strict=True))
    return replace(main, versions=joined, titles=titles, addresses=OwnAddresses(paths, aliases))


def _check(main_path: str, main: RawEntry, versions: Sequence[RawVersion], page: RawEntry, origin: VersionFile) -> None:
    """Raise InvalidFiles for a slug that is not that of the page, and a locale that another file has."""
    if page.slug != main.slug:
        problem, remedy = (
            f'is "{page.slug}", and that of {main_path} is "{main.slug}"',
            ("leave it out: a page has one slug in all locales (path gives a locale an address of its own)"),
        )
        raise InvalidFiles([FileError(origin.path, "slug", problem, remedy, origin.locate(("slug",)))])
    known = {each.change.locale: each.origin.path if each.origin else main_path for each in versions}
    for each in page.versions:
        if (locale := each.change.locale) in known:
            problem = f'is "{locale}", in which {known[locale]} is written too'
            line = origin.locate(("locale",))
            raise InvalidFiles([FileError(origin.path, "locale", problem, "keep one of the two", line)])


def untranslatable(
    by_locale: Mapping[str, Mapping[str, object]], specs: Sequence[FieldSpec], locales: Locales
) -> dict[str, Any]:
    """Return one value for each field that all locales share: the default locale's, else the first given."""
    if len(by_locale) == 1:
        return {}
    ordered = sorted(by_locale, key=lambda code: code != locales.default)
    shared: dict[str, Any] = {}
    for spec in specs:
        for locale in () if spec.translatable else ordered:
            if spec.slug in by_locale[locale]:
                shared.setdefault(spec.slug, by_locale[locale][spec.slug])
    return shared
