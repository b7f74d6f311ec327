"""Costs of a build that can be counted: pieces of a page, statements, modules. They must not grow unnoticed."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sitecms.site.options import BuildOptions
from sitecms.site.pipeline import Pipeline
from sitecms.site.render.pages import Sink
from sitecms.site.report import Stopwatch
from sitecms.site.theme.environment import page_context
from tests.support.sites import ExampleSite


class _Nowhere(Sink):
    """Sink that keeps nothing."""

    def write(self, path: str, data: bytes) -> bool:  # noqa: ARG002 - a render.Sink
        return True


@dataclass
class Costs:
    """The statements of a full build, and for each template the most pieces of a page."""

    statements: int
    pieces: Counter[str]


def costs_of(example: ExampleSite) -> Costs:
    """Count the costs of a full build.

    Pages are rendered twice, and the second time counts: by then parts that pages share are made.
    """
    statements: list[str] = []
    with example.database.reading() as session:

        def counting(method: Any) -> Any:
            def counted(statement: Any, *values: object) -> Any:
                statements.append(f"{method.__name__} {statement}")
                return method(statement, *values)

            return counted

        session.sql, session.rows = counting(session.sql), counting(session.rows)  # type: ignore[method-assign]
        pipeline = Pipeline(session, example.settings, BuildOptions(jobs=1), Stopwatch())
        content = pipeline.snapshot()
        images = pipeline.images(content)
        plan = pipeline.plan(content, images)
        renderer = content.renderer(images, _Nowhere())
        bodies = renderer.bodies(plan.pages)
        pieces = Counter[str]()
        for job in plan.pages:
            renderer.run(job, bodies)
        for job in plan.pages:
            template = renderer.environment.get_template(job.template)
            count = sum(1 for _piece in template.generate(page_context(job.context(bodies))))
            pieces[job.template] = max(pieces[job.template], count)
    return Costs(len(statements), pieces)


def test_pages_are_put_together_from_few_pieces(example: ExampleSite) -> None:
    """Each piece is a step of every template around it: a page's processor time follows their number."""
    example.load()
    pieces = costs_of(example).pieces
    assert pieces["post.html"] <= 290
    assert pieces["term.html"] <= 185
    assert pieces["blog.html"] <= 220


def test_a_longer_menu_costs_a_page_nothing(example: ExampleSite) -> None:
    """It is made once for all pages that it marks alike, as is everything else that they share."""
    example.load()
    before = costs_of(example)
    entries = [{"id": n, "fields": {"label": f"Entry {n}", "url": f"/entry-{n}/"}} for n in range(1, 40)]
    example.write("content/collections/menu.yaml", entries)
    example.write("content/categories.yaml", [{"slug": f"c{n}", "name": f"Category {n}"} for n in range(40)])
    example.load(prune=True)
    after = costs_of(example)
    assert after.statements == before.statements
    assert all(after.pieces[name] <= before.pieces[name] for name in ("post.html", "blog.html", "author.html"))


def test_a_post_is_written_once_for_all_feeds_that_show_it(example: ExampleSite) -> None:
    """It stands in the feeds of the site, of its author, its categories and its tags."""
    for number in range(8):
        example.post(f"post-{number}", published="2026-02-01T08:00:00Z", tags=["one", "two", "three"])
    example.load()
    made: Counter[str] = Counter()
    with example.database.reading() as session:
        pipeline = Pipeline(session, example.settings, BuildOptions(jobs=1), Stopwatch())
        content = pipeline.snapshot()
        images = pipeline.images(content)
        feeds = [job for job in pipeline.plan(content, images).pages if job.template.startswith("feeds/")]
        renderer = content.renderer(images, _Nowhere())
        environment: Any = renderer.environment
        find = environment.get_template

        def get_template(name: Any, *others: Any) -> Any:
            made[str(name)] += 1
            return find(name, *others)

        environment.get_template = get_template
        bodies = renderer.bodies(feeds)
        outcomes = [renderer.run(job, bodies) for job in feeds]
    assert not [outcome.error for outcome in outcomes if outcome.error]
    shown = sum(len(job.bodies) for job in feeds if job.template == "feeds/rss.xml")
    assert made["feeds/rss-item.xml"] == made["feeds/atom-entry.xml"] == made["feeds/feed-item.json"] == len(bodies)
    assert shown > 3 * len(bodies)


def test_a_list_without_pictures_does_not_import_their_macro(example: ExampleSite) -> None:
    """To import it takes as long as to include a template; here it fails."""
    example.write("templates/parts/image.html", "{{ 1 / 0 }}")
    example.post("plain", published="2026-02-01T08:00:00Z", tags=["alone"])
    example.load()
    failed = example.build().failed
    assert "blog/2026/index.html" in failed
    assert "tags/alone/index.html" not in failed


def test_more_posts_take_no_more_statements(example: ExampleSite) -> None:
    """Everything published is read at once, bodies in batches."""
    example.load()
    before = costs_of(example).statements
    for number in range(40):
        example.post(f"post-{number}", published="2026-02-01T08:00:00Z", tags=[f"tag {number}"])
    example.load()
    after = costs_of(example)
    assert 5 < after.statements == before
    assert after.pieces["post.html"] <= 290
