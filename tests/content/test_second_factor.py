"""Codes of second factors (RFC 6238), and recovery codes."""

import base64
from datetime import datetime, timedelta

import pytest

from sitecms.content.second_factor import (
    RECOVERY_CODES,
    matching_step,
    new_recovery_codes,
    new_totp_secret,
    recovery_digest,
    step_at,
    totp_address,
    totp_code,
)

SECRET = base64.b32encode(b"12345678901234567890").decode()


def test_codes_are_those_of_the_standard(noon: datetime) -> None:
    """The last six digits of a vector of RFC 6238, appendix B, for SHA-1."""
    assert totp_code(SECRET, 1_234_567_890 // 30) == "005924"
    assert step_at(noon) * 30 <= noon.timestamp() < (step_at(noon) + 1) * 30


def test_code_counts_now_a_step_earlier_and_later_and_once(noon: datetime) -> None:
    """Clocks may differ by half a minute; a code that was accepted, or an older one, is not accepted again."""
    step = step_at(noon)
    for steps, found in ((-2, None), (-1, step - 1), (0, step), (1, step + 1), (2, None)):
        assert matching_step(SECRET, totp_code(SECRET, step + steps), noon, 0) == found
    assert matching_step(SECRET, totp_code(SECRET, step), noon, step) is None
    assert matching_step(SECRET, totp_code(SECRET, step - 1), noon, step) is None
    assert matching_step(SECRET, totp_code(SECRET, step + 1), noon + timedelta(seconds=30), step) == step + 1


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "abcdef", "٣٤٥٦٧٨", "9" * 1000, "\ud800", "-" * 6])
def test_other_texts_are_no_code(noon: datetime, typed: str) -> None:
    """Whatever is typed, nothing fails."""
    assert matching_step(SECRET, typed, noon, 0) is None
    assert len(recovery_digest(1, typed)) == 64


def test_codes_are_typed_with_spaces(noon: datetime) -> None:
    """As apps show them."""
    code = totp_code(SECRET, step_at(noon))
    assert matching_step(SECRET, f" {code[:3]} {code[3:]} ", noon, 0) == step_at(noon)


def test_recovery_codes_are_typed_in_any_way() -> None:
    """In capitals, with spaces instead of hyphens; each is another one, and belongs to one user."""
    codes = new_recovery_codes()
    assert len(set(codes)) == RECOVERY_CODES
    assert recovery_digest(1, codes[0]) == recovery_digest(1, codes[0].upper().replace("-", " "))
    assert len({recovery_digest(1, code) for code in codes} | {recovery_digest(2, codes[0])}) == RECOVERY_CODES + 1


def test_address_names_site_and_user() -> None:
    """Colons and spaces of names are escaped, so that apps read the parts."""
    secret = new_totp_secret()
    assert totp_address(secret, "Tide: news", "mira l") == (
        f"otpauth://totp/Tide%3A%20news:mira%20l?secret={secret}&issuer=Tide%3A%20news"
    )
