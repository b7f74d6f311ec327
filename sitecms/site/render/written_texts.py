"""Texts that people wrote, searched for the addresses that a build has no file for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from sitecms.content.addresses import PAGE_EXTENSIONS
from sitecms.content.entry import Entry
from sitecms.resources import resource_dir
from sitecms.settings.site import REDIRECTS_FILE, SiteSettings
from sitecms.site.plan.diff import Job
from sitecms.site.plan.plan import PageJob
from sitecms.site.plan.planned_page import Bodies
from sitecms.site.render.addresses import OutputAddresses
from sitecms.site.routes import Routes
from sitecms.site.snapshot import Snapshot
from sitecms.site.sources import Sources, spellings
from sitecms.site.theme.addresses import resolved
from sitecms.site.theme.assets import plain_json
from sitecms.site.theme.theme import Theme

_IN_SNAPSHOT = ("posts", "pages", "items", "authors", "categories", "tags")


class WrittenTexts:
    """The texts of a site, in its store and in its folder. They are read only if they are needed."""

    def __init__(
        self, snapshot: Snapshot, settings: SiteSettings, theme: Theme, read_bodies: Callable[[Sequence[int]], Bodies]
    ) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._read_bodies = read_bodies
        shipped = resource_dir("templates")
        self._has_own_templates = not all(path.is_relative_to(shipped) for path in theme.templates.values())
        self._routes = Routes(settings)
        self._host = "/".join(settings.url.split("/")[:3])
        self._known: dict[str, bool] = {}

    def made_by_build(
        self,
        missing: Mapping[str, tuple[str, ...]],
        jobs: Sequence[Job],
        addresses: OutputAddresses,
        is_there: Callable[[str], bool],
    ) -> dict[str, tuple[str, ...]]:
        """Return those of these addresses, by the output that names them, that the build made.

        They stand in no text and lead to no file that somebody put into the output folder. On a site with templates of
        its own, which may put addresses together, only those of files count.
        """
        by_path = {job.path: job for job in jobs if job.path in missing}
        broken = {}
        for path, addresses_of_output in missing.items():
            job = by_path[path]
            bodies = job.bodies if isinstance(job, PageJob) else ()
            broken_addresses = [
                each
                for each in addresses_of_output
                if not is_there(target := addresses.path_of(each)) and self._counts(target)
            ]
            if broken_addresses := [each for each in broken_addresses if not self._is_written(each, bodies)]:
                broken[path] = tuple(broken_addresses)
        return broken

    def _counts(self, target: str) -> bool:
        is_file = "." in target.rpartition("/")[2] and not target.endswith(PAGE_EXTENSIONS)
        return is_file or not self._has_own_templates

    def _is_written(self, address: str, posts: Sequence[int]) -> bool:
        """Return whether the address stands in a text of the site, or in the bodies of these posts."""
        forms = spellings(address, self._host, self._settings.base_path)
        if address not in self._known:
            in_json = [plain_json(form)[1:-1].decode() for form in forms]
            in_entries = any(form in text for text in self._texts for form in (*forms, *in_json))
            self._known[address] = in_entries or bool(self._files.naming(forms))
        return self._known[address] or any(form in body for body in self._bodies(posts) for form in forms)

    def _bodies(self, posts: Sequence[int]) -> Iterator[str]:
        """Yield the bodies of these posts, as they are and as feeds show them, with addresses resolved."""
        for post_id, body in (self._read_bodies(posts) if posts else {}).items():
            yield body
            if path := self._routes.find(self._posts[post_id]):
                yield resolved(body, self._routes.absolute(path), self._settings.base_path)

    @cached_property
    def _posts(self) -> Mapping[int, Entry]:
        return {post.id: post for post in self._snapshot.posts}

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        rules = self._settings.folder / REDIRECTS_FILE
        texts = (plain_json(getattr(self._snapshot, name)).decode() for name in _IN_SNAPSHOT)
        return (*texts, rules.read_text(encoding="utf-8", errors="replace") if rules.is_file() else "")

    @cached_property
    def _files(self) -> Sources:
        return Sources(self._settings.folder, {})
