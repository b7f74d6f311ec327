"""Authors and terms of a load: what files list, and the names and slugs that follow from everything else."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sitecms.content.author import AUTHORS_FILE, Author
from sitecms.content.locale import Locales
from sitecms.content.permalink import entry_path, moved_aliases
from sitecms.content.term import TERM_FILES, TermKind
from sitecms.content.text.slug import slugify
from sitecms.documents import locator, place_of, read_yaml
from sitecms.errors import FileError
from sitecms.plurals import counted
from sitecms.settings.site import SiteSettings
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.authors import count_posts_of, save_author, save_listed_authors
from sitecms.store.entries.term_names import settle_all_terms
from sitecms.store.entries.terms import StoredTerm, locales_of_term, save_terms, stored_terms
from sitecms.store.site_state.file_changes import note_author_change


class StoredArchives(Struct, frozen=True):
    """The result of storing authors or terms: whether readers may see a change, and notes for the owner.

    `gone` are authors that are no longer listed, `new` those that are listed for the first time.
    """

    is_changed: bool
    notes: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def store_authors(transaction: Transaction, settings: SiteSettings, listed: Sequence[Author]) -> StoredArchives:
    """Store the authors that the file lists. The posts of one with another slug are written back, with the address."""
    saved = save_listed_authors(transaction, listed)
    notes, pattern = [], settings.permalinks.author
    locales = Locales(settings.locales, settings.default_locale)
    for old, new in saved.renamed:
        author = next(each for each in listed if each.slug == new)
        save_author(transaction, replace(author, aliases=moved_aliases(author.aliases, pattern, old, new, locales)))
        path = entry_path(pattern, settings.default_locale, settings.default_locale, slug=old)
        note = f"the author {old} has the slug {new} now, also in the posts that name {old}"
        notes.append(f"{AUTHORS_FILE}: {note} (to keep the old address, add aliases: [{path}] to {new})")
        note_author_change(transaction, new)
    return StoredArchives(saved.is_changed, tuple(notes), saved.gone, saved.new)


def unlisted_authors(
    session: Session, folder: Path, gone: Sequence[str], new: Sequence[str]
) -> Iterator[str | FileError]:
    """Yield a note on each author that is no longer listed and has posts after the load.

    It is an error if others are new: it cannot be known whether one of them is the same author.
    """
    for slug in gone:
        if not (posts := count_posts_of(session, slug)):
            continue
        problem = f"no longer lists {slug}, who has {counted(posts, 'post')}"
        if not new:
            yield f"{AUTHORS_FILE}: {problem} (list {slug}, or name another author in them: a clone cannot load them)"
            continue
        listed: Any = read_yaml(folder / AUTHORS_FILE, AUTHORS_FILE)
        number = next(at for at, entry in enumerate(listed) if slugify(entry["slug"], max_bytes=None) == new[0])
        meant = f"is {' or '.join(new)} the same author? Then keep the name until this is loaded; else list {slug}, too"
        place = (number, "slug")
        line = locator(folder / AUTHORS_FILE)(place)
        yield FileError(AUTHORS_FILE, place_of(place), f"is new, and the file {problem}", meant, line)


def terms_before(transaction: Transaction) -> Mapping[int, StoredTerm]:
    """Return all terms as they are before a load changes them, by id."""
    return {term.id: term for kind in TermKind for term in stored_terms(transaction, kind)}


def settle_archives(
    transaction: Transaction, settings: SiteSettings, before: Mapping[int, StoredTerm], gone: Sequence[str]
) -> StoredArchives:
    """Give terms the names and slugs that follow from all posts and files; `gone` are the files that were pruned."""
    for kind, path in TERM_FILES.items():
        if path in gone:
            save_terms(transaction, kind, ())
    settle_all_terms(transaction)
    is_changed, notes = False, list[str]()
    for kind in TermKind:
        after = stored_terms(transaction, kind)
        is_changed |= any(term != before[term.id] for term in after if term.id in before)
        for term in after:
            former = before[term.id].slug if term.id in before else term.slug
            if former != term.slug:
                others = (each for each in after if each.slug == former or each.base == term.base != "")
                alike = [f'"{each.name}"' for each in others if each.id != term.id]
                notes += _moved(transaction, settings, kind, term, former, alike)
    return StoredArchives(is_changed, tuple(notes))


def _moved(
    transaction: Transaction,
    settings: SiteSettings,
    kind: TermKind,
    term: StoredTerm,
    former: str,
    alike: Sequence[str],
) -> Iterator[str]:
    """Yield the note about a term with another slug, if it has posts, with what to add to the file."""
    links = settings.permalinks
    pattern = links.category if kind is TermKind.CATEGORY else links.tag
    held = locales_of_term(transaction, kind, term.slug)
    default = settings.default_locale
    paths = [entry_path(pattern, code, default, slug=former) for code in settings.locales if code in held]
    if paths:
        reason = f", since {' and '.join(alike)} has the same" if alike else ""
        slug = "" if term.base else f", slug: {term.slug}"
        line = f'- {{name: "{term.name}"{slug}, aliases: [{", ".join(paths)}]}}'
        yield (
            f'the {kind} "{term.name}" had the slug {former} and has {term.slug} now{reason} (to keep the old '
            f"address, write {line} in {TERM_FILES[kind]})"
        )
