"""Reader of the plain values in the body of a write, which gathers errors by key (API reference, Writes).

In a creation null means that a key was not sent: typed clients send null for unset keys. In an update it unsets the
key (`resolve_nulls`), but for `status`, `author` and `slug`, where it means the same as in a creation.
"""

import json
from collections.abc import Iterable, Mapping

from sitecms.content.status import Status
from sitecms.content.term import MAX_TERM_NAME_LENGTH, MAX_TERMS, Term, TermKind
from sitecms.content.term_slugs import base_slug
from sitecms.content.text.slug import MAX_SLUG_LENGTH, RESERVED_SLUGS, slugify
from sitecms.documents import unfit_character
from sitecms.errors import InvalidFields
from sitecms.messages import N_, Text

REQUIRED = N_("This field is required.")
BLANK = N_("This field may not be blank.")
NOT_NULL = "This field may not be null."
NO_TEXT = "Not a valid string."
MANY_ELEMENTS = N_("Ensure this field has no more than %(limit)s elements; it has %(length)s.")
UNFIT_TEXT = "Must not hold the control character {}."
SCHEDULED_IGNORED = {"warning: scheduled field": "The field scheduled was ignored: it cannot be set here."}
STATUSES = (Status.DRAFT.value, Status.PUBLISHED.value)
_BOOLEANS = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False, "": False}


class BodyReader:
    """The body of a request. Each method returns None for a value that was not sent or is invalid."""

    def __init__(self, body: Mapping[str, object]) -> None:
        self.body = body
        self.errors: dict[str, list[str]] = {}

    def refuse(self, name: str, *messages: str) -> None:
        """Add errors of a key."""
        self.errors.setdefault(name, []).extend(messages)

    def refuse_all(self, errors: Mapping[str, Iterable[str]], before: str = "") -> None:
        """Add errors by key, each key with `before` in front of it."""
        for name, messages in errors.items():
            self.refuse(before + name, *messages)

    def resolve_nulls(self, unset: Mapping[str, object], required: Iterable[str]) -> None:
        """Replace each null by its key's value in `unset`; add an error for the required keys."""
        nulls = {name for name, value in self.body.items() if value is None}
        self.body = {**self.body, **{name: value for name, value in unset.items() if name in nulls}}
        for name in sorted(nulls.intersection(required)):
            self.refuse(name, NOT_NULL)

    def raise_errors(self) -> None:
        """Raise InvalidFields if there are errors."""
        if self.errors:
            raise InvalidFields(self.errors)

    def text(self, name: str, max_length: int | None = None) -> str | None:
        """Return a text of at most `max_length` characters."""
        value = self.body.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self.refuse(name, NO_TEXT)
            return None
        if character := unfit_character(value):
            self.refuse(name, UNFIT_TEXT.format(character))
            return None
        if max_length is not None and len(value) > max_length:
            self.refuse(name, Text("Ensure this field has no more than %(limit)s characters.", limit=max_length))
            return None
        return value

    def title(self, max_length: int, missing: str | None = None) -> str | None:
        """Return the text `title`, which is not blank; `missing` is the error of a required title that was not sent."""
        text = self.text("title", max_length)
        if text is None and missing and "title" not in self.errors:
            self.refuse("title", missing)
        if text is not None and not text.strip():
            self.refuse("title", missing if missing and missing != REQUIRED else BLANK)
            return None
        return text

    def slug(self) -> str | None:
        """Return the slug in the form of an address; None also for an empty slug."""
        text = self.text("slug", MAX_SLUG_LENGTH)
        if not text:
            return None
        slug = slugify(text, max_bytes=None)
        if not slug:
            self.refuse("slug", N_("Enter a slug that holds letters or digits."))
        elif slug in RESERVED_SLUGS:
            self.refuse("slug", f'The slug "{slug}" is an address of the API itself; choose another one.')
            return None
        return slug or None

    def status(self) -> str | None:
        """Return `draft` or `published`."""
        value = self.body.get("status")
        if value is None:
            return None
        if isinstance(value, str) and value in STATUSES:
            return value
        shown = str(value)[:40]
        self.refuse("status", f'"{shown}" is not a valid choice. Valid choices: {", ".join(STATUSES)}.')
        return None

    def flag(self, name: str) -> bool | None:
        """Return a boolean; the words that forms send count as well."""
        value = self.body.get(name)
        if value is None or isinstance(value, bool):
            return value
        flag = _BOOLEANS.get(str(value)) if isinstance(value, str | int) else None
        if flag is None:
            self.refuse(name, "Must be a valid boolean.")
        return flag

    def terms(self, name: str, kind: TermKind) -> list[Term] | None:
        """Return terms: sent as names, or as objects with `name`, `slug` or both, as reads give them.

        The name is "" where the slug alone was sent, and the slug where the name alone was.
        """
        value = self.body.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            self.refuse(name, f'Expected a list of items but got type "{type(value).__name__}".')
            return None
        if len(value) > MAX_TERMS:
            self.refuse(name, Text(MANY_ELEMENTS, limit=MAX_TERMS, length=len(value)))
            return None
        return [term for entry in value if (term := self._term(name, kind, entry))]

    def _term(self, name: str, kind: TermKind, entry: object) -> Term | None:
        sent = entry if isinstance(entry, dict) else {"name": entry}
        text, slug = (sent.get(key) or "" for key in ("name", "slug"))
        parts = ((text, base_slug), (slug, slugify))
        unfit = next((part for part, make in parts if isinstance(part, str) and part and not make(part)), None)
        if not isinstance(text, str) or not isinstance(slug, str) or not (text or slug):
            shown = json.dumps(entry, ensure_ascii=False)[:40]
            self.refuse(name, f"{shown} is no name: send texts, or objects with a name.")
        elif character := unfit_character(text + slug):
            self.refuse(name, UNFIT_TEXT.format(character))
        elif unfit is not None:
            self.refuse(name, f'"{unfit.strip()[:40]}" holds no letter or digit.')
        elif len(text.strip()) > MAX_TERM_NAME_LENGTH:
            self.refuse(
                name, Text("Ensure each name has no more than %(limit)s characters.", limit=MAX_TERM_NAME_LENGTH)
            )
        elif len(slug) > MAX_SLUG_LENGTH:
            self.refuse(name, f"Ensure each slug has no more than {MAX_SLUG_LENGTH} characters.")
        else:
            return Term(kind, slugify(slug, max_bytes=None), text.strip())
        return None
