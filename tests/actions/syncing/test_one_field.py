"""A write of one field changes the lines of that field and of the update, in every kind and form of file."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from sitecms.actions.writing.accept.planning import StudioValues
from sitecms.actions.writing.save import save_entry
from sitecms.actions.writing.save_context import SaveContext
from sitecms.content.addresses import OwnAddresses
from sitecms.content.change import Origin, change_of_version, change_of_versions
from sitecms.content.kinds import EntryKind
from sitecms.store.entries.entry_state import versions_of
from sitecms.store.site_state.file_changes import note_file_change
from tests.support.newsroom import Newsroom

POST, PAGE, ITEM = EntryKind.POST, EntryKind.PAGE, EntryKind.ITEM
TEXTS = ("Neap", 'It\'s: a "tide"', "# low", " water ", "Ōmi → 海", "-", "no", "", "12", "2026-03-01")
LINE = re.compile(r"[-+]\s*(?:- )?(?:\"?fields\"?: )?\{?\"?(\w+)\"?\s*[:=]")
UPDATED = "2026-02-01T08:00:00Z"
POST_YAML = f"""\
---
# A post
title: 'Neap'   # the name
slug: neap
summary: "Low water."
tags:
    - moon   # full
    - ropes
published: 2026-02-01T08:00:00Z
updated: {UPDATED}
seo_title: Neap
---
A text.

Its end."""
POST_TOML = f"""\
+++
# A post
title = 'Neap'   # the name
slug = "neap"
summary = "Low water."
tags = [
  "moon", # full
  "ropes",
]
published = 2026-02-01T08:00:00Z
updated = {UPDATED}
seo_title = '''Neap'''
+++
A text.

Its end."""
PAGE_YAML = f"""\
title: Bends   # the name
slug: neap
published: 2026-02-01T08:00:00Z
updated: {UPDATED}
fields:
    summary: 'Two ropes.'  # short

    # Where to read on
    link: "/blog/"
    text: |
        One.

        Two.
"""
PAGE_BY_LOCALE = f"""\
title: Bends
slug: neap
published: {{en: 2026-02-01T08:00:00Z, es: 2026-02-01T08:00:00Z}}
updated: {{en: {UPDATED}, es: {UPDATED}}}
fields:
  es: {{summary: Dos cabos., link: "/es/blog/"}}   # Spanish
  en:
    summary: Two ropes.  # English
    link: /blog/
"""
ITEMS = f"""\
# The menu
- id: 11
  published: 2026-02-01T08:00:00Z
  updated: {UPDATED}
  fields: {{label: Posts, url: /blog/}}   # first

- id: 12
  published: 2026-02-01T08:00:00Z
  updated: {UPDATED}
  fields:
      label: "About"   # second
      url: /about/
"""


def keys(lines: list[str]) -> list[str]:
    """The keys of changed lines, those of a text of several lines once."""
    return [match[1] for line in lines if (match := LINE.match(line))]


def write(newsroom: Newsroom, path: str, text: str) -> None:
    """Write a file, and load it."""
    newsroom.site.write(path, text.encode())
    newsroom.site.load()
    newsroom.sync(again=True)
    newsroom.diff()


def check(newsroom: Newsroom, path: str, name: str) -> None:
    """Assert that what was changed is written, and that the lines of one field and the update changed."""
    assert newsroom.sync().problems == ()
    diff = newsroom.diff()
    assert set(diff) <= {path}
    lines = diff.get(path, [])
    assert set(keys(lines)) <= {name, "updated"}, lines
    assert len(lines) <= 4, lines


@pytest.mark.parametrize("text", [POST_YAML, POST_TOML, POST_YAML.replace("\n", "\r\n"), "\ufeff" + POST_YAML])
def test_post(text: str, newsroom: Newsroom) -> None:
    """Front matter in YAML and TOML, with both line ends, with a byte order mark."""
    path = "content/posts/neap.md"
    write(newsroom, path, text)
    for name in ("title", "summary", "seo_title"):
        for value in TEXTS:
            newsroom.update(POST, "neap", {name: value or "Neap" if name == "title" else value})
            check(newsroom, path, name)
    newsroom.update(POST, "neap", {"tags": ["moon", "calm", "ropes"]})
    check(newsroom, path, "tags")
    files = newsroom.files()[path]
    assert "# the name" in files
    assert files.endswith("Its end.")
    assert ("\r\n" in text) == ("\r\n" in files) == (files.count("\r\n") == files.count("\n"))


def test_fields_without_a_value_stay(newsroom: Newsroom) -> None:
    """A key that says nothing is not written anew."""
    path = "content/posts/neap.md"
    write(newsroom, path, f"---\ntitle: Neap\nfields:   # none\nupdated: {UPDATED}\n---\nA text.\n")
    newsroom.update(POST, "neap", {"title": "Ebb"})
    check(newsroom, path, "title")


def test_post_in_another_locale_than_its_file_is_read_in(newsroom: Newsroom) -> None:
    """After a change of the default locale that no load has seen, the file stays in its place and gets the locale."""
    path = "content/posts/neap.md"
    write(newsroom, path, POST_YAML)
    newsroom.update(POST, "neap", {"title": "Ebb"})
    newsroom.site.write("site.toml", 'default_locale = "es"\n' + (newsroom.folder / "site.toml").read_text())
    report = newsroom.sync()
    assert (report.written, report.removed, report.problems) == ((path,), (), ())
    assert keys(newsroom.diff()[path]) == ["title", "title", "locale", "updated", "updated"]


@pytest.mark.parametrize("name", ["summary", "link"])
def test_page(name: str, newsroom: Newsroom) -> None:
    """The fields of a page in one locale."""
    path = "content/pages/guide/neap.yaml"
    write(newsroom, path, PAGE_YAML)
    for value in TEXTS:
        newsroom.update(PAGE, "neap", {"fields": {name: value}}, type_="guide")
        check(newsroom, path, name)
    newsroom.update(PAGE, "neap", {"fields": {"text": "One.\n\nThree.\n"}}, type_="guide")
    assert newsroom.sync().problems == ()
    assert [line for line in newsroom.diff()[path] if "updated" not in line] == ["-        Two.", "+        Three."]


@pytest.mark.parametrize("locale", ["en", "es"])
def test_page_in_one_file_for_all_locales(locale: str, newsroom: Newsroom) -> None:
    """The other locale stays, and its times."""
    path = "content/pages/guide/neap.yaml"
    write(newsroom, path, PAGE_BY_LOCALE)
    for value in TEXTS:
        newsroom.update(PAGE, "neap", {"fields": {"summary": value}}, type_="guide", locale=locale)
        check(newsroom, path, "summary" if locale == "en" else "es")
    text = newsroom.files()[path]
    assert ("Two ropes.  # English" in text, "Dos cabos." in text) == (locale == "es", locale == "en")


@pytest.mark.parametrize("locale", ["en", "es"])
def test_page_with_a_file_for_each_locale(locale: str, newsroom: Newsroom) -> None:
    """Only the file of that locale changes."""
    paths = {"en": "content/pages/_single/neap.md", "es": "content/pages/_single/neap.es.md"}
    front = (
        f"---\ntitle: Neap  # the name\npublished: {UPDATED}\nupdated: {UPDATED}\nfields: {{description: Low.}}\n---\n"
    )
    for path in paths.values():
        newsroom.site.write(path, front + "One.\n\nTwo.\n")
    newsroom.site.load()
    newsroom.diff()
    for value in TEXTS:
        newsroom.update(PAGE, "neap", {"fields": {"description": value}}, type_="*", locale=locale)
        check(newsroom, paths[locale], "description")


@pytest.mark.parametrize(("item_id", "name"), [(11, "label"), (11, "url"), (12, "label"), (12, "url")])
def test_item(item_id: int, name: str, newsroom: Newsroom) -> None:
    """Items in brackets and in lines; the others stay."""
    path = "content/collections/menu.yaml"
    write(newsroom, path, ITEMS)
    for value in TEXTS:
        newsroom.update(ITEM, str(item_id), {"fields": {name: value}}, type_="menu")
        check(newsroom, path, "label" if item_id == 11 else name)
    text: Any = newsroom.files()[path]
    assert "   # first" in text
    assert "# second" in text


def test_times_of_a_page_take_the_form_of_the_one_that_goes(newsroom: Newsroom) -> None:
    """An unpublished page loses the only time that its file has; the one that comes looks like it."""
    path = "content/pages/guide/neap.yaml"
    write(newsroom, path, "title: Bends\npublished: 2026-02-01 08:00\nfields: {summary: Two ropes.}\n")
    sent = {"fields": {"summary": "One rope."}}
    newsroom.update(PAGE, "neap", sent, type_="guide", studio=StudioValues(unpublishes=True))
    assert newsroom.sync().problems == ()
    assert re.search(r"^updated: 2026-03-01 \d\d:\d\d$", newsroom.files()[path], re.MULTILINE)


def test_changed_address_of_an_item_keeps_its_place(newsroom: Newsroom) -> None:
    """Only its line changes, as that of any other key."""
    path = "content/collections/menu.yaml"
    write(newsroom, path, ITEMS.replace("- id: 11\n", "- id: 11\n  path: /posts/\n"))
    with newsroom.database.writing() as transaction:
        versions = versions_of(transaction, ITEM, 11)
        change = change_of_versions(versions[0], tuple(map(change_of_version, versions)))
        change = replace(change, addresses=OwnAddresses({"en": "/all/", "es": "/es/all/"}))
        save_entry(SaveContext(transaction, Origin.API, newsroom.clock()), change)
        note_file_change(transaction, ITEM, 11)
    newsroom.sync()
    assert newsroom.diff()[path] == ["-  path: /posts/", "+  path: /all/"]


def test_former_address_that_another_page_has_is_no_alias(newsroom: Newsroom) -> None:
    """A renamed page leads on from its old address, until a new page stands there."""
    newsroom.update(PAGE, "knots", {}, type_="guide", studio=StudioValues(slug="hitches"))
    newsroom.create(
        PAGE, {"title": "Knots", "slug": "knots", "page_type": "guide", "status": "published", "fields": {}}
    )
    assert newsroom.sync().written == ("content/pages/guide/knots.yaml",)
    text = newsroom.files()["content/pages/guide/knots.yaml"]
    assert ("hitches" in text, "/guide/knots/" in text) == (True, False)
