"""Base class of generators: root of the site, configuration, files, slugs, languages."""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

import yaml
from msgspec import Struct

from sitecms.content.status import Status
from sitecms.content.term import TermKind
from sitecms.importing.menus import MenuLink
from sitecms.importing.reader import ReaderOptions
from sitecms.importing.readers.markdown.document import Document, as_text
from sitecms.importing.readers.markdown.front_matter import UnreadableFrontMatter, read_toml
from sitecms.importing.readers.markdown.yaml_text import parse_yaml
from sitecms.importing.records import Kind, Note, NoteKind, Place, RedirectRecord, Site, StaticFile
from sitecms.importing.source import Source, SourceFile

MARKDOWN = (".md", ".markdown", ".mdown", ".mkdn", ".mkd", ".mdwn", ".mdx", ".mmd")
HTML = (".html", ".htm")
OTHER_TEXTS = (".rst", ".org", ".adoc", ".asciidoc", ".asc", ".textile", ".ipynb", ".rmd", ".pdc")
POST_FOLDERS = frozenset({"blog", "post", "posts", "article", "articles", "news", "weblog", "_posts"})
_DATE_NAME = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})[-_. ]?(.*)", re.S)
_LANGUAGES = frozenset(
    {
        "aa", "af", "am", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es",
        "et", "eu", "fa", "fi", "fil", "fr", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja",
        "ka", "kk", "km", "kn", "ko", "ku", "ky", "la", "lo", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "my", "nb",
        "ne", "nl", "nn", "no", "pa", "pl", "ps", "pt", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta",
        "te", "tg", "th", "tr", "uk", "ur", "uz", "vi", "zh", "zh_cn", "zh_tw", "pt_br",
    }
)  # fmt: skip
REPOSITORY = frozenset({"changelog", "contributing", "license", "code_of_conduct", "security", "readme", "agents"})
_TOOL_FILE = re.compile(
    r"gemfile.*|rakefile|makefile|dockerfile|.*\.(?:gemspec|toml|lock|ya?ml|sh|rb|py)|"
    r"(?:package|package-lock|composer|tsconfig|vercel|now|firebase)\.json|.*(?:\.config|rc)\.[cm]?[jt]s|gulpfile\.js|"
    r"gruntfile\.js|yarn\.lock|pnpm-lock\.yaml",
    re.I,
)
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{2}|[a-z]{4}|\d{3}))?", re.I)


class Placed(Struct, frozen=True):
    """A document's part in the old site. Documents with the same `pair` are translations of one another.

    `old_url` is "" where the document had no address. `why_draft` is the reason why an entry is hidden. `names` are
    further names by which texts name it.
    """

    kind: Kind
    old_url: str = ""
    slug: str = ""
    published_at: datetime | None = None
    updated_at: datetime | None = None
    status: Status = Status.PUBLISHED
    why_draft: str = ""
    locale: str = ""
    pair: str = ""
    former_urls: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    base: str = ""


class Generator(ABC):
    """A site of one generator. `name` is for people; `dialects` are the tags that its bodies may hold.

    `page_links` are the entries of menus that documents declare for themselves, each with the name of the menu.
    """

    name = ""
    dialects: frozenset[str] = frozenset()
    is_mdx = False
    """True if its Markdown is MDX, whatever the names of the files."""
    has_meta = False
    """True if front matter may consist of lines `Key: value`."""

    def __init__(self, source: Source, root: str, options: ReaderOptions) -> None:
        self.source, self.root, self.options = source, root, options
        self.notes: list[Note] = []
        self.page_links: list[tuple[str, MenuLink]] = []
        self._terms: dict[str, dict[str, None]] = {}
        self.files: dict[str, SourceFile] = {
            file.name[len(root) :]: file for file in source.files if file.name.startswith(root)
        }
        self.config: Mapping[str, Any] = self.read_config()
        self.zone: tzinfo = options.zone(self.timezone())
        self.now = datetime.now(UTC)

    @classmethod
    @abstractmethod
    def recognises(cls, names: frozenset[str], source: Source, root: str) -> bool:
        """Return whether files of these names below the root are a site of this generator."""

    def read_config(self) -> Mapping[str, Any]:
        """Return the configuration."""
        return {}

    def timezone(self) -> str:
        """Return the name of the time zone of times without one; "" if it is not configured."""
        return as_text(self.config.get("timezone"))

    def default_locale(self) -> str:
        """Return the locale of documents that state none."""
        return locale_tag(self.options.locale)

    @abstractmethod
    def site(self) -> Site:
        """Return the facts of the site."""

    @abstractmethod
    def documents(self) -> Iterator[tuple[str, SourceFile]]:
        """Yield path and file of all documents; skipped files are noted."""

    def defaults(self, path: str) -> Mapping[str, Any]:
        """Return values of keys that documents at this path have by configuration."""
        return {}

    @abstractmethod
    def place(self, document: Document) -> Placed | RedirectRecord | None:
        """Return the part of a document in the site; None for one that is skipped, with a note."""

    def menu(self) -> Sequence[MenuLink]:
        """Return the menu that the site declares; () for one that the theme makes."""
        return ()

    def served(self) -> Iterator[tuple[str, str]]:
        """Yield address and path of the files that the site served as they are."""
        return iter(())

    def static(self) -> Iterator[StaticFile]:
        """Yield the files that the site published as they are, whether texts name them or not."""
        return iter(())

    def term_url(self, kind: TermKind, name: str) -> str:
        """Return the address of a term's list on the old site; "" if there was none."""
        return ""

    def authors(self, document: Document) -> Any:
        """Return the authors of a document as it names them: a list of names or tables, or one of them."""
        return document.get("authors", "author", "params.authors", "params.author", "extra.authors", "extra.author")

    def author_url(self, name: str) -> str:
        """Return the address of an author's list on the old site; "" if there was none."""
        return ""

    def further_terms(self, document: Document, taxonomies: Iterable[str]) -> tuple[str, ...]:
        """Return a document's terms of further taxonomies, which become tags, and remember them for redirects."""
        found: list[str] = []
        for taxonomy in taxonomies:
            terms = document.texts(taxonomy.lower(), f"taxonomies.{taxonomy.lower()}")
            self._terms.setdefault(taxonomy, {}).update(dict.fromkeys(terms))
            found += terms
        return tuple(found)

    def taxonomy_redirects(
        self, taxonomy: str, url: str, slug: Callable[[str], str], feed: str
    ) -> Iterator[RedirectRecord]:
        """Yield the redirects of a taxonomy whose terms are tags: of its list at `url`, and of its terms' lists."""
        yield RedirectRecord(url, "index:tag", 302)
        for name in self._terms.get(taxonomy, ()):
            address = joined(url, slug(name), "/")
            yield RedirectRecord(address, f"tag:{name}")
            yield RedirectRecord(joined(address, feed), f"feed:tag:{name}")

    def term_feeds(self, url: str) -> tuple[str, ...]:
        """Return the addresses of the feeds of a term whose list was at `url`."""
        return ()

    @property
    def include_folders(self) -> tuple[str, ...]:
        """The folders in which tags look for files that they include, besides the folder of the text."""
        return ("", "source/", "source/downloads/code/", "content/", "content/code/")

    def term_pages(self, url: str) -> tuple[str, ...]:
        """Return the addresses below which further pages of a term's list were, such as `/tags/sea/page/`."""
        return ()

    def redirects(self) -> Iterator[RedirectRecord]:
        """Yield redirects of addresses without an entry, such as feeds."""
        return iter(())

    def note(self, kind: NoteKind, subject: str, place: Place, remedy: str = "") -> None:
        """Add a line to the report."""
        self.notes.append(Note(kind, subject, place, remedy))

    def status(self, published: datetime | None, *, is_draft: bool) -> Status:
        """Return the status of an entry by its time."""
        if is_draft:
            return Status.DRAFT
        return Status.SCHEDULED if published and published > self.now else Status.PUBLISHED

    def skip_other(self, path: str, file: SourceFile) -> bool:
        """Return whether a file is a text in another markup, and note it."""
        if not path.lower().endswith(OTHER_TEXTS):
            return False
        suffix = path.rpartition(".")[2].lower()
        remedy = "convert it to Markdown, with pandoc for example, and import again"
        self.note(NoteKind.SKIPPED, f"a text in .{suffix}", Place(file.name), remedy)
        return True

    def load(self, *names: str) -> Mapping[str, Any]:
        """Return the first of these configuration files, YAML, TOML or JSON; {} if there is none or it is invalid."""
        import json

        for name in names:
            file = self.files.get(name)
            if file is None:
                continue
            try:
                text = file.text()
                if name.endswith(".toml"):
                    found: Any = read_toml(text)
                else:
                    found = json.loads(text) if name.endswith(".json") else parse_yaml(text.replace("\t", "  "))[0]
            except (ValueError, yaml.YAMLError, UnreadableFrontMatter, RecursionError) as error:
                first = " ".join(str(error).split())[:200]
                self.note(NoteKind.SKIPPED, f"a configuration that cannot be read: {first}", Place(file.name))
                return {}
            return found if isinstance(found, dict) else {}
        return {}

    def served_below(self, folder: str, prefix: str = "/") -> Iterator[tuple[str, str]]:
        """Yield address and path of the files below a folder that is copied as it is."""
        for path in self.files:
            if path.startswith(folder):
                yield prefix + path[len(folder) :], path

    def static_below(self, folder: str, prefix: str = "") -> Iterator[StaticFile]:
        """Yield the files below a folder that is copied as it is, to the folder `prefix` of the site."""
        start = self.root + folder
        for file in self.source.files:
            if file.stored_name.startswith(start):
                yield StaticFile(prefix + file.stored_name[len(start) :], file)

    def served_beside_texts(self, folder: str, prefix: str = "/") -> Iterator[tuple[str, str]]:
        """Yield address and path of the files below a folder that are no texts."""
        return (each for each in self.served_below(folder, prefix) if not is_text(each[1]))

    def served_in_plain_folders(self, folder: str) -> Iterator[tuple[str, str]]:
        """Yield those of the files beside texts that are in no folder named with `_`."""
        return (each for each in self.served_beside_texts(folder) if "/_" not in each[0])


def is_tool_file(name: str) -> bool:
    """Return whether a file at the root of a folder is about the folder or for tools, and no part of its site."""
    return bool(_TOOL_FILE.fullmatch(name)) or name.partition(".")[0].lower() in REPOSITORY


def is_text(path: str) -> bool:
    """Return whether a path is that of Markdown."""
    return path.lower().endswith(MARKDOWN)


def dated_name(name: str) -> tuple[str, str]:
    """Return the date at the beginning of a file name as YYYY-MM-DD, and the rest; "" and the name without one."""
    match = _DATE_NAME.fullmatch(name)
    if not match or not (1 <= int(match[2]) <= 12 and 1 <= int(match[3]) <= 31):
        return "", name
    return f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}", match[4]


def locale_tag(written: str) -> str:
    """Return a language as sites name locales: `pt_br` as `pt-BR`; "" for an invalid one."""
    match = _LANGUAGE.fullmatch(written.strip())
    if not match:
        return ""
    region = match[2] or ""
    region = region.title() if len(region) == 4 else region.upper()
    return f"{match[1].lower()}-{region}" if region else match[1].lower()


def is_language(name: str) -> bool:
    """Return whether a name is the tag of a usual language."""
    match = _LANGUAGE.fullmatch(name)
    return bool(match) and match[1].lower() in _LANGUAGES if match else False


def language_folders(paths: Iterable[str]) -> frozenset[str]:
    """Return the top folders that hold languages: two or more named so, or one whose files stand without it too."""
    known = tuple(paths)
    names = {path.split("/", 1)[0] for path in known if "/" in path}
    found = {name for name in names if is_language(name)}
    if len(found) == 1:
        (only,) = found
        plain = {path for path in known if not path.startswith(f"{only}/")}
        if not any(path.removeprefix(f"{only}/") in plain for path in known if path.startswith(f"{only}/")):
            return frozenset()
    return frozenset(found)


def main_language(folders: frozenset[str], paths: Iterable[str]) -> str:
    """Return the locale of the top folder of a language that has most texts, English first; "" if few are in any."""
    counts = Counter(path.split("/", 1)[0] for path in paths)
    outside = sum(count for name, count in counts.items() if name not in folders)
    usual = [name for name in folders if locale_tag(name) == "en"] or sorted(folders, key=lambda name: -counts[name])
    return locale_tag(usual[0]) if usual and sum(counts[name] for name in folders) > outside else ""


def ascii_slug(text: str) -> str:
    """Return lower-case ASCII letters and digits joined by hyphens, accents dropped."""
    plain = unicodedata.normalize(
        "NFKD", text.replace("ß", "ss").replace("æ", "ae").replace("ø", "o").replace("ł", "l")
    )
    plain = plain.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def joined(*parts: str) -> str:
    """Return parts of an address as one path with a slash at its beginning, none doubled."""
    return re.sub(r"/{2,}", "/", "/" + "/".join(parts))


def split_list(value: Any, pattern: str = r"\s+") -> list[str]:
    """Return terms: a list as it is, a text split by the pattern."""
    if isinstance(value, list):
        return [text for each in value if (text := _term(each))]
    return [part for part in re.split(pattern, as_text(value).strip()) if part]


def _term(value: Any) -> str:
    if isinstance(value, Mapping):  # `- name: x`
        value = value.get("name") or value.get("title") or value.get("slug")
    return as_text(value).strip()
