"""Passwords: which are refused, and how they are hashed."""

import threading
import time

import pytest

from sitecms.actions.accounts import passwords
from sitecms.actions.accounts.passwords import check_new_password, hash_password, verify_password
from sitecms.errors import InvalidFields


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
    """Without a hash the same work is done: the processor time differs by less than half."""
    made = hash_password("correct horse battery staple")

    def seconds(known: str | None) -> float:
        started = time.process_time()
        for _ in range(4):
            assert not verify_password("wrong horse battery staple", known)
        return time.process_time() - started

    seconds(made)
    known, unknown = min(seconds(made) for _ in range(3)), min(seconds(None) for _ in range(3))
    assert known / 2 < unknown < known * 2


def test_at_most_two_hashes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third one waits, and gives up after a while."""
    monkeypatch.setattr(passwords, "_WAIT_SECONDS", 0.05)
    with passwords._slot(), passwords._slot(), pytest.raises(passwords.TooBusy):
        hash_password("correct horse battery staple")
    freed = threading.Thread(target=hash_password, args=("correct horse battery staple",))
    freed.start()
    freed.join(20)
    assert not freed.is_alive()
