"""Categories and tags of files whose names make no address."""

from sitecms.actions.loading import load_site
from tests.support.reading import get_post
from tests.support.sites import ExampleSite


def test_a_name_without_letters_is_an_error(example: ExampleSite) -> None:
    """Posts and the files that declare terms report it with the line."""
    example.post("party", tags=["moon", "!?"], categories=["!!"])
    example.write("content/tags.yaml", [{"slug": "moon", "name": "moon"}, {"slug": "?", "name": "?!"}])
    report = load_site(example.database, example.settings, example.now)
    assert {(error.file, error.place): error.line for error in report.errors} == {
        ("content/posts/party.md", "categories[0]"): 5,
        ("content/posts/party.md", "tags[1]"): 4,
        ("content/tags.yaml", "[1].slug"): 7,
    }
    assert (
        'content/posts/party.md:4 tags[1]: is "!?", from which no address can be made (name it with letters or digits)'
    ) in map(str, report.errors)


def test_names_of_any_script_are_kept(example: ExampleSite) -> None:
    """Letters and digits of all scripts make addresses."""
    example.post("words", tags=["潮", "Ünter", "100"], categories=["أخبار"])
    assert example.load().errors == ()


def test_names_are_distinct_terms(example: ExampleSite) -> None:
    """C, C++ and C# of one post are three categories; categories.yaml chooses the slug of one, and may do so later."""
    example.write("content/categories.yaml", [{"name": "C++", "slug": "cpp"}, {"name": "Night sky"}])
    example.post("langs", status="published", categories=["C++", "C#", " c ", "C", "night-sky", "NIGHT SKY"])
    example.load()
    names = {"cpp": "C++", "c-sharp": "C#", "c": "c", "night-sky": "night-sky", "night-sky-38c4": "Night sky"}
    assert _names(example) == names
    example.write("content/categories.yaml", [{"name": "C#", "slug": "sharp"}, {"name": "C", "slug": "c"}])
    example.load()
    names = {"c-plus-plus": "C++", "sharp": "C#", "c": "C", "night-sky": "night-sky", "night-sky-38c4": "NIGHT SKY"}
    assert _names(example) == names


def test_a_slug_taken_from_another_term_is_noted(example: ExampleSite) -> None:
    """The note names both slugs and the way to choose another one."""
    example.post("langs", published="2026-01-01", categories=["C", "C++"])
    example.load()
    example.write("content/categories.yaml", [{"name": "C++", "slug": "c"}])
    report = load_site(example.database, example.settings, example.now)
    assert report.errors == ()
    moved = (
        ('"C" had the slug c and has c-caec now, since "C++" has the same', '{name: "C", aliases: [/categories/c/]}'),
        ('"C++" had the slug c-plus-plus and has c now', '{name: "C++", slug: c, aliases: [/categories/c-plus-plus/]}'),
    )
    assert report.notes == tuple(
        f"the category {what} (to keep the old address, write - {line} in content/categories.yaml)"
        for what, line in moved
    )
    assert _names(example) == {"c": "C++", "c-caec": "C"}


def test_a_repeated_name_is_an_error(example: ExampleSite) -> None:
    """Letter case does not count; entries without a slug may have names that give the same slug."""
    example.write("content/tags.yaml", [{"name": "C++"}, {"name": "C"}, {"name": " c++", "slug": "cpp"}])
    (error,) = load_site(example.database, example.settings, example.now).errors
    assert (error.place, error.line) == ("[2].name", 9)
    assert error.problem == 'is " c++", as that of another one above ("C++")'
    example.write("content/tags.yaml", [{"name": "C++"}, {"name": "C"}])
    example.load()


def test_a_post_has_a_hundred_tags_at_most(example: ExampleSite) -> None:
    """The limit is the same as through the API."""
    example.post("many", status="published", tags=[f"t{n}" for n in range(101)])
    (error,) = load_site(example.database, example.settings, example.now).errors
    assert (error.file, error.place) == ("content/posts/many.md", "tags")
    example.post("many", status="published", tags=[f"t{n}" for n in range(100)])
    example.load()


def _names(example: ExampleSite) -> dict[str, str]:
    """The names of the categories that the post `langs` carries, by slug."""
    return {term.slug: term.name for term in example.database.read(get_post, "langs").categories}
