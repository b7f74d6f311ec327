"""Focal points and alt texts of media files on built pages."""

import re

from sitecms.content.media import MediaDetails
from sitecms.resources import resource_dir
from tests.support.sites import ExampleSite

MEDIA = "content/media.yaml"
AT = "2026-02-09T08:00:00Z"


def pictures(page: bytes) -> set[str]:
    """The classes of focal points on a page."""
    return {" ".join(found) for found in re.findall(r"focus (x[0-9]+) (y[0-9]+)", page.decode())}


def test_classes_are_those_of_the_stylesheet() -> None:
    """Every point has its two classes, in steps of 5 percent; the middle needs none."""
    css = (resource_dir("templates") / "themes/default/assets/style.css").read_text("utf-8")
    assert "img.focus { object-position: var(--x) var(--y); }" in css
    for percent in range(101):
        focus, x, y = MediaDetails(focus_x=percent, focus_y=0).focus_classes.split()
        assert focus == "focus"
        number = int(x[1:])
        assert abs(number - percent) <= 2
        assert f".{x} {{ --x: {number}%; }}" in css
        assert f".{x.replace('x', 'y')} {{ --y: {number}%; }}" in css
        assert y == "y0"
    assert {MediaDetails(focus_x=x).focus_classes for x in (48, 50, 52)} == {""}


def test_a_changed_focal_point_changes_the_pages_that_show_the_picture(example: ExampleSite) -> None:
    """Lists, bodies and fields; feeds, share images and the original stay as they are."""
    example.make()
    before = example.tree()
    example.write(MEDIA, [{"file": "media/sea.png", "focus": {"x": 0.1, "y": 0.84}}])
    report = example.make()
    after = example.tree()
    changed = {path for path in before if before[path] != after[path]}
    assert before.keys() == after.keys()
    assert {"blog/ebb/index.html", "blog/flow/index.html", "guide/knots/index.html", "blog/index.html"} <= changed
    assert all(path.endswith(".html") for path in changed)
    for path in ("blog/ebb/index.html", "blog/flow/index.html", "guide/knots/index.html"):
        assert pictures(after[path]) == {"x10 y85"}, path
    assert report.failed == {}
    assert after == example.clean_tree()


def test_a_picture_without_alt_text_has_that_of_its_file(example: ExampleSite) -> None:
    """In fields; a text of its own counts, and so does an image of a text that has none."""
    example.post("own", "![](media/sea.png)", featured_image="media/sea.png", featured_image_alt="Mine", published=AT)
    example.post("none", "Calm.", featured_image="media/sea.png", published=AT)
    example.make()
    example.write(MEDIA, [{"file": "media/sea.png", "alt": "Waves & wind"}])
    example.make()
    tree = example.tree()
    assert b'alt="Waves &amp; wind"' in tree["blog/none/index.html"]
    own = re.findall(r'<img[^>]* alt="([^"]*)"', tree["blog/own/index.html"].decode())
    assert own[1:3] == ["Mine", ""]  # the first is the author beside the date
    assert tree == example.clean_tree()
