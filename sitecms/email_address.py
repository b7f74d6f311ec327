"""E-mail addresses of users."""

import re

from sitecms.web_address import ascii_host

MAX_LENGTH, MAX_LOCAL_LENGTH = 254, 64
INVALID = "This is no e-mail address. Expected one such as mira@example.org; the part before the @ in ASCII."
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")


class InvalidAddress(ValueError):
    """Text that is no e-mail address."""


def email_address(written: str) -> str:
    """Return an address without surrounding space, its domain as DNS has it; "" for "". Raises InvalidAddress.

    Quoted local parts and those that are not ASCII, which many mail servers refuse, are not taken.
    """
    text = written.strip()
    if not text:
        return ""
    local, _at, domain = text.rpartition("@")
    try:
        address = f"{local}@{ascii_host(domain)}"
    except ValueError:
        raise InvalidAddress(INVALID) from None
    is_fit = _LOCAL.fullmatch(local) and len(local) <= MAX_LOCAL_LENGTH and len(address) <= MAX_LENGTH
    if not is_fit or domain.endswith(".") or "[" in address:
        raise InvalidAddress(INVALID)
    return address
