"""Posts: the form of a new one and of one there is, and what its buttons do."""

from functools import partial

from flask import Response
from msgspec.structs import replace

from sitecms.actions.editing import posts as editing
from sitecms.actions.editing.history import base_of_post
from sitecms.actions.editing.post_values import EMPTY, FORMAT, HTML, MARKDOWN, PostValues, fields_in, is_markdown
from sitecms.actions.editing.posts import EditedPost, Saved, SaveOutcome
from sitecms.content.change import EntryKind
from sitecms.content.field_value import FieldValue
from sitecms.content.post import FIELDS
from sitecms.content.schema import ContentSchema
from sitecms.content.status import Status
from sitecms.content.user import Action
from sitecms.errors import Forbidden, InvalidFields, InvalidInput, NotFound, SitecmsError, Stale
from sitecms.store.entries.authors import find_authors
from sitecms.store.entries.revisions import last_change
from sitecms.studio.conflicts import (
    BLOCK,
    NOT_CHOSEN,
    ConflictPage,
    MergedForm,
    choose_post_values,
    merge_post_values,
    open_post_conflict,
    post_conflict_page,
)
from sitecms.studio.field_form import (
    change_rows,
    laid_over,
    new_fields,
    read_fields,
    set_picture,
    typed_group,
)
from sitecms.studio.post_form import check_complete, shown_time, typed_values
from sitecms.studio.post_format import BUTTON as FORMAT_BUTTON
from sitecms.studio.post_format import changed_format, format_of_new, remember_format, typed_new_values
from sitecms.studio.views.deleted_entries import unless_deleted
from sitecms.studio.views.picture_choice import Chosen, choose_picture, pictured
from sitecms.studio.views.post_pages import ShownForm, new_page, post_page, rich_text_question, schema_of
from sitecms.studio.views.unsaved import ended
from sitecms.studio.visit import Route, Visit, check_sent, chosen_time, redirect, wait_until_applied

POSTS, NEW = "/studio/posts/", "/studio/posts/new/"
NO_PICTURE = "no-picture"
_SAID = {"save": "saved", "publish": "published", "schedule": "scheduled", "unpublish": "unpublished"}


def show_new(visit: Visit) -> Response:
    """Show the form of a new post."""
    author = visit.user.author or visit.studio.runtime.settings.owner
    schema = schema_of(visit)
    fields = new_fields(schema.post_fields, schema)
    values = {**EMPTY, "author": author, FORMAT: format_of_new(visit), FIELDS: fields}
    response = new_page(visit, ShownForm(values))
    return remember_format(response, str(values[FORMAT])) if visit.query(FORMAT) else response


def create(visit: Visit) -> Response:
    """Create a post, or show the form again."""
    check_complete(visit.request.form)
    values, button = typed_new_values(visit), visit.field("do")
    picture = choose_picture(visit, NEW)
    if isinstance(picture, Response):
        return picture
    is_rearranged = read_own_fields(visit, values, None, picture)
    form = ShownForm(values, scheduled_at=visit.field("scheduled_at"))
    if is_rearranged:
        return new_page(visit, form)
    if picture is not None or button == NO_PICTURE:
        is_source = is_markdown(values, default=True)
        return new_page(visit, replace(form, values=pictured(values, picture, is_markdown=is_source)))
    try:
        check_sent(visit)
        if button.startswith(FORMAT_BUTTON):
            text_format = changed_format(visit, button, str(values["body"]))
            changed = {**values, FORMAT: text_format}
            if text_format == HTML and is_markdown(values, default=True):
                changed = editing.as_rich_text(visit.studio.writes, visit.user, None, values, visit.field("locale"))
            return remember_format(new_page(visit, replace(form, values=changed)), text_format)
        scheduled_at = chosen_time(visit) if button == "schedule" else None
        status = {"publish": Status.PUBLISHED, "schedule": Status.SCHEDULED}.get(button, Status.DRAFT)
        if scheduled_at is not None and scheduled_at <= visit.at:
            raise InvalidFields({"scheduled_at": ["Choose a time that has not passed yet."]})
        saved = editing.create(visit.studio.writes, visit.user, values, visit.field("locale"), status, scheduled_at)
        is_applied, entry_id = _apply(visit, saved)
    except (InvalidInput, Forbidden) as error:
        return new_page(visit, _refused(form, error))
    said = {Status.DRAFT: "created", Status.PUBLISHED: "published", Status.SCHEDULED: "scheduled"}[status]
    response = redirect(f"{POSTS}{entry_id}/", said=said) if is_applied else redirect(POSTS, said="waiting")
    return ended(visit, remember_format(response, str(values[FORMAT])) if visit.field(FORMAT) else response)


def show_post(visit: Visit, post_id: str) -> Response:
    """Show the form of a post."""
    edited = edited_post(visit, post_id)
    scheduled_at = shown_time(edited.post.scheduled_at, visit.studio.runtime.settings.zone)
    return post_page(visit, edited, ShownForm(edited.values, scheduled_at=scheduled_at))


def change_post(visit: Visit, post_id: str) -> Response:
    """Do what the pressed button says, or show the form again with what was typed."""
    check_complete(visit.request.form)
    edited = edited_post(visit, post_id)
    base, button = _base(visit, edited), visit.field("do")
    seen = edited.values if base is None else base
    values, schema = typed_values(visit.request.form, seen), schema_of(visit)
    picture = choose_picture(visit, f"{POSTS}{post_id}/")
    if isinstance(picture, Response):
        return picture
    is_rearranged = read_own_fields(visit, values, edited, picture, seen)
    values, not_chosen = choose_post_values(visit.request.form, seen, values, edited, schema)
    form = ShownForm(values, scheduled_at=visit.field("scheduled_at"))
    if not_chosen and visit.field("revision") == edited.revision:
        conflict = _conflict(
            visit, edited, open_post_conflict(visit.request.form, values, not_chosen, schema), None, schema
        )
        form = replace(form, conflict=conflict)
    if is_rearranged:
        return post_page(visit, edited, form)
    if picture is not None or button == NO_PICTURE:
        is_source = is_markdown(values, default=edited.is_markdown)
        return post_page(visit, edited, replace(form, values=pictured(values, picture, is_markdown=is_source)))
    if form.conflict is not None:
        errors = {name.partition(BLOCK)[0]: [NOT_CHOSEN] for name in not_chosen}
        return post_page(visit, edited, replace(form, errors=errors, status=400))
    try:
        check_sent(visit)
        return ended(visit, _act(visit, edited, values, button))
    except Stale:
        edited = edited_post(visit, post_id)
        base = _base(visit, edited)
        values, merged = merge_post_values(base, edited, values, schema)
        conflict = _conflict(visit, edited, merged, base, schema)
        form = replace(form, values=values, conflict=conflict, status=412)
    except (InvalidInput, Forbidden) as error:
        form = _refused(form, error)
    return post_page(visit, edited, form)


def read_own_fields(
    visit: Visit,
    values: dict[str, FieldValue],
    edited: EditedPost | None,
    picture: Chosen | None = None,
    seen: PostValues | None = None,
) -> bool:
    """Add the fields in the form to the values; return whether the button only changed what the form shows.

    `seen` are the values that the form began with, by default those of the stored post.
    """
    schema = schema_of(visit)
    specs = schema.post_fields
    stored = fields_in(edited.live) if edited else {}
    fields_before = fields_in(seen or edited.values) if edited else new_fields(specs, schema)
    typed = read_fields(visit.request.form, specs, schema, typed_group(fields_before, specs, schema))
    is_picture = picture is not None and picture.name.startswith(f"{FIELDS}.")
    if picture is not None and is_picture and picture.address:
        set_picture(typed, picture.name, (picture.address, picture.alt), specs, schema)
    is_rearranged = is_picture or change_rows(typed, visit.field("do"), specs, schema)
    values[FIELDS] = laid_over(stored, typed, specs, schema)
    return is_rearranged


def _base(visit: Visit, edited: EditedPost) -> PostValues | None:
    """Return the values that the form began with, or None."""
    with visit.studio.runtime.database.reading() as session:
        return base_of_post(session, edited, visit.field("revision"))


def _conflict(
    visit: Visit, edited: EditedPost, merged: MergedForm, base: PostValues | None, schema: ContentSchema
) -> ConflictPage:
    with visit.studio.runtime.database.reading() as session:
        last = last_change(session, EntryKind.POST, edited.post.id, edited.post.locale)
        names = {author.slug: author.name for author in find_authors(session)}
    return post_conflict_page(merged, base, edited, schema, last=last, user_name=visit.user.name, authors=names)


def _act(visit: Visit, edited: EditedPost, values: PostValues, button: str) -> Response:
    context, user, post_id, revision = visit.studio.writes, visit.user, edited.post.id, visit.field("revision")
    address = f"{POSTS}{post_id}/"
    match button:
        case "save":
            saved = editing.save(context, user, post_id, values, revision)
        case "publish":
            saved = editing.publish(context, user, post_id, values, revision)
        case "schedule":
            saved = editing.schedule(
                context, user, post_id, values, revision, chosen_time(visit, edited.post.scheduled_at)
            )
        case "unpublish":
            saved = editing.unpublish(context, user, post_id, values, revision)
        case "discard":
            saved = editing.discard(context, user, post_id, revision)
        case "delete":
            editing.delete(context, user, post_id, revision)
            return redirect(POSTS, said="deleted")
        case "copy":
            return _copy(visit, edited, values)
        case "ask-rich-text":
            return rich_text_question(visit, edited)
        case "to-rich-text":
            changed = editing.as_rich_text(context, user, edited, values, edited.post.locale)
            return post_page(visit, edited, ShownForm(changed, scheduled_at=visit.field("scheduled_at")))
        case _:
            raise InvalidFields({"title": ["Press one of the buttons of the form."]})
    is_applied, _entry_id = _apply(visit, saved)
    said = _SAID[button] if saved.outcome is SaveOutcome.WRITTEN else saved.outcome.value
    return redirect(address, said=said if is_applied else "waiting")


def _copy(visit: Visit, edited: EditedPost, values: PostValues) -> Response:
    """Create a draft with the values of the form."""
    is_source = is_markdown(values, default=edited.is_markdown)
    copied = {**values, "slug": "", "title": f"{values['title']} (copy)", FORMAT: MARKDOWN if is_source else HTML}
    if not visit.may(Action.EDIT, str(values["author"])):
        copied["author"] = ""
    saved = editing.create(visit.studio.writes, visit.user, copied, edited.post.locale, Status.DRAFT, None)
    is_applied, entry_id = _apply(visit, saved)
    return redirect(f"{POSTS}{entry_id}/", said="copied") if is_applied else redirect(POSTS, said="waiting")


def _apply(visit: Visit, saved: Saved) -> tuple[bool, int]:
    """Return whether the write is applied, and the id of its entry. Raises InvalidFields."""
    return wait_until_applied(visit, saved.write_id) if saved.write_id else (True, 0)


def edited_post(visit: Visit, post_id: str) -> EditedPost:
    """Return the post. Raises NotFound."""
    if not (post_id.isascii() and post_id.isdecimal() and len(post_id) < 19):
        raise NotFound("Not found.")
    with visit.studio.runtime.database.reading() as session:
        return editing.get_edited(session, visit.user, int(post_id))


def _refused(form: ShownForm, error: SitecmsError) -> ShownForm:
    """Return the form with the errors; what was typed stays."""
    errors = error.messages if isinstance(error, InvalidFields) else {"title": [str(error)]}
    status = 403 if isinstance(error, Forbidden) else 400
    return replace(form, errors=errors, status=status)


_unless_deleted = partial(unless_deleted, kind=EntryKind.POST, id_name="post_id")
ROUTES = (
    Route("GET", NEW, show_new, Action.CREATE),
    Route("POST", NEW, create, Action.CREATE),
    Route("GET", "/studio/posts/<post_id>/", _unless_deleted(show_post), Action.READ_PUBLISHED),
    Route("POST", "/studio/posts/<post_id>/", _unless_deleted(change_post), Action.EDIT),
)
