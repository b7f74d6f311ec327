"""Slug, file and address of every entry on the new site."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from urllib.parse import quote, unquote

from msgspec import Struct

from sitecms.actions.exporting.entry_files import file_name
from sitecms.content.addresses import alias_path, output_problem, own_path_problem, path_problem
from sitecms.content.fingerprint import digest
from sitecms.content.permalink import BLOG, capped_part, locale_root
from sitecms.content.status import Status
from sitecms.content.text.slug import RESERVED_SLUGS, numbered, slugify
from sitecms.documents import UNFIT
from sitecms.importing.plan.catalogue import Catalogue, CatalogueEntry
from sitecms.importing.plan.old_site import OldSite, fill_pattern, without_query
from sitecms.importing.plan.taken_paths import TakenPaths
from sitecms.importing.plan.target import TargetSite
from sitecms.importing.records import Kind, NoteKind, Place
from sitecms.importing.report import ImportReport
from sitecms.web_address import split_address

SINGLE = "_single"
_PAGE = ".html"
_MAX_NUMBER = 1_000
_MAX_PATH_LENGTH = 1_000  # as in content_schema/post.schema.json
_OWN_PAGES = ("/", BLOG, "/search/", "/404.html")
_UNFIT = re.compile(rf"[\s?#\\{{}}*]|{UNFIT.pattern}")
FOLDERS_BY_YEAR_FROM = 1_000
"""From this number of posts on, those of one year stand in a folder of their own."""


class Planned(Struct):
    """An entry on the new site. `path` is its address; `own_path` is the value of `path:` in its file.

    `main` is the page whose translation it is, in a file beside that of the page.
    """

    known: CatalogueEntry
    slug: str
    file: str
    locale: str
    path: str = ""
    own_path: str = ""
    aliases: tuple[str, ...] = ()
    main: "Planned | None" = None


class EntryPlan:
    """The planned entries by key, and an index of old addresses.

    `paths` are the keys of entries by new address. `home` is the page that stands at the root, as `build.home` names
    it; "" for none. In a new site it is the page that stood there on the old one. `reserved` are the addresses at which
    no other entry can stand.

    `kept` maps keys to the files and slugs of earlier runs; `foreign` are slugs of files that are not the import's, by
    kind and group. `lists` are the addresses of the lists of terms, authors and years.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        target: TargetSite,
        old: OldSite,
        report: ImportReport,
        kept: Mapping[str, tuple[str, str]],
        foreign: Mapping[tuple[Kind, str], frozenset[str]],
        lists: Iterable[str] = (),
    ) -> None:
        self._catalogue, self._target, self._old, self._report = catalogue, target, old, report
        self._taken: dict[tuple[Kind, str], set[str]] = {key: set(slugs) for key, slugs in foreign.items()}
        self._numbers: dict[tuple[Kind, str, str, str], int] = {}
        self.home = target.home
        self.reserved = reserved_paths(target)
        self._lists = frozenset(lists)
        blogs = (path for path in self.reserved if path.endswith(BLOG))
        self.taken = TakenPaths(self.reserved, (*self._lists, *blogs))
        self.paths: dict[str, str] = {}
        self.by_key: dict[str, Planned] = {}
        self._translated: set[tuple[str, str]] = set()
        self.by_old_path: dict[str, str] = {}
        self.variant_paths: dict[str, str] = {}
        self.variant_keys: dict[str, str] = {}
        declared = (each for each in catalogue.declarations if each.folder == "collections")
        self._routes = {each.name: route for each in declared if (route := str(each.data.get("route") or ""))}
        posts = sum(known.kind is Kind.POST for known in catalogue.entries.values())
        self._by_year = posts >= FOLDERS_BY_YEAR_FROM
        for key, (_file, slug) in kept.items():
            self._taken.setdefault((catalogue.entries[key].kind, catalogue.entries[key].group), set()).add(slug)
        order = sorted(
            catalogue.entries.values(),
            key=lambda each: (bool(each.translation_of), each.key not in kept, each.status is Status.DRAFT),
        )
        for known in order:
            main = self._main(known)
            file, slug = kept.get(known.key) or ("", main.slug if main else self._free_slug(known))
            self._take(known, file, slug, main)
        for planned in self.by_key.values():
            self._note_old(planned)
        for planned in self.by_key.values():
            self._note_variants(planned)
        for planned in self.by_key.values():
            planned.aliases = tuple(self._aliases(planned))
            self._count_address(planned)

    def _main(self, known: CatalogueEntry) -> Planned | None:
        """Return the page whose translation an entry is; None for one in a locale that the page has already."""
        main, locale = self.by_key.get(known.translation_of), self._locale(known)
        if main is None or (main.known.key, locale) in self._translated or locale == main.locale:
            return None
        self._translated.add((main.known.key, locale))
        return main

    def _locale(self, known: CatalogueEntry) -> str:
        return self._target.locale_of(known.locale or self._target.default_locale)

    def _take(self, known: CatalogueEntry, file: str, slug: str, main: Planned | None) -> None:
        self._taken.setdefault((known.kind, known.group), set()).add(slug)
        locale = self._locale(known)
        if known.locale and known.locale != locale:
            remedy = "add it to locales in site.toml before the import"
            subject = f"entries in {known.locale}, which the site does not have, are taken as {locale}"
            self._report.add(NoteKind.SETTING, subject, Place(known.key), remedy)
        file = file or (_file_beside(main.file, locale) if main else self._file(known, slug, locale))
        planned = Planned(known, slug, file, locale, main=main)
        self.by_key[known.key] = planned
        if known.kind is not Kind.ITEM:
            self._set_path(planned)
        elif route := self._routes.get(known.group):
            self._place(planned, fill_pattern(route, slug, None))

    def _free_slug(self, known: CatalogueEntry) -> str:
        """Return the preferred slug, valid for addresses, with a number if another entry has it."""
        wished = slugify(known.slug, max_bytes=None) or slugify(known.title) or slugify(known.key) or known.kind.value
        taken = self._taken.get((known.kind, known.group), set())
        locale = self._locale(known)
        if wished in taken and locale != self._target.default_locale:
            wished = slugify(f"{wished}-{locale}", max_bytes=None)
        key = (known.kind, known.group, locale, wished)
        slug, number = wished, self._numbers.get(key, 1)  # all lower numbers are taken
        while slug in taken or slug in RESERVED_SLUGS or self._is_reserved(known, slug):
            number += 1
            slug = numbered(wished, number)
        self._numbers[key] = max(number - 1, 1)
        if known.slug and slug != known.slug and known.kind is not Kind.ITEM:
            why = "it is taken" if slug != wished else "slugs hold letters, digits and hyphens"
            place = Place(f"{known.slug} → {slug}")
            self._report.add(NoteKind.SLUG, why, place, "the old address is kept or redirected")
        return known.slug if slug == known.slug else slug  # one text, not two

    def _is_reserved(self, known: CatalogueEntry, slug: str) -> bool:
        """Return whether a page with that slug would stand at the address of a page or list of the site."""
        if known.kind is not Kind.PAGE:
            return False
        pattern = self._target.pattern("page" if known.group else "single_page")
        return not self.taken.is_free(fill_pattern(pattern, slug, None, known.group))

    def _file(self, known: CatalogueEntry, slug: str, locale: str) -> str:
        if known.kind is Kind.ITEM:
            return f"content/collections/{known.group}.yaml"
        name = file_name(slug)
        if known.kind is Kind.PAGE:
            suffix = "md" if known.has_body and not known.variants else "yaml"
            return f"content/pages/{known.group or SINGLE}/{name}.{suffix}"
        folder = "" if locale == self._target.default_locale else f"{locale}/"
        local = self._target.local(known.published_at)
        year = f"{local.year}/" if local and self._by_year else ""
        return f"content/posts/{folder}{year}{name}.md"

    def _set_path(self, planned: Planned) -> None:
        """Set the address: the old one if it is valid and free, else the one of the permalinks, with a number if not.

        Where the site has a list, such as that of a term, the entry moves aside.
        """
        known = planned.known
        if self._is_home(planned):
            planned.path = f"{locale_root(planned.locale, self._target.default_locale)}/"
            self.paths.setdefault(planned.path, known.key)
            return
        by_pattern = self._usual_path(planned)
        wished = self._preferred_path(known)
        if wished and wished != by_pattern and self._are_free(planned, wished):
            planned.own_path = wished
        elif wished in self._lists:
            subject = "the site has a list at the old address of an entry, which got another one"
            self._report.add(NoteKind.ADDRESS, subject, Place(f"{wished} → {by_pattern}"), "link to the new one")
        self._place(planned, planned.own_path or by_pattern)

    def _place(self, planned: Planned, path: str) -> None:
        """Give an entry an address; where that is taken, the first free one with a number at its end."""
        page = path.removesuffix(_PAGE) if path.endswith(_PAGE) else path.rstrip("/")
        ending = path[len(page) :]
        numbered = (f"{page}-{number}{ending}" for number in range(2, _MAX_NUMBER))
        last = f"{locale_root(planned.locale, self._target.default_locale)}/{digest(planned.known.key.encode())[:16]}/"
        planned.path = next((each for each in chain((path,), numbered) if self._are_free(planned, each)), last)
        if planned.path != path:
            planned.own_path = planned.path
        self.paths.setdefault(planned.path, planned.known.key)
        for each in self._in_all_locales(planned, planned.path):
            self.taken.take(each)

    def _are_free(self, planned: Planned, path: str) -> bool:
        return all(map(self.taken.is_free, self._in_all_locales(planned, path)))

    def _in_all_locales(self, planned: Planned, path: str) -> Iterator[str]:
        """Yield the address of an entry in its own locale and in those of its variants."""
        default = self._target.default_locale
        yield path
        rest = path.removeprefix(locale_root(planned.locale, default))
        for _key, locale, _url in planned.known.variant_urls:
            yield locale_root(self._target.locale_of(locale), default) + rest

    def _usual_path(self, planned: Planned) -> str:
        """Return the address of a post or page by the permalinks."""
        known, local = planned.known, self._target.local(planned.known.published_at)
        is_dated = known.status is not Status.DRAFT and local is not None
        name = "post" if known.kind is Kind.POST else "page" if known.group else "single_page"
        root = locale_root(planned.locale, self._target.default_locale)
        if planned.main and planned.main.own_path:  # the page's path, which follows the locale
            return root + planned.main.own_path
        pattern = self._target.pattern(name)
        path = fill_pattern(pattern, planned.slug, local if is_dated else None, known.group)
        return root + "/".join(map(capped_part, path.split("/")))

    def _is_home(self, planned: Planned) -> bool:
        """Return whether a page stands at the root; in a new site, the page that stood at the old root does.

        One without any content was filled by the old theme: the list of posts is better.
        """
        known = planned.known
        if known.kind is not Kind.PAGE or (known.is_empty and not self.home):
            return False
        name = f"{known.group}/{planned.slug}" if known.group else planned.slug
        stood_there = known.status is Status.PUBLISHED and self._old.path_of(known.old_url or "-") == "/"
        if self._target.is_new and not self.home and stood_there and planned.locale == self._target.default_locale:
            self.home = name
            remedy = "remove home from site.toml to see the list of posts there"
            self._report.add(NoteKind.SETTING, "the home page is that of the old site", Place(planned.file), remedy)
        return name == self.home

    def _preferred_path(self, known: CatalogueEntry) -> str:
        """Return the old path as an address of the new site; "" for an invalid one."""
        path = self._old.path_of(known.old_url) if known.old_url and known.status is not Status.DRAFT else None
        if not path or path == "/" or "?" in path or not is_site_path(path):
            return ""
        written = as_written(path, known.old_url)
        return "" if own_path_problem(written) or len(written) > _MAX_PATH_LENGTH else written

    def _note_old(self, planned: Planned) -> None:
        """Index the old addresses of an entry, so that links to them become links to it."""
        for url in (planned.known.old_url, *self._former_urls(planned)):
            if path := self._old.path_of(url) if url else None:
                self.by_old_path.setdefault(path, planned.known.key)

    def _former_urls(self, planned: Planned) -> Iterator[str]:
        """Yield the earlier addresses of an entry: as the source states them, and those with its former slugs."""
        known = planned.known
        yield from known.former_urls
        places = ((unquote(known.old_url), known.slug), (planned.path, planned.slug)) if known.former_slugs else ()
        for address, slug in places:
            head, _, tail = address.rpartition(f"/{slug}")
            if slug and head and tail[:1] in ("", "/", ".") and "?" not in address:
                yield from (f"{head}/{former}{tail}" for former in known.former_slugs)
                return

    def _count_address(self, planned: Planned) -> None:
        """Count whether the old address of a published entry is kept or redirected."""
        known = planned.known
        path = self._old.path_of(known.old_url) if known.old_url else None
        if not path or known.status is Status.DRAFT or known.kind is Kind.ITEM:
            return
        if path == planned.path.rstrip("/") or path == "/" or as_written(path, known.old_url) in self.reserved:
            by = self._catalogue.site.addresses_by
            self._report.count("old addresses", f"as {by} makes them" if by else "kept")
            if path != planned.path.rstrip("/") and (path != "/" or planned.path != "/"):
                subject = "the site shows a page of its own at the old address of an entry"
                self._report.add(NoteKind.ADDRESS, subject, Place(f"{path} → {planned.path}"), "link to the new one")
        elif "?" in path or needs_rule(path) or any(alias.rstrip("/") == path for alias in planned.aliases):
            self._report.count("old addresses", "redirected")
        else:
            self._report.count("old addresses", "lost")
            self._report.add(
                NoteKind.ADDRESS, "an old address cannot be kept", Place(path), "add a rule to redirects.yaml"
            )

    def _note_variants(self, planned: Planned) -> None:
        """Remember addresses, old and new, of an entry in its other locales."""
        default = self._target.default_locale
        rest = planned.path.removeprefix(locale_root(planned.locale, default))
        for key, locale, url in planned.known.variant_urls:
            self.variant_keys[key] = path = locale_root(self._target.locale_of(locale), default) + rest
            if old := self._old.path_of(url) if url else None:
                self.variant_paths.setdefault(old, path)

    def _aliases(self, planned: Planned) -> Iterator[str]:
        """Yield the old paths that have to lead to the entry."""
        if planned.known.status is Status.DRAFT:
            return
        seen = {planned.path.rstrip("/")}
        if planned.path == "/":  # the site itself leads from a home page's usual address to the root
            seen.add(self._usual_path(planned).rstrip("/"))
        for url in (planned.known.old_url, *self._former_urls(planned)):
            path = self._old.path_of(url) if url else None
            if not path or path == "/" or "?" in path or path in seen or not is_site_path(path):
                continue
            seen.add(path)
            alias = as_written(path, url)
            is_own = self.by_old_path.get(path) == planned.known.key
            if is_own and self._may_lead(alias):
                self.taken.take(alias_path(alias))
                yield alias

    def _may_lead(self, alias: str) -> bool:
        """Return whether an old address can be that of a redirect: no page stands there, and the site can have it."""
        place = alias_path(alias)
        is_page = place in self.paths or place in self.reserved or place in self._lists
        return not is_page and not output_problem(place) and self.taken.fits(place)


def _file_beside(file: str, locale: str) -> str:
    """Return the file of a page in another locale: `about.fr.md` beside `about.md`."""
    return f"{file.rpartition('.')[0]}.{locale}.md"


def reserved_paths(target: TargetSite) -> frozenset[str]:
    """Return the addresses of the pages that the site has in each locale: home page, list of posts, search, errors."""
    roots = [locale_root(locale, target.default_locale) for locale in target.locales]
    return frozenset(root + path for root in roots for path in _OWN_PAGES)


def as_written(path: str, url: str) -> str:
    """Return an old path with a slash at its end, unless its address names a file: `/v1.2/` is none, `/feed.xml` is."""
    is_file = "." in path.rsplit("/", 1)[-1] and not split_address(url).path.endswith("/")
    return path if is_file else path + "/"


def is_site_path(path: str) -> bool:
    """Return whether a path is valid on the site: as the rules of addresses say, and without white space."""
    plain = without_query(path)
    return not _UNFIT.search(plain) and not path_problem(quote(plain))


def needs_rule(path: str) -> bool:
    """Return whether an old path has signs that no address on the site has, so that only a rule can lead from it."""
    return bool(_UNFIT.search(without_query(path))) and not path_problem(quote(path))


def foreign_slugs(folder: Path, own: frozenset[str]) -> dict[tuple[Kind, str], frozenset[str]]:
    """Return the slugs of posts and pages in the site folder whose files are not the import's."""
    from sitecms.documents import read_front_matter, read_yaml
    from sitecms.errors import InvalidFiles

    found: dict[tuple[Kind, str], set[str]] = {}
    for path in sorted((folder / "content").rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_post, is_page = name.startswith("content/posts/"), name.startswith("content/pages/")
        if name in own or path.suffix not in (".md", ".yaml", ".yml") or not (is_post or is_page):
            continue
        try:
            data = read_front_matter(path).data if path.suffix == ".md" else read_yaml(path)
        except InvalidFiles:
            data = {}
        slug = data.get("slug") if isinstance(data, dict) else ""
        group = "" if is_post else path.parent.name.replace(SINGLE, "")
        key = (Kind.POST if is_post else Kind.PAGE, group)
        found.setdefault(key, set()).update({slugify(str(slug or ""), max_bytes=None), slugify(path.stem)} - {""})
    return {key: frozenset(slugs) for key, slugs in found.items()}
