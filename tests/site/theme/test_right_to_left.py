"""Sites that are read from right to left: the direction is said once, and the stylesheet follows it."""

import re

from sitecms.resources import resource_dir
from tests.support.sites import ExampleSite

PHYSICAL = re.compile(
    r"(?:^|[\s;{])(?:(?:margin|padding|border)-(?:left|right)|left|right)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)"
)
CODE = re.compile(r"[^{}]*\{[^{}]*direction: ltr[^{}]*\}")


def test_a_page_says_its_direction(example: ExampleSite) -> None:
    """Language, direction and dates are those of the locale; pages of other locales keep theirs."""
    example.settings_are(locales=["en", "es", "ar"])
    at = "2026-02-09T08:00:00Z"
    example.post("ar/bahr", "مدّ وجزر", locale="ar", slug="bahr", title="البحر", published=at, created=at, updated=at)
    example.make()
    arabic = example.text("ar/blog/bahr/index.html")
    assert '<html lang="ar" dir="rtl">' in arabic
    assert "9 فبراير 2026" in arabic
    assert '<html lang="es" dir="ltr">' in example.text("es/index.html")
    assert 'href="/ar/blog/2026/"' in arabic


def test_the_stylesheet_has_no_left_or_right() -> None:
    """Beginning and end alone, which change sides with the direction; code is always written from the left."""
    for path in sorted(resource_dir("templates").rglob("*.css")):
        css = CODE.sub("", path.read_text(encoding="utf-8"))
        assert PHYSICAL.findall(css) == [], path.name
