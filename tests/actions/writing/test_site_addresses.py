"""Pages that could not be shown as written: told when they are loaded or sent, with the line and the way out."""

import pytest

from sitecms.actions.entry_paths import entry_at
from sitecms.settings.site import load_settings
from tests.actions.conftest import SiteFolder


def errors(folder: SiteFolder) -> list[str]:
    return [str(error) for error in folder.load().errors]


@pytest.mark.parametrize(
    ("slug", "there"), [("blog", "the list of all posts stands at that"), ("es", "the home page in es stands at that")]
)
def test_a_page_file_cannot_have_an_address_of_the_site(folder: SiteFolder, slug: str, there: str) -> None:
    """The error names file, line and remedy; the other files are loaded."""
    folder.write(f"content/pages/_single/{slug}.md", "---\ntitle: Mine\nstatus: published\n---\nx\n")
    folder.write("content/pages/_single/other.md", "---\ntitle: Other\nslug: fine\nstatus: published\n---\nx\n")
    (error,) = errors(folder)
    assert f"content/pages/_single/{slug}.md" in error
    assert f'slug: is "{slug}", and {there} address (choose another slug)' in error
    assert folder.page("fine", "")


def test_a_slug_is_free_under_another_permalink(folder: SiteFolder) -> None:
    """Or for the home page, which has the address `/`."""
    plain = load_settings(folder.folder)
    assert entry_at(plain, "", "blog") == "the list of all posts"
    assert entry_at(plain, "guide", "blog") == ""
    toml = (folder.folder / "site.toml").read_text(encoding="utf-8")
    folder.write("site.toml", toml + '[permalinks]\nsingle_page = "/pages/{slug}/"\n')
    assert entry_at(load_settings(folder.folder), "", "blog") == ""
    folder.write("site.toml", toml + '[build]\nhome = "blog"\n')
    assert entry_at(load_settings(folder.folder), "", "blog") == ""


@pytest.mark.parametrize("status", ["draft", "scheduled"])
def test_a_draft_of_an_unpublished_entry_is_an_error(folder: SiteFolder, status: str) -> None:
    """The values under `draft:` would be lost, since the entry itself is not published."""
    when = {"scheduled": "2031-01-01T00:00:00Z"} if status == "scheduled" else {}
    folder.guide("start", status=status, draft={"fields": {"headline": "New"}}, **when)
    (error,) = errors(folder)
    assert "content/pages/guide/start.yaml" in error
    assert f"draft.fields: is given, but in en the entry itself is {status}" in error
    assert "write status: published" in error


def test_a_draft_in_one_locale_needs_no_other(folder: SiteFolder) -> None:
    """The entry is published in one locale and a draft in another."""
    fields = {"en": {"headline": "A"}, "es": {"headline": "B"}}
    both = {"en": "published", "es": "draft"}
    folder.guide("start", status=both, fields=fields, draft={"fields": {"en": {"headline": "C"}}})
    assert errors(folder) == []
    folder.guide("start", status=both, fields=fields, draft={"fields": {"es": {"headline": "C"}}})
    (error,) = errors(folder)
    assert "draft.fields.es: is given, but in es the entry itself is draft" in error
