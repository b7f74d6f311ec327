"""Authors, shared across locales."""

from msgspec import Struct
from msgspec.structs import astuple

AUTHORS_FILE = "content/authors.yaml"
"""The file of the site folder that declares authors."""


class Author(Struct, frozen=True):
    """An author (API reference, Author). Unset texts are "", never None.

    `aliases` are old site paths that lead to the archive; lists of authors have them, the authors of posts do not.
    """

    slug: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    bio: str = ""
    title: str = ""
    linkedin_url: str = ""
    facebook_url: str = ""
    pinterest_url: str = ""
    instagram_url: str = ""
    twitter_handle: str = ""
    profile_image: str = ""
    aliases: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Compare everything but the aliases."""
        return isinstance(other, Author) and astuple(self)[:-1] == astuple(other)[:-1]

    def __hash__(self) -> int:
        return hash(self.slug)

    @property
    def name(self) -> str:
        """First and last name, or the slug of an author without either."""
        return f"{self.first_name} {self.last_name}".strip() or self.slug


def split_name(name: str) -> tuple[str, str]:
    """Return the first and the last name of a person; one word alone is a first name."""
    first, _, last = name.rpartition(" ")
    return (first, last) if first else (last, "")
