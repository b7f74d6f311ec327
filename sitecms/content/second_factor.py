"""Second factors: codes that change with the time (TOTP, RFC 6238) and recovery codes.

The codes have six digits, change each 30 seconds and are made with SHA-1, as all apps make them.
"""

import hmac
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256

import pyotp

from sitecms.clock import EPOCH

STEP_SECONDS = 30
RECOVERY_CODES = 10
STEP_LIFETIME = timedelta(minutes=10)
"""Time for the code after the password was typed."""
_TOLERANCE = 1
"""Steps by which the clock of a device may be wrong."""
_GROUPS, _GROUP_LENGTH = 3, 5
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits of recovery codes, without those that look alike. 15 of them are 74 bits."""


def new_totp_secret() -> str:
    """Return a new random secret (160 bits) in Base32, as apps take it."""
    return pyotp.random_base32()


def step_at(at: datetime) -> int:
    """Return the number of the 30 seconds in which a moment lies, since 1970."""
    return int((at - EPOCH).total_seconds()) // STEP_SECONDS


def totp_code(secret: str, step: int) -> str:
    """Return the code of a step."""
    return pyotp.HOTP(secret).at(step)


def matching_step(secret: str, typed: str, at: datetime, after: int) -> int | None:
    """Return the step whose code was typed, among those later than `after`; None if it is not a current code."""
    code = plain_code(typed)
    current = step_at(at)
    steps = [step for step in range(current - _TOLERANCE, current + _TOLERANCE + 1) if step > after]
    equal = [step for step in steps if hmac.compare_digest(totp_code(secret, step), code)]
    return equal[0] if equal else None


def totp_address(secret: str, issuer: str, name: str) -> str:
    """Return the address that apps read from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=issuer)


def new_recovery_codes() -> tuple[str, ...]:
    """Return new codes, each of which opens once in place of a code of the app, as `abcde-fghjk-mnpqr`."""
    return tuple(_recovery_code() for _ in range(RECOVERY_CODES))


def recovery_digest(user_id: int, code: str) -> str:
    """Return the digest that is stored instead of a recovery code of a user."""
    return sha256(f"{user_id} {plain_code(code)}".encode("utf-8", "surrogatepass")).hexdigest()


def plain_code(typed: str) -> str:
    """Return a code without spaces and hyphens, in small letters; "" for what cannot be one."""
    text = "".join(_plain(typed)) if len(typed) < 100 else ""
    return text if text.isascii() else ""


def _plain(typed: str) -> Iterable[str]:
    return (letter for letter in typed.lower() if not letter.isspace() and letter != "-")


def _recovery_code() -> str:
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP_LENGTH)) for _ in range(_GROUPS))
