"""Front matter and custom fields that the site does not know become fields of posts, where that is safe."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sitecms.cli.main import cli
from sitecms.documents import read_front_matter, read_yaml
from sitecms.importing.records import NoteKind
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from tests.importing.wxr import export, item

POSTS = {
    "low": """layout: post
place: Ardle
rating: 4
codeRating: 1.50
isWalk: true
note: '<b>x</b>'
mixed: 1
parts: [a]
once: x""",
    "high": """layout: post
place: 'Puerto: Alba'
rating: 4.5
codeRating: '2'
isWalk: false
note: '<i>y</i>'
mixed: one
parts: [b]""",
    "flow": "layout: post\nplace: Saltby",
}


def _posts(folder: Path, posts: dict[str, str]) -> str:
    (folder / "_posts").mkdir(parents=True, exist_ok=True)
    (folder / "_config.yml").write_text("title: Tides\nurl: https://old.example\n")
    for name, facts in posts.items():
        (folder / f"_posts/2020-01-02-{name}.md").write_text(f"---\ntitle: {name}\n{facts}\n---\nText.\n")
    return str(folder)


def _fields(site: Path, name: str) -> Any:
    return read_front_matter(next(site.glob(f"content/posts/**/*{name}.md"))).data.get("fields")


def _types(site: Path) -> dict[str, str]:
    data: Any = read_yaml(site / "schema/post.yaml")
    return {each["slug"]: each["type"] for each in data["fields"]}


def _subjects(report: ImportReport, kind: NoteKind) -> dict[str, int]:
    return {subject: group.count for (each, subject), group in report.notes.items() if each is kind}


def test_keys_of_one_type_become_fields(tmp_path: Path) -> None:
    """Other keys are reported: markup, lists, types that differ, the same value in all posts, one post alone."""
    site, source = tmp_path / "site", _posts(tmp_path / "old", POSTS)
    report = import_site(site, [source], ImportOptions())
    assert _types(site) == {"place": "short_text", "rating": "number", "is_walk": "checkbox"}
    assert _fields(site, "low") == {"place": "Ardle", "rating": 4, "is_walk": True}
    assert _fields(site, "high") == {"place": "Puerto: Alba", "rating": 4.5, "is_walk": False}
    assert _fields(site, "flow") == {"place": "Saltby"}
    unknown = _subjects(report, NoteKind.UNKNOWN_KEY)
    assert unknown == {"layout": 3, "codeRating": 2, "note": 2, "mixed": 2, "parts": 2, "once": 1}
    built = CliRunner().invoke(cli, ["load", str(site)])
    assert built.exit_code == 0, built.output


def test_private_values_are_not_written(tmp_path: Path) -> None:
    """Passwords, keys of services, hashes and addresses of people stay in the source, and are reported by name."""
    private = "apiKey: {0}-1\ncustomer_email: nobody\nwriter: {0}@tide.example\nnumber: $P$B{0}9"
    posts = {name: f"place: {name}\n{private.format(name)}" for name in ("low", "high")}
    site, source = tmp_path / "site", _posts(tmp_path / "old", posts)
    report = import_site(site, [source], ImportOptions())
    assert _types(site) == {"place": "short_text"}
    assert _subjects(report, NoteKind.UNKNOWN_KEY).keys() >= {"apiKey", "customer_email", "writer", "number"}
    written = b"".join(path.read_bytes() for path in site.rglob("*") if path.is_file())
    assert not any(each in written for each in (b"low-1", b"@tide.example", b"$P$B"))


def test_the_owner_mends_the_fields(tmp_path: Path) -> None:
    """A second import takes the schema as it is now; a field that was removed is reported as unknown again."""
    site, source = tmp_path / "site", _posts(tmp_path / "old", POSTS)
    import_site(site, [source], ImportOptions())
    (site / "schema/post.yaml").write_text(
        "fields:\n- {slug: place, type: long_text}\n- {slug: rating, type: number}\n"
    )
    _posts(tmp_path / "old", {"low": POSTS["low"].replace("Ardle", "Ardle Cross")})
    report = import_site(site, [source], ImportOptions())
    assert _types(site) == {"place": "long_text", "rating": "number"}
    assert _fields(site, "low") == {"place": "Ardle Cross", "rating": 4}
    assert _subjects(report, NoteKind.UNKNOWN_KEY)["isWalk"] == 2


def test_fields_follow_the_source(tmp_path: Path) -> None:
    """A key whose values no longer have one type is a field no more, in no post."""
    site, source = tmp_path / "site", _posts(tmp_path / "old", POSTS)
    import_site(site, [source], ImportOptions())
    _posts(tmp_path / "old", {"flow": POSTS["flow"] + "\nrating: many"})
    import_site(site, [source], ImportOptions())
    assert "rating" not in _types(site)
    assert "rating" not in _fields(site, "high")


def test_custom_fields_of_wordpress(tmp_path: Path) -> None:
    """Values of plug-ins and serialised ones are reported as before."""
    metas = ({"mood": "calm &amp; slow", "stars": "3", "_x": "1", "data": 'a:1:{i:0;s:1:"x";}'}, {"mood": "wild"})
    (tmp_path / "wp.xml").write_text(export(*(item(number, meta=meta) for number, meta in enumerate(metas, 1))))
    report = import_site(tmp_path / "site", [str(tmp_path / "wp.xml")], ImportOptions())
    assert _fields(tmp_path / "site", "post-1") == {"mood": "calm & slow"}
    assert set(_subjects(report, NoteKind.UNKNOWN_META)) == {"stars", "_x", "data"}


@pytest.mark.parametrize(
    "key",
    ["disqus_identifier", "gitalk", "comments", "nocomments", "toc_sticky", "TocOpen", "ShowReadingTime", "hidemeta",
     "disableShare", "searchHidden", "show_sidebar", "mathjax", "sticky", "author_profile", "read_time", "nav_order",
     "in_search_index", "eleventyExcludeFromCollections", "paginate_by", "layout", "save_as", "robots"],
)  # fmt: skip
def test_switches_of_themes_are_no_fields(tmp_path: Path, key: str) -> None:
    """They say how a theme shows a post."""
    source = _posts(tmp_path / "old", {name: f"{key}: text {name}\nplace: Ardle {name}" for name in "abc"})
    import_site(tmp_path / "site", [source], ImportOptions())
    assert _types(tmp_path / "site") == {"place": "short_text"}


@pytest.mark.parametrize(
    "key", ["showtimes", "topic_of_the_day", "mathematician", "place", "hidden_gem", "sharecropper"]
)
def test_words_about_a_post_are_fields(tmp_path: Path, key: str) -> None:
    """Also where they begin as a switch does."""
    source = _posts(tmp_path / "old", {name: f"{key}: text {name}" for name in "abc"})
    import_site(tmp_path / "site", [source], ImportOptions())
    assert _fields(tmp_path / "site", "a") == {key: "text a"}
