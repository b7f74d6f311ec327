"""Addresses of sites: one form of each, whatever a person writes."""

import pytest

from sitecms.web_address import InvalidBaseUrl, ascii_address, base_url, is_address, join_address, split_address

NORMAL = (
    ("", ""),
    ("https://tide.example/", "https://tide.example"),
    ("HTTPS://Tide.Example:443/a/", "https://tide.example/a"),
    ("http://tide.example:80", "http://tide.example"),
    ("http://tide.example:443", "http://tide.example:443"),
    ("https://müller.example/ü/", "https://xn--mller-kva.example/%C3%BC"),
    ("https://xn--mller-kva.example/%c3%bc", "https://xn--mller-kva.example/%C3%BC"),
    ("https://MÜLLER.example/u\u0308", "https://xn--mller-kva.example/%C3%BC"),
    ("https://straße.example", "https://xn--strae-oqa.example"),
    ("https://例え。テスト", "https://xn--r8jz45g.xn--zckzah"),
    ("https://[::1]:8000/x", "https://[::1]:8000/x"),
    ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
    ("https://tide.example/a%20b%2Fc", "https://tide.example/a%20b%2Fc"),
)
REMEDIES = (
    ("https://tide.example//x", "write https://tide.example/x"),
    ("https://tide.example/x//", "write https://tide.example/x"),
    ("https://tide.example/a/../b/./c", "write https://tide.example/b/c"),
    ("https://tide.example/x?a=1", "write https://tide.example/x"),
    ("https://tide.example/#x", "write https://tide.example"),
    ("https://ann:hush@tide.example/x", "write https://tide.example/x"),
)
INVALID = (
    "tide.example", "//tide.example", "ftp://tide.example", "https://", "https:///x", "https://tide.example:port",
    "https://tide.example:0", "https://tide.example:99999", "https://ti<de.example", "https://ti de.example",
    "https://-ü-.example", "https://tide..example", "https://tide.example/a\\b", "https://tide.example/%E4",
)  # fmt: skip


@pytest.mark.parametrize(("written", "expected"), NORMAL)
def test_an_address_has_one_form(written: str, expected: str) -> None:
    """Host as DNS has it, no port of the scheme, path percent-encoded, no slash at the end; twice changes nothing."""
    assert base_url(written) == expected
    assert base_url(expected) == expected


@pytest.mark.parametrize(("written", "remedy"), REMEDIES)
def test_an_address_that_no_site_has_is_an_error_with_the_right_form(written: str, remedy: str) -> None:
    """Without its password."""
    with pytest.raises(InvalidBaseUrl) as error:
        base_url(written)
    assert error.value.remedy == remedy
    assert "hush" not in str(error.value)


@pytest.mark.parametrize("written", INVALID)
def test_text_that_is_no_address_is_an_error(written: str) -> None:
    """With an example of one."""
    with pytest.raises(InvalidBaseUrl, match=r"expected an address such as https://tide\.example"):
        base_url(written)


def test_other_addresses_get_an_ascii_host_alone() -> None:
    """Port, user and all behind the host stay; so does what has no valid host."""
    assert ascii_address("https://ann@müller.example:80/ü?q=ä") == "https://ann@xn--mller-kva.example:80/ü?q=ä"
    assert ascii_address("https://*.müller.example") == "https://*.xn--mller-kva.example"
    for same in ("/ü/", "mailto:ä@x.example", "https://-ü-.example/", "https://[ü/"):
        assert ascii_address(same) == same


@pytest.mark.parametrize("text", ["http://[x", "//[", "http://a]b/c", "//\u2100.example/x"])
def test_text_that_cannot_be_parsed_is_the_path_of_an_address(text: str) -> None:
    """No function of addresses raises; the linter keeps those of the standard library out of the package."""
    assert not is_address(text)
    assert split_address(text) == ("", "", text, "", "")
    assert join_address("https://tide.example/a/", text) == text
    assert ascii_address(text) == text


def test_addresses_have_their_parts_and_are_relative_to_a_page() -> None:
    """As the functions of the standard library say."""
    assert is_address("../b?x=1#y")
    assert split_address("https://tide.example/b?x=1#y") == ("https", "tide.example", "/b", "x=1", "y")
    assert join_address("https://tide.example/a/c/", "../b") == "https://tide.example/a/b"
