"""Time zones of imports: the source's own, the one of --timezone, or that of the site; and times that none can show."""

import json
from pathlib import Path
from typing import Any

import pytest

from sitecms.documents import read_front_matter, read_toml, read_yaml
from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.run import ImportOptions, import_site
from sitecms.importing.selection import Selection
from tests.importing.imported import import_files

HUGO = 'baseURL = "https://old.example/"\ntitle = "Tides"\n'


def hugo(zone: str = "") -> dict[str, str | bytes]:
    """A site of Hugo with a post of one day."""
    config = HUGO + (f'timeZone = "{zone}"\n' if zone else "")
    return {"hugo.toml": config, "content/posts/a.md": "---\ntitle: A\ndate: 2024-01-01\n---\nText.\n"}


def published(folder: Path) -> Any:
    """Return the time in the file of that post."""
    return read_front_matter(folder / "content/posts/a.md").data.get("published")


@pytest.mark.parametrize(
    ("in_source", "option", "expected"),
    [
        ("", "", "2023-12-31T15:00:00Z"),
        ("America/New_York", "", "2024-01-01T05:00:00Z"),
        ("America/New_York", "Europe/Berlin", "2023-12-31T23:00:00Z"),
        ("", "Europe/Berlin", "2023-12-31T23:00:00Z"),
    ],
)
def test_a_day_is_of_the_source_or_else_of_the_site(tmp_path: Path, in_source: str, option: str, expected: str) -> None:
    """The option goes before both; the settings of a site that is there stay as they are."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/site.toml").write_text('name = "Tide"\ntimezone = "Asia/Tokyo"\n', encoding="utf-8")
    site = import_files(tmp_path, hugo(in_source), timezone=option)
    assert published(site.folder) == expected
    assert read_toml(site.folder / "site.toml")["timezone"] == "Asia/Tokyo"


def test_a_new_site_is_in_the_zone_of_its_source(tmp_path: Path) -> None:
    """So a day stays that day, which the address has."""
    site = import_files(tmp_path, hugo("America/New_York"))
    assert read_toml(site.folder / "site.toml")["timezone"] == "America/New_York"
    assert published(site.folder) == "2024-01-01T05:00:00Z"


@pytest.mark.parametrize("zone", ["", "America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize("written", ["0001-01-01T00:00:00Z", "0001-01-01", "9999-12-31T23:59:59Z"])
def test_a_time_that_some_zone_cannot_show_is_noted(tmp_path: Path, written: str, zone: str) -> None:
    """Go writes the first of them for no time at all; its entry and all others are imported."""
    edge = f"---\ntitle: Edge\ndate: {written}\n---\nText.\n"
    site = import_files(tmp_path, {**hugo(zone), "content/posts/edge.md": edge})
    assert published(site.folder)
    assert "published" not in site.post("edge").data
    (place,) = site.notes("date assumed")["date: not a valid time"]
    assert place.endswith(f"content/posts/edge.md: {written}")


@pytest.mark.parametrize(
    ("zone", "option", "names"),
    [("America/New_York", "", ["b"]), ("America/New_York", "UTC", ["a", "b"]), ("Asia/Tokyo", "", ["a", "b"])],
)
def test_since_is_a_day_of_the_source(tmp_path: Path, zone: str, option: str, names: list[str]) -> None:
    """It begins at its midnight there."""
    source = tmp_path / "old"
    for name, hour in (("a", 4), ("b", 5)):
        path = source / f"content/posts/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntitle: {name}\ndate: 2024-01-01T0{hour}:30:00Z\n---\nText.\n", encoding="utf-8")
    (source / "hugo.toml").write_text(f'{HUGO}timeZone = "{zone}"\n', encoding="utf-8")
    reader = ReaderOptions(timezone=option)
    chosen = Selection("2024-01-01", reader.zone() if option else None)
    import_site(tmp_path / "site", [str(source)], ImportOptions(reader=reader, selection=chosen))
    assert sorted(path.stem for path in (tmp_path / "site/content/posts").rglob("*.md")) == names


def test_dates_of_contentful_stay_as_they_are(tmp_path: Path) -> None:
    """With and without a time and a zone; a day of publication is of the zone that is given."""

    def field(name: str, kind: str = "Symbol") -> dict[str, Any]:
        return {"id": name, "name": name, "type": kind}

    days = {"day": "2019-03-04", "local": "2019-03-04T21:30", "zoned": "2019-03-04T21:30+02:00"}
    event = [field("name"), *(field(name, "Date") for name in days)]
    post = [field("title"), field("slug"), field("body", "Text"), field("publishDate", "Date")]
    types = [("event", "name", event), ("blogPost", "title", post)]
    texts = {"event": {"name": "Regatta", **days}, "blogPost": {
        "title": "A", "slug": "a", "body": "**Text**", "publishDate": "2019-03-04",
    }}  # fmt: skip
    data = {
        "contentTypes": [
            {"sys": {"id": key}, "name": key, "displayField": label, "fields": own} for key, label, own in types
        ],
        "entries": [
            {
                "sys": {"id": f"e-{name}", "contentType": {"sys": {"id": name}}, "publishedVersion": 1, "version": 2},
                "fields": {key: {"en": value} for key, value in values.items()},
            }
            for name, values in texts.items()
        ],
        "locales": [{"code": "en", "default": True}],
    }
    (tmp_path / "export.json").write_text(json.dumps(data), encoding="utf-8")
    options = ImportOptions(media=MediaOptions(MediaChoice.LINK), reader=ReaderOptions(timezone="America/New_York"))
    import_site(tmp_path / "site", [str(tmp_path / "export.json")], options)
    assert published(tmp_path / "site") == "2019-03-04T05:00:00Z"
    (item,) = _values(read_yaml(tmp_path / "site/content/collections/event.yaml"))
    assert {name: item["fields"][name] for name in days} == days


def _values(data: object) -> list[Any]:
    assert isinstance(data, list)
    return data
