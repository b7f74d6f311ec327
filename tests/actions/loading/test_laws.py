"""However files were edited and loaded, the store ends up as if they had been loaded once into an empty one."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitecms.errors import FileError
from tests.actions.conftest import SiteFolder
from tests.support.engines import is_sound
from tests.support.reading import select

NAMES = ("a", "b", "c", "d")
SLUGS = ("one", "two", "three", "four", "five")
LOAD, PRUNE = ("load",), ("prune",)
FEW, MANY = 8, settings().max_examples // 4
"""An example takes a tenth of a second; HYPOTHESIS_PROFILE=search tries more."""

times = st.sampled_from([None, "2026-01-01T00:00:00Z", "2026-01-02T03:04:05Z"])
posts = st.fixed_dictionaries(
    {"slug": st.sampled_from(SLUGS), "status": st.sampled_from(["draft", "published"]), "title": st.sampled_from("XY")},
    optional={
        "locale": st.sampled_from([*["en", "es"] * 4, "fr"]),
        "translation_of": st.sampled_from(["", "", *SLUGS]),
        "author": st.sampled_from([*["bo", "ann@tide.example"] * 4, "nobody"]),
        "categories": st.lists(st.sampled_from(["Sea", "Land"]), unique=True, max_size=2),
        "tags": st.lists(st.sampled_from(["m", "n"]), unique=True, max_size=2),
        "summary": st.sampled_from(["", "s"]),
        "featured_image": st.sampled_from([*["media/x.png"] * 7, "media/none.png"]),
        "aliases": st.sampled_from([[], ["/old/"]]),
        "published": times,
        "body": st.sampled_from(["*b*", "![](media/x.png)"]),
    },
)
names = st.sampled_from(NAMES)
edits = st.one_of(
    st.tuples(st.just("post"), names, posts),
    st.tuples(st.just("post"), names, posts),
    st.tuples(st.just("remove"), names),
    st.tuples(st.just("move"), names, names),
    st.tuples(st.just("swap"), names, names),
    st.tuples(st.just("image"), st.sampled_from(["navy", "red"])),
    st.tuples(st.just("guide"), names, st.sampled_from(SLUGS), st.sampled_from(["", "one", "two"])),
    st.tuples(st.just("unguide"), names),
    st.tuples(st.just("items"), st.lists(st.sampled_from([*["Ann", "Bo", "Cy"] * 3, ""]), max_size=4)),
    st.just(LOAD),
    st.just(LOAD),
    st.just(PRUNE),
)


BEGINNING: tuple[tuple[Any, ...], ...] = (
    ("image", "green"),
    *(("post", name, {"slug": slug, "status": "published"}) for name, slug in zip(NAMES, SLUGS, strict=False)),
    ("post", "es", {"slug": "uno", "locale": "es", "translation_of": "one", "body": "![](media/x.png)"}),
    ("guide", "a", "one", "two"),
    ("guide", "b", "two", "one"),
    ("items", ["Ann", "Bo"]),
    LOAD,
)


def carry_out(site: SiteFolder, edit: tuple[Any, ...]) -> None:
    """One edit of the folder, or a load."""
    kind, *rest = edit
    if kind in ("load", "prune"):
        site.load(prune=kind == "prune")
    elif kind == "post":
        facts = {key: value for key, value in rest[1].items() if key != "body"}
        site.post(rest[0], rest[1].get("body", "b"), **facts)
    elif kind == "image":
        site.image("media/x.png", rest[0])
    elif kind == "guide":
        fields = {"headline": rest[0], "next": rest[2] or None}
        site.guide(rest[0], slug=rest[1], fields=fields)
    elif kind == "items":
        site.items("team", *rest[0])
    else:
        paths = [f"content/{'pages/guide' if kind == 'unguide' else 'posts'}/{name}" for name in rest]
        files = [site.folder / f"{path}.{'yaml' if kind == 'unguide' else 'md'}" for path in paths]
        if kind in ("remove", "unguide"):
            files[0].unlink(missing_ok=True)
        elif all(file.exists() for file in files) and kind == "swap" and files[0] != files[1]:
            first, second = (file.read_bytes() for file in files)
            files[0].write_bytes(second)
            files[1].write_bytes(first)
        elif kind == "move" and files[0].exists():
            files[0].replace(files[1])


def load_with_translations(site: SiteFolder) -> tuple[FileError, ...]:
    """Load, every file that names another post too even if it is unchanged; the errors."""
    for file in (site.folder / "content/posts").glob("*.md"):
        if "translation_of" in file.read_text():
            file.write_text(file.read_text() + "\n")
    return site.load(prune=True).errors


def state(site: SiteFolder) -> dict[str, Any]:
    """All posts, pages and items without ids and the times that a load sets."""
    groups: dict[int, set[str]] = {}
    shown: dict[str, Any] = {}
    for slug in site.slugs():
        post = site.find(slug)
        groups.setdefault(post.group_id, set()).add(slug)
        shown[slug] = (
            post.locale, post.title, post.status, post.author, post.body, post.summary, post.featured_image,
            post.aliases, [term.slug for term in post.categories], [term.slug for term in post.tags],
            post.scheduled_at,
        )  # fmt: skip
    pages = {
        slug: [(page.title, page.locale, page.version, page.status, page.fields) for page in found]
        for slug in SLUGS
        if (found := site.page(slug))
    }
    items = sorted(str(item.fields) for item in site.all_items("team"))
    return {"posts": shown, "groups": sorted(map(sorted, groups.values())), "pages": pages, "items": items}


@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_the_order_of_edits_and_loads_does_not_matter(make_site: Callable[[Path], SiteFolder], examples: int) -> None:
    """Sequences of edits, each loaded now and then."""

    @settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(edits, min_size=1, max_size=14))
    def check(sequence: list[tuple[Any, ...]]) -> None:
        assert_order_does_not_matter(make_site, sequence)

    check()


def assert_order_does_not_matter(make_site: Callable[[Path], SiteFolder], sequence: list[tuple[Any, ...]]) -> None:
    """After any edits and loads, files without errors are stored as a first load would store them.

    A file with an error keeps what it was, so it is taken away before the comparison: with prune, its entry goes too.
    An unchanged translation stays with the post it was joined to, even if another takes over that one's slug.
    """
    with TemporaryDirectory() as place:
        site = make_site(Path(place) / "site")
        for edit in (*BEGINNING, *sequence):
            carry_out(site, edit)
        for path in {error.file for error in site.fresh(Path(place) / "probe").load().errors}:
            site.remove(path)
        while errors := load_with_translations(site):
            for path in {error.file for error in errors}:
                site.remove(path)
        before = site.change_number()
        assert site.load(prune=True).loaded == ()
        assert site.change_number() == before
        fresh = site.fresh(Path(place) / "fresh")
        assert fresh.load().errors == ()
        assert state(site) == state(fresh)
        assert select(site.database, "SELECT count(*) FROM entry WHERE slug LIKE '~%'") == [(0,)]
        assert is_sound(site.database)
        site.database.close()
        fresh.database.close()
