"""Settings of what an operator guards: proxies and rate limits."""

from pathlib import Path

import pytest

from sitecms.errors import InvalidFiles
from sitecms.settings.operations import ProxySettings, RateLimitSettings
from sitecms.settings.site import SiteSettings, load_settings

SERVED = "[serve]\nurl = 'https://studio.tide.example'\n"


def settings_of(folder: Path, text: str) -> SiteSettings:
    """Return the settings of a site with these lines in site.toml."""
    (folder / "site.toml").write_text(f'name = "Tide"\n{text}', encoding="utf-8")
    return load_settings(folder)


@pytest.mark.parametrize(
    ("text", "port"),
    [("", 587), ("security = 'tls'", 465), ("security = 'none'", 25), ("security = 'tls'\nport = 2525", 2525)],
)
def test_mail_server_has_the_port_of_its_encryption(tmp_path: Path, text: str, port: int) -> None:
    """Unless it is named; without a host there is no mail server."""
    assert not settings_of(tmp_path, "").mail.is_on
    server = f"{SERVED}[mail]\nhost = 'smtp.tide.example'\nsender = 'Tide <studio@tide.example>'\n{text}"
    mail = settings_of(tmp_path, server).mail
    assert (mail.is_on, mail.port, mail.sender_address) == (True, port, "studio@tide.example")


def test_nothing_is_trusted_or_limited_by_default(tmp_path: Path) -> None:
    """There is no trusted proxy, no limit and no HSTS."""
    settings = settings_of(tmp_path, "")
    assert settings.proxies == ProxySettings(trusted=0, hsts_seconds=0)
    assert settings.rate_limits == RateLimitSettings()
    assert not settings.rate_limits.limits_anything


@pytest.mark.parametrize("kind", ["token_reads", "token_writes", "address_reads", "address_writes"])
def test_each_limit_counts_by_itself(tmp_path: Path, kind: str) -> None:
    """Any of the four limits makes requests limited."""
    assert settings_of(tmp_path, f"[rate_limits]\n{kind}_per_minute = 60").rate_limits.limits_anything


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[serve]\nhsts_seconds = 60", "serve.hsts_seconds"),
        ("[serve]\ntrusted_proxies = -1", "serve.trusted_proxies"),
        ("[rate_limits]\ntoken_reads_per_minute = -1", "rate_limits.token_reads_per_minute"),
        ("[rate_limits]\nburst_seconds = 0", "rate_limits.burst_seconds"),
        ("[rate_limits]\ntoken_reads = 1", "rate_limits.token_reads"),
        (f"{SERVED}[mail]\nhost = 'smtp.tide.example'", "mail.sender"),
        (f"{SERVED}[mail]\nhost = 'smtp.tide.example'\nsender = 'Tide <studio@>'", "mail.sender"),
        (f"{SERVED}[mail]\nhost = 'smtp.tide.example'\nsender = \"a\\nBcc: b <a@tide.example>\"", "mail.sender"),
        (f"{SERVED}[mail]\nhost = 'smtp.tide.example:25'\nsender = 'a@tide.example'", "mail.host"),
        ("[mail]\nhost = 'smtp.tide.example'\nsender = 'a@tide.example'", "mail.host"),
        (
            f"{SERVED}[mail]\nhost = 'smtp.tide.example'\nsender = 'a@tide.example'\nuser = 'a'\nsecurity = 'none'",
            "mail.security",
        ),
        (f"{SERVED}[mail]\npassword = 'secret'", "mail.password"),
    ],
)
def test_invalid_operation_settings_are_errors(tmp_path: Path, text: str, place: str) -> None:
    """HSTS needs a trusted proxy; numbers have bounds; unknown names are errors; mail needs a sender and encryption."""
    with pytest.raises(InvalidFiles) as caught:
        settings_of(tmp_path, text)
    assert [error.place for error in caught.value.errors] == [place]
