"""Built-in fields of a post in a request: read, checked and sanitised; author and terms are looked up."""

from collections.abc import Mapping
from typing import Any

from sitecms.actions.writing.accept.body_reader import REQUIRED
from sitecms.actions.writing.accept.planning import NO_OBJECT, Planning
from sitecms.actions.writing.known_entries import KnownEntry
from sitecms.actions.writing.request_fields import SentFields
from sitecms.actions.writing.request_media import remote_images
from sitecms.content.entry import FIELDS
from sitecms.content.term import TERM_FIELDS, Term, TermKind
from sitecms.content.text.removed_markup import Dropped
from sitecms.content.writes import BuiltInFields, Save, SentEntry
from sitecms.store.entries.authors import find_author_slug
from sitecms.store.entries.terms import find_term_by_slug

MAX_TITLE_LENGTH = 200
UPLOAD = "upload_images_to_media_library"
TEXTS: Mapping[str, int | None] = {
    "featured_image_alt": 250, "body": None, "summary": 2000, "seo_title": 100, "meta_description": None,
}  # fmt: skip
WRITABLE = frozenset({"title", "slug", "status", "author", "categories", "tags", "featured_image", UPLOAD, *TEXTS})
UNSET: Mapping[str, object] = {
    **dict.fromkeys(TEXTS, ""), **{name: [] for name in TERM_FIELDS}, "featured_image": "", UPLOAD: False,
}  # fmt: skip
"""The values that null stands for in an update."""


def read_post(plan: Planning, locale: str, base: KnownEntry | None = None) -> tuple[Save, list[tuple[str, Dropped]]]:
    """Return the sent values without the slug, and the markup that was removed by place; errors are noted.

    `base` is the post that they are laid over, None for a new post.
    """
    reader, studio = plan.reader, plan.request.studio
    title, status = reader.title(MAX_TITLE_LENGTH, None if base else REQUIRED), plan.status()
    author = _author(plan)
    texts: dict[str, Any] = {name: reader.text(name, longest) for name, longest in TEXTS.items()}
    terms: dict[str, Any] = {name: _terms(plan, name, kind) for name, kind in TERM_FIELDS.items()}
    image = _image(plan)
    if base is None and reader.body.get("scheduled") is not None:
        reader.refuse("scheduled", "A post cannot be scheduled through the API.")
    uploads, removed = bool(reader.flag(UPLOAD)), list[tuple[str, Dropped]]()
    if texts["body"]:
        texts["body"] = _body(plan, texts["body"], removed, uploads=uploads)
    declared = _declared_fields(plan, base, removed)
    save = Save(
        locale=locale,
        title=title,
        author=author,
        status=studio.status(status),
        scheduled_at=studio.scheduled_at,
        published_at=studio.published_at,
        entries=(SentEntry(fields={} if declared is None else {locale: declared}),),
        built_in=BuiltInFields(featured_image=image, **texts, **terms),
        markdown=studio.markdown,
        uploads_images=uploads,
        ends_copy=studio.ends_copy,
        ends_markdown=studio.ends_markdown,
    )
    return save, removed


def _body(plan: Planning, body: str, removed: list[tuple[str, Dropped]], *, uploads: bool) -> str:
    """Return the clean body; its remote images must be retrievable if it `uploads` them."""
    clean = plan.request.body_html.clean(body, lambda dropped: removed.append(("body", dropped)))
    if message := plan.request.body_html.problem():
        plan.reader.refuse("body", message)
    elif uploads:
        for url in remote_images(clean, plan.media.session):
            if plan.media.address(url) is None:
                plan.reader.refuse("body", f"{plan.media.problem(url)} {url[:200]}")
    return clean


def _declared_fields(
    plan: Planning, base: KnownEntry | None, removed: list[tuple[str, Dropped]]
) -> Mapping[str, object] | None:
    """Return the values of the fields that schema/post.yaml declares, with clean HTML; None if none were sent."""
    raw = plan.reader.body.get(FIELDS)
    if not plan.schema.post_fields or (raw is None and base is not None):
        return None
    raw = {} if raw in (None, []) else raw  # PHP clients send {} as []
    if not isinstance(raw, dict):
        plan.reader.refuse(FIELDS, NO_OBJECT)
        return None
    locale = base.locale if base else plan.request.locale
    merged = plan.merged(SentFields(plan.kind, {locale: raw}, None), plan.schema.post_fields, base)
    plan.reader.refuse_all(merged.errors, f"{FIELDS}.")
    plan.check_marks()
    removed += [(f"{FIELDS}.{place}", dropped) for place, dropped in merged.warnings]
    return merged.sent[locale]


def _terms(plan: Planning, name: str, kind: TermKind) -> tuple[str | Term, ...] | None:
    """Return the terms as names, or with the slug that was sent too; a slug alone names the term that has it."""
    terms = plan.reader.terms(name, kind)
    if terms is None:
        return None
    named: list[str | Term] = []
    for term in terms:
        if term.name:
            named.append(term if term.slug else term.name)
        else:
            known = find_term_by_slug(plan.session, kind, term.slug)
            named.append(known.name if known else term.slug)
    return tuple(named)


def _image(plan: Planning) -> str | None:
    url = plan.reader.text("featured_image")
    if url is None or not url.strip():
        return url
    address = plan.media.address(url.strip())
    if address is None:
        plan.reader.refuse("featured_image", plan.media.problem(url.strip()))
    return address


def _author(plan: Planning) -> str | None:
    """Return the slug of the named author: an object with slug or email and any further keys, or either as text."""
    value, reader = plan.reader.body.get("author"), plan.reader
    if value is None or value in ("", {}):
        return None
    keys = [value.get("slug"), value.get("email")] if isinstance(value, dict) else [value]
    named = [key for key in keys if isinstance(key, str) and key]
    if not named:
        reader.refuse("author", "Name the author by email or slug.")
        return None
    slugs = filter(None, (find_author_slug(plan.session, key) for key in named))
    if slug := next(slugs, None):
        return slug
    reader.refuse("author", f'Author with email or slug "{named[-1][:100]}" does not exist.')
    return None
