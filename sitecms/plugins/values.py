"""The values that hooks take and return."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    import re


class Site(Struct, frozen=True):
    """The site that a plug-in runs for, and the plug-in's own settings: `options`, with the defaults of its schema.

    `url` has no slash at the end; it is "" where site.toml has none.
    """

    folder: Path
    name: str
    url: str
    locales: tuple[str, ...]
    default_locale: str
    options: Mapping[str, Any] = field(default_factory=dict)


class InlineMark(Struct, frozen=True):
    """Text in a line of Markdown that becomes HTML.

    `pattern` is a regular expression that begins with the characters `sign`; it must take linear time. `render` gets
    its match and returns HTML, which is sanitised with the text around it.
    """

    sign: str
    pattern: str
    render: "Callable[[re.Match[str]], str]"


class BlockField(Struct, frozen=True):
    """A field in the form of a block: the argument `name` of its directive.

    `type` is text, number, address (of a page or on the web), picture, video, audio or file (of the media library),
    choice (one of `choices`) or flag (an argument without a value).
    """

    name: str
    label: str
    type: str = "text"
    choices: tuple[str, ...] = ()
    is_required: bool = False
    help: str = ""


class Block(Struct, frozen=True):
    """A directive with the form that the studio shows for it; `write` gets the `Directive`.

    `label` is its name in the list of blocks, `title` the label of the text behind the name of the directive, "" for
    none. `content` says what stands within: `blocks`, text that is formatted in place, as `write_content()` writes it;
    `text`, lines that the function reads; `caption` or `pictures` of a gallery; "" for nothing. `start` is the content
    of a new one. Blocks of one `group` can be turned into each other. One with a `parent` stands in that directive
    only. `keywords` are further words that find the block.
    """

    write: Callable[[Any], None]
    label: str
    fields: tuple[BlockField, ...] = ()
    title: str = ""
    content: str = ""
    is_title_required: bool = False
    group: str = ""
    start: str = ""
    parent: str = ""
    keywords: str = ""

    def __call__(self, directive: Any) -> None:
        """Write the directive."""
        self.write(directive)


class RenderedPage(Struct, frozen=True):
    """A page of the built site as its template made it; `path` is that of its file, as `blog/slack-water/index.html`.

    `shows` is the name of the page in messages, as `post slack-water`.
    """

    path: str
    template: str
    shows: str
    html: str


class FeedItem(Struct, frozen=True):
    """A post in a feed: its title, absolute address, locale, and the HTML of its body with absolute addresses."""

    title: str
    url: str
    locale: str
    html: str


class EntryChange(Struct, frozen=True):
    """A change of an entry in one locale; `kind` is post, page or item, `event` the name that webhooks have for it.

    `slug` of an item is the key of its collection.
    """

    event: str
    kind: str
    id: int
    slug: str
    locale: str


class LoadResult(Struct, frozen=True):
    """Result of a load: the paths of the files that were loaded, and the number of errors in files."""

    loaded: tuple[str, ...]
    errors: int


class BuildResult(Struct, frozen=True):
    """Result of a build: the folder of the site, and the numbers of outputs."""

    output: Path
    written: int
    current: int
    pruned: int
    failed: int


class Importer(Struct, frozen=True):
    """An importer: `title` says what it reads, as `a Ghost export (JSON)`.

    `detect` returns whether it reads a source, by names and beginnings of files; `reader` returns a new
    `sitecms.importing.reader.Reader`. Both may be an address `module:name`, which is imported when it is
    needed. Without `detect` it reads only what somebody names it for. A `variant` is given to
    `reader`.
    """

    title: str
    reader: Callable[[], Any] | str
    detect: Callable[[Any], bool] | str = ""
    variant: str = ""


class Exporter(Struct, frozen=True):
    """An export format: `files` yields paths and bytes of the content, given `Contents` and `MediaAddresses`.

    `address` returns the prefix of the addresses of media, which are copied to `media_folder`; `losses` yields a line
    for each kind of content that the format cannot hold. `static_folder` is where files of `static/` go, "" for none;
    `finish` is called with the folder when all files are there. Functions may be an address `module:name`, which is
    imported when the format is used.
    """

    title: str
    files: Callable[..., Any] | str
    address: Callable[..., str] | str
    media_folder: str
    losses: Callable[..., Any] | str
    static_folder: str = ""
    finish: Callable[[Path], object] | str = ""


class FieldInput(Struct, frozen=True):
    """A field in a form of the studio, for a field type that draws its own input.

    `name` and `id` are those that the input must have, `value` is the text of what is stored or was typed, `label` its
    words, and `describedby` the ids of hint and errors for `aria-describedby`.
    """

    name: str
    id: str
    value: Any
    label: str
    is_required: bool = False
    describedby: str = ""
