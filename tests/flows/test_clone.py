"""The law of clones: a folder builds the same site wherever it is, whatever was edited and built in it before."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from sitecms.actions.loading import load_site
from sitecms.clock import format_timestamp, from_microseconds
from sitecms.site.pipeline import read_content
from sitecms.site.plan.plan import Plan, make_plan
from sitecms.site.plan.stored_redirects import rule_lines
from sitecms.store.site_state.loaded_files import all_loaded_files
from tests.support.sites import ExampleSite

MANY = 120 if os.environ.get("HYPOTHESIS_PROFILE") == "search" else 8
NAMES = ("calm", "drift", "ebb", "flow")
NEW = ("gale", "a-b", "calm-2")
SAME = "2026-02-03T08:00:00Z"
TAGS = ("C", "C++", "C#", "c", "A/B", "AB", "A.B", "ab", "R&D", "ป่า", "ป้า")
Edit = tuple[str, ...]


def _edits() -> st.SearchStrategy[Any]:
    """One change that somebody makes to the folder."""
    name = st.sampled_from(NAMES + NEW)
    times = st.sampled_from(["2026-02-01T08:00:00Z", SAME, "2026-02-03T23:30:00Z", "2025-12-31T23:30:00Z", ""])
    patterns = st.sampled_from(["/blog/{slug}/", "/{slug}/", "/{year}/{month}/{day}/{slug}/", "/notes/{slug}/"])
    tags = st.lists(st.sampled_from(TAGS), unique_by=str.lower, max_size=3)
    return st.one_of(
        st.tuples(st.just("set"), name, st.just("published"), times),
        st.tuples(st.just("set"), name, st.just("updated"), times),
        st.tuples(st.just("set"), name, st.just("slug"), st.sampled_from([*NAMES, "low-water", "ebb-2", ""])),
        st.tuples(st.just("set"), name, st.just("tags"), tags),
        st.tuples(st.just("set"), name, st.just("categories"), tags),
        st.tuples(st.just("set"), name, st.just("locale"), st.sampled_from(["en", "es"])),
        st.tuples(st.just("set"), name, st.just("body"), st.sampled_from(["The sea.", "Another sea."])),
        st.tuples(st.just("set"), name, st.just("status"), st.sampled_from(["draft", "published"])),
        st.tuples(st.just("rename"), name, name),
        st.tuples(st.just("delete"), name),
        st.tuples(st.just("declare"), st.sampled_from(["categories", "tags"]), st.lists(
            st.tuples(st.sampled_from(TAGS), st.sampled_from(["", "c", "ab", "own"])),
            unique_by=(lambda pair: pair[0].lower(), lambda pair: pair[1] or pair[0]), max_size=3,
        )),
        st.tuples(st.just("permalink"), st.just("post"), patterns),
        st.tuples(st.just("permalink"), st.just("tag"), st.sampled_from(["/tags/{slug}/", "/topic/{slug}/"])),
        st.tuples(st.just("timezone"), st.sampled_from(["UTC", "Pacific/Auckland"])),
        st.tuples(st.just("author"), st.sampled_from(["bo-lind", "bo"])),
        st.tuples(st.just("page"), st.sampled_from(["about", "imprint"]), st.sampled_from(["", SAME, "gone"])),
        st.tuples(st.just("items"), st.permutations(["Ann", "Ann", "Bo"])),
    )  # fmt: skip


class Folder:
    """A site folder that is edited, and what stands in its files."""

    def __init__(self, works: ExampleSite) -> None:
        self.works = works
        self.posts: dict[str, dict[str, Any]] = {}
        self.terms: dict[str, list[dict[str, Any]]] = {"categories": [], "tags": []}
        self.settings: dict[str, Any] = {"build": {"page_size": 2}, "permalinks": {}, "timezone": "UTC"}
        self.rules: list[str] = []
        self.author: dict[str, Any] = {"slug": "bo-lind", "first_name": "Bo", "last_name": "Lind"}
        for path in ("posts", "pages/guide"):
            shutil.rmtree(works.folder / "content" / path)
        for kind in self.terms:
            works.write(f"content/{kind}.yaml", [])
        works.write("schema/collections/team.yaml", {
            "key": "team", "label": "name", "route": "/team/{slug}/",
            "fields": [{"slug": "name", "type": "short_text"}],
        })  # fmt: skip
        for name in NAMES:
            self.posts[name] = {"title": name, "published": SAME, "tags": ["moon"]}
            self._write(name)

    def make(self, edit: Any) -> None:
        what, *values = edit
        match what, *values:
            case "set", name, key, value:
                new = {"title": name, "status": "published"}
                self.posts[name] = {**self.posts.get(name, new), key: value}
                self._write(name)
            case "rename", name, other if name in self.posts and other not in self.posts:
                self.posts[other] = self.posts.pop(name)
                (self.works.folder / f"content/posts/{name}.md").rename(self.works.folder / f"content/posts/{other}.md")
            case "delete", name if name in self.posts:
                del self.posts[name]
                self.works.remove(f"content/posts/{name}.md")
            case "declare", kind, pairs:
                self.terms[kind] = [{"name": name, **({"slug": slug} if slug else {})} for name, slug in pairs]
                self.works.write(f"content/{kind}.yaml", self.terms[kind])
            case "permalink", key, pattern:
                self.settings["permalinks"] = {**self.settings["permalinks"], key: pattern}
            case "timezone", name:
                self.settings["timezone"] = name
            case "author", slug:
                self.author["slug"] = slug
                self._write_authors()
            case "page", name, published:
                self._write_page(name, published)
            case "items", names:
                self.works.write("content/collections/team.yaml", [{"fields": {"name": name}} for name in names])
            case _:
                pass
        self.works.settings_are(**self.settings)

    def add(self, plan: Plan) -> None:
        """Add what the store alone knows to the files, as the lines say that sitecms prints."""
        moved = [redirect for redirect in plan.stored if redirect.pattern]
        live = {job.path for job in plan.pages if job.template != "redirect.html"} | {job.path for job in plan.files}
        self.rules += rule_lines(moved, live)
        with self.works.database.reading() as session:
            loaded = all_loaded_files(session)
        files = {pair: path for path, file in loaded.items() for pair in file.present}
        for redirect in plan.stored:
            kind, owner = redirect.owner
            if redirect.pattern:
                continue
            if kind == "post":
                front = self.posts[Path(files[kind, int(owner)]).stem]
                front["aliases"] = [*front.get("aliases", ()), redirect.path]
            elif kind == "author":
                self.author["aliases"] = [*self.author.get("aliases", ()), redirect.path]
                self._write_authors()
            else:
                self._add_to_term(kind, redirect.title, redirect.path)
        for path, file in loaded.items():
            for _kind, post_id in file.undated if path.startswith("content/posts/") else ():
                with self.works.database.reading() as session:
                    at = session.sql("SELECT published_at FROM version WHERE kind = 'post' AND entry_id = ?", post_id)[
                        0
                    ][0]
                self.posts[Path(path).stem]["published"] = format_timestamp(from_microseconds(at))
        for name in self.posts:
            self._write(name)
        if self.rules:
            self.works.write("redirects.yaml", "\n".join(self.rules))

    def _add_to_term(self, kind: str, name: str, path: str) -> None:
        listed = self.terms["categories" if kind == "category" else "tags"]
        term = next((each for each in listed if each["name"].lower() == name.lower()), None)
        if term is None:
            listed.append(term := {"name": name})
        term["aliases"] = [*term.get("aliases", ()), path]
        self.works.write(f"content/{'categories' if kind == 'category' else 'tags'}.yaml", listed)

    def _write(self, name: str) -> None:
        front = {key: value for key, value in self.posts[name].items() if value}
        self.works.write(f"content/posts/{name}.md", "---\n" + "\n".join(
            f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items() if key != "body"
        ) + f"\n---\n{front.get('body', f'On {name}.')}\n")  # fmt: skip

    def _write_page(self, name: str, published: str) -> None:
        path = f"content/pages/_single/{name}.md"
        if published == "gone":
            (self.works.folder / path).unlink(missing_ok=True)
        else:
            front = f"title: {name}\nstatus: published\n" + (f"published: {published}\n" if published else "")
            self.works.write(path, f"---\n{front}---\nText.\n")

    def _write_authors(self) -> None:
        self.works.write("content/authors.yaml", [{"slug": "ann-ray", "first_name": "Ann"}, self.author])


def _plan(works: ExampleSite) -> Plan:
    with works.database.reading() as session:
        content = read_content(session, works.settings)
        return make_plan(content.snapshot, works.settings, content.theme)


def _clone(works: ExampleSite) -> Iterator[ExampleSite]:
    folder = works.folder.with_name("clone")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(works.folder, folder, ignore=shutil.ignore_patterns(".sitecms", "public"))
    clone = ExampleSite(folder)
    try:
        clone.now = works.now.replace(year=works.now.year + 1)
        yield clone
    finally:
        clone.database.close()


def _check_clones(make_example: Callable[[Path], ExampleSite], steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        works = make_example(Path(scratch) / "tide")
        try:
            folder = Folder(works)
            works.make()
            for step in steps:
                folder.make(step)
                works.now += timedelta(hours=1)
                report = load_site(works.database, works.settings, works.now, prune=True)
                if report.errors:
                    return
                assert works.build().failed == {}
            folder.add(_plan(works))
            works.make()
            assert _plan(works).stored == ()
            for clone in _clone(works):
                clone.make()
                made, expected = clone.tree(), works.tree()
                assert {*made} == {*expected}
                assert {path: data for path, data in made.items() if data != expected[path]} == {}
        finally:
            works.database.close()


@settings(phases=[Phase.explicit], deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(steps=[("set", "a-b", "published", SAME), ("set", "calm-2", "published", SAME)])
@example(steps=[("set", "calm", "slug", "low-water")])
@example(steps=[("set", "calm", "tags", ["C#"]), ("set", "drift", "tags", ["C++"]), ("set", "a-b", "tags", ["C"])])
@example(steps=[("rename", "calm", "gale")])
@example(steps=[("permalink", "post", "/{slug}/"), ("permalink", "tag", "/topic/{slug}/")])
@example(steps=[("set", "gale", "tags", ["AB"]), ("page", "imprint", "")])
@given(steps=st.lists(_edits(), min_size=1, max_size=6))
def test_a_clone_builds_the_same_site(make_example: Callable[[Path], ExampleSite], steps: list[Any]) -> None:
    """After edits with a build after each, and the lines that sitecms asks for."""
    _check_clones(make_example, steps)


@pytest.mark.slow
@pytest.mark.sqlite_only("the other test runs on both")
@settings(max_examples=MANY, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(_edits(), min_size=8, max_size=20))
def test_a_clone_of_a_much_edited_folder_builds_the_same_site(
    make_example: Callable[[Path], ExampleSite], steps: list[Any]
) -> None:
    """After twenty edits, too."""
    _check_clones(make_example, steps)
