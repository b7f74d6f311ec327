"""Passwords: rules for new ones, and their hashes (argon2id).

At most two hashes are computed at once in a process, since each takes 19 MiB.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import NoReturn

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sitecms.errors import InvalidFields
from sitecms.messages import Text

MIN_LENGTH = 12
MAX_LENGTH = 1_000
MOST_AT_ONCE = 2
MIN_REMAINING = 4
"""Characters that must remain of a password when common words, names and sequences are taken out."""
WAIT_SECONDS = 10.0
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)  # OWASP's profile for argon2id
_slots = threading.BoundedSemaphore(MOST_AT_ONCE)
_KEYS = (
    "01234567890", "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm",
    "yxcvbnm", "1qaz2wsx3edc4rfv",
)  # fmt: skip
_COMMON = (
    "password", "passwort", "passwd", "passw", "letmein", "welcome", "administrator", "admin", "changeme", "change",
    "default", "secret", "iloveyou", "master", "login", "logon", "root", "guest", "user", "test", "demo", "monkey",
    "dragon", "sunshine", "princess", "football", "baseball", "superman", "batman", "shadow", "michael", "trustno",
    "whatever", "starwars", "computer", "internet", "summer", "winter", "spring", "autumn", "hello", "sitecms",
    "studio", "love", "god", "please", "this", "the", "is", "my",
)  # fmt: skip
_LOOKALIKES = str.maketrans("0134578@$!", "oleastbasi")
_AT_THE_END = re.compile(r"[\d\W_]+$")
_SEQUENCE_LENGTH = 3
_UNKNOWN = "$argon2id$v=19$m=19456,t=2,p=1$c2l0ZWNtcy11bmtub3duLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
"""A hash that no password has, with the parameters of new ones: checking it takes the same time."""


class TooBusy(Exception):
    """Too many passwords are being checked at the moment."""


def check_new_password(password: str, *names: str) -> None:
    """Raise InvalidFields under `password` for one that is too short, too long or easy to guess.

    `names` are words that the password must not consist of: of the user and of the site.
    """
    if len(password) < MIN_LENGTH:
        _refuse(
            Text("Use at least %(num)s characters. Four or more unrelated words are a good password.", num=MIN_LENGTH)
        )
    if len(password) > MAX_LENGTH:
        _refuse(Text("Use at most %(num)s characters.", num=MAX_LENGTH))
    if len(_remaining(password, names)) < MIN_REMAINING:
        _refuse("This password is easy to guess. Four or more unrelated words are a good one.")


def _refuse(message: str) -> NoReturn:
    raise InvalidFields({"password": [message]})


def hash_password(password: str, *, wait_seconds: float = WAIT_SECONDS) -> str:
    """Return the hash of a password. Raises TooBusy."""
    with _slot(wait_seconds):
        return _HASHER.hash(_normal(password))


def verify_password(password: str, password_hash: str | None) -> bool:
    """Return whether the password has this hash; without a hash it takes as long. Raises TooBusy."""
    with _slot():
        try:
            return _HASHER.verify(password_hash or _UNKNOWN, _normal(password)) and password_hash is not None
        except (VerificationError, InvalidHashError):
            return False


def needs_rehash(password_hash: str) -> bool:
    """Return whether the hash was made with other parameters than new ones."""
    return _HASHER.check_needs_rehash(password_hash)


@contextmanager
def _slot(wait_seconds: float = WAIT_SECONDS) -> Iterator[None]:
    if not _slots.acquire(timeout=wait_seconds):
        raise TooBusy
    try:
        yield
    finally:
        _slots.release()


def _normal(password: str) -> str:
    """Return the password in the form that all keyboards agree on."""
    return unicodedata.normalize("NFKC", password)


def _remaining(password: str, names: tuple[str, ...]) -> str:
    """Return what remains of a password without common words, names, sequences, repetitions and digits at its end."""
    text = _normal(password).casefold()
    named = (word for name in names for word in re.findall(r"\w{3,}", name.casefold()))
    words = sorted({*_COMMON, *named}, key=len, reverse=True)
    plain = _AT_THE_END.sub("", text).translate(_LOOKALIKES)
    return min((_without(variant, words) for variant in (text, plain)), key=len)


def _without(text: str, words: Sequence[str]) -> str:
    for word in (*words, *_sequences()):
        text = text.replace(word, " ")
    text = re.sub(r"[\W_]+", "", _AT_THE_END.sub("", text))
    return re.sub(r"(.+?)\1+", r"\1", text)


@cache
def _sequences() -> tuple[str, ...]:
    """Return the parts of rows of keys, in both directions, the longest first."""
    rows = [row for keys in _KEYS for row in (keys, keys[::-1])]
    parts = {row[a:b] for row in rows for a in range(len(row)) for b in range(a + _SEQUENCE_LENGTH, len(row) + 1)}
    return tuple(sorted(parts, key=len, reverse=True))
