"""Redirects in the studio: rules of redirects.yaml, and the test of an address."""

from pathlib import Path

import pytest

from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.site.plan.redirect_rules import read_rules
from tests.support.entries import MakePost

from .conftest import Browser, SignedIn

REDIRECTS = "/studio/site/redirects/"
RULES = """# Addresses of the former shop.
- {from: /old-shop/, to: /blog/}   # since 2024
- from: /shop/*
  to: /blog/*
"""


@pytest.fixture
def file(runtime: Runtime) -> Path:
    """The rules of the site."""
    path = runtime.settings.folder / "redirects.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def admin(signed_in: SignedIn, make_post: MakePost) -> Browser:
    """An admin of a site with a post."""
    make_post("calm", title="Calm")
    return signed_in(Role.ADMIN)


def test_rules_are_added_and_removed_and_the_rest_stays(file: Path, admin: Browser) -> None:
    """With comments; each change is undone by its button."""
    admin.get(REDIRECTS)
    admin.send(REDIRECTS, **{"from": "/calm-sea/", "to": "/blog/calm/", "status": "302", "do": "add"})
    added = RULES + "- from: /calm-sea/\n  to: /blog/calm/\n  status: 302\n"
    assert file.read_text() == added
    admin.send(REDIRECTS, **{"from": "/shop/*", "raw": '{"to":"/blog/*"}', "do": "remove"})
    assert [rule.source for rule in read_rules(file.parent)] == ["/old-shop/", "/calm-sea/"]
    assert "# since 2024" in file.read_text()
    admin.get("/studio/site/changes/")
    admin.send("/studio/site/changes/", id="2")
    admin.send("/studio/site/changes/", id="1")
    assert {rule.source for rule in read_rules(file.parent)} == {"/old-shop/", "/shop/*"}


def test_a_site_without_rules_gets_the_file(runtime: Runtime, admin: Browser) -> None:
    """With the first rule; a removed page has no target."""
    admin.get(REDIRECTS)
    admin.send(REDIRECTS, **{"from": "/gone/", "to": "", "status": "410", "do": "add"})
    (rule,) = read_rules(runtime.settings.folder)
    assert (rule.path, rule.status, rule.to) == ("/gone/", 410, "")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"from": "old", "to": "/blog/"}, 'id="from-problem">It is &#34;old&#34;'),
        ({"from": "/a/", "to": "blog"}, 'id="to-problem">It is &#34;blog&#34;'),
        ({"from": "/a/", "to": ""}, 'id="from-problem">It leads nowhere'),
        ({"from": "/old-shop/", "to": "/blog/"}, 'id="from-problem">There is a rule'),
    ],
)
def test_an_invalid_rule_is_refused(file: Path, admin: Browser, typed: dict[str, str], message: str) -> None:
    """As a build would refuse it, beside the field, and nothing is written."""
    admin.get(REDIRECTS)
    assert admin.send(REDIRECTS, **{**typed, "status": "301", "do": "add"}).status_code == 400
    assert message in admin.page
    assert file.read_text() == RULES


def test_a_rule_that_changed_meanwhile_is_not_removed(file: Path, admin: Browser) -> None:
    """Somebody may have meant another target."""
    admin.get(REDIRECTS)
    answered = admin.send(REDIRECTS, **{"from": "/shop/*", "raw": '{"to":"/else/"}', "do": "remove"})
    assert answered.status_code == 400
    assert file.read_text() == RULES


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("address", "answer"),
    [
        ("/old-shop/", "It leads to /blog/ (301), by the rule for /old-shop/."),
        ("/shop/a%20b/?x=1", "It leads to /blog/a%20b/ (301), by the rule for /shop/*."),
        ("https://tide.example/blog/calm/", "It is a page of the site: post calm."),
        ("/nothing/", "It leads nowhere"),
        ("nothing", "Type an address of this site"),
    ],
)
def test_an_address_is_tried(admin: Browser, address: str, answer: str) -> None:
    """Pages come before rules."""
    admin.get(REDIRECTS, query_string={"address": address})
    assert answer in admin.text


def test_a_rule_without_effect_says_why(file: Path, admin: Browser) -> None:
    """One that hides a page, and one that leads nowhere on the site."""
    file.write_text("- {from: /blog/calm/, to: /x/}\n- {from: /y/, to: /z/}\n", encoding="utf-8")
    admin.get(REDIRECTS)
    assert "It hides post calm" in admin.text
    assert "which the site does not have" in admin.text
