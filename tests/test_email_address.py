"""E-mail addresses that users may have."""

import pytest

from sitecms.email_address import InvalidAddress, email_address


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("", ""),
        (" mira@tide.example \n", "mira@tide.example"),
        ("Mira.O'Neil+news@Tide.Example", "Mira.O'Neil+news@tide.example"),
        ("mira@fähre.example", "mira@xn--fhre-loa.example"),
        ("mira@localhost", "mira@localhost"),
    ],
)
def test_addresses_are_stored_with_the_domain_of_dns(written: str, stored: str) -> None:
    """Without surrounding space; the part before the @ as it was typed."""
    assert email_address(written) == stored


@pytest.mark.parametrize(
    "written",
    [
        "mira", "@tide.example", "mira@", "mi ra@tide.example", "mira@tide.example\r\nBcc: all@tide.example",
        "mira\n@tide.example", "mira@@tide.example", "a@b@tide.example", "mira@tide..example", ".mira@tide.example",
        "mira.@tide.example", "mi..ra@tide.example", "mïra@tide.example", '"mi ra"@tide.example',
        "Mira <mira@tide.example>", "mira@tide.example,ed@tide.example", "mira@[127.0.0.1]", "mira@tide.example.",
        "m" * 65 + "@tide.example", "mira@" + "t" * 250 + ".example", "mira@tide.example\0", "mira@::1",
    ],
)  # fmt: skip
def test_other_texts_are_refused(written: str) -> None:
    """Above all those that would add a header or another recipient to a message."""
    with pytest.raises(InvalidAddress, match="no e-mail address"):
        email_address(written)
