"""Which part of a site is made where: stretches of posts, and by their path the pages that are of no post."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from zlib import crc32

from sitecms.content.page import Page
from sitecms.content.post import Post
from sitecms.settings.site import SiteSettings
from sitecms.site.plan.plan import UNDATED, PageJob
from sitecms.site.routes import Routes, output_path
from sitecms.site.sharding.shard import Shard
from sitecms.site.snapshot import Snapshot
from sitecms.site.views.compose import published_at


class Division:
    """How one snapshot is divided among so many shards; the same wherever it is worked out.

    Posts that were published one after the other are made together, with the lists that they stand in.
    """

    def __init__(self, snapshot: Snapshot, settings: SiteSettings, count: int) -> None:
        moments = sorted(published_at(post) for post in snapshot.posts if post.locale in settings.locales)
        self._count = count
        self._cuts: Sequence[datetime] = [
            moments[len(moments) * cut // count] for cut in range(1, count) if len(moments) > cut
        ]
        self._routes = Routes(settings)

    def makes(self, shard: Shard, job: PageJob) -> bool:
        """Whether the page is the shard's."""
        newest = job.newest
        number = self._by_path(job.path) if newest == UNDATED else self._by_time(newest)
        return number == shard.number

    def share(self, shard: Shard, snapshot: Snapshot) -> Snapshot:
        """What the shard makes pictures for: its posts and pages; what any page may show is in every share."""

        def is_mine(entry: Post | Page) -> bool:
            if isinstance(entry, Post):
                return self._by_time(published_at(entry)) == shard.number
            return self._by_path(output_path(self._routes.page(entry))) == shard.number

        posts, pages = tuple(filter(is_mine, snapshot.posts)), tuple(filter(is_mine, snapshot.pages))
        return replace(snapshot, posts=posts, pages=pages)

    def _by_time(self, moment: datetime) -> int:
        return 1 + bisect_left(self._cuts, moment)

    def _by_path(self, path: str) -> int:
        return 1 + crc32(path.encode("utf-8", "surrogateescape")) % self._count
