"""Access tokens, stored and found by the digests of their secrets."""

from datetime import datetime
from typing import Any

from msgspec import convert
from msgspec.structs import asdict, replace
from peewee import IntegrityError

from sitecms.content.token import Scope, Token, TokenLimits
from sitecms.errors import Conflict, NotFound
from sitecms.messages import Text
from sitecms.store.database import Session, Transaction
from sitecms.store.models.writes import TokenRow
from sitecms.store.prepared import prepared

_NAMES = ("id", "name", "scope", "created_at", "expires_at", "revoked_at", "limits", "rotated_at", "former_until")
NO_LIMITS = TokenLimits()
_COLUMNS = [getattr(TokenRow, name) for name in _NAMES]


@prepared
def _by_digest(digest: str) -> Any:
    return TokenRow.select(*_COLUMNS).where(TokenRow.digest == digest)


@prepared
def _by_former_digest(digest: str) -> Any:
    return TokenRow.select(*_COLUMNS).where(TokenRow.former_digest == digest)


@prepared
def _name_of(token_id: int) -> Any:
    return TokenRow.select(TokenRow.name).where(TokenRow.id == token_id)


def _token(row: tuple[Any, ...]) -> Token:
    values = dict(zip(_NAMES, row, strict=True))
    return Token(**{**values, "limits": convert(values["limits"], TokenLimits)})


def find_tokens(session: Session) -> tuple[Token, ...]:
    """Return all tokens, in order of creation."""
    return tuple(_token(row) for row in session.rows(TokenRow.select(*_COLUMNS).order_by(TokenRow.id)))


def find_token(session: Session, digest: str) -> Token | None:
    """Return the token whose secret has this digest, usable or not. A former secret limits its expiry."""
    row = session.row(_by_digest(digest))
    if row:
        return _token(row)
    row = session.row(_by_former_digest(digest))
    if not row:
        return None
    token = _token(row)
    return replace(token, expires_at=min(until for until in (token.expires_at, token.former_until) if until))


def find_token_name(session: Session, token_id: int) -> str | None:
    """Return the name of a token, usable or not."""
    row = session.row(_name_of(token_id))
    return str(row[0]) if row else None


def insert_token(
    transaction: Transaction,
    name: str,
    scope: Scope,
    digest: str,
    at: datetime,
    expires_at: datetime | None,
    limits: TokenLimits = NO_LIMITS,
) -> None:
    """Insert a token. Raises Conflict if the name is taken."""
    row: dict[str, object] = {"name": name, "scope": scope, "digest": digest, "created_at": at}
    try:
        transaction.run(TokenRow.insert(**row, expires_at=expires_at, limits=asdict(limits)))
    except IntegrityError:
        raise Conflict(
            "name", Text("There is a token named %(name)s already; choose another name.", name=repr(name))
        ) from None


def rotate_token(transaction: Transaction, name: str, digest: str, at: datetime, former_until: datetime) -> None:
    """Give a token a new secret. The former one is valid until `former_until`. Raises NotFound."""
    usable = TokenRow.revoked_at.is_null() & (TokenRow.expires_at.is_null() | (TokenRow.expires_at > at))
    changed = TokenRow.update(digest=digest, rotated_at=at, former_digest=TokenRow.digest, former_until=former_until)
    if not transaction.run(changed.where((TokenRow.name == name) & usable)):
        raise NotFound(f"There is no token named {name!r} that is still valid.")


def revoke_token(transaction: Transaction, name: str, at: datetime) -> None:
    """Revoke a token. Raises NotFound if no usable one has the name."""
    usable = (TokenRow.name == name) & TokenRow.revoked_at.is_null()
    if not transaction.run(TokenRow.update(revoked_at=at).where(usable)):
        raise NotFound(f"There is no token named {name!r} that could be revoked.")
