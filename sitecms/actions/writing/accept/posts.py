"""Acceptance of post writes (API reference, Writes)."""

from collections.abc import Mapping, Set
from functools import partial
from typing import Any

from msgspec.structs import replace

from sitecms.actions.writing.accept.acceptance import (
    Accepted,
    Body,
    Caller,
    NewWrite,
    WriteContext,
    WritePlan,
    accept,
    key_of,
)
from sitecms.actions.writing.accept.body_reader import REQUIRED, BodyReader
from sitecms.actions.writing.accept.fields import NO_OBJECT, FieldCheck, status_of
from sitecms.actions.writing.accept.post_identity import (
    PostIdentity,
    find_variant,
    free_slug,
    get_known_post,
    is_taken,
)
from sitecms.actions.writing.accept.studio_values import NO_STUDIO_VALUES, StudioValues
from sitecms.actions.writing.request_media import AskedMedia, remote_images, stored_media_of
from sitecms.actions.writing.save_entry import default_author
from sitecms.content.change import EntryKind
from sitecms.content.post import FIELDS
from sitecms.content.status import Status
from sitecms.content.term import Term, TermKind
from sitecms.content.text.html import count_marks, sanitize, too_many_marks
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.text.slug import MAX_SLUG_LENGTH, RESERVED_SLUGS, slugify
from sitecms.content.writes import BuiltInFields, Operation, Save, SentEntry
from sitecms.errors import Forbidden, InvalidFields
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_author_slug
from sitecms.store.entries.post_rows import find_fields
from sitecms.store.entries.terms import find_term_by_slug
from sitecms.store.site_state.documents import load_content_schema
from sitecms.store.writes import writes
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
NEVER_NULL = ("title",)
"""Meaning of null in an update: the value of an unset key, and the keys that cannot be unset."""
MAX_WARNINGS = 100
NOT_ALLOWED = "The token does not allow writes to this post."
TAKEN = 'A post with the slug "{slug}" already exists.'


def create_post(
    context: WriteContext, caller: Caller, body: Body, locale: str = "", studio: StudioValues = NO_STUDIO_VALUES
) -> Accepted:
    """Create a post, in the default locale unless another is named. Raises InvalidFields and Forbidden."""
    chosen = context.locale(locale)
    checked = _PostFields(FieldCheck(context, chosen))

    def plan(session: Session, media: AskedMedia) -> WritePlan:
        _check_author(caller, caller.limits.author)
        reader = BodyReader(body)
        save = checked.save(session, reader, media, chosen, studio)
        slug = _new_slug(session, reader, reader.slug(), slugify(save.title or "") or "post")
        author = save.author or _default_author(session, reader, caller.limits.author or context.settings.owner)
        if "author" not in reader.errors:
            _check_author(caller, author)
        reader.raise_errors()
        save = replace(save, slug=slug, author=author)
        new_write = NewWrite(EntryKind.POST, Operation.CREATE, save, reserves=(slug,))
        return WritePlan(new_write, partial(_is_free, slug), removed=checked.removed)

    return accept(context, caller, plan)


def update_post(
    context: WriteContext,
    caller: Caller,
    slug: str,
    body: Body,
    locale: str = "",
    studio: StudioValues = NO_STUDIO_VALUES,
) -> Accepted:
    """Change the post, or create its variant in a locale that has none (API reference, Writes).

    Raises NotFound, InvalidFields and Forbidden.
    """
    chosen = context.locale(locale) if locale else ""
    checked = _PostFields(FieldCheck(context, chosen))

    def plan(session: Session, media: AskedMedia) -> WritePlan:
        named = get_known_post(session, slug)
        target = named if chosen in ("", named.locale) else find_variant(session, named.group_id, chosen)
        _check_author(caller, (target or named).author)
        media.stored = stored_media_of(session, (target or named).id)
        is_ignored = body.get("status") == Status.SCHEDULED
        reader = BodyReader({name: value for name, value in body.items() if not (is_ignored and name == "status")})
        has_fields = bool(load_content_schema(session).post_fields)
        reader.resolve_nulls(UNSET, (*NEVER_NULL, FIELDS) if has_fields else NEVER_NULL)
        save = checked.save(session, reader, media, target.locale if target else chosen, studio, target or named)
        new_write = _update(session, reader, save, target) if target else _variant(session, reader, save, named)
        if "author" not in reader.errors:
            _check_author(caller, save.author or (target or named).author)
        reader.raise_errors()
        new_slug = new_write.reserves[0] if new_write.reserves else ""
        variant_of = None if target else (named.group_id, chosen)
        holds = partial(_is_free, new_slug, own_id=new_write.entry_id, variant_of=variant_of)
        return WritePlan(new_write, holds, _warnings(body, {FIELDS} if has_fields else set()), checked.removed)

    return accept(context, caller, plan)


def _is_free(
    slug: str, session: Session, *, own_id: int | None = None, variant_of: tuple[int, str] | None = None
) -> bool:
    """Return whether no other post has the slug, and the locale group (id) has no variant in the locale."""
    if slug and is_taken(session, slug, own_id):
        return False
    return variant_of is None or find_variant(session, *variant_of) is None


def _update(session: Session, reader: BodyReader, save: Save, post: PostIdentity) -> NewWrite:
    slug = reader.slug()
    if slug and is_taken(session, slug, post.id):
        reader.refuse("slug", TAKEN.format(slug=slug))
    save = replace(save, slug=slug or post.slug, new_slug=slug or "")
    key = key_of(EntryKind.POST, post.group_id)
    return NewWrite(EntryKind.POST, Operation.UPDATE, save, post.id, key, (slug,) if slug else ())


def _variant(session: Session, reader: BodyReader, save: Save, original: PostIdentity) -> NewWrite:
    """Return the draft of a new variant, a copy of the original. A sent slug that is the original's own is ignored."""
    asked = reader.slug()
    from_title = slugify(save.title or "")
    if not from_title or from_title in RESERVED_SLUGS or is_taken(session, from_title):
        ending = f"-{slugify(save.locale)}"
        from_title = original.slug[: MAX_SLUG_LENGTH - len(ending)].rstrip("-_") + ending
    slug = _new_slug(session, reader, None if asked == original.slug else asked, from_title)
    save = replace(save, slug=slug, author=save.author or original.author, copy_of=original.id)
    key, place = key_of(EntryKind.POST, original.group_id), variant_name(original.group_id, save.locale)
    return NewWrite(EntryKind.POST, Operation.CREATE, save, entry_key=key, reserves=(slug, place))


class _PostFields:
    """The values of one request. The body is sanitised once, also where the plan is repeated."""

    def __init__(self, check: FieldCheck) -> None:
        self._removed: dict[str, list[tuple[str, Dropped]]] = {}
        self._clean: str | None = None
        self._check = check

    @property
    def removed(self) -> list[tuple[str, Dropped]]:
        """The places of the markup that was removed, and the markup."""
        return [each for found in self._removed.values() for each in found]

    def save(
        self,
        session: Session,
        reader: BodyReader,
        media: AskedMedia,
        locale: str,
        studio: StudioValues,
        base: PostIdentity | None = None,
    ) -> Save:
        """Return the sent values, without the slug; errors are noted in `reader`.

        `base` is the post that they are laid over, None for a new post.
        """
        title, status = reader.title(MAX_TITLE_LENGTH, None if base else REQUIRED), status_of(reader)
        author = _author(session, reader)
        texts: dict[str, Any] = {name: reader.text(name, longest) for name, longest in TEXTS.items()}
        terms: dict[str, Any] = {name: _terms(session, reader, name, kind) for name, kind in TERM_FIELDS.items()}
        image = _image(reader, media)
        if base is None and reader.body.get("scheduled") is not None:
            reader.refuse("scheduled", "A post cannot be scheduled through the API.")
        body, uploads = texts["body"], bool(reader.flag(UPLOAD))
        if message := too_many_marks(count_marks(body or "")):
            reader.refuse("body", message)
        elif body:
            texts["body"] = body = self._sanitized(body)
            if uploads:
                _look_for_images(reader, body, media)
        declared = self._declared_fields(session, reader, media, base.id if base else None)
        return Save(
            locale=locale,
            title=title,
            author=author,
            status=studio.status(status),
            scheduled_at=studio.scheduled_at,
            entries=(SentEntry(fields={} if declared is None else {locale: declared}),),
            built_in=BuiltInFields(featured_image=image, **texts, **terms),
            markdown=studio.markdown,
            uploads_images=uploads,
            ends_copy=studio.ends_copy,
            ends_markdown=studio.ends_markdown,
        )

    def _declared_fields(
        self, session: Session, reader: BodyReader, media: AskedMedia, base_id: int | None
    ) -> Mapping[str, object] | None:
        """Return the values of the fields that schema/post.yaml declares, with clean HTML; None if none were sent."""
        schema, raw = load_content_schema(session), reader.body.get(FIELDS)
        if not schema.post_fields or (raw is None and base_id is not None):
            return None
        raw = {} if raw in (None, []) else raw  # PHP clients send {} as []
        if not isinstance(raw, dict):
            reader.refuse(FIELDS, NO_OBJECT)
            return None
        current = None if base_id is None else find_fields(session, base_id)
        is_settled = base_id is None or not writes.find_open(session, EntryKind.POST, base_id)
        result = self._check.cleaned(
            session, media, raw, schema.post_fields, schema, current=current, is_settled=is_settled
        )
        reader.refuse_all(result.by_place(), f"{FIELDS}.")
        self._check.check_marks(reader)
        self._removed[FIELDS] = [(f"{FIELDS}.{each.place}", each.dropped) for each in result.warnings]
        return result.with_clean_html(raw)

    def _sanitized(self, body: str) -> str:
        if self._clean is None:
            removed: list[Dropped] = []
            self._clean = sanitize(body, removed.append)
            self._removed["body"] = [("body", dropped) for dropped in removed]
        return self._clean


def _look_for_images(reader: BodyReader, body: str, media: AskedMedia) -> None:
    for url in remote_images(body, media.session):
        if media.address(url) is None:
            reader.refuse("body", f"{media.problem(url)} {url[:200]}")


def _terms(session: Session, reader: BodyReader, name: str, kind: TermKind) -> tuple[str | Term, ...] | None:
    """Return the terms as names, or with the slug that was sent too; a slug alone names the term that has it."""
    terms = reader.terms(name, kind)
    if terms is None:
        return None
    named: list[str | Term] = []
    for term in terms:
        if term.name:
            named.append(term if term.slug else term.name)
        else:
            known = find_term_by_slug(session, kind, term.slug)
            named.append(known.name if known else term.slug)
    return tuple(named)


def _image(reader: BodyReader, media: AskedMedia) -> str | None:
    url = reader.text("featured_image")
    if url is None or not url.strip():
        return url
    address = media.address(url.strip())
    if address is None:
        reader.refuse("featured_image", media.problem(url.strip()))
    return address


def _author(session: Session, reader: BodyReader) -> str | None:
    """Return the slug of the named author: an object with slug or email and any further keys, or either as text."""
    value = reader.body.get("author")
    if value is None or value in ("", {}):
        return None
    keys = [value.get("slug"), value.get("email")] if isinstance(value, dict) else [value]
    named = [key for key in keys if isinstance(key, str) and key]
    if not named:
        reader.refuse("author", "Name the author by email or slug.")
        return None
    slugs = filter(None, (find_author_slug(session, key) for key in named))
    if slug := next(slugs, None):
        return slug
    reader.refuse("author", f'Author with email or slug "{named[-1][:100]}" does not exist.')
    return None


def _default_author(session: Session, reader: BodyReader, owner: str) -> str:
    """Return the slug of the author of a new post that names none; "" if there is none, or none that is known."""
    if "author" in reader.errors:
        return ""
    try:
        return default_author(session, owner)
    except InvalidFields as error:
        reader.refuse("author", *error.messages["author"])
        return ""


def _new_slug(session: Session, reader: BodyReader, asked: str | None, otherwise: str) -> str:
    """Return the sent slug, which must be free; without one, the first free slug that begins with `otherwise`."""
    if asked is None:
        return free_slug(session, otherwise)
    if is_taken(session, asked):
        reader.refuse("slug", TAKEN.format(slug=asked))
    return asked


def _check_author(caller: Caller, author: str) -> None:
    if not caller.limits.allow_posts_of(author):
        raise Forbidden(NOT_ALLOWED)


def _warnings(body: Body, also: Set[str]) -> dict[str, str]:
    """Return warnings about ignored keys: keys that cannot be written, `scheduled` among them, and that status."""
    ignored = [name for name in body if name not in WRITABLE | also]
    if body.get("status") == Status.SCHEDULED:
        ignored.append("status")
    return {
        f"warning: {name[:100]} field": f"The field {name[:100]} was ignored: it cannot be set here."
        for name in ignored[:MAX_WARNINGS]
    }
