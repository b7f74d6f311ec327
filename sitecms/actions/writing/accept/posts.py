"""Writes of posts (specification, endpoints 1 and 2; decisions, Writes)."""

from collections.abc import Mapping
from functools import partial

from sitecms.actions.default_author import default_author
from sitecms.actions.writing.accept.acceptance import Accepted, Body, Caller, Desk, Draft, Plan, accept, key_of
from sitecms.actions.writing.accept.body_reader import REQUIRED, Sent
from sitecms.actions.writing.accept.known_posts import KnownPost, find_variant, free_slug, get_known, is_taken
from sitecms.actions.writing.request_media import AskedMedia, remote_images, stored_media_of
from sitecms.content.change import EntryKind, Operation
from sitecms.content.field_value import FieldValue
from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.content.text.html import count_marks, sanitize, too_many_marks
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.text.slug import MAX_SLUG_LENGTH, RESERVED_SLUGS, slugify
from sitecms.errors import Forbidden, InvalidFields
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_author_slug
from sitecms.store.entries.terms import find_term_by_slug
from sitecms.store.writes.reservations import variant_name

MAX_TITLE_LENGTH = 200
UPLOAD = "upload_images_to_media_library"
TEXTS: Mapping[str, int | None] = {
    "featured_image_alt": 250, "body": None, "summary": 2000, "seo_title": 100, "meta_description": None,
}  # fmt: skip
WRITABLE = frozenset({"title", "slug", "status", "author", "categories", "tags", "featured_image", UPLOAD, *TEXTS})
TERM_FIELDS = {"categories": TermKind.CATEGORY, "tags": TermKind.TAG}
UNSET: Mapping[str, object] = {
    **dict.fromkeys(TEXTS, ""), **{name: [] for name in TERM_FIELDS}, "featured_image": "", UPLOAD: False,
}  # fmt: skip
NEVER_NULL = ("title", "slug", "status", "author")
"""Meaning of null in an update: the value of an unset key, and the keys that cannot be unset."""
MAX_WARNINGS = 100
NOT_ALLOWED = "The token does not allow writes to this post."
TAKEN = 'A post with the slug "{slug}" already exists.'


def create_post(desk: Desk, caller: Caller, body: Body, locale: str = "") -> Accepted:
    """A new post, in the default locale unless another is named. Raises InvalidFields and Forbidden."""
    chosen = desk.locale(locale)
    checked = _Checked()

    def plan(session: Session, media: AskedMedia) -> Plan:
        _check_author(caller, caller.token.limits.author)
        sent = Sent(body)
        fields = checked.fields(session, sent, media, is_new=True)
        slug = _new_slug(session, sent, sent.slug(), slugify(str(fields.get("title") or "")) or "post")
        author = _author_of(session, sent, fields, caller.token.limits.author or desk.settings.owner)
        if "author" not in sent.errors:
            _check_author(caller, author)
        sent.raise_errors()
        payload = _payload(chosen, slug, author, fields, upload=bool(sent.flag(UPLOAD)))
        draft = Draft(EntryKind.POST, Operation.CREATE, payload, reserves=(slug,))
        return Plan(draft, partial(_is_free, slug), removed=checked.removed)

    return accept(desk, caller, plan)


def update_post(desk: Desk, caller: Caller, slug: str, body: Body, locale: str = "") -> Accepted:
    """Change the post; in a locale in which it has no variant, make that. PUT does the same (decisions, Writes).

    Raises NotFound, InvalidFields and Forbidden.
    """
    chosen = desk.locale(locale) if locale else ""
    checked = _Checked()

    def plan(session: Session, media: AskedMedia) -> Plan:
        named = get_known(session, slug)
        target = named if chosen in ("", named.locale) else find_variant(session, named.group_id, chosen)
        _check_author(caller, (target or named).author)
        media.stored = stored_media_of(session, (target or named).id)
        is_ignored = body.get("status") == Status.SCHEDULED
        sent = Sent({name: value for name, value in body.items() if not (is_ignored and name == "status")})
        sent.resolve_nulls(UNSET, NEVER_NULL)
        fields = checked.fields(session, sent, media, is_new=False)
        draft = _update(session, sent, fields, target) if target else _variant(session, sent, fields, named, chosen)
        if "author" not in sent.errors:
            _check_author(caller, str(draft.payload["author_slug"]))
        sent.raise_errors()
        draft.payload["unschedules"] = sent.unschedules
        new_slug = draft.reserves[0] if draft.reserves else ""
        variant_of = None if target else (named.group_id, chosen)
        holds = partial(_is_free, new_slug, mine=draft.entry_id, variant_of=variant_of)
        return Plan(draft, holds, _warnings(body), checked.removed)

    return accept(desk, caller, plan)


def _is_free(
    slug: str, session: Session, *, mine: int | None = None, variant_of: tuple[int, str] | None = None
) -> bool:
    """Return whether no other post has the slug, and the locale group (id) has no variant in the locale."""
    if slug and is_taken(session, slug, mine):
        return False
    return variant_of is None or find_variant(session, *variant_of) is None


def _update(session: Session, sent: Sent, fields: dict[str, FieldValue], post: KnownPost) -> Draft:
    slug = sent.slug()
    if slug and is_taken(session, slug, post.id):
        sent.refuse("slug", TAKEN.format(slug=slug))
    if slug:
        fields["slug"] = slug
    author = str(fields.get("author") or post.author)
    payload = _payload(post.locale, slug or post.slug, author, fields, upload=bool(sent.flag(UPLOAD)))
    key = key_of(EntryKind.POST, post.group_id)
    return Draft(EntryKind.POST, Operation.UPDATE, payload, post.id, key, (slug,) if slug else ())


def _variant(session: Session, sent: Sent, fields: dict[str, FieldValue], original: KnownPost, locale: str) -> Draft:
    """A new variant starts as a copy of the original. The original's own slug, sent back, names that one only."""
    asked = sent.slug()
    from_title = slugify(str(fields.get("title") or ""))
    if not from_title or from_title in RESERVED_SLUGS or is_taken(session, from_title):
        ending = f"-{slugify(locale)}"
        from_title = original.slug[: MAX_SLUG_LENGTH - len(ending)].rstrip("-_") + ending
    slug = _new_slug(session, sent, None if asked == original.slug else asked, from_title)
    author = str(fields.get("author") or original.author)
    payload = _payload(locale, slug, author, fields, upload=bool(sent.flag(UPLOAD)))
    payload["copy_of"] = original.id
    key, place = key_of(EntryKind.POST, original.group_id), variant_name(original.group_id, locale)
    return Draft(EntryKind.POST, Operation.CREATE, payload, entry_key=key, reserves=(slug, place))


class _Checked:
    """The fields of one request. The body is sanitised once, also where the plan is repeated.

    `removed` names the markup that was removed from it.
    """

    def __init__(self) -> None:
        self.removed: tuple[tuple[str, Dropped], ...] = ()
        self._clean: str | None = None

    def fields(self, session: Session, sent: Sent, media: AskedMedia, *, is_new: bool) -> dict[str, FieldValue]:
        """Return the sent values by name, without the slug; errors are noted in `sent`."""
        values: dict[str, FieldValue | None] = {
            "title": sent.title(MAX_TITLE_LENGTH, REQUIRED if is_new else None),
            "status": sent.status(),
            "author": _author(session, sent),
        }
        values |= {name: sent.text(name, longest) for name, longest in TEXTS.items()}
        values |= {name: _terms(session, sent, name, kind) for name, kind in TERM_FIELDS.items()}
        values["featured_image"] = _image(sent, media)
        if is_new and sent.body.get("scheduled") is not None:
            sent.refuse("scheduled", "A post cannot be scheduled through the API.")
        if message := too_many_marks(count_marks(str(values["body"] or ""))):
            sent.refuse("body", message)
        elif values["body"]:
            values["body"] = self._sanitized(str(values["body"]))
            if sent.flag(UPLOAD):
                _look_for_images(sent, str(values["body"]), media)
        return {name: value for name, value in values.items() if value is not None}

    def _sanitized(self, body: str) -> str:
        if self._clean is None:
            removed: list[Dropped] = []
            self._clean = sanitize(body, removed.append)
            self.removed = tuple(("body", dropped) for dropped in removed)
        return self._clean


def _look_for_images(sent: Sent, body: str, media: AskedMedia) -> None:
    for url in remote_images(body, media.session):
        if media.address(url) is None:
            sent.refuse("body", f"{media.problem(url)} {url[:200]}")


def _terms(session: Session, sent: Sent, name: str, kind: TermKind) -> list[FieldValue] | None:
    """Return the terms by name; those that say their slug too as objects. A slug alone means the term that has it."""
    terms = sent.terms(name, kind)
    if terms is None:
        return None
    found: list[FieldValue] = []
    for term in terms:
        if term.name:
            found.append({"name": term.name, "slug": term.slug} if term.slug else term.name)
        else:
            known = find_term_by_slug(session, kind, term.slug)
            found.append(known.name if known else term.slug)
    return found


def _image(sent: Sent, media: AskedMedia) -> str | None:
    url = sent.text("featured_image")
    if url is None or not url.strip():
        return url
    address = media.address(url.strip())
    if address is None:
        sent.refuse("featured_image", media.problem(url.strip()))
    return address


def _author(session: Session, sent: Sent) -> str | None:
    """The slug of the author that is named: an object with slug or email and any further keys, or either as text."""
    value = sent.body.get("author")
    if value is None or value in ("", {}):
        return None
    keys = [value.get("slug"), value.get("email")] if isinstance(value, dict) else [value]
    named = [key for key in keys if isinstance(key, str) and key]
    if not named:
        sent.refuse("author", "Name the author by email or slug.")
        return None
    found = filter(None, (find_author_slug(session, key) for key in named))
    if slug := next(found, None):
        return slug
    sent.refuse("author", f'Author with email or slug "{named[-1][:100]}" does not exist.')
    return None


def _author_of(session: Session, sent: Sent, fields: Mapping[str, FieldValue], owner: str) -> str:
    """Return the slug of the author that a new post belongs to: the one that is named, else the default one."""
    if "author" in fields or "author" in sent.errors:
        return str(fields.get("author"))
    try:
        return default_author(session, owner)
    except InvalidFields as error:
        sent.refuse("author", *error.messages["author"])
        return ""


def _new_slug(session: Session, sent: Sent, asked: str | None, otherwise: str) -> str:
    """The slug that is asked for, which must be free; else the first free one made from another text."""
    if asked is None:
        return free_slug(session, otherwise)
    if is_taken(session, asked):
        sent.refuse("slug", TAKEN.format(slug=asked))
    return asked


def _check_author(caller: Caller, author: str) -> None:
    if not caller.token.limits.allow_posts_of(author):
        raise Forbidden(NOT_ALLOWED)


def _payload(
    locale: str, slug: str, author: str, fields: dict[str, FieldValue], *, upload: bool
) -> dict[str, FieldValue]:
    return {"locale": locale, "slug": slug, "author_slug": author, "fields": fields, "upload_images": upload}


def _warnings(body: Body) -> dict[str, FieldValue]:
    """Keys that were ignored: all that cannot be written, and the status `scheduled`."""
    ignored = [name for name in body if name not in WRITABLE and not (name == "scheduled" and body[name] is None)]
    if body.get("status") == Status.SCHEDULED:
        ignored.append("status")
    return {
        f"warning: {name[:100]} field": f"The field {name[:100]} was ignored: it cannot be set here."
        for name in ignored[:MAX_WARNINGS]
    }
