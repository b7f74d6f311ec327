"""What readers see of an entry, they see of an entry of every kind."""

from typing import Any

import pytest

from sitecms.content.kinds import EntryKind
from tests.support.sites import ExampleSite

each_kind = pytest.mark.parametrize("kind", EntryKind)
DECLARED = {"terms": ["categories", "tags"], "featured_image": True}
FIELDS = [{"slug": "name", "name": "Name", "type": "short_text"}]
AT = "2026-01-01T08:00:00Z"


def write(site: ExampleSite, kind: EntryKind, **keys: Any) -> None:
    """Write the file of a published entry with these keys."""
    site.write("schema/page_types/boat.yaml", {**DECLARED, "fields": FIELDS})
    site.write("schema/collections/crew.yaml", {**DECLARED, "route": "/crew/{slug}/", "fields": FIELDS})
    facts = {"status": "published", "published": AT, "updated": "2026-01-03T08:00:00Z", **keys}
    if kind is EntryKind.POST:
        site.post("gig", **facts)
    elif kind is EntryKind.PAGE:
        site.write("content/pages/boat/gig.yaml", {"title": "Gig", "fields": {"name": "Gig"}, **facts})
    elif kind is EntryKind.ITEM:
        site.write("content/collections/crew.yaml", [{"id": 7, "fields": {"name": "Gig"}, **facts}])


@each_kind
def test_an_entry_has_its_own_path_and_former_ones_lead_there(example: ExampleSite, kind: EntryKind) -> None:
    """In the sitemap with the time of its update, too."""
    write(example, kind, path="/boats/gig/", aliases=["/old/gig/"])
    example.make()
    assert "Gig</h1>" in example.text("boats/gig/index.html")
    assert 'href="https://tide.example/boats/gig/"' in example.text("old/gig/index.html")
    (entry,) = (part for part in example.text("sitemap.xml").split("<url>") if "/boats/gig/</loc>" in part)
    assert "<lastmod>2026-01-03" in entry


@each_kind
def test_an_entry_stands_in_the_archives_of_its_terms(example: ExampleSite, kind: EntryKind) -> None:
    """With its picture, which is also that of shared links; an unpublished one does not."""
    example.settings_are(share_images={"enabled": True})
    picture: dict[str, Any] = {"featured_image": {"url": "media/sea.png", "alt": "A gig"}}
    if kind is EntryKind.POST:
        picture = {"featured_image": "media/sea.png", "featured_image_alt": "A gig"}
    write(example, kind, path="/gig/", tags=["Oar"], categories=["Boats"], **picture)
    example.make()
    page = example.text("gig/index.html")
    assert all(part in page for part in ('href="/tags/oar/"', 'href="/categories/boats/"', 'alt="A gig"'))
    shared = page[page.index('property="og:image"') :].split('content="')[1].split('"')[0]
    assert (example.public / shared.removeprefix("https://tide.example/")).is_file()
    for archive in ("tags/oar/index.html", "categories/boats/index.html"):
        assert 'href="/gig/">Gig</a>' in example.text(archive)
    assert 'alt="A gig"' in example.text("tags/oar/index.html")
    write(example, kind, path="/gig/", tags=["Oar"], categories=["Boats"], status="draft")
    example.make()
    assert not (example.public / "tags/oar/index.html").exists()
