"""Posts of files: translations, authors, terms, HTML and schedules."""

from tests.actions.conftest import SiteFolder


def test_a_translation_may_stand_before_its_original(folder: SiteFolder) -> None:
    """Both are in one locale group, in any order of files."""
    folder.post("a-spanish", locale="es", translation_of="z-english")
    folder.post("z-english")
    assert folder.load().errors == ()
    assert folder.find("a-spanish").group_id == folder.find("z-english").group_id


def test_a_post_that_is_no_longer_a_translation_stands_alone(folder: SiteFolder) -> None:
    """Dropping `translation_of` takes it out of the group; the original stays in its own."""
    folder.post("english")
    folder.post("spanish", locale="es", translation_of="english")
    folder.load()
    folder.post("spanish", locale="es")
    folder.load()
    assert folder.find("spanish").group_id != folder.find("english").group_id
    folder.post("spanish", locale="es", translation_of="english")
    folder.post("english", "Changed.")
    assert folder.load().errors == ()
    assert folder.find("spanish").group_id == folder.find("english").group_id


def test_a_group_has_one_post_in_each_locale(folder: SiteFolder) -> None:
    """A second Spanish variant is a error that names the first; so is a variant in the locale of its original."""
    folder.post("english")
    folder.post("es-1", locale="es", translation_of="english")
    folder.post("es-2", locale="es", translation_of="english")
    folder.post("same", translation_of="english")
    errors = [*map(str, folder.load().errors)]
    assert len(errors) == 2
    assert "es-1" in errors[0]
    assert "english" in errors[1]


def test_an_author_may_be_named_by_email_and_defaults_to_the_owner(folder: SiteFolder) -> None:
    """The slug comes first where both would fit."""
    folder.post("by-email", author="ann@tide.example")
    folder.post("by-slug", author="bo")
    folder.post("by-owner")
    assert folder.load().errors == ()
    assert [folder.find(slug).author.slug for slug in ("by-email", "by-slug", "by-owner")] == [
        "ann-ray", "bo", "ann-ray",
    ]  # fmt: skip


def test_terms_are_made_once_however_their_names_are_written(folder: SiteFolder) -> None:
    """Most posts decide the spelling; a term that a file declares keeps its own, and is found by its name alone."""
    folder.write("content/categories.yaml", [{"slug": "nights", "name": "Night sky"}])
    folder.post("a", categories=["Night sky"], tags=["Moon", "moon"])
    folder.post("b", categories=["night sky"], tags=["MOON", "Café"])
    folder.post("c", categories=["nights"], tags=["Cafe\u0301"])
    assert folder.load().errors == ()
    assert [folder.find(slug).categories[0].slug for slug in "abc"] == ["nights", "nights", "nights-7057"]
    assert [[tag.name for tag in folder.find(slug).tags] for slug in "abc"] == [["Moon"], ["Moon", "Café"], ["Café"]]


def test_html_bodies_are_kept_but_for_what_could_harm(folder: SiteFolder) -> None:
    """`format: html`, for posts and Markdown pages."""
    folder.post("one", '<p>Safe</p><script>alert("x")</script>', format="html")
    folder.write("content/pages/_single/about.md", "---\ntitle: x\nformat: html\n---\n<p>*as is*</p><script></script>")
    assert folder.load().errors == ()
    assert folder.find("one").body.strip() == "<p>Safe</p>"
    assert str(folder.page("about", "")[0].fields["body"]).strip() == "<p>*as is*</p>"
