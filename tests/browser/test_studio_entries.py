"""Pages in Chromium: rows in picked components, two locales beside each other, entries created on the way."""

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from playwright.sync_api import expect

from sitecms.content.field_value import Fields
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Version
from sitecms.runtime import open_runtime
from sitecms.store.entries.entry_rows import find_named
from sitecms.store.entries.versions import VERSIONS
from tests.support.studio_browser import PHONE_AND_KEYS, ServedStudio, ServeSample, Studio

pytestmark = pytest.mark.slow
PLAN = """\
slug: plan
fields:
  - {slug: summary, type: short_text}
  - {slug: lead, type: reference, targets: [team]}
  - {slug: crew, type: reference, many: true, targets: [team]}
  - {slug: guest, type: reference, targets: [crowd]}
  - {slug: tint, type: color}
  - {slug: days, type: component_picker, components: [day]}
"""
CROWD = "key: crowd\nlabel: name\nfields:\n  - {slug: name, type: short_text}\n  - {slug: town, type: short_text}\n"
GUESTS = "".join(f"- {{id: {number}, fields: {{name: Guest {number}}}}}\n" for number in range(5000, 6100))
GUESTS = GUESTS.replace("Guest 5001", "Guest 5001, town: Bern")
DAY = """\
slug: day
fields:
  - {slug: name, type: short_text}
  - slug: things
    type: repeater
    fields:
      - {slug: thing, type: short_text}
"""


@pytest.fixture(scope="module")
def served(serve_sample: ServeSample) -> Iterator[ServedStudio]:
    """Serve the sample site with a page type that nests components and rows."""
    files = {
        "schema/page_types/plan.yaml": PLAN,
        "schema/components/day.yaml": DAY,
        "schema/collections/crowd.yaml": CROWD,
        "content/collections/crowd.yaml": GUESTS,
    }
    with serve_sample(files) as made:
        yield made


@pytest.fixture
def fields_of(served: ServedStudio) -> Callable[[str, str, Version], Fields]:
    """Read the stored fields of a plan by slug, locale and version."""

    def read(slug: str, locale: str, version: Version) -> Fields:
        runtime = open_runtime(served.settings)
        with runtime.database.reading() as session:
            page_id = find_named(session, EntryKind.PAGE, "plan", slug)
            assert page_id is not None
            found = {(each.locale, each.version): each for each in VERSIONS[EntryKind.PAGE].of(session, (page_id,))}
        runtime.database.close()
        return found[locale, version].fields

    return read


_numbers = count(1)


def begin(studio: Studio, title: str) -> str:
    """Open the form of a new plan and name it; return its slug, which no earlier try has."""
    slug = f"plan-{next(_numbers)}"
    studio.open("pages/new/plan/")
    studio.write(studio.page.get_by_label("Title", exact=True), title)
    studio.write(studio.page.get_by_label("Address", exact=True), slug)
    return slug


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_rows_in_picked_components(studio: Studio, fields_of: Callable[[str, str, Version], Fields]) -> None:
    """Added, moved, doubled and removed at both depths; nothing typed is lost on the way."""
    page, do = studio.page, studio.change_rows
    slug = begin(studio, "Two days")
    for number, name in enumerate(("Coast", "Hills")):
        do("add:fields.days:day")
        day = f"fields.days.{number}.fields"
        studio.write(page.locator(f'[name="{day}.name"]'), name)
        for place, thing in enumerate(("boots", "map")):
            do(f"add:{day}.things")
            studio.write(page.locator(f'[name="{day}.things.{place}.thing"]'), f"{thing} {name}")
    do("double:fields.days.1")
    do("up:fields.days.1")
    do("up:fields.days.1.fields.things.1")
    do("double:fields.days.0.fields.things.0")
    do("remove:fields.days.0.fields.things.1")
    do("remove:fields.days.2")
    studio.press("Publish")
    expect(page.get_by_role("status").first).to_contain_text("Published.")
    days: Any = fields_of(slug, "en", Version.LIVE)["days"]
    rows = [row["fields"] for row in days]
    shown = [(row["name"], [thing["thing"] for thing in row["things"]]) for row in rows]
    assert shown == [("Hills", ["boots Hills", "map Hills"]), ("Coast", ["map Coast", "boots Coast"])]
    assert studio.violations() == []


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_two_locales_beside_each_other(studio: Studio, fields_of: Callable[[str, str, Version], Fields]) -> None:
    """The missing one is told, copied from the other, translated and published by itself."""
    page = studio.page
    slug = begin(studio, "Plan")
    studio.write(page.get_by_label("Summary"), "A walk in English")
    studio.press("Publish")
    studio.follow(page.locator("#panel a", has_text="Spanish missing"))
    studio.follow(page.locator("#panel a", has_text="beside this one"))
    other = page.get_by_role("group", name="Summary in English")
    expect(other).to_contain_text("Missing here")
    expect(other).to_contain_text("A walk in English")
    field, beside = page.get_by_label("Summary", exact=True).bounding_box(), other.bounding_box()
    assert field is not None
    assert beside is not None
    if studio.way == "keys":
        assert beside["x"] >= field["x"] + field["width"]
        assert beside["y"] < field["y"] + field["height"]
    else:
        assert beside["y"] >= field["y"] + field["height"]
    assert studio.violations() == []
    studio.press("Copy the text from English")
    expect(page.get_by_label("Summary", exact=True)).to_have_value("A walk in English")
    studio.write(page.get_by_label("Summary", exact=True), "Un paseo")
    studio.press("Publish")
    expect(page.locator("#panel .tabs a", has_text=re.compile("^Spanish$"))).to_have_count(1)
    assert fields_of(slug, "es", Version.LIVE)["summary"] == "Un paseo"
    assert fields_of(slug, "en", Version.LIVE)["summary"] == "A walk in English"


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_reference_is_created_on_the_way(studio: Studio, fields_of: Callable[[str, str, Version], Fields]) -> None:
    """The new item is chosen in the form that asked for it, whose text stays; lists of several grow."""
    page = studio.page
    slug = begin(studio, "Crew")
    studio.write(page.get_by_label("Summary"), "typed")
    for field, name in (("lead", "Nora Berg"), ("crew", "Ole Vik"), ("crew", "Siv Dahl")):
        with page.expect_popup() as popup:
            studio.use(page.locator(f'a[data-add="fields.{field}"]'))
        tab = Studio(popup.value, studio.served, studio.way)
        tab.write(tab.page.locator('[name="fields.name"]'), name)
        with tab.page.expect_event("close"):
            tab.use(tab.page.get_by_role("button", name="Publish", exact=True))
        expect(page.locator(f'select[name="fields.{field}"] option:checked', has_text=name)).to_have_count(1)
    page.locator('[data-color][name="fields.tint"] + input').fill("#0b6e99")
    expect(page.get_by_label("Summary", exact=True)).to_have_value("typed")
    assert studio.violations() == []
    studio.press("Publish")
    stored = fields_of(slug, "en", Version.LIVE)
    assert (stored["summary"], stored["tint"]) == ("typed", "#0b6e99")
    assert str(stored["lead"]).startswith("/v2/content/?keys=team[_id=")
    assert isinstance(stored["crew"], list)
    assert len(stored["crew"]) == 2
    assert [line for line in studio.said if "Content Security Policy" in line] == []


@pytest.mark.parametrize("studio", PHONE_AND_KEYS, indirect=True)
def test_reference_to_an_entry_that_a_long_list_leaves_out(
    studio: Studio, fields_of: Callable[[str, str, Version], Fields]
) -> None:
    """Its words find it on the server; the list has those that it had when the words are removed."""
    page = studio.page
    slug = begin(studio, "Guests")
    guest = page.get_by_label("Guest", exact=True)
    assert guest.locator("option").count() == 1001
    words = page.get_by_label("Search in Guest")
    studio.write(words, "bern")
    expect(guest.locator("option")).to_have_text(["none", "Guest 5001"])
    studio.write(words, "")
    expect(guest.locator("option")).to_have_count(1001)
    studio.write(words, "guest 6099")
    expect(guest.locator("option")).to_have_text(["none", "Guest 6099"])
    studio.choose(guest, "Guest 6099")
    studio.write(words, "")
    expect(guest.locator("option")).to_have_count(1002)
    studio.press("Publish")
    expect(page.get_by_role("status").first).to_contain_text("Published.")
    assert fields_of(slug, "en", Version.LIVE)["guest"] == "/v2/content/?keys=crowd[_id=6099]"
    assert guest.locator("option:checked").inner_text() == "Guest 6099"
