"""Changes of posts for tests, by the values of a post."""

from typing import Any

from sitecms.content.addresses import OwnAddresses
from sitecms.content.change import EntryChange, VersionChange
from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status, Version


def post_change(locale: str, slug: str, title: str, status: Status, **values: Any) -> EntryChange:
    """Return the change of a post: `id`, `path`, `guid`, `aliases`, `translation_of`, values of its version by name."""
    path, guid, aliases = (values.pop(name, empty) for name, empty in (("path", ""), ("guid", ""), ("aliases", ())))
    addresses = OwnAddresses({locale: path} if path else {}, {locale: tuple(aliases)} if aliases else {}, guid)
    post_id, translation_of = values.pop("id", 0), values.pop("translation_of", "")
    version = VersionChange(locale, Version.LIVE, status, **values)
    return EntryChange(
        EntryKind.POST, post_id, "", (version,), slug, title, addresses=addresses, translation_of=translation_of
    )
