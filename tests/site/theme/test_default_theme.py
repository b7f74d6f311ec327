"""What the default theme shows beside texts: series, featured posts, profiles, edit links, icons, terms."""

import io
import json
import re

import pytest
from PIL import Image

from sitecms.resources import resource_dir
from sitecms.site.template_values import CountedLink
from sitecms.site.views.natural_order import by_initial, natural_key
from sitecms.site.views.profiles import profile_link
from tests.support.sites import ExampleSite

FIELDS = "fields:\n  - {slug: featured, type: checkbox}\n  - {slug: series, type: short_text}\n"
FIELDS += "  - {slug: series_part, type: number}\n"


def post(example: ExampleSite, name: str, day: int, **more: object) -> None:
    at = f"2026-02-{day:02}T08:00:00Z"
    example.post(name, "Text.", title=name.capitalize(), published=at, created=at, updated=at, **more)


def links_of(html: str, part: str) -> list[str]:
    """The words of the links in the first element of that class."""
    found = re.search(rf'class="{part}".*?</(?:aside|nav|ul)>', html, re.DOTALL)
    return re.findall(r"<a [^>]*>([^<]+)</a>", found[0]) if found else []


def test_posts_of_a_series_name_one_another(example: ExampleSite) -> None:
    """By `series_part`, else by date; a change of one title renders the others of its series again, and no more."""
    example.write("schema/post.yaml", FIELDS)
    post(example, "first", 20, series="Knots", series_part=1)
    post(example, "third", 11, series="Knots")
    post(example, "second", 10, series="Knots")
    post(example, "alone", 12, series="Sails")
    example.make()
    page = example.text("blog/second/index.html")
    assert "Series: Knots" in page
    assert "Part 2 of 3" in page
    assert links_of(page, "series") == ["First", "Third"]
    assert re.findall(r'rel="(prev|next)">(First|Third)<', page)[:2] == [("prev", "First"), ("next", "Third")]
    assert 'class="series"' not in example.text("blog/alone/index.html")
    third = (example.folder / "content/posts/third.md").read_text("utf-8")
    example.write("content/posts/third.md", third.replace("Third", "Last"))
    stale = example.make().stale
    assert {"blog/first/index.html", "blog/second/index.html", "blog/third/index.html"} <= stale.keys()
    assert "blog/calm/index.html" not in stale
    assert example.tree() == example.clean_tree()


def test_featured_posts_come_first_on_the_home_page(example: ExampleSite) -> None:
    """With a mark, in the order of their dates; other lists stay in that order."""
    example.write("schema/post.yaml", FIELDS)
    post(example, "old", 26, featured=True)
    post(example, "new", 27)
    example.make()
    home, blog = example.text("index.html"), example.text("blog/index.html")
    assert home.index(">Old</a>") < home.index(">New</a>")
    assert blog.index(">New</a>") < blog.index(">Old</a>")
    assert home.count('class="featured"') == 1
    assert example.tree() == example.clean_tree()


@pytest.mark.parametrize(
    ("address", "label", "icon"),
    [
        ("https://mastodon.social/@tide", "Mastodon", "mastodon"),
        ("https://sea.example/@ann@other.example", "Mastodon", "mastodon"),
        ("https://medium.com/@ann", "medium.com", "web"),
        ("https://www.youtube.com/@tide", "YouTube", "youtube"),
        ("https://bsky.app/profile/ann.example", "Bluesky", "bluesky"),
        ("https://github.com/ann", "GitHub", "github"),
        ("https://codeberg.org/ann", "Codeberg", "codeberg"),
        ("https://de.linkedin.com/in/ann", "LinkedIn", "linkedin"),
        ("https://www.instagram.com/ann/", "Instagram", "instagram"),
        ("https://www.facebook.com/ann", "Facebook", "facebook"),
        ("https://www.pinterest.com/ann/", "Pinterest", "pinterest"),
        ("https://x.com/ann", "X", "x"),
        ("https://github.com.evil.example/ann", "github.com.evil.example", "web"),
        ("mailto:ann@tide.example?subject=x", "ann@tide.example", "mail"),
        ("https://tide.example/about", "tide.example", "web"),
    ],
)
def test_the_icon_of_a_profile_follows_from_its_address(address: str, label: str, icon: str) -> None:
    """Mastodon has no host of its own: its addresses have a form."""
    link = profile_link(address)
    assert (link.label, link.icon, link.url) == (label, icon, address)


def test_profiles_of_site_and_authors_are_icons_with_words(example: ExampleSite) -> None:
    """Each says that it is the same person (`rel=me`); `rss` is the feed of the site."""
    profiles = {"social": ["https://mastodon.social/@tide", "rss"]}
    example.settings_are(theme=profiles)
    settings = (example.folder / "site.toml").read_text()
    example.write("site.toml", f'{settings}[theme.author_links]\nann-ray = ["https://codeberg.org/ann"]\n')
    example.make()
    home = example.text("index.html")
    assert '<a href="https://mastodon.social/@tide" rel="me noopener" title="Mastodon"><svg' in home
    assert 'href="/rss.xml" rel="alternate" title="RSS"' in home
    for path in ("authors/ann-ray/index.html", "blog/ebb/index.html"):
        assert 'href="https://codeberg.org/ann" rel="me noopener" title="Codeberg"' in example.text(path)
    example.write("site.toml", f'{settings}[theme.author_links]\nann-ray = ["https://github.com/ann"]\n')
    example.build()
    assert example.tree() == example.clean_tree()


def test_pages_link_to_their_file(example: ExampleSite) -> None:
    """Posts and pages, with the path of the file; without the setting there is no link."""
    example.make()
    assert "Edit this page" not in example.text("blog/ebb/index.html")
    example.settings_are(theme={"edit_url": "https://git.example/tide/edit/main/{path}"})
    example.make()
    assert 'href="https://git.example/tide/edit/main/content/posts/ebb.md"' in example.text("blog/ebb/index.html")
    assert "edit/main/content/pages/guide/knots.yaml" in example.text("guide/knots/index.html")
    assert "Edit this page" not in example.text("index.html")
    assert example.tree() == example.clean_tree()


def test_icons_for_phones_are_made_from_a_picture_of_the_owner(example: ExampleSite) -> None:
    """In the sizes that it is large enough for; the manifest names them. The theme's own icon makes neither."""
    example.make()
    assert "apple-touch-icon" not in example.text("index.html")
    assert 'rel="manifest"' not in example.text("index.html")
    example.image("assets/icon.png", "teal", (400, 300))
    example.settings_are(theme={"touch_icon": "icon.png"})
    example.make()
    page = example.text("index.html")
    (touch,) = re.findall(r'rel="apple-touch-icon" href="/([^"]+)"', page)
    with Image.open(io.BytesIO((example.public / touch).read_bytes())) as icon:
        assert (icon.size, icon.mode) == ((180, 180), "RGB")
        assert icon.getpixel((90, 90)) == (0, 128, 128)
        assert icon.getpixel((90, 2)) == (255, 255, 255)
    (address,) = re.findall(r'rel="manifest" href="/([^"]+)"', page)
    manifest = json.loads((example.public / address).read_bytes())
    assert (manifest["name"], manifest["start_url"]) == ("Tide", "/")
    assert [each["sizes"] for each in manifest["icons"]] == ["192x192"]
    assert (example.public / manifest["icons"][0]["src"].lstrip("/")).is_file()
    assert example.tree() == example.clean_tree()


def test_pictures_of_a_theme_are_no_icons_of_the_site(example: ExampleSite) -> None:
    """A picture that a theme brings says nothing of the owner, so no icon and no manifest is made from it."""
    example.write("themes/sea/theme.toml", 'name = "sea"\nextends = "default"\n[defaults]\nfavicon = "sea.png"\n')
    example.image("themes/sea/assets/sea.png", "teal", (400, 400))
    example.settings_are(theme={"name": "sea"})
    example.make()
    page = example.text("index.html")
    assert re.search(r'rel="icon"[^>]* href="/assets/sea\.[^"]+png"', page)
    assert "apple-touch-icon" not in page
    assert 'rel="manifest"' not in page


def test_names_are_in_natural_order() -> None:
    """Numbers by their value, letters without case and accents."""
    names = ["tag10", "tag2", "Tag1", "Ärger", "art", "Zed", "2026", "10 knots", "9 knots", "tag" + "9" * 5000]
    ordered = ["9 knots", "10 knots", "2026", "Ärger", "art", "Tag1", "tag2", "tag10", "tag" + "9" * 5000, "Zed"]
    assert sorted(names, key=natural_key) == ordered


def test_many_names_are_grouped_by_their_initial() -> None:
    """Numbers first, signs last, each letter once."""
    names = sorted(["Ärger", "art", "2026", "!", "Ørsted", "海", "бриз", "Бора"], key=natural_key)
    groups = by_initial(CountedLink(name, "/", 1) for name in names)
    found = {group.initial: [term.label for term in group.terms] for group in groups}
    assert next(iter(found)) == "0–9"
    assert list(found)[-1] == "#"
    assert found["A"] == ["Ärger", "art"]
    assert found["Б"] == ["Бора", "бриз"]


@pytest.mark.parametrize(("order", "first"), [("name", "tag1"), ("count", "tag60")])
def test_a_list_of_many_tags_is_readable(example: ExampleSite, order: str, first: str) -> None:
    """By name in natural order, under initial letters where they differ; or the most used first."""
    example.settings_are(theme={"terms": order}, build={"indexes": True})
    post(example, "many", 3, tags=[f"tag{number}" for number in range(1, 61)] + ["Ärger"])
    post(example, "again", 4, tags=["tag60"])
    example.make()
    page = example.text("tags/index.html")
    names = [name for name in re.findall(r'<li><a href="[^"]+">([^<]+) \(\d+\)</a></li>', page) if "tag" in name]
    assert names[0] == first
    assert ('<h2 class="initial">A</h2>' in page) == (order == "name")
    if order == "name":
        assert names == [f"tag{number}" for number in range(1, 61)]


@pytest.mark.parametrize("body", ["centre", "full"])
def test_texts_stand_in_the_middle_or_use_the_page(example: ExampleSite, body: str) -> None:
    """The stylesheet has rules for it; by default texts stand beside the margin, and nothing is said."""
    example.settings_are()
    example.make()
    assert "data-body" not in example.text("index.html")
    example.settings_are(theme={"body": body})
    example.make()
    assert f'data-body="{body}"' in example.text("blog/ebb/index.html")


@pytest.mark.parametrize("name", sorted(path.name for path in (resource_dir("templates") / "themes").iterdir()))
def test_every_theme_shows_a_post_with_all_that_it_may_have(example: ExampleSite, name: str) -> None:
    """A portrait in the byline, a series, a mark, profiles: no theme lacks a part that another one has."""
    example.write("schema/post.yaml", FIELDS)
    example.image("media/ann.png", "teal", (300, 300))
    example.settings_are(theme={"name": name, "social": ["rss"]})
    ann = {
        "slug": "ann-ray",
        "first_name": "Ann",
        "profile_image": "media/ann.png",
        "linkedin_url": "https://x.example/",
    }
    example.write("content/authors.yaml", [ann, {"slug": "bo-lind", "first_name": "Bo"}])
    post(example, "one", 20, series="Knots", featured=True, author="ann-ray")
    post(example, "two", 21, series="Knots", author="ann-ray")
    example.make()
    page = example.text("blog/one/index.html")
    assert 'class="avatar"' in page
    assert 'class="series"' in page


def test_a_page_has_the_title_that_its_fields_give_search_engines(example: ExampleSite) -> None:
    """In the tab of the browser and where it is shared, not on the page; the home page has it alone."""
    for name in ("home", "shore"):
        example.write(
            f"schema/single_pages/{name}.yaml", {"fields": [{"slug": "seo", "type": "component", "component": "seo"}]}
        )
        page = {
            "title": name,
            "status": "published",
            "published": "2026-01-01",
            "fields": {"seo": {"title": f"Tides & {name}"}},
        }
        example.write(f"content/pages/_single/{name}.yaml", page)
    example.write("schema/components/seo.yaml", {"fields": [{"slug": "title", "type": "short_text"}]})
    example.settings_are(build={"home": "home"})
    example.make()
    home, shore = example.text("index.html"), example.text("shore/index.html")
    assert "<title>Tides &amp; home</title>" in home
    assert "<title>Tides &amp; shore – Tide</title>" in shore
    assert '<meta property="og:title" content="Tides &amp; shore">' in shore
    assert "<h1>shore</h1>" in shore
