"""What feed templates see: one place for the feeds of the built site and for those that the API answers."""

from collections.abc import Sequence
from datetime import datetime

from sitecms.clock import EPOCH
from sitecms.content.post import Post
from sitecms.content.term import Term
from sitecms.site.compose import Composer
from sitecms.site.routes import Routes
from sitecms.site.views import FeedView

FEED_LENGTH = 20
FEED_KINDS = ("rss", "atom")


def feed_context(
    kind: str, posts: Sequence[Post], composer: Composer, routes: Routes, terms: Sequence[Term] = ()
) -> dict[str, object]:
    """`feed` and `posts` of templates/feeds/: the newest of these posts, which may be those of some terms only."""
    shown = posts[:FEED_LENGTH]
    settings, locale = routes.settings, composer.locale
    page = routes.term(terms[0], locale) if terms else routes.root(locale)
    feed = FeedView(
        title=": ".join((settings.name, ", ".join(term.name for term in terms))) if terms else settings.name,
        description=settings.description,
        absolute_url=routes.absolute(page),
        absolute_self_url=routes.absolute(f"{page}{kind}.xml" if terms else routes.feed(locale, kind)),
        updated_at=newest_change(shown) or EPOCH,
    )
    return {"feed": feed, "posts": tuple(composer.post(post, None, None) for post in shown)}


def newest_change(posts: Sequence[Post]) -> datetime | None:
    """When any of the posts was last changed; None if there is none."""
    return max((post.updated_at for post in posts), default=None)
