"""Lists and forms of authors, categories and tags."""

from collections.abc import Mapping, Sequence

from flask import Response
from msgspec.structs import asdict

from sitecms.actions.editing import names
from sitecms.content.author import Author
from sitecms.content.fingerprint import revision_of
from sitecms.content.kinds import EntryKind
from sitecms.content.search_text import text_filter
from sitecms.content.term import Term, TermKind
from sitecms.content.user import Action
from sitecms.errors import Conflict, InvalidFields, NotFound, Stale
from sitecms.messages import text_of
from sitecms.store.entries.authors import find_authors
from sitecms.store.listings import entries as entry_listing
from sitecms.studio.sent_form import check_complete
from sitecms.studio.texts import _
from sitecms.studio.value_texts import label_of
from sitecms.studio.views.picture_choice import choose_picture
from sitecms.studio.visit import Route, Visit, redirect

AUTHORS, TERMS = "/studio/authors/", "/studio/terms/"
NEW_AUTHOR = f"{AUTHORS}-new/"
"""The address of the form of a new author; no slug begins with a hyphen."""
NO_PICTURE = "no-picture"
Errors = Mapping[str, Sequence[str]]


def show_authors(visit: Visit) -> Response:
    """Show all authors with the number of their posts."""
    with visit.studio.runtime.database.reading() as session:
        authors, counts = find_authors(session), entry_listing.count_posts_by_author(session, visit.own_author)
    has_words = text_filter(visit.query("text"))
    matches = [author for author in authors if has_words(f"{author.first_name} {author.last_name} {author.slug}")]
    return visit.page(
        "authors.html", authors=matches, counts=counts, text=visit.query("text"), may_edit=visit.may(Action.EDIT_TERMS)
    )


def show_terms(visit: Visit) -> Response:
    """Show categories and tags with the numbers of their entries."""
    has_words = text_filter(visit.query("text"))
    with visit.studio.runtime.database.reading() as session:
        kinds = {kind: entry_listing.count_by_term(session, kind, visit.own_author) for kind in TermKind}
    matches = {kind: [each for each in terms if has_words(each[0].name)] for kind, terms in kinds.items()}
    return visit.page("terms.html", kinds=matches, text=visit.query("text"), may_edit=visit.may(Action.EDIT_TERMS))


def _author(visit: Visit, slug: str) -> Author | None:
    """Return the author that the address names, None for a new one. Raises NotFound."""
    if not slug:
        return None
    return visit.studio.runtime.database.read(names.get_author, slug)


def _author_page(
    visit: Visit, author: Author | None, values: Mapping[str, str], errors: Errors, status: int = 200, problem: str = ""
) -> Response:
    runtime, file, used = visit.studio.runtime, None, 0
    if author is not None:
        with runtime.database.reading() as session:
            file = names.find_file_of_author(session, runtime.settings, author)
            used = entry_listing.count_posts_by_author(session, visit.own_author)[author.slug]
    asks, is_answer = visit.asked("asks"), author is not None and bool(visit.query("asks"))
    return visit.page(
        "author.html", status=status, author=author, values=values, errors=errors, problem=problem, source=file,
        used=used, revision=revision_of(author) if author else "", asks=asks,
        answer=(asks, author.slug, author.name) if author and is_answer else None,
    )  # fmt: skip


def show_author(visit: Visit, slug: str = "") -> Response:
    """Show the form of an author, or of a new one."""
    author = _author(visit, slug)
    return _author_page(visit, author, asdict(author or Author("")), {})


def send_author(visit: Visit, slug: str = "") -> Response:
    """Save or delete an author, or show the form again with what was typed."""
    check_complete(visit.request.form)
    author = _author(visit, slug)
    stored = asdict(author or Author(""))
    values = {name: visit.request.form.get(name, stored[name]) for name in names.AUTHOR_VALUES}
    picture = choose_picture(visit, visit.request.path)
    if isinstance(picture, Response):
        return picture
    if picture is not None or visit.field("do") == NO_PICTURE:
        address = (picture.address or values["profile_image"]) if picture else ""
        return _author_page(visit, author, {**values, "profile_image": address}, {})
    try:
        if visit.field("do") == "delete" and author is not None:
            names.delete_author(visit.editing, author.slug, visit.field("revision"))
            return redirect(AUTHORS, said="name-deleted")
        saved = names.save_author(visit.editing, slug, values, visit.field("revision"))
    except InvalidFields as error:
        return _author_page(visit, author, values, error.messages, 400)
    except Conflict as error:
        return _author_page(visit, author, values, {}, 409, text_of(error))
    except Stale:
        now = asdict(_author(visit, slug) or Author(""))
        changed = [name for name in names.AUTHOR_VALUES if now[name] != values[name]]
        problem = _stale(names.STALE_AUTHOR, {name: now[name] for name in changed})
        return _author_page(visit, _author(visit, slug), values, {}, 412, problem)
    return _saved(visit, f"{AUTHORS}{saved.slug}/", author, saved)


def _stale(text: str, stored: Mapping[str, str]) -> str:
    """Return the sentence about values that differ from those of the form."""
    listed = "; ".join(f"{label_of(name)}: {value or _('empty')}" for name, value in stored.items())
    sentences = [text, _("Stored now: %(values)s.", values=listed) if listed else ""]
    remedy = _("The form has what you typed; press the button again to keep it.")
    return " ".join(filter(None, (*sentences, remedy)))


def _saved(visit: Visit, address: str, before: Author | Term | None, after: Author | Term) -> Response:
    """Redirect to the form of what was saved."""
    if before is None:
        asks = visit.field("asks")
        return redirect(address, said="name-created", **({"asks": asks} if asks else {}))
    return redirect(address, said="unchanged" if before == after else "saved")


def _kind(kind: str) -> TermKind:
    if kind not in list(TermKind):
        raise NotFound(_("Not found."))
    return TermKind(kind)


def _term(visit: Visit, kind: str, slug: str) -> Term | None:
    """Return the term that the address names, None for a new one. Raises NotFound."""
    if not slug:
        return None
    return visit.studio.runtime.database.read(names.get_term, _kind(kind), slug)


def _term_page(
    visit: Visit,
    kind: str,
    term: Term | None,
    values: Mapping[str, str],
    errors: Errors,
    refusal: tuple[int, str] = (200, ""),
) -> Response:
    """Return the page of the form; `refusal` is the status of the answer, and what is wrong with the whole form."""
    (status, problem), runtime, file = refusal, visit.studio.runtime, None
    counts: Mapping[EntryKind, int] = {}
    if term is not None:
        with runtime.database.reading() as session:
            file = names.find_file_of_term(session, runtime.settings, term)
            listed = entry_listing.count_by_term(session, term.kind, visit.own_author)
        counts = next(counts for each, counts in listed if each.slug == term.slug)
    return visit.page(
        "term.html", status=status, kind=_kind(kind), term=term, values=values, errors=errors, problem=problem,
        source=file, counts=counts, revision=revision_of(term) if term else "",
    )  # fmt: skip


def show_term(visit: Visit, kind: str, slug: str = "") -> Response:
    """Show the form of a category or tag, or of a new one."""
    term = _term(visit, kind, slug)
    return _term_page(
        visit, kind, term, {"name": term.name, "slug": term.slug} if term else {"name": "", "slug": ""}, {}
    )


def send_term(visit: Visit, kind: str, slug: str = "") -> Response:
    """Save or delete a category or tag, or show the form again with what was typed."""
    check_complete(visit.request.form)
    term = _term(visit, kind, slug)
    values = {"name": visit.field("name"), "slug": visit.field("slug")}
    try:
        if visit.field("do") == "delete" and term is not None:
            names.delete_term(visit.editing, term.kind, term.slug, visit.field("revision"))
            return redirect(TERMS, said="name-deleted")
        new = values["name"], values["slug"]
        saved = names.save_term(visit.editing, _kind(kind), slug, new, visit.field("revision"))
    except InvalidFields as error:
        return _term_page(visit, kind, term, values, error.messages, (400, ""))
    except Conflict as error:
        return _term_page(visit, kind, term, values, {}, (409, text_of(error)))
    except Stale:
        now = _term(visit, kind, slug)
        stored = {"name": now.name, "slug": now.slug} if now else {}
        differing = {name: text for name, text in stored.items() if text != values[name]}
        return _term_page(visit, kind, now, values, {}, (412, _stale(names.STALE_TERM, differing)))
    return _saved(visit, f"{TERMS}{saved.kind}/{saved.slug}/", term, saved)


ROUTES = (
    Route("GET", AUTHORS, show_authors, Action.READ_PUBLISHED),
    Route("GET", TERMS, show_terms, Action.READ_PUBLISHED),
    Route("GET", NEW_AUTHOR, show_author, Action.EDIT_TERMS),
    Route("POST", NEW_AUTHOR, send_author, Action.EDIT_TERMS),
    Route("GET", f"{AUTHORS}<slug>/", show_author, Action.EDIT_TERMS),
    Route("POST", f"{AUTHORS}<slug>/", send_author, Action.EDIT_TERMS),
    Route("GET", f"{TERMS}new/<kind>/", show_term, Action.EDIT_TERMS),
    Route("POST", f"{TERMS}new/<kind>/", send_term, Action.EDIT_TERMS),
    Route("GET", f"{TERMS}<kind>/<slug>/", show_term, Action.EDIT_TERMS),
    Route("POST", f"{TERMS}<kind>/<slug>/", send_term, Action.EDIT_TERMS),
)
