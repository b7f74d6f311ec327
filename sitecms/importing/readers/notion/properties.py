"""Properties of Notion pages: status, times, terms and the rest, by their usual names."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo

from sitecms.content.status import Status
from sitecms.importing.formats.times import read_time

_PUBLISHED = (
    "published", "published at", "published on", "published date", "publish date", "publish on", "publication date",
    "date", "post date", "posted", "posted on", "release date", "released",
)  # fmt: skip
_CREATED = ("created", "created at", "created time", "created on", "date created")
_UPDATED = ("updated", "updated at", "last edited", "last edited time", "last updated", "modified", "edited")
_STATUS = ("status", "state", "stage")
_TAGS = ("tags", "tag", "keywords", "topics", "topic", "labels")
_CATEGORIES = ("category", "categories", "section")
_AUTHORS = ("author", "authors", "writer", "written by", "by", "created by", "owner")
_SLUG = ("slug", "permalink", "url slug", "path")
_SUMMARY = ("summary", "excerpt", "description", "subtitle", "abstract", "tl;dr")
_SEO_TITLE = ("seo title", "meta title")
_SEO_TEXT = ("meta description", "seo description")
_IMAGE = ("cover", "cover image", "image", "featured image", "thumbnail", "hero", "hero image", "banner", "photo")
_ALT = ("image alt", "alt text", "alt")
_POSTS = frozenset({*_PUBLISHED, *_TAGS, *_CATEGORIES, "author", "authors", "writer", "slug", "excerpt"})
_PUBLIC_WORDS = frozenset(
    {"published", "live", "public", "done", "complete", "completed", "posted", "released", "sent"}
)
_YES = frozenset({"yes", "true", "checked", "x", "✓", "☑"})
_NO = frozenset({"no", "false", "unchecked"})
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap]\.?m\.?)?", re.I)
_WORDED = re.compile(
    r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})|(\d{1,2})\.?\s+([A-Za-z]{3,9})\.?\s+(\d{4})"
)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_EAST_ASIAN = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]")
_ZONE = re.compile(r"\((?:GMT|UTC)\s*([+-](?:1?\d|2[0-3]))?(?::?([0-5]\d))?\)", re.I)
_LINKED = re.compile(r"\s*\((?:https?://|[^()]*\.(?:md|html|csv)\b)[^()]*\)|\s*\([^()]*%20[^()]*\)")


class Properties:
    """Properties of a page by name; those that are read are marked as known. Letter case of names is ignored."""

    def __init__(self, given: Mapping[str, str], zone: tzinfo) -> None:
        self._given, self._zone = given, zone
        self._by_name = {name.strip().lower(): value.strip() for name, value in given.items()}
        self._used: set[str] = set()

    def text(self, names: Sequence[str]) -> str:
        """Return the value of the first of the names that has one."""
        found = ""
        for name in names:
            if value := self._by_name.get(name):
                self._used.add(name)
                found = found or value
        return found

    def times(self) -> tuple[datetime | None, datetime | None, datetime | None]:
        """Return the times of publication, creation and the last change."""
        terms = []
        known = {*_CREATED, *_UPDATED}
        others = tuple(name for name in self._by_name if _is_date(name) and name not in known)
        for names in ((*_PUBLISHED, *others), _CREATED, _UPDATED):
            values = ((name, read_date(self._by_name.get(name, ""), self._zone)) for name in names)
            name, moment = next(((name, each) for name, each in values if each), ("", None))
            self._used.add(name)
            terms.append(moment)
        return terms[0], terms[1], terms[2]

    def status(self) -> tuple[Status, str]:
        """Return the status, and the value that made the page a draft."""
        for name in ("draft", "hidden", "private"):
            if self._flag(name) is True:
                return Status.DRAFT, f"{name}: Yes"
        for name in ("published", "publish", "public", "live"):
            flag = self._flag(name)
            if flag is not None:
                return (Status.PUBLISHED, "") if flag else (Status.DRAFT, f"{name}: No")
        word = self.text(_STATUS)
        if word and word.lower() not in _PUBLIC_WORDS:
            return Status.DRAFT, word
        return Status.PUBLISHED, ""

    def _flag(self, name: str) -> bool | None:
        value = self._by_name.get(name, "").lower()
        if value in _YES or value in _NO:
            self._used.add(name)
            return value in _YES
        return None

    def names(self, what: str) -> tuple[str, ...]:
        """Return the tags, categories or authors."""
        written = self.text({"tags": _TAGS, "categories": _CATEGORIES, "authors": _AUTHORS}[what])
        plain = _LINKED.sub("", written)
        return tuple(dict.fromkeys(name for each in plain.split(",") if (name := each.strip())))

    def facts(self) -> dict[str, str]:
        """Return slug, summary, texts for search engines and picture, by field of `EntryRecord`."""
        slug = self.text(_SLUG)
        fields = {
            "summary": self.text(_SUMMARY),
            "seo_title": self.text(_SEO_TITLE),
            "meta_description": self.text(_SEO_TEXT),
            "featured_image": self.text(_IMAGE).partition(", ")[0],
            "featured_image_alt": self.text(_ALT),
        }
        return {"slug": slug.strip("/").rpartition("/")[2] if "://" not in slug else "", **fields}

    def unknown(self) -> Iterator[tuple[str, str]]:
        """Yield names and values of the properties that were never read."""
        for name, value in self._given.items():
            if value.strip() and name.strip().lower() not in self._used:
                yield name.strip(), value.strip()


def is_of_posts(columns: Sequence[str]) -> bool:
    """Return whether the rows of a database with these columns are posts: they have dates, tags or authors."""
    return any(name.strip().lower() in _POSTS or _is_date(name) for name in columns)


def _is_date(name: str) -> bool:
    return "date" in re.findall(r"\w+", name.lower())


def read_date(text: str, zone: tzinfo) -> datetime | None:
    """Return a time as Notion writes it, `March 4, 2024 10:22 AM`; of a range, its beginning. None for other text."""
    plain = text.partition("→")[0].strip().lstrip("@")
    if not re.search(r"\d", plain):
        return None
    if match := _ZONE.search(plain):
        zone = timezone(timedelta(hours=int(match[1] or 0), minutes=int(match[2] or 0)))
        plain = _ZONE.sub("", plain).strip()
    day = _day(plain)
    if day is None:
        return read_time(plain, zone)
    clock = _CLOCK.search(plain)
    hour, minute = (int(clock[1]), int(clock[2])) if clock else (0, 0)
    if clock and clock[3]:
        hour = hour % 12 + (12 if clock[3].lower().startswith("p") else 0)
    return read_time(f"{day[0]:04}-{day[1]:02}-{day[2]:02} {hour:02}:{minute:02}", zone)


def _day(text: str) -> tuple[int, int, int] | None:
    """Return year, month and day of a date in words or with slashes, whose month comes first if it can."""
    if match := _EAST_ASIAN.search(text):
        return int(match[1]), int(match[2]), int(match[3])
    if match := _WORDED.search(text):
        name, day, year = (match[1], match[2], match[3]) if match[1] else (match[5], match[4], match[6])
        month = _MONTHS.index(name[:3].lower()) + 1 if name[:3].lower() in _MONTHS else 0
        return (int(year), month, int(day)) if month else None
    if match := _SLASHED.match(text):
        first, second = int(match[1]), int(match[2])
        return (int(match[3]), second, first) if first > 12 else (int(match[3]), first, second)
    return None
