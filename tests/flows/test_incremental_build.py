"""The law of the build: after any edits, an incremental build is byte for byte a clean one."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from tests.support.sites import ExampleSite

MANY = settings().max_examples // 4
NAMES = ("calm", "drift", "ebb", "flow", "gale", "haul", "iron")
WORDS = st.sampled_from(["Low water", "七十二候", "a <b> & 'c'", "Reef", "Calm"])
TEMPLATES = {
    "post.html": "{{ post.card.title }} {{ post.body }} {{ post.newer.label if post.newer }} {{ site.name }} "
    "{{ post.fields }}",
    "parts/row.html": "{{ card.title }}: {{ card.summary }}, {{ card.published_at|date }}, {{ card.fields }}",
    "base.html": "<body>{% block content %}{% endblock %}</body>",
    "components/hero.html": "{{ component.fields }}",
    "404.html": "{% for one in collections.menu %}{{ one.label }} {{ one.url }}{% endfor %}{{ site.data }}",
    "year.html": "{% for one in posts(2) %}{{ one.title }} {{ one.url }}{% endfor %}{{ site.data.note.text }}",
    "author.html": "{% for one in posts(list.number) %}{{ one.title }}{{ one.categories }}{% endfor %}",
    "page/guide.html": "{% for one in pages('guide') %}{{ one.title }} {{ one.fields }}{% endfor %}",
}
PLUGIN_HEAD = "from sitecms.plugins.hooks import hookimpl\nfrom sitecms.plugins.values import InlineMark\nSIGN = {!r}\n"
PLUGINS = {
    "words": (
        "@hookimpl\ndef template_filters():\n    return {'shout': lambda text: text + SIGN}\n"
        "@hookimpl\ndef template_values(site):\n    return {'edition': site.options['edition'] + SIGN}\n"
        "@hookimpl\ndef settings_schema():\n    return {'properties': {'edition': {'default': 'First'}}}\n"
    ),
    "pages": (
        "@hookimpl\ndef page_rendered(page):\n    return page.html + f'<!-- {page.shows} {SIGN} -->'\n"
        '@hookimpl\ndef head_additions(page):\n    return f\'<meta name="sign" content="{SIGN}">\'\n'
        "@hookimpl\ndef feed_item(item):\n    return f'{item.html}<p>{item.title} {SIGN}</p>'\n"
    ),
    "texts": (
        "def sea(directive):\n    directive.write_html(f'<p>{SIGN}</p>')\n    directive.write_content()\n"
        "@hookimpl\ndef markdown_directives():\n    return {'sea': sea}\n"
        "@hookimpl\ndef markdown_marks():\n    return [InlineMark('@', r'@(\\w+)', lambda found: f'<b>{SIGN}</b>')]\n"
        "@hookimpl\ndef shortcodes():\n    return {'buoy': lambda call: f'<i>{SIGN}</i>'}\n"
    ),
}
"""Plug-ins that a change of SIGN changes."""
PLUGIN_TEMPLATE = (
    "<head></head>{% if 'shout' is filter %}{{ site.name|shout }}{% endif %}{{ edition if edition is defined }}"
)
Edit = tuple[str, str, object]


def edits() -> st.SearchStrategy[Edit]:
    """One change somebody makes: what, where, and to what."""
    name = st.sampled_from(NAMES)
    fields: dict[str, st.SearchStrategy[object]] = {
        "title": WORDS,
        "slug": st.sampled_from(["low-water", "calm", "ebb", "七十二候", "2026"]),
        "status": st.sampled_from(["draft", "published", "scheduled"]),
        "summary": WORDS,
        "author": st.sampled_from(["ann-ray", "bo-lind"]),
        "categories": st.lists(st.sampled_from(["Tides", "Boats", "Winds"]), unique=True, max_size=2),
        "tags": st.lists(st.sampled_from(["moon", "ropes", "sails"]), unique=True, max_size=2),
        "published": st.sampled_from(["2026-02-03T08:00:00Z", "2025-01-01T00:00:00Z", "2026-02-28T23:30:00Z"]),
        "updated": st.sampled_from(["2026-02-03T08:00:00Z", "2026-03-28T23:30:00Z"]),
        "aliases": st.sampled_from([["/old/"], ["/blog/calm/"], ["/about/", "/old/"], []]),
        "featured_image": st.sampled_from(["media/sea.png", "media/ann.png", ""]),
        "rating": st.integers(1, 2),
        "guide": st.sampled_from(["knots", None]),
        "photo": st.sampled_from(["media/sea.png", "media/ann.png", ""]),
        "body": st.sampled_from(
            [
                "# One\n\n[link](/blog/ebb/)",
                "![Sea](media/sea.png)",
                "`code`",
                "Text.[^1]\n\n[^1]: Note.",
                "::: sea\nBy @ann\n:::\n\n{{< buoy >}}",
            ]
        ),
    }
    front = st.sampled_from(sorted(fields)).flatmap(lambda key: st.tuples(st.just(key), fields[key]))
    return st.one_of(
        st.tuples(st.just("post"), name, front),
        st.tuples(st.just("remove"), name, st.none()),
        st.tuples(st.just("menu"), st.sampled_from(["label", "url"]), st.sampled_from(["Posts", "/about/", "/x/"])),
        st.tuples(st.just("page"), st.sampled_from(["summary", "link", "text"]), WORDS),
        st.tuples(st.just("settings"), st.just("name"), WORDS),
        st.tuples(st.just("settings"), st.just("url"), st.sampled_from(["", "https://tide.example/mag"])),
        st.tuples(st.just("settings"), st.just("timezone"), st.sampled_from(["UTC", "Pacific/Auckland"])),
        st.tuples(st.just("settings"), st.just("theme"), st.sampled_from(
            [{"accent": "#123456"}, {"color_scheme": "dark", "home": "list"}, {}]
        )),
        st.tuples(st.just("settings"), st.just("feeds"), st.sampled_from(
            [{"kinds": ["atom"], "length": 1}, {"archives": []}, {"archives": ["atom", "json"]}, {"kinds": []}, {}]
        )),
        st.tuples(st.just("settings"), st.just("permalinks"), st.sampled_from([{"year": "/{year}/"}, {}])),
        st.tuples(st.just("settings"), st.just("delivery"), st.sampled_from(
            [{"precompress": ["gz"]}, {"minify": False, "headers": False}, {}]
        )),
        st.tuples(st.just("settings"), st.just("share_images"), st.sampled_from(
            [{"enabled": True}, {"enabled": False}]
        )),
        st.tuples(st.just("settings"), st.just("build"), st.sampled_from(
            [{"page_size": 1}, {"page_size": 4}, {"home": "guide/knots"}]
        )),
        st.tuples(st.just("settings"), st.just("plugins"), st.sampled_from(
            [{"enabled": []}, {"enabled": ["words"]}, {"enabled": ["pages", "texts"]}, {"enabled": sorted(PLUGINS)}]
        )),
        st.tuples(st.just("settings"), st.just("plugins.words"), st.sampled_from([{"edition": "Second"}, {}])),
        st.tuples(st.just("plugin"), st.sampled_from(sorted(PLUGINS)), st.sampled_from(["one", "two"])),
        st.tuples(st.just("data"), st.sampled_from(["note", "other"]), WORDS),
        st.tuples(st.just("template"), st.sampled_from(sorted(TEMPLATES)),
                  st.booleans()),
        st.tuples(st.just("media"), st.sampled_from(["sea", "ann"]), st.sampled_from(["red", "navy", "teal"])),
        st.tuples(st.just("details"), st.sampled_from(["sea", "ann"]), st.sampled_from(
            [{"alt": "Waves"}, {"focus": {"x": 0.1, "y": 1}}, {"focus": {"x": 0.5, "y": 0.5}}, {"decorative": True}]
        )),
        st.tuples(st.just("author"), st.sampled_from(["first_name", "bio"]), WORDS),
        st.tuples(st.just("schema"), st.just("fields"), st.integers(0, 3)),
        st.tuples(st.just("output"), st.sampled_from(["index.html", "rss.xml"]), st.sampled_from(["lost", "edited"])),
    )  # fmt: skip


class Editor:
    """Makes edits to a site's files, and remembers what stands in them."""

    def __init__(self, works: ExampleSite) -> None:
        self.works = works
        self.posts: dict[str, dict[str, object]] = {}
        self.settings: dict[str, object] = {"build": {"page_size": 3}, "description": "On the sea."}
        self.menu: dict[str, object] = {"label": "Posts", "url": "/blog/"}
        self.authors: dict[str, object] = {"first_name": "Bo"}
        self.page: dict[str, object] = {"summary": "Two.", "link": "/blog/", "text": "See."}
        works.write("data/note.yaml", {"text": "Low water"})
        works.write("schema/post.yaml", {"fields": [
            {"slug": "rating", "type": "number"},
            {"slug": "guide", "type": "reference", "targets": ["page:guide"]},
            {"slug": "photo", "type": "media"},
        ]})  # fmt: skip
        for name in PLUGINS:
            self._write_plugin(name, "one")
        works.write("templates/category.html", PLUGIN_TEMPLATE)
        for day, name in enumerate(NAMES[:6], 1):
            at = f"2026-02-{day:02}T08:00:00Z"
            self.posts[name] = {"title": name, "slug": name, "published": at, "updated": at, "categories": ["Tides"]}
            self._write_post(name)

    def make(self, edit: Edit) -> None:
        what, where, value = edit
        match what:
            case "post":
                key, to = value  # type: ignore[misc]
                new = {"title": where, "slug": where, "published": "2026-02-20T08:00:00Z"}
                self.posts[where] = {**self.posts.get(where, new), key: to}  # type: ignore[has-type]
                self._write_post(where)
            case "remove" if where in self.posts:
                del self.posts[where]
                self.works.remove(f"content/posts/{where}.md")
            case "menu":
                self.menu[where] = value
                self.works.write("content/collections/menu.yaml", [{"id": 1, "fields": self.menu}])
            case "page":
                self.page[where] = value
                self.works.write("content/pages/guide/knots.yaml", {
                    "title": "Knots", "status": "published", "published": "2026-01-01T08:00:00Z", "fields": self.page,
                })  # fmt: skip
            case "settings":
                self.settings[where] = value
                self.works.settings_are(**self.settings)
            case "template":
                self._write_template(where, present=bool(value))
            case "plugin":
                self._write_plugin(where, str(value))
            case "data":
                self.works.write(f"data/{where}.yaml", {"text": value})
            case "media":
                self.works.image(f"media/{where}.png", str(value), (3, 2) if value == "red" else (5, 4))
            case "details" if isinstance(value, dict):
                self.works.write("content/media.yaml", [{"file": f"media/{where}.png", **value}])
            case "author":
                self.authors[where] = value
                self.works.write("content/authors.yaml", [{"slug": "ann-ray"}, {"slug": "bo-lind", **self.authors}])
            case "schema":
                first, names = int(str(value)) % 3, ["summary", "link", "text"]
                types = {"text": "long_text"}
                fields = [
                    {"slug": name, "name": name.title(), "type": types.get(name, "short_text")}
                    for name in names[first:] + names[:first]
                ]
                schema = {"slug": "guide", "name": "Guide", "fields": fields}
                self.works.write("schema/page_types/guide.yaml", schema)
            case "output":
                path = self.works.public / where
                if value == "lost":
                    path.unlink(missing_ok=True)
                elif path.exists():  # else it is not an output: a build keeps files that others put there
                    path.write_text("edited", encoding="utf-8")

    def _write_plugin(self, name: str, sign: str) -> None:
        self.works.write(f"plugins/{name}.py", PLUGIN_HEAD.format(sign) + PLUGINS[name])

    def _write_post(self, name: str) -> None:
        front = dict(self.posts[name])
        body = str(front.pop("body", "The sea."))
        if front.get("status") == "scheduled":
            front["scheduled"] = "2031-01-01T00:00:00Z"
        if front.get("featured_image"):
            front["featured_image_alt"] = "A picture"
        self.works.post(name, body, **front)

    def _write_template(self, name: str, *, present: bool) -> None:
        path = self.works.folder / "templates" / name
        if not present:
            path.unlink(missing_ok=True)
        elif not path.exists():
            self.works.write(f"templates/{name}", TEMPLATES[name])


def load_what_can_be(works: ExampleSite) -> None:
    """Load; a post whose slug is taken stays out, as it does for anybody."""
    from sitecms.actions.loading import load_site

    load_site(works.database, works.settings, works.now, prune=True)


def check_builds(make_example: Callable[[Path], ExampleSite], steps: list[list[Edit]]) -> None:
    """Load and build after each step, and compare the result with a clean build."""
    with tempfile.TemporaryDirectory() as scratch:
        works = make_example(Path(scratch) / "tide")
        try:
            shutil.rmtree(works.folder / "content/posts/es")
            editor = Editor(works)
            load_what_can_be(works)
            assert works.build().failed == {}
            for step in steps:
                for edit in step:
                    editor.make(edit)
                load_what_can_be(works)
                assert works.build(jobs=1).failed == {}
            assert works.tree() == works.clean_tree()
            again = works.build()
            assert (again.written, again.stale) == (0, {})
        finally:
            works.database.close()


@pytest.mark.slow
@pytest.mark.sqlite_only("the other test runs on both")
@settings(max_examples=MANY, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(st.lists(edits(), min_size=1, max_size=4), min_size=1, max_size=4))
def test_many_incremental_builds_are_clean_builds(
    make_example: Callable[[Path], ExampleSite], steps: list[list[Edit]]
) -> None:
    """Many sequences of edits."""
    check_builds(make_example, steps)


@settings(phases=[Phase.explicit], deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(steps=[[("media", "sea", "red")], [("media", "sea", "navy")]])
@example(steps=[[("post", "calm", ("slug", "ebb")), ("post", "ebb", ("slug", "calm"))]])
@example(steps=[[("post", "calm", ("guide", "knots")), ("template", "post.html", True)], [("page", "summary", "Reef")]])
@example(steps=[[("remove", "calm", None)], [("post", "calm", ("title", "Back"))]])
@example(steps=[[("settings", "url", ""), ("template", "base.html", True)], [("template", "base.html", False)]])
@example(steps=[[("settings", "feeds", {"kinds": []})], [("output", "rss.xml", "edited")]])
@example(steps=[[("output", "rss.xml", "edited"), ("settings", "feeds", {"kinds": []})]])
@example(steps=[
    [("settings", "plugins", {"enabled": ["pages", "texts", "words"]}), ("post", "calm", ("body", "::: sea\n:::"))],
    [("plugin", "texts", "two")], [("plugin", "pages", "two")], [("plugin", "words", "two")],
    [("settings", "plugins.words", {"edition": "Second"})], [("settings", "plugins", {"enabled": ["texts"]})],
])  # fmt: skip
@example(steps=[[("post", "calm", ("featured_image", "media/sea.png"))], [("media", "sea", "red")]])
@given(steps=st.lists(st.lists(edits(), min_size=1, max_size=4), min_size=1, max_size=4))
def test_an_incremental_build_is_a_clean_build(
    make_example: Callable[[Path], ExampleSite], steps: list[list[Edit]]
) -> None:
    """Whatever was edited, loaded and built before: same files, same bytes, and a further build writes nothing."""
    check_builds(make_example, steps)
