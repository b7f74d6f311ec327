"""Broken links within the site, found in rendered pages and reported where they are written."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from types import MappingProxyType
from urllib.parse import unquote

from msgspec import Struct, field

from sitecms.content.permalink import url_path
from sitecms.findings import Finding
from sitecms.plurals import counted
from sitecms.site.check.content import plain
from sitecms.site.check.entries import Entries
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.site.check.pages import PageFacts
from sitecms.site.routes import INDEX, output_path
from sitecms.site.sources import spellings
from sitecms.web_address import ascii_address, is_address, join_address, split_address

_GUESSES = 20
_ANYWHERE = "http://site.invalid"
_MEND = "correct the address, or remove the link"


class LinkProblem(Struct):
    """One address as written, its problem, and the pages (output paths) that contain it."""

    kind: CheckKind
    what: str
    remedy: str
    pages: list[str] = field(default_factory=list)


class Links:
    """Links of all pages. `outputs` are the paths of every planned file, `files` those of pages that are files."""

    def __init__(
        self,
        entries: Entries,
        outputs: frozenset[str],
        facts: Sequence[PageFacts],
        files: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._entries = entries
        self._files = files
        self._outputs = outputs
        self._facts = facts
        self._ids = {page.path: page.ids for page in facts}
        self._base = entries.settings.base_path
        self._host = "/".join(entries.settings.url.split("/")[:3]) or _ANYWHERE
        self._known: dict[str, LinkProblem | None] = {}
        self._guesses = 0
        self.problems: dict[str, LinkProblem] = {}
        self.remote: dict[str, list[str]] = {}
        self._check_all()

    def findings(self) -> Iterator[Finding]:
        """Return each broken link once for each place where it is written."""
        yield from self.findings_of(self.problems)

    def findings_of(self, problems: Mapping[str, LinkProblem]) -> Iterator[Finding]:
        """Yield findings for problems by written address: with file and line if known, else with a page."""
        forms = {written: spellings(written, self._host, self._base) for written in problems}
        places_by_text = self._entries.sources.naming({text for texts in forms.values() for text in texts})
        for written, problem in problems.items():
            places = [place for text in forms[written] for place in places_by_text.get(text, ())]
            if not written.startswith("/") and "://" not in written:  # means another place on every page
                files = {self._file_of(path) for path in problem.pages}
                places = [place for place in places if place[0] in files]
            count, url = len(problem.pages), self.url_of(problem.pages[0])
            for file, line in dict.fromkeys(places):
                yield check_finding(problem.kind, problem.what, problem.remedy, file, line, url=url, pages=count)
            if not places:
                what = problem.what if count == 1 else f"{problem.what}, on {counted(count, 'page')}"
                file = self._file_of(problem.pages[0]) if count == 1 else ""
                yield check_finding(problem.kind, what, problem.remedy, file, url=url, pages=count)

    def url_of(self, path: str) -> str:
        """Return the address of an output."""
        return self._base + url_path(f"/{path}".removesuffix(f"/{INDEX}") + "/" * is_index(path))

    def _check_all(self) -> None:
        for page in self._facts:
            for written in () if page.is_redirect else page.links:  # faults of redirects are reported with their rules
                problem = self._judge(page.path, written)
                if problem is not None:
                    self.problems.setdefault(written, problem).pages.append(page.path)

    def _judge(self, path: str, written: str) -> LinkProblem | None:
        """Return the problem of a link on a page; a link with one meaning everywhere is checked once."""
        if not written.startswith("/") and "://" not in written:
            return self._new_problem(path, written)
        if written not in self._known:
            self._known[written] = self._new_problem(path, written)
        if written in self.remote:
            self.remote[written].append(path)
        return self._known[written]

    def _new_problem(self, path: str, written: str) -> LinkProblem | None:
        if not is_address(written):
            return LinkProblem(CheckKind.LINK_BROKEN, f"{written!r} is not an address", _MEND)
        parts = split_address(ascii_address(join_address(self._host + self.url_of(path), written)))
        if parts.scheme not in ("http", "https"):
            return None
        place = unquote(parts.path)
        base = unquote(self._base)
        if parts.netloc.lower() != split_address(self._host).netloc or not f"{place}/".startswith(f"{base}/"):
            self.remote.setdefault(written, [])
            return None
        return self._local(place.removeprefix(base) or "/", unquote(parts.fragment), written)

    def _local(self, place: str, fragment: str, written: str) -> LinkProblem | None:
        target = output_path(place)
        if target not in self._outputs:
            if f"{target}/{INDEX}" in self._outputs:
                remedy = f"write {url_path(place)}/, which spares readers a redirect"
                return LinkProblem(CheckKind.LINK_WITHOUT_SLASH, f"{written} has no slash at its end", remedy)
            return self._missing(target, written)
        ids = self._ids.get(target)
        if not fragment or ids is None or fragment in ids or fragment == "top" or fragment.startswith(":~:"):
            return None
        matches = get_close_matches(fragment, sorted(ids), n=1)
        remedy = f'did you mean "#{matches[0]}"?' if matches else "a heading's anchor is made from its text"
        return LinkProblem(CheckKind.ANCHOR_MISSING, f"{written} leads to an anchor that is not on its page", remedy)

    def _missing(self, target: str, written: str) -> LinkProblem:
        hidden = self._entries.hidden.get(target) or self._entries.hidden.get(f"{target}/{INDEX}")
        if hidden is not None:
            what = f"{written} leads to the {self._entries.words(hidden)}, which is not published"
            return LinkProblem(CheckKind.LINK_TO_DRAFT, what, "publish it, or take the link out")
        return LinkProblem(CheckKind.LINK_BROKEN, f"{written} leads nowhere on the site", self._guess(target))

    def _guess(self, target: str) -> str:
        duplicate = self._duplicates.get(plain(target), "")
        if not duplicate and self._guesses < _GUESSES:  # comparing with every path takes its time
            self._guesses += 1
            duplicate = next(iter(get_close_matches(target, self._pages, n=1, cutoff=0.8)), "")
        return f'did you mean "{self.url_of(duplicate)}"?' if duplicate else _MEND

    @cached_property
    def _pages(self) -> list[str]:
        return sorted(page.path for page in self._facts if page.is_indexed)  # no redirects

    @cached_property
    def _duplicates(self) -> Mapping[str, str]:
        return {plain(path): path for path in sorted(self._outputs)}

    def _file_of(self, path: str) -> str:
        entry = self._entries.shown.get(path)
        if path in self._files:
            return self._files[path]
        return self._entries.sources.of(entry) if entry else ""


def is_index(path: str) -> bool:
    """Return True if an output answers for a folder."""
    return f"/{path}".endswith(f"/{INDEX}")
