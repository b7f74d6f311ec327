"""An entry of any kind as its editor shows it, and who may change it."""

from datetime import datetime
from functools import cached_property

from msgspec import Struct

from sitecms.actions.accounts.permissions import require
from sitecms.actions.editing.values import Values, values_of
from sitecms.actions.writing.accept import EntryName, WriteContext
from sitecms.actions.writing.free_addresses import AddressRule
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.kinds import KINDS, EntryKind, declared_fields
from sitecms.content.references import SINGLE_PAGES
from sitecms.content.schema import ContentSchema, FieldSpec
from sitecms.content.status import Status
from sitecms.content.user import Action, User
from sitecms.errors import Forbidden, NotFound
from sitecms.messages import N_
from sitecms.store.accounts.audit import record_action
from sitecms.store.database import Session
from sitecms.store.entries.addresses import StoredAddress
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.entries.revisions import StoredState
from sitecms.store.listings.entries import label_of
from sitecms.store.site_state.documents import content_schema_digest, load_content_schema

NOT_FOUND = N_("Not found.")
NO_TITLE = "(no title)"
_DIGEST_LENGTH = 16


class EditContext(Struct, frozen=True):
    """The user who changes entries, and what accepting the writes needs."""

    writes: WriteContext
    user: User

    def record(self, action: str, subject: str) -> None:
        """Record an action of the user in the log."""
        with self.writes.database.writing(counts_as_change=False) as transaction:
            record_action(transaction, self.user, action, subject, self.writes.clock())

    def free_slug(self, new: "NewEntry", base: str) -> str:
        """Return the slug of a new post or page, with a number added if it or the address is that of another entry."""
        with self.writes.database.reading() as session:
            rule = AddressRule(session, load_content_schema(session), self.writes.settings)
            locale = self.writes.locale(new.locale)
            return rule.free_slug(StoredAddress(new.kind, 0, locale, base, self.writes.clock(), new.type, ""))


class NewEntry(Struct, frozen=True):
    """The place of a new entry. `type` is its page type or collection, "" for a Single Page and for a post."""

    kind: EntryKind
    type: str
    locale: str


class Edited(Struct, frozen=True, dict=True):
    """An entry in one locale, as its editor shows it.

    `versions` are those of all its locales, drafts before live ones; of this locale, `shown` is the one that the editor
    shows and `written` the one that a write changes, which are None if the entry is not in the locale yet. `revision`
    changes with the `state`, and with the schema: it is the token of the state and a part of the digest of the schema.
    """

    kind: EntryKind
    id: int
    locale: str
    versions: tuple[Entry, ...]
    shown: Entry | None
    written: Entry | None
    schema: ContentSchema
    state: StoredState
    revision: str

    @property
    def live(self) -> Entry | None:
        """The version of this locale that readers see."""
        return next((each for each in self.versions if each.is_live and each.locale == self.locale), None)

    @property
    def published_at(self) -> datetime | None:
        """The date of publication that readers see, or that is meant for a draft; None if there is none."""
        return (self.live or self.named_version).published_at

    @property
    def named_version(self) -> Entry:
        """The version whose title the form shows: that in its locale, if there is one."""
        return self.shown or self.versions[0]

    @property
    def type(self) -> str:
        """The page type or the collection, "" of a Single Page and of a post."""
        return self.versions[0].type

    @cached_property
    def specs(self) -> tuple[FieldSpec, ...]:
        """The declared fields of the entry. Raises NotFound."""
        return declared_fields(self.schema, self.kind, self.type, getattr(self.versions[0], "slug", ""))

    @property
    def source(self) -> str | None:
        """The Markdown that the stored body was rendered from, None for HTML."""
        return self.written.markdown if self.written else None

    @cached_property
    def stored(self) -> Values:
        """The values of the version that a write changes."""
        return self._values(self.written)

    @cached_property
    def values(self) -> Values:
        """The values that the editor shows."""
        return self._values(self.shown)

    def _values(self, version: Entry | None) -> Values:
        return values_of(version) if version else {**values_of(self.named_version), FIELDS: {}}

    @property
    def live_values(self) -> Values:
        """The values that readers see, or that are scheduled, where there is a draft over them."""
        return values_of(self.live) if self.live else self.stored

    @property
    def is_markdown(self) -> bool:
        """True if the `body` that the editor shows is Markdown, False if it is HTML."""
        return self.named_version.markdown is not None

    @property
    def has_draft(self) -> bool:
        """True if the editor shows changes of what readers see, or of what is scheduled."""
        return self.shown is not (self.live or self.written)

    @property
    def status(self) -> Status | None:
        """The status of what readers see, else of the draft; None if the entry is not in this locale."""
        version = self.live or self.written
        return version.status if version else None

    @property
    def is_scheduled(self) -> bool:
        """True if what the form shows is to be published at a time that is set."""
        return self.scheduled_at is not None

    @property
    def scheduled_at(self) -> datetime | None:
        """The time that is set."""
        shown = self.shown if self.live else self.written
        return shown.scheduled_at if shown else None

    @property
    def saved_at(self) -> datetime | None:
        """The time at which what the editor shows was saved; None if the entry is not in this locale."""
        return self.shown.updated_at if self.shown else None

    @property
    def is_public(self) -> bool:
        """True if readers see the entry in some locale."""
        return any(each.status is Status.PUBLISHED for each in self.versions)

    @property
    def locales(self) -> tuple[str, ...]:
        """The locales that the entry is in."""
        return tuple(dict.fromkeys(each.locale for each in self.versions))

    def in_locale(self, locale: str) -> Entry | None:
        """Return the draft in a locale, else the live version, or None."""
        return next((each for each in self.versions if each.locale == locale), None)

    @property
    def author(self) -> str | None:
        """The author (slug) whose entry it is, None for kinds without authors."""
        return str(self.stored["author"]) if KINDS[self.kind].has_author else None

    @property
    def title(self) -> str:
        """The title that the editor shows, or the text that names an item."""
        if "title" in self.values:
            return str(self.values["title"]) or NO_TITLE
        collection = self.schema.collection(self.type)
        return label_of(self.named_version.fields, collection) or f"{self.type} {self.id}"

    @property
    def name(self) -> EntryName:
        """The name that requests have for the entry."""
        type_name = self.type or (SINGLE_PAGES if KINDS[self.kind].type_key else "")
        return EntryName(self.kind, str(self.stored.get("slug", self.id)), type_name)

    @property
    def subject(self) -> str:
        """The entry as the log names it."""
        if "slug" in self.stored:
            return f"{self.kind} {self.stored['slug']}"
        return f"{self.kind} {self.id} of {self.type}"

    def allows(self, user: User, action: Action) -> bool:
        """Return whether the user may act on the entry."""
        try:
            self.require(user, action)
        except Forbidden:
            return False
        return True

    def require(self, user: User, action: Action) -> None:
        """Raise Forbidden unless the user may act on the entry."""
        require_for(user, action, self.kind, self.author)


def require_for(user: User, action: Action, kind: EntryKind, author: str | None = None) -> None:
    """Raise Forbidden unless the user may act on an entry of the kind; of kinds with authors, on one of the author."""
    if not KINDS[kind].has_author:
        require(user, Action.EDIT_PAGES)
    require(user, action, author)


def get_edited(session: Session, user: User, kind: EntryKind, entry_id: int, locale: str = "") -> Edited:
    """Return an entry as the user may see it in a locale; one that has its own is seen in that.

    Users who may not change a post do not see the working copy of another one. Raises Forbidden, and NotFound also for
    a draft that the user may not read.
    """
    if not KINDS[kind].has_author:
        require(user, Action.EDIT_PAGES)
    versions = versions_of(session, kind, entry_id)
    main = versions[-1] if versions else None
    author = main.author.slug if main and KINDS[kind].has_author else None
    if main is None or not (main.is_live or user.may(Action.READ_DRAFT, author)):
        raise NotFound(NOT_FOUND)
    locale = KINDS[kind].locale_key(locale) or main.locale
    state = StoredState(versions).in_locale(locale)
    if not user.may(Action.EDIT, author):
        versions = tuple(each for each in versions if not each.saved_by)
    own = [each for each in versions if each.locale == locale]
    shown, written = own[0] if own else None, next((each for each in own if not each.saved_by), None)
    revision = f"{state.token}.{content_schema_digest(session)[:_DIGEST_LENGTH]}"
    return Edited(kind, entry_id, locale, versions, shown, written, load_content_schema(session), state, revision)
