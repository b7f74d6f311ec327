"""Variants of posts in other locales: a new one begins as a draft with the text of the post that it translates."""

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.entries import record_by_user
from sitecms.actions.editing.post_values import render_body, request_of
from sitecms.actions.editing.posts import Saved, SaveOutcome, get_edited
from sitecms.actions.writing import accept
from sitecms.actions.writing.accept import Caller, StudioValues, WriteContext
from sitecms.content.status import Status
from sitecms.content.user import Action, User
from sitecms.errors import InvalidFields
from sitecms.store.listings.posts import find_variants

EXISTS = "The post has a text in this language already."
_OF_ITS_OWN = ("slug", "format")


def translate(context: WriteContext, user: User, post_id: int, locale: str) -> Saved:
    """Create the variant of a post in a locale: a draft with the values that the form of the post shows.

    Raises NotFound, Forbidden and InvalidFields.
    """
    chosen = context.locale(locale)
    with context.database.reading() as session:
        edited = get_edited(session, user, post_id)
        post, values = edited.post, edited.values
        require(user, Action.CREATE, user.author)
        require(user, Action.EDIT, post.author.slug)
        require(user, Action.EDIT, str(values["author"]))
        if any(each.locale == chosen for each in find_variants(session, post.group_id)):
            raise InvalidFields({"locale": [EXISTS]})
        text = body = str(values["body"])
        if edited.is_markdown:
            body = render_body(session, context.settings, text, chosen, post.id, title=str(values["title"]))
    sent = request_of({name: value for name, value in values.items() if name not in _OF_ITS_OWN}, body)
    studio = StudioValues(text if edited.is_markdown else None)
    sent["status"] = Status.DRAFT.value
    accepted = accept.update_post(context, Caller(user), post.slug, sent, chosen, studio)
    record_by_user(context, user, "translate", f"post {post.slug} into {chosen}")
    return Saved(SaveOutcome.WRITTEN, accepted.write_id)
