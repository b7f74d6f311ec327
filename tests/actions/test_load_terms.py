"""Categories and tags of files whose names make no address."""

from typing import TYPE_CHECKING

from sitecms.actions.load_site import load_site

if TYPE_CHECKING:
    from tests.conftest import SiteWorks


def test_a_name_without_letters_is_a_fault(works: "SiteWorks") -> None:
    """In a post and in the files that declare terms, each with its line: none vanishes silently."""
    works.post("party", tags=["moon", "!?"], categories=["!!"])
    works.write("content/tags.yaml", [{"slug": "moon", "name": "moon"}, {"slug": "?", "name": "?!"}])
    report = load_site(works.database, works.settings, works.now)
    assert {(fault.file, fault.place): fault.line for fault in report.faults} == {
        ("content/posts/party.md", "categories[0]"): 5,
        ("content/posts/party.md", "tags[1]"): 4,
        ("content/tags.yaml", "[1].slug"): 7,
    }
    assert (
        'content/posts/party.md:4 tags[1]: is "!?", of which no address can be made (name it with letters or digits)'
    ) in map(str, report.faults)


def test_names_of_any_script_are_kept(works: "SiteWorks") -> None:
    """Letters and digits of all scripts make addresses."""
    works.post("words", tags=["潮", "Ünter", "100"], categories=["أخبار"])
    assert works.load().faults == ()
