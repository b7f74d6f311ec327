"""The forms that the studio shows for directives: those of the built-in ones, and what plug-ins declare."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from sitecms.content.text.markdown.additions import additions_of
from sitecms.content.text.markdown.callouts import ALIASES, KINDS, title_of
from sitecms.content.text.markdown.media_directives import MAX_COLUMNS, RATIOS
from sitecms.plugins.site_plugins import SitePlugins
from sitecms.plugins.values import Block, BlockField

ANY = ""
"""Name of a field with all arguments, as they stand in braces."""
_TITLE_OF_LINK = BlockField("title", "Text of the link", help="Read where the file cannot be played.")
_CALLOUT = {"title": "Title", "content": "blocks", "group": "Callout", "keywords": "box hint notice"}
FORMS: Mapping[str, Callable[[Callable[[Any], None]], Block]] = {
    "gallery": partial(
        Block,
        label="Gallery",
        content="pictures",
        fields=(BlockField("columns", "Columns", "choice", tuple(map(str, range(1, MAX_COLUMNS + 1)))),),
        keywords="pictures images photos",
    ),
    "embed": partial(
        Block,
        label="Embed",
        content="caption",
        fields=(
            BlockField(
                "url",
                "Address",
                "address",
                is_required=True,
                help="A page of YouTube, Vimeo, Spotify, SoundCloud or CodePen plays here; others become a link.",
            ),
            BlockField("title", "Title"),
            BlockField("poster", "Picture", "picture"),
            BlockField("ratio", "Shape", "choice", tuple(name.replace("-", ":") for name in RATIOS)),
        ),
        keywords="youtube vimeo spotify soundcloud codepen player",
    ),
    "video": partial(
        Block,
        label="Video",
        content="caption",
        fields=(
            BlockField("src", "Video", "video", is_required=True),
            BlockField("poster", "Picture before it plays", "picture"),
            BlockField("captions", "File of captions (VTT)", "file"),
            BlockField("captions_language", "Language of the captions", help="Such as en."),
            _TITLE_OF_LINK,
            BlockField("loop", "Begin again at the end", "flag"),
            BlockField("muted", "Without sound", "flag"),
        ),
        keywords="film movie mp4",
    ),
    "audio": partial(
        Block,
        label="Audio",
        content="caption",
        fields=(
            BlockField("src", "Audio", "audio", is_required=True),
            _TITLE_OF_LINK,
            BlockField("loop", "Begin again at the end", "flag"),
        ),
        keywords="sound music podcast mp3",
    ),
    "bookmark": partial(
        Block,
        label="Bookmark",
        content="caption",
        fields=(
            BlockField(
                "url",
                "Address",
                "address",
                is_required=True,
                help="If you leave the other fields empty, they are read from the page.",
            ),
            BlockField("title", "Title"),
            BlockField("description", "Description"),
            BlockField("image", "Picture", "picture"),
            BlockField("site", "Name of the site"),
        ),
        keywords="link card preview",
    ),
    "file": partial(
        Block,
        label="File",
        fields=(BlockField("src", "File", "file", is_required=True), BlockField("title", "Text of the link")),
        keywords="download pdf document",
    ),
    "button": partial(
        Block,
        label="Button",
        fields=(
            BlockField("title", "Text", is_required=True),
            BlockField("url", "Address", "address", is_required=True),
        ),
        keywords="link call action",
    ),
    **{name: partial(Block, label=title_of(name, "en"), **_CALLOUT) for name in KINDS},  # type: ignore[arg-type]
    "details": partial(
        Block,
        label="Details to open",
        title="Summary",
        is_title_required=True,
        content="blocks",
        fields=(BlockField("open", "Open from the beginning", "flag"),),
        keywords="toggle fold accordion faq spoiler",
    ),
    "tabs": partial(
        Block, label="Tabs", content="blocks", start="::: tab First\nText\n:::\n\n::: tab Second\nText\n:::"
    ),
    "tab": partial(Block, label="Tab", title="Title", is_title_required=True, content="blocks", parent="tabs"),
}
"""Functions that return the block for the function that writes the directive, in the order of the studio's list."""
_WITHOUT_FORM = frozenset({*ALIASES, "figure"})  # other names, and pictures, which the editors have


def blocks(plugins: SitePlugins) -> Mapping[str, Block]:
    """Return the blocks of a site by the name of the directive, the built-in ones first. Raises as `additions_of`."""
    directives = additions_of(plugins).directives
    own = {name: form(directives[name]) for name, form in FORMS.items()}
    added = {name: _declared(name, write) for name, write in directives.items() if name not in own}
    return {**own, **{name: block for name, block in added.items() if name not in _WITHOUT_FORM}}


def _declared(name: str, write: Callable[[Any], None]) -> Block:
    """Return the block of a plug-in; one without a declaration has a title, arguments and lines, typed as text."""
    declared = getattr(write, "__wrapped__", None)
    if isinstance(declared, Block):
        return declared
    arguments = BlockField(ANY, "Arguments", help='Such as key="value" other="value".')
    return Block(write, name.replace("-", " ").replace("_", " ").capitalize(), (arguments,), "Title", "text")
