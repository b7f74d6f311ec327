"""Categories and tags, together: terms. Shared across locales."""

import unicodedata
from enum import StrEnum

from msgspec import Struct

MAX_TERMS = 100
"""Most categories, and most tags, of one post (as for files in content_schema/post.schema.json)."""
MAX_TERM_NAME_LENGTH = 255


class TermKind(StrEnum):
    """The two kinds of term; a slug and a name are each unique within a kind."""

    CATEGORY = "category"
    TAG = "tag"


TERM_FIELDS = {"categories": TermKind.CATEGORY, "tags": TermKind.TAG}
"""The names of the values of an entry that are terms, in the API and in files."""
TERM_FILES = {TermKind.CATEGORY: "content/categories.yaml", TermKind.TAG: "content/tags.yaml"}
"""The files of the site folder that declare terms."""


class Term(Struct, frozen=True):
    """A category or tag. `name` is shown, `slug` stands in addresses ("" before the store has chosen one).

    `aliases` are old site paths that lead to the archive, in lists of all terms and of a file.
    """

    kind: TermKind
    slug: str
    name: str
    aliases: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Compare everything but the aliases."""
        return isinstance(other, Term) and (self.kind, self.slug, self.name) == (other.kind, other.slug, other.name)

    def __hash__(self) -> int:
        return hash((self.kind, self.slug))


def name_key(name: str) -> str:
    """Return the text by which names are compared: names with equal keys are one term (API reference, Writes).

    Case, outer spaces and the Unicode form (composed or decomposed) do not count. Everything else does: `C`, `C++`
    and `m2`, `m²` are different names, and so are `Maße` and `Masse`.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).lower())
