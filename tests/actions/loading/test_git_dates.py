"""Dates that files do not give follow from the history of the folder, so that every clone has the same."""

from pathlib import Path

import pytest

from sitecms.actions.loading import LoadReport, load_site
from sitecms.actions.loading.reading import git_dates
from sitecms.clock import format_timestamp, from_microseconds
from tests.support.git import GIT, git
from tests.support.sites import ExampleSite

pytestmark = GIT
FIRST, SECOND = "2026-01-05T10:00:00Z", "2026-01-09T10:00:00Z"


def commit(example: ExampleSite, at: str) -> None:
    """Commit everything in the folder."""
    git(example.folder, "add", "--all")
    git(example.folder, "commit", "--message", "Edit", GIT_AUTHOR_DATE=at, GIT_COMMITTER_DATE=at)


def begin(example: ExampleSite) -> None:
    """Make the folder a work tree, with a post and a page without dates."""
    example.write(".gitignore", ".sitecms\npublic\n")
    example.post("undated", "Text.", status="published")
    git(example.folder, "init")
    commit(example, FIRST)


def load(example: ExampleSite) -> LoadReport:
    """Load at the present time of the example."""
    return load_site(example.database, example.settings, example.now, prune=True)


def times(example: ExampleSite, slug: str) -> tuple[str, str]:
    """When a post was published and updated."""
    with example.database.reading() as session:
        published_at, updated_at = session.sql("SELECT published_at, updated_at FROM version WHERE slug = ?", slug)[0]
    return format_timestamp(from_microseconds(published_at)), format_timestamp(from_microseconds(updated_at))


def test_a_post_without_a_date_has_that_of_its_first_commit(example: ExampleSite) -> None:
    """It was updated with the last commit; changes that are not committed do not count."""
    begin(example)
    assert load(example).notes == ()
    assert times(example, "undated") == (FIRST, FIRST)
    example.post("undated", "Other text.", status="published")
    load(example)
    assert times(example, "undated") == (FIRST, FIRST)
    commit(example, SECOND)
    assert load(example).loaded == ("content/posts/undated.md",)
    assert times(example, "undated") == (FIRST, SECOND)
    assert load(example).loaded == ()


def test_a_date_in_the_file_comes_first(example: ExampleSite) -> None:
    """Of `published` and of `updated`; nobody updates a post before it is published."""
    begin(example)
    example.post("undated", published="2026-01-07T08:00:00Z")
    example.post("both", published="2026-01-01T08:00:00Z", updated="2026-01-02T08:00:00Z")
    example.load()
    assert times(example, "undated") == ("2026-01-07T08:00:00Z", "2026-01-07T08:00:00Z")
    assert times(example, "both") == ("2026-01-01T08:00:00Z", "2026-01-02T08:00:00Z")


def test_a_file_that_says_its_times_is_not_loaded_for_a_commit(example: ExampleSite) -> None:
    """Nor is a draft; a file without a time of the update is, and a renamed file is found by the new dates."""
    begin(example)
    example.post("both", published="2026-01-01T08:00:00Z", updated="2026-01-02T08:00:00Z")
    example.post("drafted", status="draft")
    example.post("one", published="2026-01-01T08:00:00Z")
    example.load()
    before = times(example, "both")
    commit(example, SECOND)
    assert load(example).loaded == ("content/posts/one.md",)
    assert load(example).loaded == ()
    assert times(example, "both") == before


def test_commits_on_top_are_added_to_what_git_said(example: ExampleSite) -> None:
    """As all of them would be read again: edits, renamed and deleted files; and after a rebase, too."""
    begin(example)
    for name in "abc":
        example.post(name, f"The long enough text of {name}." * 9)
    commit(example, FIRST)
    kept = example.folder / ".sitecms/git-dates.json"
    for step in range(4):
        git_dates.read_git_dates(example.settings)
        if step == 3:
            git(example.folder, "commit", "--amend", "--message", "Other", GIT_COMMITTER_DATE=SECOND)
        else:
            posts = example.folder / "content/posts"
            (posts / f"{'abc'[step]}.md").rename(posts / f"new-{step}.md")
            example.post("undated", f"Text {step}.", status="published")
            commit(example, f"2026-01-1{step}T10:00:00Z")
            example.post(f"more-{step}", "More.")
            (posts / f"more-{step - 1}.md").unlink(missing_ok=True)
            commit(example, f"2026-01-1{step}T11:00:00Z")
        added = git_dates.read_git_dates(example.settings)
        kept.unlink()
        assert added == git_dates.read_git_dates(example.settings)


def test_a_renamed_file_keeps_the_date_of_its_first_commit(example: ExampleSite) -> None:
    """It stays the same entry though its text changed too, and its old address leads on."""
    begin(example)
    body = "\n".join(f"Line {number}." for number in range(20))
    text = f"---\ntitle: Undated\nstatus: published\n---\n{body}\n"
    example.write("content/posts/undated.md", text)
    commit(example, FIRST)
    load(example)
    (example.folder / "content/posts/undated.md").unlink()
    example.write("content/posts/renamed.md", f"{text}One more.\n")
    commit(example, SECOND)
    report = load(example)
    assert times(example, "renamed") == (FIRST, SECOND)
    assert "content/posts/renamed.md: is content/posts/undated.md under another name" in report.notes[0]
    assert "aliases: [/blog/undated/]" in report.notes[1]


def test_a_shallow_clone_says_so(example: ExampleSite, tmp_path: Path) -> None:
    """Its oldest commit seems to add every file: that is no date."""
    begin(example)
    commit_again = example.folder / "content/posts/undated.md"
    commit_again.write_text(commit_again.read_text("utf-8") + "\nMore.\n", "utf-8")
    commit(example, SECOND)
    git(tmp_path, "clone", "--depth", "1", f"file://{example.folder}", "shallow")
    shallow = ExampleSite(tmp_path / "shallow")
    report = load_site(shallow.database, shallow.settings, shallow.now)
    assert git_dates.SHALLOW in report.notes
    assert times(shallow, "undated") == (format_timestamp(shallow.now), format_timestamp(shallow.now))
    shallow.database.close()


def test_git_is_asked_for_its_log_once_for_a_commit(example: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is kept; without Git on the path the load says why dates are missing."""
    begin(example)
    load(example)
    kept = example.folder / ".sitecms/git-dates.json"
    before = kept.stat().st_mtime_ns
    example.post("new", published=FIRST)
    load(example)
    assert kept.stat().st_mtime_ns == before
    example.post("newer", published=FIRST)
    monkeypatch.setenv("PATH", str(example.folder))
    assert any("Git gives no dates of files" in note for note in load(example).notes)


def test_a_folder_without_git_says_what_to_add(example: ExampleSite) -> None:
    """The date of the load stays until the file gives it."""
    example.post("undated", status="published")
    now = format_timestamp(example.now)
    note = f"content/posts/undated.md: has no date, and a clone would have another one (add published: {now})"
    assert load(example).notes == (note,)
    example.post("undated", "Changed.", status="published")
    example.load()
    assert times(example, "undated")[0] == now
    example.post("undated", "Changed.", published=now)
    assert load(example).notes == ()
    assert times(example, "undated") == (now, now)
