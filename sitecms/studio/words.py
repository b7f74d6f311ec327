"""Words for the values that content, writes and the log have, which the lower layers name in English."""

from itertools import chain

from sitecms.content.kinds import KINDS, EntryKind
from sitecms.messages import N_
from sitecms.studio.texts import _

WORDS = frozenset(
    {
        *EntryKind, *chain.from_iterable(properties.texts for properties in KINDS.values()),
        # Roles
        N_("writer"), N_("editor"), N_("admin"),
        # Kinds of names
        N_("author"), N_("category"), N_("tag"),
        # The state of an entry, and of a write
        N_("draft"), N_("published"), N_("scheduled"), N_("accepted"), N_("applied"), N_("rejected"), N_("failed"),
        # What a page becomes
        N_("new"), N_("changed"), N_("removed"),
        # What a write does
        N_("create"), N_("update"), N_("replace"), N_("delete"),
        # Actions in the log
        N_("activate user"), N_("ask for a build"), N_("add user"), N_("change password"), N_("deactivate user"),
        N_("describe"),
        N_("discard draft"), N_("end other sessions"), N_("end session"), N_("end sessions"), N_("invite"),
        N_("keep file"), N_("make recovery codes"), N_("make reset link"), N_("order"), N_("publish"),
        N_("remove user"), N_("reset password"), N_("restore"), N_("schedule"), N_("set password"), N_("set role"),
        N_("sign in"), N_("sign out"), N_("try again"), N_("turn off second factor"), N_("turn on second factor"),
        N_("unpublish"), N_("upload"), N_("use recovery code"), N_("withdraw invitation"), N_("wrong code"),
        N_("make token"), N_("withdraw token"), N_("add webhook"), N_("remove webhook"), N_("turn on webhook"),
        N_("send again"), N_("waiting"), N_("delivered"),
        N_("change settings"), N_("undo settings"), N_("set e-mail address"), N_("send reset link"),
        N_("send e-mail again"), N_("submit for review"), N_("assign review"), N_("send back"), N_("withdraw review"),
        N_("write note"), N_("delete note"),
        # Blocks, and the fields of their forms
        N_("Bookmark"), N_("Description"), N_("Name of the site"),
        N_("Audio"), N_("Begin again at the end"), N_("Button"), N_("Callout"), N_("Caution"), N_("Columns"),
        N_("Details to open"), N_("Embed"), N_("File"), N_("File of captions (VTT)"), N_("Gallery"), N_("Important"),
        N_("Language of the captions"), N_("Note"), N_("Open from the beginning"), N_("Picture"),
        N_("Picture before it plays"), N_("Shape"), N_("Summary"), N_("Tab"), N_("Tabs"), N_("Text of the link"),
        N_("Tip"), N_("Video"), N_("Warning"), N_("Without sound"), N_("Arguments"),
        N_("A page of YouTube, Vimeo, Spotify, SoundCloud or CodePen plays here; others become a link."),
        N_("If you leave the other fields empty, they are read from the page."),
        N_("Read where the file cannot be played."), N_("Such as en."), N_('Such as key="value" other="value".'),
    }
)  # fmt: skip
"""Those that the studio translates; a site may bring others, such as labels of its fields."""


def word(value: str) -> str:
    """Return the translation of one of the words; another one unchanged."""
    return _(value) if value in WORDS else value
