"""The table of shortcodes: known names, and those that the owner of a site maps."""

from pathlib import Path

import pytest

from sitecms.content.text.html import plain_text, sanitize
from sitecms.content.text.markdown import render
from sitecms.errors import InvalidFiles
from sitecms.importing.records import NoteKind
from sitecms.importing.run import ImportOptions, import_site
from sitecms.importing.shortcodes import FILE, Meaning, ShortcodeTable, read_table
from tests.importing.imported import import_files
from tests.importing.offline import OFFLINE
from tests.importing.wxr import export, item

_HUGO = {
    "hugo.toml": 'baseURL = "https://old.example/"\n',
    "content/posts/a.md": "+++\ntitle = 'A'\ndate = 2020-01-02\n+++\n{{< fancy >}}\nOne **x**.\n{{< /fancy >}}\n",
}


@pytest.mark.parametrize("name", ["note", "Note", "ui/note", "NOTE"])
def test_names_are_found_in_any_case_and_folder(name: str) -> None:
    """Themes put shortcodes in folders, and components begin with a capital."""
    assert ShortcodeTable().meaning(name) is Meaning.CALLOUT


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("callout", "::: note\nOne **x**.\n:::"),
        ("warning", "::: warning\nOne **x**.\n:::"),
        ("details", "::: details Fancy\nOne **x**.\n:::"),
        ("content", "\nOne **x**.\n"),
        ("keep", "{{< fancy >}}\nOne **x**.\n{{< /fancy >}}"),
        ("comment", "<!-- {{< fancy >}} -->\nOne **x**.\n<!-- {{< /fancy >}} -->"),
    ],
)
def test_the_owner_maps_a_name(target: str, expected: str, tmp_path: Path) -> None:
    """The next run reads the file again, though the source has not changed; a name with a meaning is not reported."""
    first = import_files(tmp_path, _HUGO)
    assert "<!-- {{< fancy >}} -->\nOne **x**.\n<!-- {{< /fancy >}} -->" in first.post("a").body
    (remedy,) = [group.remedy for (kind, _), group in first.report.notes.items() if kind is NoteKind.UNKNOWN_SHORTCODE]
    assert f'fancy = "callout" or the like in {FILE}' in remedy
    (tmp_path / "site" / FILE).write_text(f'fancy = "{target}"\n')
    second = import_files(tmp_path, _HUGO)
    assert expected.strip("\n") in second.post("a").body
    assert not second.notes("unknown shortcode")
    third = import_files(tmp_path, _HUGO)
    assert third.report.counts["posts", "unchanged"] == 1


def test_the_owner_maps_a_name_of_wordpress(tmp_path: Path) -> None:
    """One table serves all systems, and may stand there before the first import."""
    (tmp_path / "site/imports").mkdir(parents=True)
    (tmp_path / "site" / FILE).write_text('fancy_box = "tip"\nlead = "keep"\n')
    (tmp_path / "export.xml").write_text(export(item(1, content="[fancy_box]One[/fancy_box]\n\n[lead]Two[/lead]")))
    import_site(tmp_path / "site", [str(tmp_path / "export.xml")], ImportOptions(media=OFFLINE))
    text = (tmp_path / "site/content/posts/post-1.md").read_text()
    assert "::: tip\n\nOne\n\n:::" in text
    assert "\\[lead\\]Two\\[/lead\\]" in text


def test_an_unknown_meaning_is_an_error_with_its_line(tmp_path: Path) -> None:
    """All of them at once, with what would be right."""
    (tmp_path / "imports").mkdir()
    (tmp_path / FILE).write_text('a = "callout"\nb = "calout"\nc = 3\n')
    with pytest.raises(InvalidFiles) as raised:
        read_table(tmp_path)
    first, second = str(raised.value).splitlines()
    assert first.startswith(f"{FILE}:2 b: has no meaning 'calout' (write one of callout, details,")
    assert second.startswith(f"{FILE}:3 c: has no meaning 3")


@pytest.mark.parametrize("dashes", ["--", "---", "----", "-----", "--!", "-", ""])
def test_a_tag_does_not_end_the_comment_that_it_becomes(tmp_path: Path, dashes: str) -> None:
    """Whatever its arguments, or the remarks of a template, hold."""
    files = {
        "_config.yml": "url: https://old.example\n",
        "_posts/2020-01-02-a.md": (
            f'---\ntitle: A\n---\nOne {{% fancy "{dashes}>seen" %}} two.\n\n'
            f"{{% comment %}}{dashes}>seen{{% endcomment %}}\n\n{{#{dashes}>seen#}}\n"
        ),
    }
    body = import_files(tmp_path, files).post("a").body
    assert body.count("seen") == 3
    assert "seen" not in plain_text(sanitize(render(body)))
