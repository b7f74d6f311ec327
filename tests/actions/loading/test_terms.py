"""Categories and tags of files whose names make no address."""

from typing import TYPE_CHECKING

from sitecms.actions.loading import load_site
from sitecms.store.entries.posts import get_post

if TYPE_CHECKING:
    from tests.support.sites import SiteWorks


def test_a_name_without_letters_is_an_error(works: "SiteWorks") -> None:
    """Posts and the files that declare terms report it with the line."""
    works.post("party", tags=["moon", "!?"], categories=["!!"])
    works.write("content/tags.yaml", [{"slug": "moon", "name": "moon"}, {"slug": "?", "name": "?!"}])
    report = load_site(works.database, works.settings, works.now)
    assert {(error.file, error.place): error.line for error in report.errors} == {
        ("content/posts/party.md", "categories[0]"): 5,
        ("content/posts/party.md", "tags[1]"): 4,
        ("content/tags.yaml", "[1].slug"): 7,
    }
    assert (
        'content/posts/party.md:4 tags[1]: is "!?", of which no address can be made (name it with letters or digits)'
    ) in map(str, report.errors)


def test_names_of_any_script_are_kept(works: "SiteWorks") -> None:
    """Letters and digits of all scripts make addresses."""
    works.post("words", tags=["潮", "Ünter", "100"], categories=["أخبار"])
    assert works.load().errors == ()


def test_names_are_distinct_terms(works: "SiteWorks") -> None:
    """C, C++ and C# of one post are three categories; categories.yaml chooses the slug of one, and may do so later."""
    works.write("content/categories.yaml", [{"name": "C++", "slug": "cpp"}, {"name": "Night sky"}])
    works.post("langs", status="published", categories=["C++", "C#", " c ", "C", "night-sky", "NIGHT SKY"])
    works.load()
    assert _names(works) == {"cpp": "C++", "c": "C#", "c-2": "c", "night-sky-2": "night-sky", "night-sky": "Night sky"}
    works.write("content/categories.yaml", [{"name": "C#", "slug": "c-sharp"}, {"name": "C", "slug": "c"}])
    works.load()
    assert _names(works) == {
        "cpp": "C++", "c-sharp": "C#", "c": "C", "night-sky-2": "night-sky", "night-sky": "Night sky"
    }  # fmt: skip


def test_a_slug_taken_from_another_term_is_noted(works: "SiteWorks") -> None:
    """The note names both slugs and the way to choose another one."""
    works.post("langs", status="published", categories=["C", "C++"])
    works.load()
    works.write("content/categories.yaml", [{"name": "C++", "slug": "c"}])
    report = load_site(works.database, works.settings, works.now)
    assert report.errors == ()
    (note,) = report.notes
    assert note == (
        'content/categories.yaml: the category "C" had the slug "c", and has "c-2" now '
        "(to choose another one, add it to the file)"
    )
    assert _names(works) == {"c": "C++", "c-2": "C"}


def test_a_repeated_name_is_an_error(works: "SiteWorks") -> None:
    """Letter case does not count; entries without a slug may have names that give the same slug."""
    works.write("content/tags.yaml", [{"name": "C++"}, {"name": "C"}, {"name": " c++", "slug": "cpp"}])
    (error,) = load_site(works.database, works.settings, works.now).errors
    assert (error.place, error.line) == ("[2].name", 9)
    assert error.problem == 'is " c++", as that of another one above ("C++")'
    works.write("content/tags.yaml", [{"name": "C++"}, {"name": "C"}])
    works.load()


def test_a_post_has_a_hundred_tags_at_most(works: "SiteWorks") -> None:
    """The limit is the same as through the API."""
    works.post("many", status="published", tags=[f"t{n}" for n in range(101)])
    (error,) = load_site(works.database, works.settings, works.now).errors
    assert (error.file, error.place) == ("content/posts/many.md", "tags")
    works.post("many", status="published", tags=[f"t{n}" for n in range(100)])
    works.load()


def _names(works: "SiteWorks") -> dict[str, str]:
    """The names of the categories that the post `langs` carries, by slug."""
    with works.database.reading() as session:
        return {term.slug: term.name for term in get_post(session, "langs").categories}
