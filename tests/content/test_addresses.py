"""Addresses as people write them, and what no address of a page can be."""

import pytest

from sitecms.content.addresses import composed_address, own_path_problem, paths_by_locale, paths_to_file, site_path

CODES = ("en", "es")


@pytest.mark.parametrize(("text", "path"), [
    ("/about/team", "/about/team/"), ("/about/team/", "/about/team/"), ("/a.html", "/a.html"),
    ("/caf%C3%A9/", "/café/"),
    ("/50%/", "/50%/"), ("/%FF/", "/%FF/"), ("/a%0Ab/", "/a%0Ab/"), ("/v1.0/", "/v1.0/"), ("/Été/", "/Été/"),
])  # fmt: skip
def test_addresses_have_one_form(text: str, path: str) -> None:
    """Percent-encoded text is decoded where that gives readable text, and a slash is added unless a file is meant."""
    assert site_path(text) == path


@pytest.mark.parametrize("text", [
    "about/", "/", "/a//b/", "/../a/", "/a/./b/", "/a\\b/", "/a.php", "/v1.0", "/a?p=1", f"/{'x' * 300}/", "/a\nb/",
])  # fmt: skip
def test_own_paths_that_no_page_can_have_are_refused(text: str) -> None:
    """The problem is named."""
    assert own_path_problem(text)


@pytest.mark.parametrize("text", ["/about/", "/about/team", "/2019/03/old-post.html", "/x.htm", "/a b/", "/七十二候/"])
def test_other_own_paths_are_taken(text: str) -> None:
    """Nested ones, files and text of any script."""
    assert own_path_problem(text) == ""


@pytest.mark.parametrize("given", ["/about/", {"en": "/about/", "es": "/acerca/"}, {"es": "/acerca/"}, None])
def test_own_paths_are_written_as_they_were_given(given: object) -> None:
    """One text for all locales, or one for each."""
    assert (paths_to_file(paths_by_locale(given, CODES, "en"), CODES, "en") or None) == given


@pytest.mark.parametrize(("written", "address"), [
    ("/blog/cafe\u0301/#e\u0301", "/blog/caf%C3%A9/#%C3%A9"), ("/blog/cafe%CC%81/", "/blog/caf%C3%A9/"),
    ("/blog/caf%C3%A9/", "/blog/caf%C3%A9/"), ("/blog/café/", "/blog/café/"), ("/100%/%FF/%2F/", "/100%/%FF/%2F/"),
    ("%E1%84%92%E1%85%A1%E1%86%AB", "%ED%95%9C"), ("/a/", "/a/"), ("/ป้า/", "/ป้า/"),
])  # fmt: skip
def test_addresses_on_the_site_are_composed(written: str, address: str) -> None:
    """What systems write decomposed, percent-encoded or not, leads to the address that the build makes."""
    assert composed_address(written) == address


def test_own_paths_are_composed_and_former_addresses_stay() -> None:
    """An old address is what visitors ask for, byte by byte."""
    assert paths_by_locale("/cafe\u0301/", CODES, "en") == {"en": "/café/", "es": "/es/café/"}
    assert site_path("/cafe%CC%81/") == "/cafe\u0301/"
