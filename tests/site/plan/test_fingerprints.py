"""Fingerprints are made from digests of content: nothing that a page shows may be missing from them."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import asdict, replace

from sitecms.content.entry import Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.schema import ContentSchema
from sitecms.content.term import Term
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.plan import make_plan
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.snapshot import Snapshot, take_snapshot
from sitecms.site.theme.theme import Theme, load_theme
from tests.support.sites import ExampleSite

EDITED = ("posts", "pages", "items", "authors", "categories", "tags", "media")
SETTINGS = ("name", "description", "url", "markdown_extensions")
UNTOUCHED = {"id", "version", "type", "body", "name", "author", "locale", "kind"}
"""What no edit changes: identities, what is edited elsewhere, and a body, for which `body_digest` stands."""
ALIKE = ("posts", "pages", "items", "media")
"""Kinds whose entries of a group are shown alike, and in full."""
LATER = datetime(2026, 5, 1, 12, tzinfo=UTC)


class _Bodies(Bodies):
    """Bodies that differ when their digests do."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._digests = {post.id: post.body_digest for post in snapshot.posts}

    def __getitem__(self, post_id: int) -> str:
        return f"<p>{self._digests[post_id]}</p>"

    def __iter__(self) -> Iterator[int]:
        return iter(self._digests)

    def __len__(self) -> int:
        return len(self._digests)


def contexts(snapshot: Snapshot, site: SiteSettings, theme: Theme) -> dict[str, bytes]:
    """What each page shows, by its fingerprint."""
    bodies = _Bodies(snapshot)
    options = orjson.OPT_NON_STR_KEYS
    return {
        job.fingerprint: orjson.dumps(_values(job.context(bodies)), default=_plain, option=options)
        for job in make_plan(snapshot, site, theme).pages
    }


def _plain(value: object) -> object:
    return asdict(value) if isinstance(value, Struct) else list(value)  # type: ignore[call-overload]


def _values(context: dict[str, object]) -> dict[str, object]:
    """The context without the functions that every page has."""
    return {name: value for name, value in context.items() if not callable(value)}


def other(value: Any, random: Random) -> Any:
    """Another value of the kind, now and then the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, Enum):
        return value
    if isinstance(value, str) and value[:2] == "20":
        return "2026-05-01T00:00:00"
    if isinstance(value, str):
        return random.choice(["", "x", "/blog/ebb/", f"{value} more"]) if value else f"new {random.randrange(3)}"
    if isinstance(value, int):
        return value + random.randrange(3)
    if isinstance(value, datetime) or value is None:
        return LATER + timedelta(days=random.randrange(3)) if isinstance(value, datetime) else None
    if isinstance(value, dict):
        return {key: other(each, random) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(random.sample(value, random.randrange(len(value) + 1)))
    return value


def names_of(entry: Any) -> list[str]:
    """The fields that an edit may change."""
    names = [name for name in entry.__struct_fields__ if name not in UNTOUCHED]
    return [*names, "name"] if isinstance(entry, Term) else names


def edited(entry: Any, name: str, random: Random) -> Any:
    """The entry with that field changed."""
    if name == "slug":  # always another one, or paths clash
        return replace(entry, slug=f"{entry.slug}-{random.randrange(99)}")
    return replace(entry, **{name: other(getattr(entry, name), random)})


def with_entry(snapshot: Snapshot, kind: str, at: int, entry: Any) -> Snapshot:
    """The snapshot with another entry in that place; None: without it."""
    held = getattr(snapshot, kind)
    if kind == "media":
        key = sorted(held)[at]
        kept = {name: file for name, file in held.items() if name != key}
        return replace(snapshot, media={**kept, key: entry} if entry else kept)
    before = held[at]
    now = (*held[:at], *([entry] if entry else []), *held[at + 1 :])
    if isinstance(before, Entry):
        return replace(snapshot, by_kind={**snapshot.by_kind, before.kind: now})
    if kind in ("authors", "categories", "tags") and entry:
        posts = tuple(_with_part(post, before, entry) for post in snapshot.posts)
        snapshot = replace(snapshot, by_kind={**snapshot.by_kind, EntryKind.POST: posts})
    return replace(snapshot, **dict[str, Any]({kind: now}))


def _with_part(post: Entry, before: Any, now: Any) -> Entry:
    """The post with its author or one of its terms as it is now."""
    categories, tags = (tuple(now if t == before else t for t in terms) for terms in (post.categories, post.tags))
    return replace(post, author=now if post.author == before else post.author, categories=categories, tags=tags)


def edited_snapshot(snapshot: Snapshot, random: Random) -> Snapshot:
    """The snapshot with one entry changed or gone."""
    kind = random.choice([kind for kind in EDITED if getattr(snapshot, kind)])
    held = getattr(snapshot, kind)
    at = random.randrange(len(held))
    entry = held[sorted(held)[at]] if kind == "media" else held[at]
    is_gone = random.randrange(8) == 0
    return with_entry(snapshot, kind, at, None if is_gone else edited(entry, random.choice(names_of(entry)), random))


def group_of(entry: Any) -> str:
    """The page type, the collection or the kind of file, whose entries hold the same fields."""
    return str(getattr(entry, "type", "") or getattr(entry, "content_type", ""))


def single_edits(snapshot: Snapshot, kind: str, random: Random, entries: int) -> Iterator[Snapshot]:
    """Every field of so many entries of each group changed, one at a time, and every one of these entries gone."""
    held = getattr(snapshot, kind)
    seen: Counter[str] = Counter()
    for at, entry in enumerate([held[key] for key in sorted(held)] if kind == "media" else held):
        seen[group_of(entry)] += 1
        if seen[group_of(entry)] > entries and kind in ALIKE:
            continue
        yield with_entry(snapshot, kind, at, None)
        for name in names_of(entry):
            yield with_entry(snapshot, kind, at, edited(entry, name, random))


def edited_settings(site: SiteSettings, random: Random) -> SiteSettings:
    """The settings with one of them changed."""
    match random.randrange(9):
        case 0:
            return replace(site, build=replace(site.build, page_size=1 + random.randrange(5)))
        case 1:
            return replace(site, build=replace(site.build, home=random.choice(["", "about", "guide/knots"])))
        case 2:
            return replace(site, locales=("es", "en"), default_locale=random.choice(["en", "es"]))
        case 3:
            return replace(site, permalinks=replace(site.permalinks, post=random.choice(["/n/{slug}/", "/{slug}/"])))
        case 4:
            return replace(site, timezone=random.choice(["UTC", "Pacific/Auckland"]))
        case _:
            name = random.choice(SETTINGS)
            return replace(site, **{name: other(getattr(site, name), random)})


class Base:
    """The content of the sample site and its settings; short in the reports of Hypothesis."""

    def __init__(self, snapshot: Snapshot, settings: SiteSettings) -> None:
        self.snapshot = snapshot
        self.settings = settings


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, open_example: Callable[[Path], ExampleSite]) -> Iterator[Base]:
    """The sample site, loaded."""
    folder = tmp_path_factory.mktemp("fingerprints") / "site"
    shutil.copytree(Path(__file__).parents[3] / "sample_site", folder)
    example = open_example(folder)
    example.load()
    with example.database.reading() as session:
        yield Base(take_snapshot(session), example.settings)
    example.database.close()


def few(snapshot: Snapshot) -> Snapshot:
    """Enough posts for lists of several pages."""
    shown = [post for post in snapshot.posts if post.featured_image][:5]
    return replace(snapshot, by_kind={**snapshot.by_kind, EntryKind.POST: (*shown, snapshot.posts[-1])})


@pytest.mark.parametrize("entries", [2, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", EDITED)
def test_a_change_of_any_field_is_in_the_fingerprint_of_what_shows_it(base: Base, kind: str, entries: int) -> None:
    """Field by field, entry by entry; also that an entry is gone."""
    site = replace(base.settings, build=replace(base.settings.build, page_size=2))
    theme = load_theme(site.folder, site.theme)
    snapshot = few(base.snapshot)
    before = contexts(snapshot, site, theme)
    is_seen = False
    for changed in single_edits(snapshot, kind, Random(7), entries):
        after = contexts(changed, site, theme)
        assert all(before[each] == after[each] for each in before.keys() & after.keys())
        is_seen = is_seen or before.keys() != after.keys()
    assert is_seen


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), steps=st.integers(1, 4))
def test_equal_fingerprints_mean_equal_contexts(base: Base, seed: int, steps: int) -> None:
    """Whatever is edited, a page whose context differs has another fingerprint."""
    random, site = Random(seed), base.settings
    snapshot = few(base.snapshot)
    seen = contexts(snapshot, site, load_theme(site.folder, site.theme))
    for _step in range(steps):
        if random.randrange(5):
            snapshot = edited_snapshot(snapshot, random)
        else:
            site = edited_settings(site, random)
        found = contexts(snapshot, site, load_theme(site.folder, site.theme))
        for fingerprint, context in found.items():
            assert seen.setdefault(fingerprint, context) == context


def test_a_schema_is_part_of_what_pages_show(base: Base) -> None:
    """Without it no page shows a field."""
    theme = load_theme(base.settings.folder)
    before = contexts(base.snapshot, base.settings, theme)
    after = contexts(replace(base.snapshot, schema=ContentSchema()), base.settings, theme)
    assert all(before[each] == after[each] for each in before.keys() & after.keys())
    assert before.keys() != after.keys()
