"""Pictures that are cut off: each is published as far as it goes, and build, check and verify say so."""

import random

import pytest
from PIL import Image

from sitecms.actions.loading import load_site
from sitecms.actions.operations.verify.verify import verify_store
from sitecms.findings import Severity
from sitecms.site.check.check import CheckOptions, check_site
from tests.support.pictures import image_bytes
from tests.support.sites import ExampleSite

FORMS = {"jpg": "JPEG", "png": "PNG", "gif": "GIF", "webp": "WEBP", "avif": "AVIF"}


def noise(size: tuple[int, int]) -> Image.Image:
    return Image.frombytes("RGB", size, random.Random(1).randbytes(size[0] * size[1] * 3))


def write_cut(example: ExampleSite, path: str, form: str, size: tuple[int, int]) -> None:
    """Write a picture without its end: a third of a large one, and the last bytes of a small one."""
    data = image_bytes(noise(size), form)
    example.write(path, data[: len(data) * 2 // 3] if size[0] > 100 else data[:-20])


@pytest.fixture
def broken(example: ExampleSite) -> ExampleSite:
    """A site with a large and a small broken picture of each format, in posts."""
    example.settings_are(images={"widths": [160]})
    for ending, form in FORMS.items():
        write_cut(example, f"media/large.{ending}", form, (300, 200))
        write_cut(example, f"media/small.{ending}", form, (24, 16))
        text = f"![a](media/large.{ending}) ![b](media/small.{ending})"
        example.post(f"in-{ending}", text, published="2026-02-20T08:00:00Z")
    return example


def test_each_build_names_broken_pictures_and_publishes_the_rest(broken: ExampleSite) -> None:
    """All formats are treated alike: the post stays, smaller versions show what there is."""
    for _ in range(2):
        notes = broken.make().notes
        for ending in FORMS:
            for name in (f"large.{ending}", f"small.{ending}"):
                (note,) = [note for note in notes if note.startswith(f"{name} in the post in-{ending} is broken")]
                assert note.endswith("copy or save it again")
    tree = broken.tree()
    assert {f"blog/in-{ending}/index.html" for ending in FORMS} <= tree.keys()
    for ending in ("jpg", "png", "gif"):  # others have smaller versions where their reader takes zeros for the rest
        assert "-160." in broken.text(f"blog/in-{ending}/index.html")
    assert broken.clean_tree() == tree


def test_a_picture_that_was_mended_is_not_named(broken: ExampleSite) -> None:
    """The note goes with the broken file."""
    broken.make()
    for ending, form in FORMS.items():
        for name, size in (("large", (300, 200)), ("small", (24, 16))):
            noise(size).save(broken.folder / f"media/{name}.{ending}", form)
    assert not [note for note in broken.make().notes if "is broken" in note]


def test_pictures_are_named_without_smaller_versions_too(broken: ExampleSite) -> None:
    """Where these are switched off."""
    broken.settings_are(images={"enabled": False})
    assert len([note for note in broken.make().notes if "is broken" in note]) == 2 * len(FORMS)


@pytest.mark.parametrize("ending", ["webp", "avif"])
def test_a_picture_of_which_nothing_can_be_read_keeps_the_change_of_its_entry_back(
    broken: ExampleSite, ending: str
) -> None:
    """The error has file and line; the last good version stays."""
    broken.make()
    data = (broken.folder / f"media/large.{ending}").read_bytes()
    broken.write(f"media/large.{ending}", data[: 14 if ending == "webp" else 40])
    report = load_site(broken.database, broken.settings, broken.now)
    (error,) = report.errors
    assert (error.file, error.line) == (f"content/posts/in-{ending}.md", 6)
    assert error.problem == f"large.{ending}: the image is broken (bytes are missing at its end); copy or save it again"
    assert broken.build().failed == {}
    assert f"blog/in-{ending}/index.html" in broken.tree()


def test_a_picture_on_a_page_is_named_with_the_page(example: ExampleSite) -> None:
    """And one of an item with the item."""
    write_cut(example, "media/large.jpg", "JPEG", (300, 200))
    front = '{"title": "One", "status": "published", "published": "2026-01-01T08:00:00Z"}'
    example.write("content/pages/_single/one.md", f"---\n{front}\n---\n![a](media/large.jpg)\n")
    assert any(note.startswith("large.jpg in the page */one is broken") for note in example.make().notes)


def test_check_and_verify_report_broken_pictures(broken: ExampleSite) -> None:
    """As warnings: nothing is lost in the library."""
    broken.make()
    findings = check_site(broken.settings, broken.now, CheckOptions()).findings
    assert len({each.what for each in findings if "is broken" in each.what}) == 2 * len(FORMS)
    report = verify_store(broken.settings, broken.now)
    found = [each for each in report.findings if each.kind == "media-cut-off"]
    assert len(found) == 2 * len(FORMS)
    assert {each.severity for each in found} == {Severity.WARNING}
    assert all("shows it" in each.what for each in found)
