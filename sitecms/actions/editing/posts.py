"""Actions of users on posts: read, create, save, publish, schedule, unpublish, delete, and discard changes.

A draft is changed by a write, as by the API. Changes of a post that readers see, or that is scheduled by somebody else,
are kept in its working copy until they are published. Each function checks the permission of the user for the post, and
the revision that the form was made of.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.entries import record_by_user
from sitecms.actions.editing.post_values import (
    FORMAT,
    HTML,
    MARKDOWN,
    PostValues,
    differing,
    fields_in,
    is_markdown,
    render_body,
    request_of,
    values_of,
)
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Accepted, Caller, EntryName, StudioValues, WriteContext
from sitecms.actions.writing.trial import new_write_of, post_on_trial
from sitecms.content.change import EntryKind
from sitecms.content.field_value import FieldValue
from sitecms.content.fingerprint import canonical, revision_of
from sitecms.content.post import FIELDS, Post
from sitecms.content.revision import ChangeCause, ChangeKind, ChangeSource
from sitecms.content.status import Status
from sitecms.content.user import Action, User
from sitecms.errors import InvalidFields, NotFound, Stale
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Database, Session, Transaction
from sitecms.store.entries import posts
from sitecms.store.entries.post_history import PostState, keep_post, read_state
from sitecms.store.entries.working_copies import WorkingCopy, delete_copy, save_copy

STALE = "Somebody else changed the post since you opened it."
NOT_FOUND = "Not found."
_NO_MEDIA = {"url": "", "alt": ""}
_UNSET: tuple[object, ...] = ("", [], {})
MAX_COPY_BYTES = 4 * 1024 * 1024


class SaveOutcome(StrEnum):
    """The result of an action on a post."""

    UNCHANGED = "unchanged"
    WRITTEN = "written"
    COPY_SAVED = "draft-saved"
    COPY_DISCARDED = "discarded"


class Saved(Struct, frozen=True):
    """The result of an action on a post, and the id of the write that was accepted for it."""

    outcome: SaveOutcome
    write_id: str = ""


class EditedPost(Struct, frozen=True, dict=True):
    """A post as its editor shows it. `live` are its stored values, `copy` is its working copy, None without one."""

    state: PostState
    live: PostValues
    copy: WorkingCopy | None

    @cached_property
    def values(self) -> PostValues:
        """Return the values that the editor shows, those of the working copy first."""
        changed = self.copy.values if self.copy else {}
        return {**self.live, **changed, FIELDS: {**fields_in(self.live), **fields_in(changed)}}

    @property
    def revision(self) -> str:
        """The token of the state."""
        return self.state.token

    @property
    def post(self) -> Post:
        """The post as it is stored."""
        return self.state.post

    @property
    def is_markdown(self) -> bool:
        """True if the `body` that the editor shows is Markdown, False if it is HTML."""
        return is_markdown(self.values, default=self.state.markdown is not None)


def get_edited(session: Session, user: User, post_id: int) -> EditedPost:
    """Return a post as the user may see it. Raises NotFound also for a draft that the user may not read.

    Users who may not change a post do not see its working copy.
    """
    post = posts.get_post_by_id(session, post_id)
    if post.status is not Status.PUBLISHED and not user.may(Action.READ_DRAFT, post.author.slug):
        raise NotFound(NOT_FOUND)
    state = read_state(session, post)
    copy = state.copy if user.may(Action.EDIT, post.author.slug) else None
    return EditedPost(state, values_of(post, state.markdown), copy)


def create(
    context: WriteContext, user: User, values: PostValues, locale: str, status: Status, scheduled_at: datetime | None
) -> Saved:
    """Create a post from Markdown, or from HTML if the values say so. Raises InvalidFields and Forbidden."""
    if status is not Status.DRAFT:
        require(user, Action.PUBLISH, user.author)
    accepted = _accept_creation(context, user, values, locale, status, scheduled_at)
    done = "create" if status is Status.DRAFT else status.value
    record_by_user(context, user, done, f"post {values.get('title', '')}")
    return Saved(SaveOutcome.WRITTEN, accepted.write_id)


def _accept_creation(
    context: WriteContext, user: User, values: PostValues, locale: str, status: Status, scheduled_at: datetime | None
) -> Accepted:
    require(user, Action.CREATE, user.author)
    text = body = str(values.get("body", ""))
    is_source = is_markdown(values, default=True)
    if is_source:
        with context.database.reading() as session:
            title = str(values.get("title", ""))
            body = render_body(session, context.settings, text, context.locale(locale), None, title=title)
    fields = {slug: value for slug, value in fields_in(values).items() if value not in ("", [], _NO_MEDIA)}
    given = {name: value for name, value in values.items() if name != FORMAT}
    sent = {name: value for name, value in request_of({**given, FIELDS: fields}, body).items() if value not in _UNSET}
    if is_source:
        sent["body"] = body  # also an empty one, so that the post stays one in Markdown
    sent["status"] = (Status.DRAFT if status is Status.SCHEDULED else status).value
    studio = StudioValues(
        markdown=text if is_source else None, scheduled_at=scheduled_at if status is Status.SCHEDULED else None
    )
    return accept.create(context, Caller(user), EntryKind.POST, sent, locale, studio)


def save(
    context: WriteContext, user: User, post_id: int, values: PostValues, revision: str, *, restores: bool = False
) -> Saved:
    """Save the changes of a post without publishing them; `restores`: they bring a former version back.

    Raises NotFound, Forbidden, InvalidFields and Stale.
    """
    edited = _checked(context.database, user, post_id, Action.EDIT, revision)
    require(user, Action.EDIT, str(values.get("author", "")))
    is_converted = is_markdown(values, default=edited.is_markdown) != edited.is_markdown
    if not differing(edited.values, values) and not is_converted:
        return Saved(SaveOutcome.UNCHANGED)
    if _is_written_directly(edited.post, user):
        studio = StudioValues(ends_copy=edited.copy is not None)
        return _write(context, user, edited, values, {}, studio, restores=restores)
    changed = _changed(edited, values)
    if len(canonical(changed)) > MAX_COPY_BYTES:
        raise InvalidFields({"body": ["The text is too long."]})
    with context.database.writing() as transaction:
        stored = get_edited(transaction, user, post_id)
        _check_revision(stored, revision)
        _keep(transaction, stored, user, ChangeKind.RESTORE if restores else ChangeKind.SAVE, context.clock())
        if changed:
            save_copy(transaction, post_id, changed, user.id, context.clock())
        else:
            delete_copy(transaction, post_id)
        record_action(transaction, user, "save draft", f"post {edited.post.slug}", context.clock())
    return Saved(SaveOutcome.COPY_SAVED if changed else SaveOutcome.COPY_DISCARDED)


def publish(context: WriteContext, user: User, post_id: int, values: PostValues, revision: str) -> Saved:
    """Publish the post with its changes. Raises as `save`."""
    edited = _checked(context.database, user, post_id, Action.PUBLISH, revision)
    is_published = edited.post.status is Status.PUBLISHED
    if is_published and not _changed(edited, values):
        return Saved(SaveOutcome.UNCHANGED) if edited.copy is None else discard(context, user, post_id, revision)
    status = {} if is_published else {"status": Status.PUBLISHED.value}
    saved = _write(context, user, edited, values, status, StudioValues(ends_copy=True))
    record_by_user(context, user, "publish", f"post {edited.post.slug}")
    return saved


def schedule(
    context: WriteContext, user: User, post_id: int, values: PostValues, revision: str, scheduled_at: datetime
) -> Saved:
    """Have a draft published at that time with its changes. Raises as `save`."""
    edited = _checked(context.database, user, post_id, Action.PUBLISH, revision)
    if edited.post.status is Status.PUBLISHED:
        raise InvalidFields({"scheduled_at": ["The post is published. Unpublish it before you schedule it."]})
    if scheduled_at <= context.clock():
        raise InvalidFields({"scheduled_at": ["Choose a time that has not passed yet."]})
    saved = _write(context, user, edited, values, {}, StudioValues(scheduled_at=scheduled_at, ends_copy=True))
    record_by_user(context, user, "schedule", f"post {edited.post.slug}")
    return saved


def unpublish(context: WriteContext, user: User, post_id: int, values: PostValues, revision: str) -> Saved:
    """Make a published or scheduled post a draft, with its changes. Raises as `save`."""
    edited = _checked(context.database, user, post_id, Action.PUBLISH, revision)
    status = {"status": Status.DRAFT.value}
    saved = _write(context, user, edited, values, status, StudioValues(ends_copy=True))
    record_by_user(context, user, "unpublish", f"post {edited.post.slug}")
    return saved


def discard(context: WriteContext, user: User, post_id: int, revision: str) -> Saved:
    """Remove the working copy of a post. Raises as `save`."""
    with context.database.writing() as transaction:
        edited = get_edited(transaction, user, post_id)
        require(user, Action.EDIT, edited.post.author.slug)
        _check_revision(edited, revision)
        if edited.copy is not None:
            _keep(transaction, edited, user, ChangeKind.DISCARD, context.clock())
        delete_copy(transaction, post_id)
        record_action(transaction, user, "discard draft", f"post {edited.post.slug}", context.clock())
    return Saved(SaveOutcome.COPY_DISCARDED)


def delete(context: WriteContext, user: User, post_id: int, revision: str) -> None:
    """Move the post to the trash. Raises as `save`."""
    edited = _checked(context.database, user, post_id, Action.DELETE, revision)
    if edited.post.status is not Status.DRAFT:
        require(user, Action.DELETE_PUBLISHED, edited.post.author.slug)
    accept.delete(context, _caller(user, edited), EntryName(EntryKind.POST, edited.post.slug))
    record_by_user(context, user, "delete", f"post {edited.post.slug}")


def post_of_form(context: WriteContext, user: User, edited: EditedPost | None, values: PostValues, locale: str) -> Post:
    """Return the post with the values of a form, as if it was published; nothing is stored. None: a new post.

    The values are checked as those of a save. Raises Forbidden, InvalidFields and NotFound.
    """
    trial = replace(context, is_trial=True)
    if edited is None:
        accepted = _accept_creation(trial, user, values, locale, Status.DRAFT, None)
    else:
        require(user, Action.EDIT, edited.post.author.slug)
        require(user, Action.EDIT, str(values.get("author", "")))
        accepted = _accept_change(trial, user, edited, values, {}, StudioValues())
    with context.database.reading() as session:
        return post_on_trial(session, new_write_of(accepted), context.settings, context.clock())


def as_rich_text(
    context: WriteContext, user: User, edited: EditedPost | None, values: PostValues, locale: str
) -> dict[str, FieldValue]:
    """Return the values of a form with HTML in place of its Markdown; nothing is stored. None: a new post.

    A text that was not changed becomes the HTML that is stored of it. Raises Forbidden and InvalidFields.
    """
    require(user, *((Action.EDIT, edited.post.author.slug) if edited else (Action.CREATE, user.author)))
    text, post_id = str(values["body"]), edited.post.id if edited else None
    with context.database.reading() as session:
        title = str(values["title"])
        html = render_body(session, context.settings, text, context.locale(locale), post_id, title=title)
    if edited is not None and text == edited.state.markdown:
        html = edited.post.body
    return {**values, "body": html, FORMAT: HTML}


def _is_written_directly(post: Post, user: User) -> bool:
    """Return whether a saved change goes into the post itself, since readers do not see it yet."""
    if post.status is Status.SCHEDULED:
        return user.may(Action.PUBLISH, post.author.slug)
    return post.status is Status.DRAFT


def _checked(database: Database, user: User, post_id: int, action: Action, revision: str) -> EditedPost:
    """Return the post. Raises NotFound, Forbidden and Stale."""
    with database.reading() as session:
        edited = get_edited(session, user, post_id)
    require(user, action, edited.post.author.slug)
    _check_revision(edited, revision)
    return edited


def _check_revision(edited: EditedPost, revision: str) -> None:
    if edited.revision != revision:
        raise Stale(STALE)


def _caller(user: User, edited: EditedPost, *, restores: bool = False) -> Caller:
    return Caller(user, if_match=frozenset({revision_of(edited.post)}), restores=restores)


def _keep(transaction: Transaction, edited: EditedPost, user: User, kind: ChangeKind, at: datetime) -> None:
    """Keep the post with its working copy as a revision, before the working copy changes."""
    cause = ChangeCause(ChangeSource.USER, user.name, kind)
    keep_post(transaction, edited.state, cause, edited.post.status, at, changes_post=False)


def _changed(edited: EditedPost, values: PostValues) -> dict[str, FieldValue]:
    """Return the values that differ from the stored post, with the format of the body if that is another one."""
    changed, is_stored = differing(edited.live, values), edited.state.markdown is not None
    now = is_markdown(values, default=edited.is_markdown)
    if now != is_stored:
        changed |= {"body": values["body"], FORMAT: MARKDOWN if now else HTML}
    return changed


def _write(
    context: WriteContext,
    user: User,
    edited: EditedPost,
    values: PostValues,
    status: Mapping[str, FieldValue],
    studio: StudioValues,
    *,
    restores: bool = False,
) -> Saved:
    accepted = _accept_change(context, user, edited, values, status, studio, restores=restores)
    return Saved(SaveOutcome.WRITTEN, accepted.write_id)


def _accept_change(
    context: WriteContext,
    user: User,
    edited: EditedPost,
    values: PostValues,
    status: Mapping[str, FieldValue],
    studio: StudioValues,
    *,
    restores: bool = False,
) -> Accepted:
    """Accept a write of what differs from the stored post."""
    changed = _changed(edited, values)
    changed.pop(FORMAT, None)
    body, source, ends_markdown = None, None, False
    if "body" in changed:
        body = str(changed["body"])
        if is_markdown(values, default=edited.is_markdown):
            source = body
            with context.database.reading() as session:
                post, title = edited.post, str(values.get("title", edited.post.title))
                body = render_body(session, context.settings, source, post.locale, post.id, title=title)
        ends_markdown = source is None
    studio = replace(studio, markdown=source, ends_markdown=ends_markdown)
    sent = {**request_of(changed, body), **status}
    caller = _caller(user, edited, restores=restores)
    return accept.update(context, caller, EntryName(EntryKind.POST, edited.post.slug), sent, studio=studio)
