"""Actions of editors on authors, categories and tags: read, save and delete.

A new slug moves the archive of the author or term; its old address leads to the new one as an alias.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.edited import EditContext
from sitecms.actions.editing.source_files import EntryFile, find_source_of_name
from sitecms.actions.writing.accept import WriteContext
from sitecms.content.author import AUTHORS_FILE, Author
from sitecms.content.fingerprint import revision_of
from sitecms.content.media import MEDIA_PREFIX, NO_SUCH_FILE
from sitecms.content.permalink import moved_aliases
from sitecms.content.term import MAX_TERM_NAME_LENGTH, TERM_FILES, Term, TermKind, name_key
from sitecms.content.term_slugs import base_slug, term_slugs
from sitecms.content.text.slug import MAX_SLUG_LENGTH, slugify
from sitecms.content.user import Action
from sitecms.documents import unfit_character
from sitecms.errors import Conflict, InvalidFields, NotFound, Stale
from sitecms.messages import N_, Text
from sitecms.settings.site import SiteSettings
from sitecms.store.accounts.audit import record_action
from sitecms.store.accounts.users import find_users
from sitecms.store.database import Session, Transaction
from sitecms.store.entries import authors, terms
from sitecms.store.entries.media_files import find_media
from sitecms.store.site_state.file_changes import note_author_change, note_term_change
from sitecms.store.site_state.site_builds import count_site_change

AUTHOR_VALUES = tuple(name for name in Author.__struct_fields__ if name != "aliases")
ADDRESSES = ("linkedin_url", "facebook_url", "pinterest_url", "instagram_url")
STALE_AUTHOR = N_("Somebody else changed the author since you opened the form.")
STALE_TERM = N_("Somebody else changed it since you opened the form.")
IS_OWNER = N_("The setting owner in site.toml names this author: change the setting first.")
MAX_LENGTHS: Mapping[str, int] = {"bio": 5_000, "slug": MAX_SLUG_LENGTH}
_MAX_LENGTH = 250
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")


def get_author(session: Session, slug: str) -> Author:
    """Return an author with the former addresses of the archive. Raises NotFound."""
    found = next((each for each in authors.find_authors(session) if each.slug == slug), None)
    if found is None:
        raise NotFound("Not found.")
    return found


def find_file_of_author(session: Session, settings: SiteSettings, author: Author) -> EntryFile | None:
    """Return the file of the site folder that declares the author, or None."""
    return find_source_of_name(session, settings, AUTHORS_FILE, "slug", author.slug)


def save_author(context: EditContext, slug: str, values: Mapping[str, str], revision: str) -> Author:
    """Save the author with this slug, a new one for "". Raises Forbidden, NotFound, InvalidFields and Stale."""
    require(context.user, Action.EDIT_TERMS)
    with context.writes.database.writing() as transaction:
        before = get_author(transaction, slug) if slug else None
        if before is not None and revision_of(before) != revision:
            raise Stale(STALE_AUTHOR)
        after = _checked_author(transaction, context.writes, before, values)
        if before is not None and before.slug != after.slug:
            authors.rename_author(transaction, before.slug, after.slug)
        if before != after or before.aliases != after.aliases:
            authors.save_author(transaction, after)
            is_renamed = before is not None and before.slug != after.slug
            note_author_change(transaction, after.slug if is_renamed else "", editor=context.user.name)
            count_site_change(transaction)
            done = "create" if before is None else "change"
            record_action(transaction, context.user, done, f"author {after.slug}", context.writes.clock())
    return after


def _checked_author(
    session: Session, context: WriteContext, before: Author | None, values: Mapping[str, str]
) -> Author:
    """Return the author with the values. Raises InvalidFields."""
    settings = context.settings
    texts = {name: _text(values.get(name, ""), getattr(before, name) if before else "") for name in AUTHOR_VALUES}
    errors = {name: [text] for name, text in _problems(session, texts, before)}
    name = f"{texts['first_name']} {texts['last_name']}".strip()
    slug = slugify(texts["slug"], max_bytes=None) or ("" if texts["slug"] else slugify(name))
    stored = {each.slug for each in authors.find_authors(session)} - {before.slug if before else ""}
    if not name and (before is None or before.first_name or before.last_name):
        errors["first_name"] = [N_("Enter a first or a last name.")]
    if not slug:
        errors.setdefault("slug", ["Enter a slug that holds letters or digits."])
    elif slug in stored:
        errors["slug"] = [Text('An author with the slug "%(slug)s" already exists.', slug=slug)]
    elif before is not None and slug != before.slug and settings.owner in (before.slug, before.email):
        errors["slug"] = [IS_OWNER]
    if errors:
        raise InvalidFields(errors)
    after = Author(**{**texts, "slug": slug}, aliases=before.aliases if before else ())
    if before is None or before.slug == slug:
        return after
    pattern = settings.permalinks.author
    return replace(after, aliases=moved_aliases(after.aliases, pattern, before.slug, slug, context.locales))


def _text(typed: str, stored: str) -> str:
    """Return the text without space around it; a stored one that differs in space at its ends alone stays."""
    lines = "\n".join(typed.splitlines()).strip()
    return stored if lines == "\n".join(stored.splitlines()).strip() else lines


def _problems(session: Session, texts: Mapping[str, str], before: Author | None) -> list[tuple[str, str]]:
    found = list[tuple[str, str]]()
    for name, text in texts.items():
        longest = MAX_LENGTHS.get(name, _MAX_LENGTH)
        if len(text) > longest:
            found.append((name, Text("Ensure this field has no more than %(limit)s characters.", limit=longest)))
        if character := unfit_character(text):
            found.append((name, Text("Must not hold the control character %(character)s.", character=character)))
        is_kept = before is not None and getattr(before, name) == text
        if text and not is_kept and name in ADDRESSES and not text.startswith(("https://", "http://")):
            found.append((name, "Enter an address that begins with https://."))
    if texts["email"] and not _EMAIL.fullmatch(texts["email"]):
        found.append(("email", "Enter an address such as ann@example.org."))
    image = texts["profile_image"]
    is_known = image.startswith("https://") or bool(find_media(session, [image.removeprefix(MEDIA_PREFIX)]))
    if image and not is_known and (before is None or image != before.profile_image):
        found.append(("profile_image", NO_SUCH_FILE.format(url=image)))
    return found


def delete_author(context: EditContext, slug: str, revision: str) -> None:
    """Delete an author whom nothing names. Raises Forbidden, NotFound, Stale, and Conflict for one in use."""
    require(context.user, Action.EDIT_TERMS)
    with context.writes.database.writing() as transaction:
        author = get_author(transaction, slug)
        if revision_of(author) != revision:
            raise Stale(STALE_AUTHOR)
        _check_unused(transaction, context.writes.settings, author)
        authors.delete_author(transaction, slug)
        note_author_change(transaction, editor=context.user.name)
        count_site_change(transaction)
        record_action(transaction, context.user, "delete", f"author {slug}", context.writes.clock())


def _check_unused(transaction: Transaction, settings: SiteSettings, author: Author) -> None:
    posts, trashed = authors.count_uses_of_author(transaction, author.slug)
    if posts:
        raise Conflict("author", in_use(author.name, posts, trashed, "Give them another author first."))
    users = [user.name for user in find_users(transaction) if user.author == author.slug]
    if users:
        raise Conflict("author", f"{', '.join(users)} writes as {author.name}. Give the user another author first.")
    if settings.owner in (author.slug, author.email):
        raise Conflict("author", IS_OWNER)


def in_use(
    name: str, count: int, trashed: int, remedy: str, words: tuple[str, str] = ("post names", "posts name")
) -> str:
    """Return the sentence that refuses to delete what entries name; `words` are those for one and for several."""
    in_trash = f", {trashed} of them in the trash" if trashed else ""
    return f"{count} {words[0 if count == 1 else 1]} {name}{in_trash}. {remedy}"


def get_term(session: Session, kind: TermKind, slug: str) -> Term:
    """Return a term with the former addresses of its archive. Raises NotFound."""
    found = next((each for each in terms.find_terms(session, kind) if each.slug == slug), None)
    if found is None:
        raise NotFound("Not found.")
    return found


def find_file_of_term(session: Session, settings: SiteSettings, term: Term) -> EntryFile | None:
    """Return the file of the site folder that declares the term, or None."""
    return find_source_of_name(session, settings, TERM_FILES[term.kind], "name", term.name)


def save_term(context: EditContext, kind: TermKind, old: str, new: tuple[str, str], revision: str) -> Term:
    """Save the new name and slug of the term with the slug `old`, of a new one for "".

    Raises Forbidden, NotFound, InvalidFields and Stale.
    """
    require(context.user, Action.EDIT_TERMS)
    with context.writes.database.writing() as transaction:
        before = get_term(transaction, kind, old) if old else None
        if before is not None and revision_of(before) != revision:
            raise Stale(STALE_TERM)
        after = _checked_term(transaction, context.writes, before, Term(kind, new[1].strip(), new[0].strip()))
        if after != before:
            terms.change_term(transaction, before, after)
            note_term_change(
                transaction, kind, after.slug if before and before.name != after.name else "", editor=context.user.name
            )
            count_site_change(transaction)
            done = "create" if before is None else "change"
            record_action(transaction, context.user, done, f"{kind} {after.name}", context.writes.clock())
    return after


def _checked_term(session: Session, context: WriteContext, before: Term | None, typed: Term) -> Term:
    """Return the term with its slug, without one that of its name, numbered if need be. Raises InvalidFields."""
    others = [each for each in terms.find_terms(session, typed.kind) if before is None or each.slug != before.slug]
    taken, errors = {each.slug for each in others}, dict[str, list[str]]()
    same = next((each for each in others if name_key(each.name) == name_key(typed.name)), None)
    slug = slugify(typed.slug, max_bytes=None)
    if character := unfit_character(typed.name + typed.slug):
        errors["name"] = [Text("Must not hold the control character %(character)s.", character=character)]
    elif not base_slug(typed.name):
        errors["name"] = [N_("Enter a name that holds letters or digits.")]
    elif len(typed.name) > MAX_TERM_NAME_LENGTH:
        errors["name"] = [Text("Ensure this field has no more than %(limit)s characters.", limit=MAX_TERM_NAME_LENGTH)]
    elif same is not None:
        errors["name"] = [f'There is a {typed.kind} "{same.name}" already.']
    if typed.slug and (not slug or len(slug) > MAX_SLUG_LENGTH):
        errors["slug"] = [
            Text("Enter a slug that holds letters or digits, %(limit)s characters at most.", limit=MAX_SLUG_LENGTH)
        ]
    elif slug in taken:
        errors["slug"] = [f'Another {typed.kind} has the slug "{slug}".']
    if errors:
        raise InvalidFields(errors)
    free = slug or term_slugs({typed.name: base_slug(typed.name)}, taken)[typed.name]
    after = replace(typed, slug=free, aliases=before.aliases if before else ())
    if before is None or before.slug == free:
        return after
    links = context.settings.permalinks
    pattern = links.category if typed.kind is TermKind.CATEGORY else links.tag
    return replace(after, aliases=moved_aliases(after.aliases, pattern, before.slug, free, context.locales))


def delete_term(context: EditContext, kind: TermKind, slug: str, revision: str) -> None:
    """Delete a term that no entry has. Raises Forbidden, NotFound, Stale, and Conflict for one in use."""
    require(context.user, Action.EDIT_TERMS)
    with context.writes.database.writing() as transaction:
        term = get_term(transaction, kind, slug)
        if revision_of(term) != revision:
            raise Stale(STALE_TERM)
        entries, trashed = terms.count_uses_of_term(transaction, term)
        if entries:
            remedy = "Take it from them first, or give it another name."
            raise Conflict("term", in_use(term.name, entries, trashed, remedy, ("entry names", "entries name")))
        terms.delete_term(transaction, term)
        note_term_change(transaction, kind, editor=context.user.name)
        count_site_change(transaction)
        record_action(transaction, context.user, "delete", f"{kind} {term.name}", context.writes.clock())
