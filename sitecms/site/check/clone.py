"""Rules about what the store alone knows: a clone of the folder, which has another store, builds without it."""

from collections.abc import Iterator, Mapping, Sequence

from sitecms.clock import format_timestamp
from sitecms.content.author import AUTHORS_FILE
from sitecms.content.kinds import KINDS, EntryKind
from sitecms.content.term import TERM_FILES
from sitecms.findings import Finding
from sitecms.settings.site import REDIRECTS_FILE
from sitecms.site.check.finding import CheckKind, check_finding
from sitecms.site.plan.redirect_sources import Redirect
from sitecms.site.plan.stored_redirects import rule_lines
from sitecms.store.database import Session
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.loaded_files import LoadedFile

_ARCHIVE_FILES = {kind.value: path for kind, path in TERM_FILES.items()} | {"author": AUTHORS_FILE}


def clone_findings(
    redirects: Sequence[Redirect], live: frozenset[str], loaded: Mapping[str, LoadedFile], session: Session
) -> Iterator[Finding]:
    """Yield a finding for each redirect and date that the store alone knows, with what to add to which file.

    `live` are the output paths of the site. Entries without a file are of the store by intention.
    """
    yield from _dates(loaded, session)
    files = {pair: path for path, file in loaded.items() for pair in file.present}
    for redirect in redirects:
        kind, owner = redirect.owner
        if redirect.pattern:
            continue
        if kind in _ARCHIVE_FILES:
            file, whose = _ARCHIVE_FILES[kind], f" to {redirect.title}"
        else:
            file, whose = files.get((kind, int(owner)), ""), ""
        if file:
            what = f"{redirect.path} leads to {redirect.target} from this store alone"
            yield check_finding(CheckKind.CLONE, what, f"add aliases: [{redirect.path}]{whose}", file)
    for line in rule_lines([each for each in redirects if each.pattern], live):
        what = "a former address leads on from this store alone"
        yield check_finding(CheckKind.CLONE, what, f"add {line}", REDIRECTS_FILE)


def _dates(loaded: Mapping[str, LoadedFile], session: Session) -> Iterator[Finding]:
    files = {
        post_id: path
        for path, file in loaded.items()
        for kind, post_id in file.undated
        if KINDS[EntryKind(kind)].is_dated
    }
    for post in VERSIONS[EntryKind.POST].of(session, [*files]):
        if post.published_at:
            line = f"add published: {format_timestamp(post.published_at)}"
            yield check_finding(
                CheckKind.CLONE, "has no date, and a clone would have another one", line, files[post.id]
            )
