"""Lists of entries of each kind, with filters and search."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

from flask import Response
from msgspec import Struct

from sitecms.actions.site_settings.menu import is_menu_alone
from sitecms.actions.syncing.git.state import git_problem
from sitecms.actions.syncing.write_back import file_problems
from sitecms.content.entry import Entry
from sitecms.content.field_path import sort_key
from sitecms.content.kinds import CATEGORIES, KINDS, EntryKind, Kind
from sitecms.content.media import MediaFile
from sitecms.content.query import Window
from sitecms.content.review import ReviewState
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.user import Action, Scope
from sitecms.messages import N_
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.load_conflicts import entries_in_conflict
from sitecms.store.entries.terms import find_terms
from sitecms.store.listings import entries as entry_listing
from sitecms.store.listings.entries import EntryFilter, LocaleState, titles_of
from sitecms.store.listings.pictures import find_pictures
from sitecms.store.listings.posts import PostListing, count_by_status, find_group_changes, list_posts
from sitecms.store.listings.sorting import NEWEST_CHANGES, Sorting
from sitecms.store.site_state.documents import load_content_schema
from sitecms.studio.entry_place import COLLECTIONS, LISTS, SINGLE_PAGES, route_action
from sitecms.studio.list_columns import head, sort_choices, sorting_of
from sitecms.studio.texts import _, ngettext
from sitecms.studio.views.review_list import STATES, LinkToReview, own_reviews, states_of
from sitecms.studio.views.saved_filters import filters_of
from sitecms.studio.views.translations import LocaleNotes, locale_notes, older_note
from sitecms.studio.visit import Paging, Route, Visit, paging
from sitecms.studio.words import word

_POST_COLUMNS = {
    "title": N_("Title"), "status": N_("Status"), "language": N_("Language"), "author": N_("Author"),
    "published": N_("Published"), "changed": N_("Changed"),
}  # fmt: skip
_ENTRY_COLUMNS = {
    "title": N_("Title"), "type": N_("Type"), "status": N_("Status"), "published": N_("Published"),
    "changed": N_("Changed"),
}  # fmt: skip
_ITEM_COLUMNS = {"title": N_("Item"), "status": N_("Status"), "changed": N_("Changed")}
_TERM_LABELS = {TermKind.CATEGORY: N_("Category"), TermKind.TAG: N_("Tag")}
_STATUS_LABELS = {
    Status.DRAFT: N_("Draft"), Status.PUBLISHED: N_("Published"), Status.SCHEDULED: N_("Scheduled"),
}  # fmt: skip


class Tab(Struct, frozen=True):
    """A part of a list, with the number of its entries."""

    label: str
    address: str
    count: int
    is_current: bool


class Choice(Struct, frozen=True):
    """A filter of a list: value and label of each option, and the chosen value."""

    name: str
    label: str
    options: Sequence[tuple[str, str]]
    chosen: str


class Row(Struct, frozen=True, kw_only=True):
    """An entry of a list. `name` is what a screen reader says, `under` stands below the title; "" is not shown.

    `address` is that of its form, "" for users who may not open it. `notes` say by locale what is missing or older than
    the text in the default locale.
    """

    id: int
    name: str
    title: str
    address: str
    states: tuple[LocaleState, ...]
    may_select: bool
    under: str = ""
    type: str = ""
    locale: str = ""
    author: str = ""
    picture: MediaFile | None = None
    review: ReviewState | None = None
    scheduled_at: datetime | None = None
    published_at: datetime | None = None
    changed_at: datetime | None = None
    notes: LocaleNotes = LocaleNotes()


class BulkChoices(Struct, frozen=True):
    """The terms of each kind, and the authors, that selected posts can get: slug and name."""

    terms: Mapping[TermKind, Sequence[tuple[str, str]]]
    authors: Sequence[tuple[str, str]]


class LinkToConflicts(Struct, frozen=True):
    """A link to the form of an entry in which a file replaced what was written here."""

    title: str
    address: str
    count: str


class EntryList(Struct, frozen=True):
    """What a list shows beside its rows.

    `kept` is the filter that its tabs set, `new` are label and address of forms, `columns` names and labels. Without
    `sorting` the list is in the order of its entries. `order` is the address that moves entries, "" where nothing can
    be moved; `empty` says that nothing matches, and that there is nothing. `problem` is what the user should know of
    the site, "" for nothing; `conflicts` and `reviews` are entries to decide about.
    """

    heading: str
    address: str
    columns: Mapping[str, str]
    empty: tuple[str, str, str]
    filters: Sequence[Choice]
    new: Sequence[tuple[str, str, bool]]
    path: tuple[str, str] = ("", "")
    tabs_label: str = ""
    tabs: Sequence[Tab] = ()
    kept: str = ""
    sorting: Sorting | None = None
    order: str = ""
    changes: BulkChoices | None = None
    problem: str = ""
    conflicts: Sequence[LinkToConflicts] = ()
    reviews: Sequence[LinkToReview] = ()
    is_menu: bool = False


def show_posts(kind: EntryKind, visit: Visit) -> Response:
    """Show posts with filters and search."""
    properties, address = KINDS[kind], KINDS[kind].list_path
    typed = {name: visit.query(name) for name in ("text", "status", "locale", "author", "category", "tag", "review")}
    typed["review"] = typed["review"] if typed["review"] in list(ReviewState) else ""
    sorting = sorting_of(visit, [*_POST_COLUMNS], NEWEST_CHANGES) or NEWEST_CHANGES
    listing, may_publish = PostListing(**typed, own_author=visit.own_author, sorting=sorting), visit.may(Action.PUBLISH)
    with visit.studio.runtime.database.reading() as session:
        page = paging(visit, list_posts(session, listing, Window(0)).count)
        listed = list_posts(session, listing, page.window).entries
        pictures = find_pictures(session, kind, [each.post.id for each in listed], published_only=False)
        changes = find_group_changes(session, {each.post.group_id for each in listed})
        counts = count_by_status(session, visit.own_author)
        authors = _by_name((each.slug, each.name) for each in find_authors(session))
        terms = _terms(session)
        problem = " ".join(filter(None, (_not_in_files(visit, session), _git_problem(visit))))
        conflicts = _entries_in_conflict(visit, session)
        reviews, in_review = own_reviews(visit, session), states_of(session, kind)
    rows = [
        Row(
            id=post.id, name=post.title or post.slug, title=post.title or _("(no title)"),
            address=f"{address}{post.id}/", under=" · ".join((post.slug, *(term.name for term in post.categories))),
            locale=post.locale, states=(LocaleState(post.locale, post.status, has_changes),),
            scheduled_at=post.scheduled_at, author=post.author.name, changed_at=post.updated_at,
            published_at=_shown_publication(post), picture=pictures.get(post.id), review=in_review.get(post.id),
            notes=_notes(visit, changes.get(post.group_id, {})),
            may_select=may_publish or (post.status is Status.DRAFT and post.author.slug == visit.user.author),
        )
        for post, has_changes in ((each.post, each.has_changes) for each in listed)
    ]  # fmt: skip
    tabs = [Tab(_("All"), address, sum(counts.values()), not typed["status"])]
    tabs += [
        Tab(_(_STATUS_LABELS[each]), f"{address}?status={each}", counts[each], typed["status"] == each)
        for each in Status
    ]
    filters = [
        Choice("author", _("Author"), authors, typed["author"]),
        *([_review_choice(typed["review"])] if in_review or typed["review"] else ()),
        *_term_choices(terms, typed),
    ]
    return _list_page(
        visit, rows, page, typed, EntryList(
            word(properties.plural), address, tabs_label=word(properties.parts), tabs=tabs, kept="status",
            new=[(word(properties.new_label), properties.new_path, True)], columns=_POST_COLUMNS, sorting=sorting,
            empty=_empty(properties), filters=filters, problem=problem, conflicts=conflicts, reviews=reviews,
            changes=BulkChoices(terms, _assignable(visit, authors)),
        ), may_publish=may_publish,
    )  # fmt: skip


def _review_choice(chosen: str) -> Choice:
    return Choice("review", _("Review"), [(each.value, _(STATES[each])) for each in ReviewState], chosen)


def _by_name(named: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return slugs and names sorted as people sort names."""
    return sorted(named, key=lambda each: sort_key(each[1]))


def _assignable(visit: Visit, authors: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Return the authors to whom the user may give posts, if there are several."""
    allowed = [each for each in authors if visit.may(Action.EDIT, each[0])]
    return allowed if len(allowed) > 1 else ()


def _shown_publication(post: Entry) -> datetime | None:
    """Return when readers first saw a post, if they see it."""
    return post.published_at if post.status is Status.PUBLISHED else None


def _not_in_files(visit: Visit, session: Session) -> str:
    """Return how many changes are not in the files of the site folder and why, for users who see all changes."""
    if visit.user.scope(Action.READ_WRITES) is not Scope.ALL:
        return ""
    problems = file_problems(session, visit.studio.runtime.settings)
    if not problems:
        return ""
    reason, *others = problems
    told = ngettext(
        "%(num)s change is not in the files of the site: %(reason)s.",
        "%(num)s changes are not in the files of the site: %(reason)s.", sum(problems.values()), reason=reason,
    )  # fmt: skip
    more = ngettext(
        "sitecms status lists %(num)s more reason.", "sitecms status lists %(num)s more reasons.", len(others)
    )
    return f"{told} {more}" if others else told


def _git_problem(visit: Visit) -> str:
    """Return what keeps the worker from exchanging commits, for users who see all changes; "" for nothing."""
    if visit.user.scope(Action.READ_WRITES) is not Scope.ALL:
        return ""
    problem = git_problem(visit.studio.runtime.settings)
    return _("The files are not exchanged with Git: %(problem)s.", problem=problem) if problem else ""


def _entries_in_conflict(visit: Visit, session: Session) -> Sequence[LinkToConflicts]:
    """Return the entries that the user may edit in which a file replaced what was written here."""
    own = None if visit.user.scope(Action.EDIT) is Scope.ALL else visit.user.author
    entries = entries_in_conflict(session, own)
    titles = titles_of(session, [(each.kind, each.entry_id) for each in entries], load_content_schema(session))
    return [
        LinkToConflicts(
            titles.get((each.kind, each.entry_id)) or f"{word(each.kind)} {each.entry_id}",
            KINDS[each.kind].form_address(each.entry_id, each.type, each.locale),
            ngettext("%(num)s conflict", "%(num)s conflicts", each.conflicts),
        )
        for each in entries
    ]


def _filter(visit: Visit, columns: Mapping[str, str], default: Sorting | None) -> EntryFilter:
    return EntryFilter(
        visit.query("text"), visit.query("status"), visit.query("locale"), not visit.may_read_all_drafts,
        sorting_of(visit, [*columns], default), visit.query("category"), visit.query("tag"),
    )  # fmt: skip


def _pictures(
    session: Session, kind: EntryKind, ids: Sequence[int], entry_filter: EntryFilter
) -> Mapping[int, MediaFile]:
    return find_pictures(session, kind, ids, published_only=entry_filter.published_only)


def _empty(properties: Kind) -> tuple[str, str, str]:
    """Return that nothing of the kind matches, the link to all, and that there is nothing."""
    no_match, show_all, none_yet = map(word, properties.empty)
    return no_match, show_all, none_yet


def show_entries(kind: EntryKind, visit: Visit) -> Response:
    """Show the entries of a kind with versions in several locales, by their types, with filters and search."""
    entry_filter, asked = _filter(visit, _ENTRY_COLUMNS, NEWEST_CHANGES), visit.query("type")
    properties, address = KINDS[kind], KINDS[kind].list_path
    page_type = None if not asked else "" if asked == SINGLE_PAGES else asked
    may_edit = visit.may(route_action(kind, Action.EDIT))
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        page = paging(visit, entry_listing.list_entries(session, kind, page_type, entry_filter, Window(0)).count)
        listed = entry_listing.list_entries(session, kind, page_type, entry_filter, page.window).entries
        pictures = _pictures(session, kind, [each.id for each in listed], entry_filter)
        counts = entry_listing.count_by_type(session, kind, published_only=entry_filter.published_only)
        in_review = states_of(session, kind) if may_edit else {}
        has_terms = CATEGORIES in properties.names or any(each.terms for each in schema.page_types.values())
        terms = _terms(session) if has_terms else {}
    names = _names_of_types(properties, schema)
    rows = [
        Row(
            id=each.id, name=each.title or each.slug, title=each.title or each.slug, under=each.slug,
            address=f"{address}{each.id}/" if may_edit else "", type=names.get(each.type, each.type),
            states=each.states, changed_at=each.changed_at, published_at=each.published_at, may_select=may_edit,
            picture=pictures.get(each.id), review=in_review.get(each.id), notes=_notes_of(visit, each.states),
        )
        for each in listed
    ]  # fmt: skip
    types = [(slug or SINGLE_PAGES, slug, name) for slug, name in names.items()]
    tabs = [Tab(_("All"), address, sum(counts.values()), not asked)] if types else []
    tabs += [Tab(name, f"{address}?type={key}", counts.get(slug, 0), asked == key) for key, slug, name in types]
    new = [
        (_("New %(type)s", type=name) if slug else _("New Single Page"), f"{address}new/{key}/", bool(asked))
        for key, slug, name in types
        if asked in ("", key)
    ] if types else [(word(properties.new_label), properties.new_path, True)]  # fmt: skip
    return _list_page(
        visit, rows, page, {**_typed(entry_filter), "type": asked}, EntryList(
            word(properties.plural), address, tabs_label=word(properties.parts), tabs=tabs, kept="type",
            filters=[_status_choice(entry_filter), *_term_choices(terms, _typed(entry_filter))],
            columns={name: label for name, label in _ENTRY_COLUMNS.items() if types or name != "type"},
            sorting=entry_filter.sorting, empty=_empty(properties), new=new if may_edit else [],
        ), may_publish=True,
    )  # fmt: skip


def _names_of_types(properties: Kind, schema: ContentSchema) -> Mapping[str, str]:
    """Return the names of the types of a kind, that of Single Pages by ""; none for a kind without types."""
    if not properties.type_key:
        return {}
    return {"": _("Single Pages"), **{each.slug: each.name or each.slug for each in schema.page_types.values()}}


def _typed(entry_filter: EntryFilter) -> dict[str, str]:
    return {name: str(getattr(entry_filter, name)) for name in ("text", "status", "locale", "category", "tag")}


def _terms(session: Session) -> Mapping[TermKind, Sequence[tuple[str, str]]]:
    """Return slugs and names of all terms by kind."""
    return {kind: _by_name((each.slug, each.name) for each in find_terms(session, kind)) for kind in TermKind}


def _term_choices(terms: Mapping[TermKind, Sequence[tuple[str, str]]], typed: Mapping[str, str]) -> Iterator[Choice]:
    """Yield the filters by category and tag."""
    return (Choice(kind.value, _(_TERM_LABELS[kind]), terms[kind], typed[kind]) for kind in terms)


def _notes(visit: Visit, changed_at: Mapping[str, datetime | None]) -> LocaleNotes:
    """Return what there is to say of the locales of an entry, where the site has several."""
    settings = visit.studio.runtime.settings
    return locale_notes(settings, changed_at) if len(settings.locales) > 1 else LocaleNotes()


def _notes_of(visit: Visit, states: Iterable[LocaleState]) -> LocaleNotes:
    return _notes(visit, {state.locale: state.changed_at for state in states})


def _status_choice(entry_filter: EntryFilter) -> Choice:
    return Choice("status", _("Status"), [(each.value, word(each.value)) for each in Status], entry_filter.status)


def _list_page(
    visit: Visit, rows: Sequence[Row], page: Paging, typed: Mapping[str, str], shown: EntryList, *, may_publish: bool
) -> Response:
    """Return the page of a list; `typed` are the filters, and boxes stand where the user may select something."""
    with visit.studio.runtime.database.reading() as session:
        saved = filters_of(visit, session)
    is_monolingual = len(visit.studio.runtime.settings.locales) == 1
    columns = [
        head(visit, name, _(label), shown.sorting)
        for name, label in shown.columns.items()
        if not (name == "language" and is_monolingual)
    ]
    return visit.page(
        "entries.html", list=shown, rows=rows, older_note=older_note(visit.studio.runtime.settings), paging=page,
        typed=typed, columns=columns, may_publish=may_publish,
        may_select=any(row.may_select for row in rows), start=page.window.offset, moved=visit.query("moved"),
        saved=saved,
        summary=ngettext("%(num)s entry found.", "%(num)s entries found.", page.count) if any(typed.values()) else "",
        orders=sort_choices(columns, shown.sorting), is_filtered=any(typed.values()),
        filters_in_use=sum(bool(value) for name, value in typed.items() if name not in ("text", shown.kept)),
    )  # fmt: skip


def show_collections(visit: Visit) -> Response:
    """Show all collections with the number of their items."""
    with visit.studio.runtime.database.reading() as session:
        schema = load_content_schema(session)
        counts = entry_listing.count_by_type(session, EntryKind.ITEM, published_only=not visit.may_read_all_drafts)
    elsewhere = [key for key, each in schema.collections.items() if visit.may_manage_site and is_menu_alone(each)]
    return visit.page(
        "collections.html", collections=schema.collections.values(), counts=counts, edited_elsewhere=elsewhere
    )


def show_items(kind: EntryKind, visit: Visit, key: str) -> Response:
    """Show the items of a collection in their order, with filters and search."""
    entry_filter, runtime = _filter(visit, _ITEM_COLUMNS, None), visit.studio.runtime
    locale = entry_filter.locale or runtime.settings.default_locale
    with runtime.database.reading() as session:
        collection = load_content_schema(session).collection(key)
        page = paging(visit, entry_listing.list_items(session, collection, entry_filter, locale, Window(0)).count)
        listed = entry_listing.list_items(session, collection, entry_filter, locale, page.window).entries
        pictures = _pictures(session, kind, [each.id for each in listed], entry_filter)
        in_review = states_of(session, kind) if visit.may(Action.EDIT_PAGES) else {}
    address, is_menu, is_whole = KINDS[kind].list_address(key), is_menu_alone(collection), entry_filter == EntryFilter()
    may_open = visit.may(Action.EDIT_PAGES)
    may_edit = may_open and not is_menu
    may_order = is_whole and page.count > 1 and not is_menu
    rows = [
        Row(
            id=each.id, name=each.title or str(each.id), title=each.title or _("(without a name)"), states=each.states,
            address=f"{address}{each.id}/" if may_open else "", may_select=may_edit, changed_at=each.changed_at,
            picture=pictures.get(each.id), review=in_review.get(each.id), notes=_notes_of(visit, each.states),
        )
        for each in listed
    ]  # fmt: skip
    return _list_page(
        visit, rows, page, _typed(entry_filter), EntryList(
            collection.name or key, address, path=(word(KINDS[kind].plural), COLLECTIONS),
            filters=[_status_choice(entry_filter)],
            new=[(word(KINDS[kind].new_label), f"{address}new/", True)] if may_edit else [],
            order=f"{address}order/" if may_order else "",
            columns=_ITEM_COLUMNS | ({"order": N_("Order")} if may_order else {}), sorting=entry_filter.sorting,
            empty=_empty(KINDS[kind]), is_menu=is_menu,
        ), may_publish=True,
    )  # fmt: skip


def _view(kind: EntryKind) -> Callable[..., Response]:
    """Return the view of the list of a kind."""
    if not KINDS[kind].has_slug:
        return partial(show_items, kind)
    return partial(show_entries if KINDS[kind].has_locales else show_posts, kind)


ROUTES = (
    *(Route("GET", path, _view(kind), Action.READ_PUBLISHED) for kind, path in LISTS.items()),
    Route("GET", COLLECTIONS, show_collections, Action.READ_PUBLISHED),
)
