"""`sitecms theme`: what a site is made with, and what it takes over."""

from pathlib import Path

from tests.cli.conftest import Run

THEME = "templates/themes/default"


def test_every_file_is_listed_with_where_it_comes_from(run: Run, demo: Path) -> None:
    """The site's own take the place of the theme's; of catalogues both count."""
    (demo / "templates").mkdir()
    (demo / "templates/post.html").write_text("mine", encoding="utf-8")
    (demo / "translations").mkdir()
    (demo / "translations/es.po").write_text('msgid "Follow"\nmsgstr "Sigue"\n', encoding="utf-8")
    done = run("theme", "files", demo)
    assert done.returncode == 0, done.stderr
    rows = [tuple(line.split()) for line in done.stdout.splitlines()]
    assert ("post.html", "templates/post.html") in rows
    assert ("base.html", "default") in rows
    assert ("assets/style.css", "default") in rows
    assert ("translations/es.po", "default") in rows
    assert ("translations/es.po", "translations/es.po") in rows


def test_a_file_is_shown_as_it_is_used(run: Run, demo: Path, repo: Path) -> None:
    """The site's own first; SITE may be left out."""
    done = run("theme", "show", "parts/head.html", folder=demo)
    assert done.stdout == (repo / THEME / "templates/parts/head.html").read_text(encoding="utf-8")
    (demo / "assets").mkdir(exist_ok=True)
    (demo / "assets/style.css").write_text("mine", encoding="utf-8")
    assert run("theme", "show", demo, "assets/style.css").stdout == "mine"


def test_an_ejected_file_is_used_from_then_on(run: Run, demo: Path, repo: Path) -> None:
    """It lies where the site keeps its own, and is not written over unless one insists."""
    for name, own in (
        ("post.html", "templates/post.html"),
        ("assets/style.css", "assets/style.css"),
        ("translations/es.po", "translations/es.po"),
    ):
        assert run("theme", "eject", demo, name).returncode == 0
        assert (demo / own).read_bytes() == (repo / THEME / own).read_bytes()
    (demo / "templates/post.html").write_text("mine", encoding="utf-8")
    refused = run("theme", "eject", demo, "post.html")
    assert refused.returncode == 2
    assert "templates/post.html exists already. Use --force" in refused.stderr
    assert (demo / "templates/post.html").read_text(encoding="utf-8") == "mine"
    assert run("theme", "eject", demo, "post.html", "--force").returncode == 0
    assert (demo / "templates/post.html").read_bytes() == (repo / THEME / "templates/post.html").read_bytes()


def test_an_ejected_stylesheet_holds_the_look_of_the_theme(run: Run, demo: Path, repo: Path) -> None:
    """It is all that the site used before."""
    settings = demo / "site.toml"
    text = settings.read_text(encoding="utf-8").replace("[theme]", '[theme]\nname = "journal"')
    settings.write_text(text, encoding="utf-8")
    assert run("theme", "eject", demo, "assets/style.css").returncode == 0
    look = (repo / "templates/themes/journal/assets/style.css").read_text(encoding="utf-8")
    ejected = (demo / "assets/style.css").read_text(encoding="utf-8")
    assert ejected == (repo / THEME / "assets/style.css").read_text(encoding="utf-8") + "\n" + look
    assert run("theme", "eject", demo, "parts/row.html").returncode == 0
    row = (repo / "templates/themes/journal/templates/parts/row.html").read_bytes()
    assert (demo / "templates/parts/row.html").read_bytes() == row


def test_unknown_name_is_reported_with_the_nearest(run: Run, demo: Path) -> None:
    """Nothing outside the theme is shown or written."""
    done = run("theme", "show", demo, "pots.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'The theme has no file pots.html: did you mean "post.html"?' in done.stderr
    for name in ("../site.toml", "/etc/hostname", "assets/../../site.toml"):
        assert run("theme", "show", demo, name).returncode == 2
        assert run("theme", "eject", demo, name).returncode == 2


def test_a_new_theme_is_built_and_lacks_nothing(run: Run, demo: Path) -> None:
    """It extends the theme of the site; `theme list` and `theme check` show it."""
    done = run("theme", "new", demo, "seaside", "--extends", "journal")
    assert done.returncode == 0, done.stderr
    assert 'To use it, write name = "seaside" below [theme] in site.toml.' in done.stdout
    settings = demo / "site.toml"
    settings.write_text(settings.read_text("utf-8").replace("[theme]", '[theme]\nname = "seaside"'), "utf-8")
    option = '[options.columns]\ntype = "integer"\ndefault = 3\ndescription = "Columns of the home page."\n'
    with (demo / "themes/seaside/theme.toml").open("a", encoding="utf-8") as file:
        file.write(option)
    checked = run("theme", "check", demo)
    assert checked.returncode == 0, checked.stderr
    assert "columns  integer  3        Columns of the home page." in checked.stdout
    assert "Checked the theme seaside: 0 errors, 0 warnings" in checked.stdout
    rows = [line.split() for line in run("theme", "list", demo).stdout.splitlines()]
    assert ["*", "seaside", "0.1.0", "themes/seaside", "journal"] in rows
    assert any(row[:4] == ["portfolio", "1", "sitecms", "default"] for row in rows)
    assert run("build", demo).returncode == 0
    assert run("theme", "new", demo, "seaside").returncode == 2
    assert run("theme", "new", demo, "../x").returncode == 2
    assert run("theme", "new", demo, "other", "--extends", "jurnal").returncode == 3


def test_a_theme_is_added_and_checked(run: Run, demo: Path, tmp_path: Path) -> None:
    """`sitecms check` says what it lacks; a theme that was changed in the site is marked and stays."""
    theme = tmp_path / "sea"
    (theme / "templates").mkdir(parents=True)
    (theme / "theme.toml").write_text('name = "sea"\nversion = "2"\nextends = "default"\n', "utf-8")
    (theme / "templates/year.html").write_text("{% extends 'base.html' %}{% block contnt %}x{% endblock %}", "utf-8")
    added = run("theme", "add", demo, theme)
    assert added.returncode == 0, added.stderr
    assert f"Added themes/sea 2 from {theme}." in added.stdout
    settings = demo / "site.toml"
    settings.write_text(settings.read_text("utf-8").replace("[theme]", '[theme]\nname = "sea"'), "utf-8")
    checked = run("check", demo)
    (line,) = (line for line in checked.stdout.splitlines() if "fills the block contnt" in line)
    assert line.startswith("themes/sea/templates/year.html:1")
    assert '(did you mean "content"?) [theme]' in line
    assert run("theme", "check", demo, "--strict").returncode == 1
    (demo / "themes/sea/templates/year.html").write_text("mine", "utf-8")
    assert "themes/sea (changed)" in run("theme", "list", demo).stdout
    assert run("theme", "add", demo, theme).returncode == 2
    assert run("theme", "add", demo, theme, "--force").returncode == 0


def test_a_theme_with_errors_hides_no_other(run: Run, demo: Path) -> None:
    """`theme list` names the themes that it can read, and then the errors in the others, with file and line."""
    broken = demo / "themes/broken"
    broken.mkdir(parents=True)
    (broken / "theme.toml").write_text('name = "broken"\nextends = 5\n', "utf-8")
    listed = run("theme", "list", demo)
    assert listed.returncode == 3
    rows = [line.split() for line in listed.stdout.splitlines()]
    assert ["broken", "themes/broken", "cannot", "be", "used:", "see", "below"] in rows
    assert any(row[:3] == ["portfolio", "1", "sitecms"] for row in rows)
    assert "themes/broken/theme.toml:2 extends: " in listed.stderr
