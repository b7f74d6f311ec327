"""Whatever a WordPress export holds, it becomes a site that loads and builds."""

from html import escape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importing.building import import_and_build, new_folder
from tests.importing.hostile import BODIES, NAMES, PATHS, SLUGS, TIMES, whole_imports
from tests.importing.wxr import export, item

_STATUSES = st.sampled_from(["publish", "publish", "draft", "private", "future", "pending", "trash", "inherit", "odd"])
_KINDS = st.sampled_from(
    ["post", "post", "page", "page", "attachment", "book", "nav_menu_item", "search", "wp_block", "日"]
)
_DOMAINS = st.sampled_from(["category", "post_tag", "genre", "language", "author", "nav_menu", "post_format"])

_META = st.sampled_from(["_thumbnail_id", "_yoast_wpseo_title", "mood", "title", "footnotes"])


@st.composite
def _items(draw: st.DrawFn, number: int) -> str:
    path = draw(PATHS)
    return item(
        number,
        escape(draw(NAMES)),
        draw(BODIES).replace("]]>", ""),
        kind=draw(_KINDS),
        status=draw(_STATUSES),
        name=escape(draw(SLUGS)),
        link=escape(f"https://old.example{path}"),
        local=draw(TIMES),
        utc=draw(TIMES),
        terms=[
            (draw(_DOMAINS), escape(draw(SLUGS)), draw(NAMES).replace("]]>", ""))
            for _ in range(draw(st.integers(0, 2)))
        ],
        meta={draw(_META): draw(st.text(max_size=9))},
    )


EXPORTS = st.integers(1, 4).flatmap(lambda count: st.tuples(*(_items(number) for number in range(1, count + 1))))


def write(folder: Path, items: tuple[str, ...]) -> Path:
    """Write an export and return its path."""
    path = folder / "export.xml"
    path.write_text(export(*items), encoding="utf-8", errors="replace")
    return path


@pytest.mark.slow
@whole_imports(5)
@given(EXPORTS)
def test_any_export_builds(items: tuple[str, ...]) -> None:
    """Import, load and strict build end without an error, and a second import changes nothing."""
    with new_folder() as folder:
        import_and_build(folder / "site", write(folder, items))
