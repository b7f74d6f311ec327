"""Slugs of categories and tags, which depend on the names alone and never on the order in which terms were made."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from itertools import count

from sitecms.content.fingerprint import digest
from sitecms.content.term import Term, TermKind, name_key
from sitecms.content.text.slug import shortened, slugify

_READ_AS = str.maketrans({"+": " plus ", "#": " sharp ", "&": " and ", "@": " at ", "/": " ", ".": " "})
_MAX_READ = 2_000  # as `slugify`
_SPACES = re.compile(r"\s+")
_SUFFIX_LENGTH = 4


def base_slug(name: str) -> str:
    """Return the slug that a name gives, as `c-plus-plus` for C++; "" of a name without letter, digit and sign."""
    return slugify(unicodedata.normalize("NFKC", name[:_MAX_READ]).translate(_READ_AS))


def named_term(kind: TermKind, name: str) -> Term:
    """Return the term that a name would have, where the store has none of that name."""
    return Term(kind, base_slug(name), name)


def terms_by_name(terms: Iterable[Term]) -> Mapping[str, Term]:
    """Return terms of one kind by the text by which their names are compared."""
    return {name_key(term.name): term for term in terms}


def term_slugs(bases: Mapping[str, str], taken: Collection[str] = ()) -> Mapping[str, str]:
    """Return the slug of each name, of which `bases` has the base slug; none of the slugs is in `taken`.

    A name has its base slug, unless another name gives it too, or it is taken. Then the name that is spelt like it has
    it, whatever the case and with spaces for hyphens (`ab` for AB beside A'B), and every other one, or all if none is
    spelt so, a suffix that is made from the name (`ab-3f2a`). So the slugs depend on the names, not on their order.
    """
    by_base: dict[str, list[str]] = {}
    for name, base in bases.items():
        by_base.setdefault(base, []).append(name)
    slugs, used, suffixed = dict[str, str](), {*taken}, list[tuple[str, str]]()
    for base, alike in by_base.items():
        holder = None if base in used else alike[0] if len(alike) == 1 else _spelt_like(base, alike)
        if holder is not None:
            slugs[holder] = base
        suffixed += ((base, name) for name in alike if name != holder)
    used.update(slugs.values())
    for base, name in sorted(suffixed, key=lambda each: name_key(each[1])):
        made = digest(name_key(name).encode())
        slugs[name] = next(
            slug for length in count(_SUFFIX_LENGTH) if (slug := _ended(base, made[:length])) not in used
        )
        used.add(slugs[name])
    return slugs


def _spelt_like(slug: str, names: Iterable[str]) -> str | None:
    """Return the name that is spelt like a slug, hyphens before spaces, or None."""
    spelt = [name for name in names if _SPACES.sub("-", name_key(name)) == slug]
    return min(spelt, key=lambda name: (name_key(name) != slug, len(name), name_key(name)), default=None)


def _ended(base: str, ending: str) -> str:
    return f"{shortened(base, len(ending) + 1)}-{ending}"
