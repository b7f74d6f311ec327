"""Passwords: which are refused, and how they are hashed."""

import threading

import pytest

from sitecms.actions.accounts import passwords
from sitecms.actions.accounts.passwords import check_new_password, hash_password, verify_password
from sitecms.errors import InvalidFields
from tests.support.processor_time import best_seconds
from tests.support.waiting import PATIENCE_SECONDS


@pytest.mark.parametrize(
    "password",
    [
        "short", "elevenchars", "aaaaaaaaaaaaaa", "123456789012", "qwertyuiop12", "password1234", "P@ssw0rd2026!",
        "abcabcabcabcabc", "letmein-please", "administrator1", "mira-lund-2026", "tide-tide-tide", "welcome2sitecms",
        "098765432109", "this is my password", "x" * 1001, "84027591038471",
    ],
)  # fmt: skip
def test_weak_password_is_refused(password: str) -> None:
    """Short ones, common words, names of the user and the site, sequences and repetitions."""
    with pytest.raises(InvalidFields) as refused:
        check_new_password(password, "mira lund", "Tide")
    assert [*refused.value.messages] == ["password"]


@pytest.mark.parametrize(
    "password", ["correct horse battery staple", "Rk7-vuqh-29xw-Mo", "møllehjul på havnen", "vier rote Boote im Hafen"]
)
def test_good_password_is_accepted(password: str) -> None:
    """Unrelated words and random letters."""
    check_new_password(password, "mira lund", "Tide")


def test_hash_is_argon2id_and_verifies() -> None:
    """Only the same password verifies, in whatever Unicode form a keyboard sends it."""
    made = hash_password("mølle å havn é ekko")
    assert made.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert verify_password("mølle å havn é ekko", made)
    assert verify_password("mølle a\u030a havn e\u0301 ekko", made)
    assert not verify_password("mølle a havn e ekko", made)
    assert not verify_password("", "not a hash")


def test_unknown_user_takes_as_long_as_a_wrong_password() -> None:
    """Without a hash the same work is done, in about the same processor time; a hash less would take none."""
    made = hash_password("correct horse battery staple")

    known = best_seconds(lambda: verify_password("wrong horse battery staple", made))
    unknown = best_seconds(lambda: verify_password("wrong horse battery staple", None))
    assert known / 3 < unknown < known * 3


def test_at_most_two_hashes_at_once() -> None:
    """A third one waits, and gives up after a while."""
    with passwords._slot(), passwords._slot(), pytest.raises(passwords.TooBusy):
        hash_password("correct horse battery staple", wait_seconds=0.05)
    freed = threading.Thread(target=hash_password, args=("correct horse battery staple",))
    freed.start()
    freed.join(PATIENCE_SECONDS)
    assert not freed.is_alive()
