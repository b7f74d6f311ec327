"""Entries whose address changed: renamed files stay the same entries, and loads say what keeps the old address."""

import pytest

from sitecms.actions.loading import load_site
from sitecms.store.entries.authors import find_authors
from tests.support.sites import ExampleSite

DATED = "---\ntitle: {}\npublished: 2026-01-01T00:00:00Z\n---\n{}\n"


def write(example: ExampleSite, name: str, title: str = "Sea", body: str = "The sea.") -> None:
    """Write a post whose slug is the name of its file."""
    example.write(f"content/posts/{name}.md", DATED.format(title, body))


def test_a_renamed_file_is_the_same_entry(example: ExampleSite) -> None:
    """Its text or its title and date are those of a file that is gone; the old address leads on."""
    for name, body in (("first", "One."), ("second", "Changed.")):
        write(example, "first", body="One.")
        example.make()
        example.remove("content/posts/first.md")
        write(example, name if name != "first" else "moved", body=body)
        report = example.load(prune=True)
        new = "moved" if name == "first" else "second"
        assert report.pruned == ()
        moved = f"moved from /blog/first/ to /blog/{new}/"
        assert report.notes == (
            f"content/posts/{new}.md: is content/posts/first.md under another name, so it stays the same entry",
            f"content/posts/{new}.md: {moved} (add aliases: [/blog/first/], so that every clone leads on from there)",
        )
        assert example.build().failed == {}
        assert f'href="/blog/{new}/"' in example.text("blog/first/index.html")
        example.remove(f"content/posts/{new}.md")
        example.make()


def test_a_file_that_is_gone_longer_can_come_back_under_another_name(example: ExampleSite) -> None:
    """As long as its entry was not pruned."""
    write(example, "first")
    example.load()
    example.remove("content/posts/first.md")
    assert example.load().vanished == ("content/posts/first.md",)
    write(example, "second")
    report = example.load()
    assert report.vanished == ()
    assert report.notes[0].startswith("content/posts/second.md: is content/posts/first.md under another name")


def test_a_file_that_could_be_two_others_is_a_new_entry(example: ExampleSite) -> None:
    """Nothing is guessed: both entries stay until they are pruned."""
    for name in ("first", "second"):
        write(example, name)
    example.load()
    for name in ("first", "second"):
        example.remove(f"content/posts/{name}.md")
    write(example, "third")
    report = example.load()
    assert set(report.vanished) == {"content/posts/first.md", "content/posts/second.md"}
    assert report.notes == ()


def test_a_renamed_page_is_the_same_entry(example: ExampleSite) -> None:
    """Its bytes are equal."""
    example.make()
    (example.folder / "content/pages/_single/about.md").rename(example.folder / "content/pages/_single/us.md")
    report = example.load(prune=True)
    assert report.pruned == ()
    assert report.notes[1] == (
        "content/pages/_single/us.md: moved from /about/ to /us/ "
        "(add aliases: [/about/], so that every clone leads on from there)"
    )
    example.build()
    assert 'href="/us/"' in example.text("about/index.html")


def test_addresses_that_exchange_owners_need_no_alias(example: ExampleSite) -> None:
    """A redirect would hide a page."""
    for name, slug in (("a", "one"), ("b", "two")):
        example.post(name, slug=slug, published="2026-01-01T00:00:00Z")
    example.load()
    for name, slug in (("a", "two"), ("b", "one")):
        example.post(name, slug=slug, published="2026-01-01T00:00:00Z")
    assert example.load().notes == ()


def test_an_author_with_another_slug_is_the_same_author(example: ExampleSite) -> None:
    """Posts follow, and the old archive leads on; one who is no longer listed and has posts is named."""
    example.make()
    authors = [{"slug": "ann-ray", "first_name": "Ann", "last_name": "Ray"}]
    example.write("content/authors.yaml", [*authors, {"slug": "bo", "first_name": "Bo", "last_name": "Lind"}])
    report = load_site(example.database, example.settings, example.now)
    assert "the author bo-lind has the slug bo now" in report.notes[0]
    assert "aliases: [/authors/bo-lind/]" in report.notes[0]
    example.build()
    assert 'href="/authors/bo/"' in example.text("authors/bo-lind/index.html")
    example.write("content/authors.yaml", authors)
    (note,) = load_site(example.database, example.settings, example.now).notes
    assert note.startswith("content/authors.yaml: no longer lists bo, who has 3 posts")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"first_name": "Bo", "bio": "Rows."}, {"first_name": "Bo", "bio": "Sails."}),
        ({"first_name": "Bo", "email": "bo@tide.example"}, {"first_name": "Robert", "email": "Bo@tide.example"}),
        ({"bio": "Rows."}, {"bio": "Rows."}),
    ],
)
def test_another_slug_is_the_same_author_where_that_is_certain(
    example: ExampleSite, before: dict[str, str], after: dict[str, str]
) -> None:
    """The name, the e-mail address or all other values are those of the one who is gone."""
    ann = {"slug": "ann-ray", "first_name": "Ann"}
    example.write("content/authors.yaml", [ann, {"slug": "bo-lind", **before}])
    example.load()
    example.write("content/authors.yaml", [ann, {"slug": "bo", **after}])
    assert "the author bo-lind has the slug bo now" in example.load().notes[0]
    assert [author.slug for author in example.database.read(find_authors, as_listed=True)] == ["ann-ray", "bo"]


def test_author_who_may_be_another_one_is_an_error_with_its_line(example: ExampleSite) -> None:
    """Nothing is guessed; the posts keep their author, and a post that names the new one settles it."""
    example.load()
    example.write("content/authors.yaml", "- slug: ann-ray\n  first_name: Ann\n- slug: bob\n  first_name: Bob\n")
    for _ in range(2):  # until it is settled
        (error,) = load_site(example.database, example.settings, example.now).errors
        assert (error.file, error.line, error.place) == ("content/authors.yaml", 3, "[1].slug")
        assert error.problem == "is new, and the file no longer lists bo-lind, who has 3 posts"
    for name in ("drift", "gale", "haul"):
        example.post(name, author="bob", published="2026-02-01T08:00:00Z")
    example.write("content/authors.yaml", "- slug: ann-ray\n  first_name: Ann\n- slug: bob\n  first_name: Rob\n")
    assert load_site(example.database, example.settings, example.now).errors == ()
    assert example.load().loaded == ()
