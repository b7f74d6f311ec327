"""Links to people and sites elsewhere, with the icon of the service."""

import re

from sitecms.site.template_values import ProfileLink
from sitecms.web_address import split_address

RSS = "rss"
_SERVICES = {
    "bsky.app": ("Bluesky", "bluesky"),
    "codeberg.org": ("Codeberg", "codeberg"),
    "facebook.com": ("Facebook", "facebook"),
    "github.com": ("GitHub", "github"),
    "instagram.com": ("Instagram", "instagram"),
    "linkedin.com": ("LinkedIn", "linkedin"),
    "pinterest.com": ("Pinterest", "pinterest"),
    "twitter.com": ("X", "x"),
    "x.com": ("X", "x"),
    "youtube.com": ("YouTube", "youtube"),
    "youtu.be": ("YouTube", "youtube"),
}
"""Name and icon of services by host."""
_MASTODON = re.compile(r"/@[\w.-]+(?:@[\w.-]+)?/?")
_WITH_THE_SAME_PATHS = frozenset({
    "flipboard.com", "hackernoon.com", "medium.com", "odysee.com", "peakd.com", "substack.com", "threads.com",
    "threads.net", "tiktok.com", "unsplash.com", "vk.com",
})  # fmt: skip
"""Hosts with addresses like those of people on Mastodon, which has no host of its own."""


def profile_link(address: str, label: str = "") -> ProfileLink:
    """Return the link to a profile; `label` takes the place of the name of the service."""
    if address == RSS:
        return ProfileLink("RSS", "", RSS)
    if address.startswith("mailto:"):
        return ProfileLink(label or address.removeprefix("mailto:").partition("?")[0], address, "mail")
    parts = split_address(address)
    host = (parts.hostname or "").removeprefix("www.")
    name, icon = _SERVICES.get(host, ("", ""))
    if not icon and host.partition(".")[2] == "linkedin.com":
        name, icon = _SERVICES["linkedin.com"]
    if not icon and _MASTODON.fullmatch(parts.path) and host not in _WITH_THE_SAME_PATHS:
        name, icon = "Mastodon", "mastodon"
    return ProfileLink(label or name or host, address, icon or "web")
