"""Actions of editors on categories and tags: read, save and delete.

A new slug moves the archive of the term; its old address leads to the new one as an alias.
"""

from dataclasses import replace

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.authors import in_use
from sitecms.actions.editing.name_files import NameFile, find_name_file
from sitecms.actions.writing.accept import WriteContext
from sitecms.content.fingerprint import revision_of
from sitecms.content.permalink import moved_aliases
from sitecms.content.term import MAX_TERM_NAME_LENGTH, TERM_FILES, Term, TermKind, name_key
from sitecms.content.text.slug import MAX_SLUG_LENGTH, first_free, slugify
from sitecms.content.user import Action, User
from sitecms.documents import unfit_character
from sitecms.errors import Conflict, InvalidFields, NotFound, Stale
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Session
from sitecms.store.entries import terms
from sitecms.store.site_state.site_builds import count_site_change

STALE = "Somebody else changed it since you opened the form."


def get_term(session: Session, kind: TermKind, slug: str) -> Term:
    """Return a term with the former addresses of its archive. Raises NotFound."""
    found = next((each for each in terms.find_terms(session, kind) if each.slug == slug), None)
    if found is None:
        raise NotFound("Not found.")
    return found


def find_file(session: Session, settings: SiteSettings, term: Term) -> NameFile | None:
    """Return the file of the site folder that declares the term, or None."""
    return find_name_file(session, settings, TERM_FILES[term.kind], "name", term.name)


def save_term(context: WriteContext, user: User, kind: TermKind, old: str, new: tuple[str, str], revision: str) -> Term:
    """Save the new name and slug of the term with the slug `old`, of a new one for "".

    Raises Forbidden, NotFound, InvalidFields and Stale.
    """
    require(user, Action.EDIT_TERMS)
    with context.database.writing() as transaction:
        before = get_term(transaction, kind, old) if old else None
        if before is not None and revision_of(before) != revision:
            raise Stale(STALE)
        after = _checked(transaction, context, before, Term(kind, new[1].strip(), new[0].strip()))
        if after != before:
            terms.change_term(transaction, before, after)
            count_site_change(transaction)
            done = "create" if before is None else "change"
            record_action(transaction, user, done, f"{kind} {after.name}", context.clock())
    return after


def _checked(session: Session, context: WriteContext, before: Term | None, typed: Term) -> Term:
    """Return the term with its slug, without one that of its name, numbered if need be. Raises InvalidFields."""
    others = [each for each in terms.find_terms(session, typed.kind) if before is None or each.slug != before.slug]
    taken, errors = {each.slug for each in others}, dict[str, list[str]]()
    same = next((each for each in others if name_key(each.name) == name_key(typed.name)), None)
    slug = slugify(typed.slug, max_bytes=None)
    if character := unfit_character(typed.name + typed.slug):
        errors["name"] = [f"Must not hold the control character {character}."]
    elif not slugify(typed.name):
        errors["name"] = ["Enter a name that holds letters or digits."]
    elif len(typed.name) > MAX_TERM_NAME_LENGTH:
        errors["name"] = [f"Ensure this field has no more than {MAX_TERM_NAME_LENGTH} characters."]
    elif same is not None:
        errors["name"] = [f'There is a {typed.kind} "{same.name}" already.']
    if typed.slug and (not slug or len(slug) > MAX_SLUG_LENGTH):
        errors["slug"] = [f"Enter a slug that holds letters or digits, {MAX_SLUG_LENGTH} characters at most."]
    elif slug in taken:
        errors["slug"] = [f'Another {typed.kind} has the slug "{slug}".']
    if errors:
        raise InvalidFields(errors)
    free = first_free(slug or slugify(typed.name), taken.__contains__)
    after = replace(typed, slug=free, aliases=before.aliases if before else ())
    if before is None or before.slug == free:
        return after
    links = context.settings.permalinks
    pattern = links.category if typed.kind is TermKind.CATEGORY else links.tag
    return replace(after, aliases=moved_aliases(after.aliases, pattern, before.slug, free, context.locales))


def delete_term(context: WriteContext, user: User, kind: TermKind, slug: str, revision: str) -> None:
    """Delete a term that no post has. Raises Forbidden, NotFound, Stale, and Conflict for one in use."""
    require(user, Action.EDIT_TERMS)
    with context.database.writing() as transaction:
        term = get_term(transaction, kind, slug)
        if revision_of(term) != revision:
            raise Stale(STALE)
        posts, trashed = terms.count_uses_of_term(transaction, term)
        if posts:
            raise Conflict(
                "term", in_use(term.name, posts, trashed, "Take it from them first, or give it another name.")
            )
        terms.delete_term(transaction, term)
        count_site_change(transaction)
        record_action(transaction, user, "delete", f"{kind} {term.name}", context.clock())
