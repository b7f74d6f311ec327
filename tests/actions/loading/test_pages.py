"""Pages of files: references, locales, drafts and statuses."""

from sitecms.content.status import Status, Version
from tests.actions.conftest import SiteFolder


def test_files_may_refer_to_each_other_in_a_cycle(folder: SiteFolder) -> None:
    """References by id, by values and by slug work in any order, on the first load."""
    folder.items("pets", {"fields": {"name": "Rex", "owner": {"key": "team", "where": {"name": "Ann"}}}})
    folder.items(
        "team",
        {"id": 41, "fields": {"name": "Ann", "friend": {"key": "pets", "where": {"name": "Rex"}}}},
        {"id": 42, "fields": {"name": "Bo", "friend": 41}},
    )
    folder.guide("a", fields={"headline": "a", "next": "b", "team": [42, {"key": "team", "where": {"name": "Ann"}}]})
    folder.guide("b", fields={"headline": "b", "next": "a"})
    assert folder.load().errors == ()
    rex = folder.ids("pets")["Rex"]
    assert folder.all_items("pets")[0].fields["owner"] == "/v2/content/?keys=team[_id=41]"
    assert [item.fields["friend"] for item in folder.all_items("team")] == [
        f"/v2/content/?keys=pets[_id={rex}]", "/v2/content/?keys=team[_id=41]",
    ]  # fmt: skip
    assert folder.page("a")[0].fields["next"] == "/v2/pages/guide/b/"
    assert folder.page("b")[0].fields["next"] == "/v2/pages/guide/a/"
    assert folder.page("a")[0].fields["team"] == [
        "/v2/content/?keys=team[_id=42]", "/v2/content/?keys=team[_id=41]",
    ]  # fmt: skip


def test_a_reference_to_values_means_the_files_of_this_load(folder: SiteFolder) -> None:
    """Not what an item was called before, when its file changes in the same load."""
    folder.items("team", "Ann", "Bo")
    folder.items("pets", {"fields": {"name": "Rex", "owner": {"key": "team", "where": {"name": "Bo"}}}})
    folder.load()
    folder.items("team", "Ann", "Bob")
    folder.items("pets", {"fields": {"name": "Rexy", "owner": {"key": "team", "where": {"name": "Bo"}}}})
    assert [error.file for error in folder.load().errors] == ["content/collections/pets.yaml"]
    folder.items("pets", {"fields": {"name": "Rexy", "owner": {"key": "team", "where": {"name": "Bob"}}}})
    assert folder.load().errors == ()


def test_a_page_may_be_named_by_its_new_slug_at_once(folder: SiteFolder) -> None:
    """Slugs are in the store before any reference is looked up."""
    folder.guide("a", fields={"headline": "a", "next": "z"})
    folder.guide("z")
    folder.load()
    folder.guide("a", fields={"headline": "a", "next": "omega"})
    folder.guide("z", slug="omega")
    assert folder.load().errors == ()
    assert folder.page("a")[0].fields["next"] == "/v2/pages/guide/omega/"


def test_a_single_page_may_be_referred_to(folder: SiteFolder) -> None:
    """`page:*` in the field's targets."""
    folder.write("content/pages/_single/about.md", "---\ntitle: About\nstatus: published\n---\nWe.")
    folder.guide("a", fields={"headline": "a", "next": "about"})
    assert folder.load().errors == ()
    assert folder.page("a")[0].fields["next"] == "/v2/pages/*/about/"


def test_localized_fields_share_what_is_not_translatable(folder: SiteFolder) -> None:
    """The default locale's value stands in every locale."""
    folder.items("team", {"fields": {"es": {"name": "Ana", "age": 1}, "en": {"name": "Ann", "age": 7}}})
    assert folder.load().errors == ()
    assert [(item.locale, item.fields["name"], item.fields["age"]) for item in folder.all_items("team")] == [
        ("en", "Ann", 7), ("es", "Ana", 7),
    ]  # fmt: skip


def test_a_draft_replaces_fields_of_the_live_version(folder: SiteFolder) -> None:
    """Fields that it does not name are the live ones; removing it from the file removes the draft."""
    folder.guide("start", fields={"headline": "Live", "text": "<p>Both</p>"}, draft={"fields": {"headline": "Draft"}})
    assert folder.load().errors == ()
    draft, live = folder.page("start")
    assert (draft.version, draft.status, draft.fields["headline"]) == (Version.DRAFT, Status.DRAFT, "Draft")
    assert (live.version, live.status, live.fields["headline"]) == (Version.LIVE, Status.PUBLISHED, "Live")
    assert draft.fields["text"] == live.fields["text"] == "<p>Both</p>"
    folder.guide("start", fields={"headline": "Live", "text": "<p>Both</p>"})
    folder.load()
    assert folder.page("start") == (live,)


def test_a_error_in_the_draft_of_an_item_is_told_with_its_place(folder: SiteFolder) -> None:
    """Number of the item, `draft`, field; and the line."""
    folder.items("team", "Ann", {"fields": {"name": "Bo"}, "draft": {"fields": {"name": ["x"]}}})
    (error,) = folder.load().errors
    assert str(error) == "content/collections/team.yaml:13 [1].draft.fields.name: Must be text."


def test_a_page_has_a_status_in_each_locale(folder: SiteFolder) -> None:
    """`status` by locale; a locale the page is not written in is a error."""
    fields = {"en": {"headline": "Sea"}, "es": {"headline": "Mar"}}
    folder.guide("start", status={"en": "published", "es": "draft"}, fields=fields)
    assert folder.load().errors == ()
    found = [(page.locale, page.status.value, page.version.value) for page in folder.page("start")]
    assert found == [("en", "published", "live"), ("es", "draft", "draft")]
    folder.guide("start", status={"en": "published", "fr": "draft"}, fields=fields)
    (error,) = folder.load().errors
    assert (error.place, error.line is not None) == ("status.fr", True)


def test_a_markdown_page_may_be_in_another_locale(folder: SiteFolder) -> None:
    """`locale` names it; one that is not configured is a error."""
    text = "---\ntitle: Acerca\nslug: acerca\nstatus: published\nlocale: {}\n---\nHola."
    folder.write("content/pages/_single/acerca.md", text.format("es"))
    assert folder.load().errors == ()
    (page,) = folder.page("acerca", "")
    assert (page.locale, page.fields["body"]) == ("es", "<p>Hola.</p>\n")
    folder.write("content/pages/_single/acerca.md", text.format("fr"))
    assert [*map(str, folder.load().errors)] == ['content/pages/_single/acerca.md:5 locale: is "fr" (locales: en, es)']
