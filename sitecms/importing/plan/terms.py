"""Authors and terms of the new site: slugs, files and former addresses."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from sitecms.content.author import AUTHORS_FILE, Author, split_name
from sitecms.content.term import MAX_TERM_NAME_LENGTH, TermKind
from sitecms.content.term_slugs import base_slug, term_slugs
from sitecms.content.text.slug import first_free, slugify
from sitecms.importing.plan.catalogue import Catalogue, term_key, term_name
from sitecms.importing.plan.entries import is_site_path
from sitecms.importing.plan.old_site import OldSite, fill_pattern
from sitecms.importing.plan.target import TargetSite
from sitecms.importing.records import AuthorRecord, Kind, NoteKind, Place, TermRecord
from sitecms.importing.report import ImportReport


class PlannedTerm(Struct, frozen=True):
    """A term of the new site; `path` is the address of its list."""

    name: str
    slug: str
    path: str
    aliases: tuple[str, ...] = ()


class TermPlan:
    """Terms by kind and name, authors by key, and the addresses of both by old path.

    `slugs` are slugs that the owner chose for authors, by their keys: two keys with one slug are one author.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        target: TargetSite,
        old: OldSite,
        report: ImportReport,
        slugs: Mapping[str, str] | None = None,
    ) -> None:
        self._slugs = slugs or {}
        self._target, self._old, self._report = target, old, report
        self.terms: dict[tuple[TermKind, str], PlannedTerm] = {}
        self.authors: dict[str, Author] = {}
        self.author_aliases: dict[str, tuple[str, ...]] = {}
        self.by_old_path: dict[str, str] = {}
        self.paths: set[str] = set()
        taken: dict[TermKind, set[str]] = {kind: set() for kind in TermKind}
        for (kind, key), terms in catalogue.terms.items():
            self._add_term(kind, key, terms, taken[kind])
        self._add_authors(catalogue.authors.values(), catalogue.used_authors)
        has_posts = any(known.kind is Kind.POST for known in catalogue.entries.values())
        if has_posts and not self.authors and not target.owner:
            self._add_site_author(target.name)
        self.main_author = self._main_author(catalogue)

    def names(self, kind: TermKind, names: Iterable[str]) -> list[str]:
        """Return the names of an entry's terms as the site has them, each once."""
        terms = (self.terms.get((kind, term_key(name))) for name in names)
        return list(dict.fromkeys(term.name for term in terms if term))

    def author(self, keys: Iterable[str]) -> str:
        """Return the slug of the first known author; "" if there is none."""
        return next((self.authors[key].slug for key in keys if key in self.authors), "")

    def term_entries(self, kind: TermKind) -> list[dict[str, Any]]:
        """Return the terms of a kind as their file has them, in the order of the source."""
        terms = (term for (each, _key), term in self.terms.items() if each is kind)
        return [
            {"slug": term.slug, "name": term.name, **({"aliases": list(term.aliases)} if term.aliases else {})}
            for term in terms
        ]

    def author_entries(self) -> list[dict[str, Any]]:
        """Return the authors as their file has them."""
        entries = []
        for key, facts in self.authors.items():
            values = {name: value for name, value in asdict(facts).items() if value}
            aliases = self.author_aliases.get(key)
            entries.append({**values, "aliases": list(aliases)} if aliases else values)
        return list({entry["slug"]: entry for entry in reversed(entries)}.values())[::-1]

    def _add_term(self, kind: TermKind, key: str, terms: list[TermRecord], taken: set[str]) -> None:
        first = terms[0]
        name = term_name(first.name)
        if not base_slug(name):
            self._report.add(NoteKind.TERM, f"{kind} {name!r} is left out: no slug can be made of it")
            return
        if len(name) > MAX_TERM_NAME_LENGTH:
            self._report.add(NoteKind.TRUNCATED, f"name of the {kind}", Place(name[:60]))
            name = name[:MAX_TERM_NAME_LENGTH].strip()
        if len(terms) > 1:
            slugs = ", ".join(term.slug for term in terms)
            self._report.add(NoteKind.TERM, f"{kind} terms with the same name were merged", Place(f"{name} ({slugs})"))
        wished = slugify(first.slug, max_bytes=None) or base_slug(name)
        slug = term_slugs({name: wished}, taken)[name]
        taken.add(slug)
        path = fill_pattern(self._target.pattern(kind.value), slug, None)
        self.paths.add(path)
        self.terms[kind, key] = PlannedTerm(name, slug, path, self._aliases((term.old_url for term in terms), path))
        for term in terms:
            if term.description:
                self._report.add(NoteKind.TERM, f"descriptions of {kind} terms are not imported", Place(term.name))
            if term.parent:
                self._report.add(NoteKind.TERM, f"{kind} hierarchy is flattened", Place(term.name))

    def _aliases(self, urls: Iterable[str], path: str) -> tuple[str, ...]:
        """Return the old paths that differ from the new one, and remember all of them for links."""
        aliases = []
        for url in urls:
            old = self._old.path_of(url) if url else None
            if not old or old == "/":
                continue
            self.by_old_path.setdefault(old, path)
            if "?" not in old and old != path.rstrip("/") and is_site_path(old):
                aliases.append(old if "." in old.rsplit("/", 1)[-1] else old + "/")
        return tuple(dict.fromkeys(aliases))

    def _add_authors(self, authors: Iterable[AuthorRecord], used: Iterable[str]) -> None:
        """Add the authors of the source, then those that appear in entries only."""
        taken: set[str] = set()
        known = {author.key: author for author in authors}
        for key in used:
            if key not in known:
                known[key] = AuthorRecord(key, Author("", *split_name(key)))
        for key, author in known.items():
            facts = author.facts
            wished = slugify(facts.slug) or slugify(f"{facts.first_name} {facts.last_name}") or slugify(key) or "author"
            slug = self._slugs.get(key) or first_free(wished, taken.__contains__)
            taken.add(slug)
            self.authors[key] = Author(**{**asdict(facts), "slug": slug})
            path = fill_pattern(self._target.pattern("author"), slug, None)
            self.author_aliases[key] = self._aliases((author.old_url,), path)
            self.paths.add(path)

    def _add_site_author(self, name: str) -> None:
        """Add an author with the name of the site: every post needs one."""
        slug = slugify(name) or "editor"
        self.authors[""] = Author(slug, name or "Editor")
        remedy = f"change it in {AUTHORS_FILE}"
        self._report.add(NoteKind.AUTHOR, f"the source names no author; all posts are by {name}", None, remedy)

    def _main_author(self, catalogue: Catalogue) -> str:
        """Return the slug of the author of most entries, else the site's owner, as an earlier run made it."""
        used = [(number, key) for key, number in catalogue.used_authors.items() if key in self.authors]
        if used:
            return self.authors[max(used)[1]].slug
        return next((facts.slug for facts in self.authors.values()), self._target.owner)
