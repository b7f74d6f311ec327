"""Categories and tags, together: terms. Shared across locales."""

from dataclasses import dataclass
from enum import StrEnum


class TermKind(StrEnum):
    """The two kinds of term; a slug is unique within its kind."""

    CATEGORY = "category"
    TAG = "tag"


@dataclass(frozen=True, slots=True)
class Term:
    """Specification, Category. `name` is shown, `slug` stands in addresses."""

    kind: TermKind
    slug: str
    name: str
