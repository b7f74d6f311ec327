"""What a theme lacks: each thing is named with its file, and a theme that lacks nothing has no line."""

from pathlib import Path

import pytest

from sitecms.content.schema import ContentSchema
from sitecms.settings.site import load_settings
from sitecms.site.theme.lacks import Lack, find_lacks
from sitecms.site.theme.theme import load_theme

MANIFEST = 'name = "sea"\nextends = "default"\n'


def lacks(site: Path, **files: str) -> list[Lack]:
    texts = {
        "site.toml": 'name = "Tide"\nlocales = ["en", "es"]\n[theme]\nname = "sea"\n',
        "themes/sea/theme.toml": MANIFEST,
    }
    for name, text in {**texts, **files}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, "utf-8")
    settings = load_settings(site)
    return list(find_lacks(load_theme(site, settings.theme), settings, ContentSchema()))


def said(site: Path, **files: str) -> list[str]:
    return [f"{each.file}:{each.line}: {each.problem} ({each.remedy})" for each in lacks(site, **files)]


def test_a_theme_that_extends_another_lacks_nothing(tmp_path: Path) -> None:
    """Blocks that the other has, options that it declares, words that a catalogue has."""
    options = '[options.columns]\ntype = "integer"\ndefault = 2\n'
    post = '{% extends "default:post.html" %}{% block content %}{{ _("Share") }}{{ site.theme.options.columns }}'
    post += "{% endblock %}"
    assert said(tmp_path, **{"themes/sea/theme.toml": MANIFEST + options, "themes/sea/templates/post.html": post}) == []


@pytest.mark.parametrize("name", ["default", "journal", "portfolio"])
def test_the_themes_of_sitecms_lack_nothing(tmp_path: Path, name: str) -> None:
    """In none of their languages."""
    assert said(tmp_path, **{"site.toml": f'name = "Tide"\nlocales = ["en", "es"]\n[theme]\nname = "{name}"\n'}) == []


def test_a_theme_that_stands_alone_needs_every_template(tmp_path: Path) -> None:
    """Each that is missing is an error."""
    found = lacks(tmp_path, **{"themes/sea/theme.toml": 'name = "sea"\n', "themes/sea/templates/home.html": "home"})
    assert all(each.is_fatal for each in found)
    assert {"has no template post.html", "has no template feeds/rss.xml"} <= {each.problem for each in found}
    assert "has no template home.html" not in {each.problem for each in found}


def test_a_block_that_no_frame_has_is_named_with_the_nearest(tmp_path: Path) -> None:
    """And a frame without a block that others fill is named once for all of them."""
    post = '{% extends "base.html" %}\n{% block contnet %}{% block own %}{% endblock %}{% endblock %}'
    assert said(tmp_path, **{"themes/sea/templates/post.html": post}) == [
        (
            "themes/sea/templates/post.html:2: fills the block contnet, which is in no template that it extends, "
            'so it is not shown (did you mean "content"?)'
        )
    ]
    (tmp_path / "themes/sea/templates/post.html").unlink()
    (found,) = said(tmp_path, **{"templates/base.html": "<!doctype html>{% block head %}{% endblock %}"})
    assert found.startswith(
        "templates/base.html:None: has no block content, which 404.html, author.html, blog.html and "
    )
    assert found.endswith("(add {% block content %}{% endblock %})")


def test_an_option_that_is_not_declared_is_named(tmp_path: Path) -> None:
    """With the nearest that is."""
    options = '[options.columns]\ntype = "integer"\ndefault = 2\n'
    files = {"themes/sea/theme.toml": MANIFEST + options, "templates/year.html": "{{ site.theme.options.colums }}"}
    assert said(tmp_path, **files) == [
        'templates/year.html:None: reads the option colums, which the theme does not declare (did you mean "columns"?)'
    ]


def test_words_of_a_theme_without_a_translation_are_named(tmp_path: Path) -> None:
    """For each locale of the site but English; those of the site's own templates are its own matter."""
    files = {
        "themes/sea/templates/year.html": '{{ _("Low tide") }}{{ ngettext("%(num)s wave", "%(num)s waves", 2) }}',
        "templates/author.html": '{{ _("Mine alone") }}',
    }
    assert said(tmp_path, **files) == [
        (
            "themes/sea/theme.toml:None: the theme sea has no translation in es of “Low tide”, “%(num)s wave” "
            "(add themes/sea/translations/es.po)"
        )
    ]
    done = 'msgid "Low tide"\nmsgstr "Bajamar"\n\nmsgid "%(num)s wave"\nmsgid_plural "%(num)s waves"\n'
    assert said(tmp_path, **{"themes/sea/translations/es.po": f'{done}msgstr[0] "ola"\nmsgstr[1] "olas"\n'}) == []


def test_what_a_theme_needs_of_the_site_is_named(tmp_path: Path) -> None:
    """Collections, page types and fields of posts that the site does not declare."""
    needs = '[needs]\ncollections = ["team"]\npage_types = ["guide"]\npost_fields = ["rating"]\n'
    assert [each.problem for each in lacks(tmp_path, **{"themes/sea/theme.toml": MANIFEST + needs})] == [
        "the theme sea needs the collection team, which the site does not have",
        "the theme sea needs the page type guide, which the site does not have",
        "the theme sea needs the field of posts rating, which the site does not have",
    ]
