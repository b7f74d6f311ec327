"""The author of posts that name none (decisions, Writes; site-folder.md, owner)."""

from sitecms.errors import InvalidFields
from sitecms.store.database import Session
from sitecms.store.entries.authors import find_author_slug, find_authors, find_only_author

_MOST_LISTED = 20


def default_author(session: Session, owner: str) -> str:
    """Return the slug of the author that posts without one belong to: the site's owner, else the only author.

    `owner` is what site.toml names, by slug or email. Raises InvalidFields under `author` where there is none.
    """
    if owner and (slug := find_author_slug(session, owner)):
        return slug
    if not owner and (slug := find_only_author(session)):
        return slug
    problem = f"No author is named, and site.toml names {_owner(owner)}."
    raise InvalidFields({"author": [f"{problem} {known_authors(session)}"]})


def known_authors(session: Session) -> str:
    """Return a sentence that lists the authors there are."""
    slugs = [author.slug for author in find_authors(session)]
    listed = ", ".join(slugs[:_MOST_LISTED]) + (f" and {len(slugs) - _MOST_LISTED} more" * (len(slugs) > _MOST_LISTED))
    return f"Authors there are: {listed or 'none'} (content/authors.yaml)."


def _owner(owner: str) -> str:
    return f'the owner "{owner}", who is not an author' if owner else "no owner"
